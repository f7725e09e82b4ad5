//! Whether a sentence says something that lasts: its mood, its scope and whom it is said to, added up.
//!
//! No word decides alone. `Never push to main` lasts and `never mind` does not; `use omega here` is about
//! this proof and `use omega for subtraction` is not. So each cue adds to a sum or takes from it, and a
//! sentence counts from a sum of zero on. What weighs how much was fitted to sentences that people labelled.
//! What as a whole is not meant so (a question, irony, what others want, what would be) is not weighed.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::prose::BLANK;
use crate::model::Kind;
use crate::text::{has_name, without_mark};

/// Its name, where its words count, what it adds for a person and for the agent, what it says, and its words.
struct Cue(&'static str, At, (i16, i16), Option<Kind>, &'static str);

#[derive(Clone, Copy, PartialEq)]
enum At {
    Anywhere,
    /// At the beginning of the sentence, small words aside.
    Start,
    /// At the beginning of the sentence or of a clause of it.
    Clause,
    /// Where no article or pronoun makes it one particular thing.
    Bare,
    /// Not at the beginning of the sentence.
    Later,
    /// Behind a word for each of its kind.
    Each,
    /// Before a verb that tells what we do each time: `we count vertices from 0`.
    OurWay,
    /// Before a verb in `-ing`.
    Doing,
    /// Before a verb that tells what was.
    Past,
    /// Not behind `I`, `we` or `you`.
    OfOthers,
    /// Behind a number that begins a clause.
    Counted,
    /// At the beginning of the sentence before what there is to be none of.
    Nothing,
    /// Where it is all of its clause, small words aside.
    Whole,
    /// Where its clause does not only suppose it: `if it is false`, `one might think it impossible`.
    Asserted,
}

const PREFERENCE: Option<Kind> = Some(Kind::Preference);
const DECISION: Option<Kind> = Some(Kind::Decision);
const DEAD_END: Option<Kind> = Some(Kind::Failure);
const LESSON: Option<Kind> = Some(Kind::Lesson);

#[rustfmt::skip]
const CUES: &[Cue] = &[
    // For how long, and of how many things.
    Cue("lasting", At::Anywhere, (30, 10), PREFERENCE,
        "after each|after every|before each|before every|nach jedem|nach jeder|vor jedem|vor jeder|après chaque|avant chaque|\
         from now on|from today on|from here on|going forward|in future|in the future|as a rule|by default|in general|\
         generally|every time|each time|any time|everywhere|anywhere|nirgends|nulle part|wherever|at all times|across the repo|\
         across the project|across the whole project|all over the library|all over the project|across the library|project-wide|\
         repo-wide|in this repo|in this repository|in this project|for this project|in our project|in this codebase|\
         in this development|in these files|in this chapter|throughout|around here|for all future|standing rule|house rule|\
         house style|our convention|geeinigt|convenus|convenu|agreed on|let's agree|let's settle|einigen wir uns|legen wir fest|halten wir fest|\
         convenons|mettons-nous d'accord|the convention|naming convention|convention is|\
         our policy|policy is|rule of thumb|the rule is|rule here|once and for all|no exceptions|without exception|ab jetzt|\
         ab sofort|ab heute|von jetzt an|künftig|zukünftig|in zukunft|grundsätzlich|generell|standardmäßig|überall|jedes mal|\
         jedesmal|bei uns|in diesem repo|in diesem projekt|im ganzen projekt|in der ganzen bibliothek|ins projekt|durchgehend|\
         durchweg|bis auf weiteres|désormais|dorénavant|à partir de maintenant|à partir d'aujourd'hui|à l'avenir|par défaut|\
         partout|chaque fois|à chaque fois|en général|dans ce dépôt|sur ce dépôt|dans ce projet|dans ce repo|chez nous|\
         en règle générale|une fois pour toutes|dans tout le projet|jusqu'à nouvel ordre|dans toute la bibliothèque|\
         par convention|notre convention|la convention|la règle est"),
    Cue("always", At::Anywhere, (-5, -9), PREFERENCE,
        "always|never|don't ever|only ever|under no circumstances|immer|stets|nie|niemals|nie wieder|toujours|jamais|\
         systématiquement|sans exception|en aucun cas|plus jamais"),
    Cue("ordered for good", At::Clause, (20, 0), PREFERENCE,
        "always|never|don't ever|only ever|immer|nie|niemals|toujours|jamais|ne jamais"),
    Cue("all of a kind", At::Anywhere, (14, -1), None,
        "all|every|any|each|anything|everything|nothing|nichts|alle|aller|allen|jede|jeder|jedes|jeden|kein|keine|keinen|tous|\
         toutes|chaque|aucun|aucune|quoi que ce soit|per|one per|pro"),
    Cue("only", At::Anywhere, (12, 13), None,
        "only|unless|except|without|until you|even if|even when|even to|nur|außer|ohne|selbst wenn|auch wenn|seulement|\
         uniquement|sauf|sans|même si|ne que"),
    Cue("limit", At::Anywhere, (16, 0), None,
        "at a time|at once|at the same time|gleichzeitig|à la fois|at most|no more than|max|maximum|maximal|höchstens|au plus|au maximum|pas plus de"),
    Cue("things of a kind", At::Bare, (21, 10), PREFERENCE,
        "lines|zeilen|lignes|branches|commits|commit messages|messages|names|lemmas|theorems|proofs|statements|imports|tests|files|modules|\
         docstrings|comments|prs|pull requests|releases|tags|definitions|hypotheses|variables|binders|instances|notations|\
         scripts|plots|figures|headings|citations|attempts|answers|reports|computations|file names|lemma names|branch names|\
         warnings|linters|secrets|logs|constants|dates|namespaces|axioms|helper lemmas|helpers|counterexamples|issues|reviews|\
         hotfixes|commit titles|abbreviations|sketches|submissions|results|blocks|labels|paths|graphs|lemmata|beweise|skizzen|\
         ergebnisse|einreichungen|kommentare|dateien|namen|beweisen|kommentaren|sätze|definitionen|les lemmes|les preuves|\
         les esquisses|les résultats|les noms|les commentaires|les fichiers|les tests|les commits|des lemmes|les branches|\
         les définitions|les messages|les données|les énoncés|les hypothèses|les docstrings|les imports|les axiomes|\
         les notations|les figures|les scripts|les variables|les instances|les dates|les sections|d'axiomes|de commentaires|\
         aux lemmes|aux preuves|aux fichiers|aux énoncés|aux définitions|aux tests|aux imports|aux noms|nouveaux lemmes|\
         nouvelles preuves|nouvelles définitions|neuen lemmata|neue lemmata|hilfslemmata"),
    Cue("each of a kind", At::Each, (16, 5), PREFERENCE,
        "file|lemma|theorem|proof|statement|definition|import|module|folder|namespace|docstring|comment|commit|branch|name|\
         axiom|test|hypothesis|variable|sketch|submission|script|section|chapter|datei|beweis|aussage|ordner|kommentar|satz|\
         skizze|kapitel|teil|fichier|preuve|énoncé|définition|dossier|commentaire|nom|axiome|esquisse|chapitre"),
    Cue("state of things", At::Anywhere, (30, 0), PREFERENCE,
        "must not change|may not change|has to stay|must stay|has to remain|must remain|must survive|has to survive|darf sich nicht ändern|\
         nobody but me|no one but me|nobody except|only i|nur ich|niemand außer mir|personne à part moi|moi seul|off-limits|isn't wanted|aren't wanted|unwanted|unwelcome|unerwünscht|nicht erwünscht|nicht gewünscht|pas souhaité|pas voulu|\
         not acceptable|unacceptable|unchanged|the way it is|in doubt|im zweifel|en cas de doute|en cas de conflit|\
         takes precedence|hat vorrang|pinned|frozen|source of truth|authoritative|read-only|hands off|nicht angefasst|\
         nicht angerührt|nicht verändert|wie er ist|wie sie ist|wie es ist|wie sie sind|unverändert|inakzeptabel|tel quel|\
         telle quelle|ne se modifie pas|ne se touche pas|inacceptable|tabu|finger weg|finger von|eingefroren|maßgeblich|\
         unberührt|gesperrt|fait foi|figé|figée|figés|gelé|gelée|gelés|intouchable"),
    Cue("is right", At::Anywhere, (1, 0), DECISION,
        "is right|are right|is correct|has it right|stimmt|stimmen|ist richtig|ist korrekt|est correct|est correcte|est juste|\
         est bon|est bonne"),
    Cue("is broken", At::Anywhere, (1, 0), DECISION,
        "broken|wrong|fix|adapt|adjust|follows|anpassen|anzupassen|korrigieren|korrigiere|falsch|corrige|corriger|adapter|faux|\
         fausse"),
    Cue("contrast", At::Anywhere, (13, 3), DECISION,
        ", not|, just not|, no more|, nicht|, kein|, keine|, pas|and not|und nicht|et pas|et non"),
    Cue("verb of form", At::Anywhere, (10, 0), None,
        "is taken|are taken|is counted|are counted|are numbered|is meant|starts at|start at|begins at|beginnt bei|beginnen bei|commence à|\
         commencent à|is written|are written|is stated|are stated|is indexed|are indexed|is stored|are stored|follow|follows|start with|\
         starts with|end with|ends with|begin with|begins with|come with|comes with|carry|carries|folgen|folgt|beginnen mit|\
         beginnt mit|enden auf|endet auf|tragen|trägt|suivent|suit|commencent par|commence par|finissent par|finit par|portent|\
         porte"),
    Cue("before doing", At::Doing, (14, 0), PREFERENCE, "before|without|stop|quit|instead of|rather than"),
    // `If a proof takes a minute, split it`, and not `if it works, push it`.
    Cue("each time that", At::Start, (18, 0), None,
        "if a|if an|if any|if two|if something|if you|when a|when an|when you|once a|once you|as soon as a|wenn ein|wenn eine|\
         wenn du|wenn zwei|falls ein|falls eine|sobald ein|sobald eine|sobald du|si un|si une|si tu|quand un|quand une|\
         quand tu|dès qu'un|dès que tu"),
    Cue("whenever you", At::Anywhere, (22, 0), PREFERENCE,
        "when you|whenever|before you|if you rename|if you add|if you change|if you touch|once you|after you|while you|\
         without asking|without my ok|ohne zu fragen|ohne mich zu|sans me|sans mon|if you're stuck|if something|if it takes|\
         as long as|before i've|before i have|unless i|not until|if there is one|if possible|where possible|my approval|\
         my permission|rücksprache|wenn möglich|falls vorhanden|si possible|s'il y en a|m'en parler|mon accord|erst wenn|\
         erst, wenn|pas avant|wenn du|bevor du|bevor ich|ohne dass ich|sobald du|quand tu|avant de|avant d'|avant que je|\
         sans que je|dès que tu"),
    // How one answers is asked for good.
    Cue("manner", At::Start, (34, 0), PREFERENCE,
        "answer in|answer with|answer without|answer briefly|reply in|reply with|reply without|reply briefly|respond in|respond with|\
         write to me in|talk to me in|antworte in|antworte mit|antworte ohne|antworte kurz|antworte knapp|réponds en|\
         réponds avec|réponds sans|réponds brièvement|keep it short|keep it brief|halte dich kurz|fais court|be brief|be terse|be concise|fass dich kurz|sois bref|sois concis"),
    Cue("language", At::Anywhere, (19, 0), PREFERENCE,
        "in english|in german|in french|auf englisch|auf deutsch|en anglais|en français|en allemand"),
    Cue("ask me", At::Clause, (22, 0), PREFERENCE,
        "ask me before|ask me first|check with me|tell me before|let me know before|warn me before|talk to me before|frag mich|frag erst|frag vorher|frage mich|sag mir vorher|\
         sag mir bescheid bevor|demande-moi|demandez-moi|préviens-moi|dis-moi avant"),
    Cue("this moment", At::Anywhere, (-13, -14), None,
        "just now|yet|still|again|so far|currently|already|meanwhile|later|one more time|once more|quickly|real quick|\
         for this one|in the meantime|jetzt|gerade eben|gerade dabei|nochmal|noch mal|noch einmal|schon|später|eben|bisher|maintenant|\
         encore|déjà|plus tard|tout de suite|tout à l'heure|une dernière fois"),
    Cue("for today", At::Anywhere, (0, -14), None,
        "tomorrow|morgen|demain|right now|for now|today|tonight|this time|this morning|while i|until i'm back|until you've|until you have|\
         gleich wieder|bis ich|pendant que je|je reviens|at the moment|for the moment|heute|erstmal|vorerst|diesmal|momentan|\
         do anything else|change anything else|touch anything else|add anything else|edit anything else|sonst nichts|nichts anderes|rien d'autre|pour l'instant|aujourd'hui|cette fois|pour le moment|en ce moment|ce matin|ce soir|en attendant"),
    Cue("now", At::Anywhere, (-12, -14), None, "now|next|afterwards|after that|until i|danach|après ça|ensuite|puis"),
    Cue("in turn", At::Anywhere, (-11, -7), None, "first|zuerst|d'abord|finally|zuletzt|second"),
    // At its beginning it says why: `Then let's keep the old name.`
    Cue("in turn", At::Later, (-11, 0), None, "then|dann"),
    Cue("step", At::Anywhere, (0, -7), None, "then|dann"),
    Cue("here", At::Anywhere, (-4, -16), None, "here|above|below|hier|oben|unten|ici|ci-dessus|là"),
    Cue("this one", At::Anywhere, (-12, -12), None,
        "for this|hierfür|pour ça|pour cela|this one|this file|that file|this proof|this lemma|this theorem|this goal|this case|this step|this branch|this commit|\
         this error|this function|this test|this section|this line|this pr|this exercise|the error|the goal|the build|\
         the output|the log|the diff|the pr|the failing|the last|the second|the first|the other|the third|the rest|\
         the remaining|the missing|these|those|this line|that line|step|your last|my last|it's failing|is failing|diese|diesen|dieser|\
         dieses|diesem|die datei|der beweis|den beweis|cet|cette|ces|le fichier|la preuve"),
    // What the person tells the agent.
    Cue("task", At::Start, (-13, -6), None,
        "drop|apply|define|strip|erase|inline|entferne|streich|run|rerun|re-run|commit|push|show|check|look|continue|try|prove|finish|open|remove|delete|rename|merge|rebase|revert|\
         add|update|explain|tell|give|list|print|find|start|go|do|fix|make|write|rewrite|read|create|build|compare|see|let|\
         lets|move|replace|change|implement|apply|test|verify|clean|refactor|undo|restart|proceed|summarize|summarise|review|\
         take|search|grep|put|set|send|submit|install|bump|close|draft|edit|touch|modify|overwrite|generate|have|count|state|\
         formalize|formalise|golf|split|extract|can you|could you|go ahead|i need you to|i need|lass|lauf|starte|zeig|zeige|\
         prüf|prüfe|schau|mach|mache|versuch|versuche|beweise|lösche|füge|schreib|schreibe|erkläre|erklär|nimm|bau|baue|such|\
         suche|kannst du|könntest du|lance|relance|montre|regarde|vérifie|essaie|essaye|continue|prouve|démontre|supprime|\
         ajoute|fais|crée|explique|corrige|renomme|écris|mets|peux-tu|pourrais-tu|est-ce que|conclus|remplace|reprends|termine|\
         finis|passe|ouvre|déplace|compile|teste|nettoie|refais|recommence|avance|attaque|cherche|lis|donne|dis-moi|montre-moi|\
         explique-moi|vas-y|résume|pousse|fusionne|annule|simplifie|enlève|retire|modifie|tente|on continue|on attaque|on y va"),
    Cue("and a task", At::Clause, (-6, -9), None,
        "run|rerun|commit|push|show|check|continue|try|prove|finish|open|remove|delete|rename|merge|rebase|revert|add|update|\
         explain|tell|list|print|find|fix|rewrite|create|build|compare|move|replace|change|implement|apply|test|verify|fix it|\
         do it|please"),
    Cue("policy verb", At::Clause, (12, 6), PREFERENCE,
        "use|keep|prefer|avoid|name|call|treat|stick to|stick with|leave|ask|follow|respect|cite|credit|document|assume|quote|\
         spell|sign|format|separate|stay|restrict|limit|reserve|reuse|default to|remember|bear in mind|keep in mind|note that|\
         mind|reply|answer|respond|speak|be|count on|expect|aim for|hands off|stop and|say|benutze|benutz|verwende|nutze|nutz|\
         vermeide|vermeid|behalte|halte dich|halt dich|frag|frage|lass die finger|denk dran|denk daran|merk dir|bleib bei|\
         bleiben wir bei|antworte|utilise|utilisez|évite|évitez|garde|gardez|préfère|préférez|respecte|laisse|nomme|appelle|\
         demande|demande-moi|pense à|réponds|emploie|conserve|privilégie|retiens|souviens-toi|rappelle-toi|sépare|documente|\
         note que|cite|limite-toi"),
    Cue("do not", At::Clause, (25, 2), PREFERENCE,
        "stay away from|stay out of|keep away from|keep out of|bleib weg von|don't|no more|stop|quit|please don't|you don't need to|you must not|you shouldn't|must never|leave out|skip the|\
         not allowed|forbidden|no need|hands off|nicht|bitte nicht|bitte kein|bitte keine|hör auf|ne|n'utilise|n'ajoute|arrête|\
         arrêtez|pas de|pas besoin|interdit|pas d'|n'oublie|n'écris|n'ouvre|n'invente|inutile de|plus jamais|cesse de"),
    Cue("do not", At::Nothing, (25, 0), PREFERENCE, "no"),
    Cue("duty", At::Anywhere, (10, -1), PREFERENCE,
        "must|has to|have to|needs to be|need to be|ought to|supposed to|is to be|are to be|mandatory|required|banned|verboten|\
         interdit|interdits|may only|may not|must not|shouldn't|can't be|belongs|belong|goes in|go in|goes into|go into|lives|\
         live in|stays|stay|gets|get|get a|go to|goes to|reserved|out of scope|is named|are named|are called|is called|will be|\
         is only|are only|wants to see|to be|soll|sollst|sollen|sollte|sollten|muss|musst|müssen|darf|darfst|dürfen|gehört|\
         gehören|kommt in|kommen in|kommt nach|kommen nach|kommen unter|landen in|werden nicht|wird nicht|werden nie|\
         ne sont pas|bleibt|bleiben|heißen|heißt|heissen|wandern|kommt|doit|dois|doivent|ne bouge plus|ne bouge pas|\
         ne change plus|ne change pas|il faut|faut|devrait|devraient|reste|restent|rester|se met|va dans|vont dans|s'appellent|\
         seront|sera"),
    Cue("what is built", At::Anywhere, (-14, -6), None,
        "button|buttons|icon|icons|label|page|pages|tab|tabs|screen|color|colour|colors|layout|header|footer|menu|user|users|\
         the user|the app|player|customer|login|css|font|image|animation|section|link|links|query param|feature|features|\
         the game|the website|homepage|mockup|toast|knopf|seite|nutzer|bouton|utilisateur"),
    Cue("our way", At::OurWay, (26, -7), DECISION, "we|wir|on|nous"),
    Cue("we do", At::Anywhere, (28, -7), DECISION,
        "going with|we decided|decided|agreed|settled on|settled|let's go with|let's keep|let's stick|let's use|let's not|let's take|\
         decision|final answer|we are on|we're on|we have a rule|we're using|we're dropping|official|for good|win|wins|\
         nehmen wir|schreiben wir|verwenden wir|benutzen wir|behalten wir|nennen wir|indizieren wir|entschieden|abgesprochen|\
         beschlossen|wir haben uns|on s'en tient|on n'utilise|on n'ajoute|on a décidé|on a choisi|on a opté|c'est décidé|\
         c'est tranché|c'est acté"),
    Cue("left out", At::Anywhere, (28, -7), DECISION,
        "let's drop|let's abandon|let's give up on|let's skip|let's leave out|is excluded|are excluded|off the table|\
         ist ausgeschlossen|sind ausgeschlossen|est exclu|est exclue|sont exclus|sont exclues|we gave up on|we dropped|\
         we abandoned|haben wir aufgegeben|haben wir verworfen|haben wir gestrichen|on a renoncé|on a abandonné|lassen wir weg|\
         lassen wir aus|streichen wir|verschieben wir|verzichten wir|laissons de côté|on laisse de côté|on abandonne"),
    Cue("left out", At::Clause, (20, 0), DECISION, "skip it|drop it|leave it out|lass es weg|laisse tomber"),
    Cue("ours", At::Anywhere, (9, -1), None, "our|ours|us|unser|unsere|unseren|notre|nos"),
    Cue("i prefer", At::Anywhere, (39, -6), PREFERENCE,
        "is my job|leave that to me|meine sache|mein job|c'est mon travail|c'est à moi de|i prefer|i'd prefer|i would prefer|i'd rather|i would rather|i hate|i don't like|i always|i never|i usually|\
         my preference|my style|my rule|i can't stand|not a fan|drives me|annoys me|annoying|for my taste|ich mag|\
         ich hab lieber|ich habe lieber|ich hätte lieber|ich hasse|mir lieber|mir wichtig|bevorzuge|stört mich|\
         mache ich selbst|je préfère|je déteste|je tiens à|je n'aime|m'énerve"),
    Cue("i want", At::Anywhere, (26, -6), PREFERENCE,
        "i don't want|i like|i want all|i want every|i want you to|i want to be|i want to see|i expect|i care|i don't care for|\
         i don't need any|i can't review|i find|unreadable|ich möchte|ich will|mir ist|je veux|je ne veux|j'aime|je souhaite"),
    Cue("not but", At::Anywhere, (-3, 3), None,
        "instead of|rather than|not the|but not|but from|in favor of|in favour of|over|instead|not our|sondern|statt|anstatt|\
         anstelle|aber nicht|lieber|plutôt que|au lieu de|mais pas|mais plutôt|plutôt"),
    Cue("wrong", At::Start, (12, 1), DECISION,
        "no|nope|nah|wrong|not quite|incorrect|actually|that's not|that is not|that's the wrong|thats the wrong|that isn't|\
         careful|watch out|beware|heads up|no no|again you|nein|falsch|stimmt nicht|das stimmt nicht|das ist falsch|quatsch|\
         vorsicht|achtung|eigentlich|non|faux|c'est faux|pas du tout|attention|en fait|ce n'est pas|tu confonds|tu te trompes|\
         tu mélanges|tu oublies|tu inverses|pas tout à fait"),
    Cue("you did", At::Anywhere, (12, 0), DECISION,
        "you keep|you forgot|you invented|you misread|you misunderstood|you're confusing|you mixed up|you're writing|you've|\
         your|you got|you have been|you said|du hast|deine|dein|tu as|ton|ta|tes|tu confonds|tu mélanges|tu oublies"),
    Cue("is not so", At::Asserted, (4, 14), DECISION,
        "isn't|aren't|doesn't|there is no|there's no|there won't be|doesn't exist|wrong|dead|deprecated|outdated|obsolete|gone|\
         invented|no longer|anymore|any more|falsch|veraltet|nicht mehr|gibt es nicht|gibt's nicht|ist kein|n'est pas|\
         n'existe pas|mort|obsolète|qui fait foi|n'a pas|n'a plus|n'est plus|n'existe plus|ne sert|il n'y a pas"),
    Cue("states", At::Anywhere, (2, 3), None,
        "is|are|means|lives|takes|needs|requires|expects|wants|lacks|counts|holds|depends|returns|comes|goes|has|uses|gives|\
         makes|keeps|misses|start from|starts from|ist|sind|braucht|liegt|bedeutet|hat|est|sont|signifie|attend"),
    Cue("reason", At::Anywhere, (10, 10), None,
        "because|since|otherwise|or else|so that|the reason|too slow|too expensive|costs|cost us|takes ages|breaks|break|\
         due to|for reproducibility|reviewers|reviewer|saves|chokes on|the referee|does too|as in the paper|like in the paper|\
         wie im paper|comme dans l'article|, da|, as the|, as it|, as we|, as our|weil|denn|sonst|damit|dauert zu lange|zu langsam|\
         deshalb|parce que|car|sinon|pour que|afin de|trop lent|trop lente|puisque|c'est pourquoi"),
    Cue("trap", At::Asserted, (15, 18), LESSON,
        "silently|only works|only fires|only fire|fails when|breaks when|breaks if|won't|doesn't see|can't see|ignores|is ignored|\
         swallows|shadows|is cached|stale|thread-safe|loops|loop|diverges|times out|timeout|timeouts|gotcha|pitfall|trap|\
         by design|known bug|known issue|has no effect|is a no-op|can't find|misleading|must come before|has to come before|\
         picks up|overrides|overwrites|case-sensitive|truncates|renamed to|rejects|refuses|overlooks|hands back|\
         leaves|don't unify|doesn't unify|bumps|trash|blocks|lost|loses|fails with|fails|fail|falle|funktioniert nur|geht nur|\
         ignoriert|nur wenn|stillschweigend|findet nicht|piège|ne marche que|silencieusement|à moins|ne copie pas|ne voit pas|\
         efface|plante|boucle|ne termine pas|bloque|bloquent|écrase|en silence|sans prévenir|explose|recompile"),
    Cue("does not work", At::Asserted, (15, 32), LESSON,
        "doesn't work|don't work|did not work|doesn't help|don't help|hilft nicht|helfen nicht|n'aide pas|ne sert à rien|\
         funktioniert nicht|funktionieren nicht|klappt nicht|geht nicht|ne marche pas|ne marchent pas|ne fonctionne pas|\
         ne fonctionnent pas"),
    Cue("remedy", At::Anywhere, (-3, 13), LESSON,
        "cures it|fixes it|gets around|works around|workaround|the fix is|the safe form|helps|instead|rm -rf|before it|\
         explicitly|can be replaced|can be removed|on just one|bridges|behebt|nötig|hilft|braucht|vorher|avant|contourne"),
    Cue("needs", At::Anywhere, (-3, 13), None, "is needed|needed|need|needs|requires|set|wants|use|il faut|nécessite"),
    Cue("dead end", At::Asserted, (17, 37), DEAD_END,
        "is dead|ist tot|ist gestorben|est mort|est morte|useless|worthless|pointless|futile|in vain|falls short|fall short|gains nothing|gives nothing|gives only|buys nothing|yields nothing|yields only|doesn't yield|loses information|given up|doesn't apply|not applicable|\
         too coarse|too crude|too lossy|isn't enough|not possible|nutzlos|sinnlos|ist nicht möglich|lässt sich nicht|kommt nicht in frage|genügt nicht|\
         zu grob|liefert nicht|liefert nur|liefert nichts|versagt|bricht zusammen|stimmt nicht|widerlegt|nicht beweisbar|\
         bringt nichts|vergeblich|aufgegeben|fallen gelassen|fallengelassen|inutile|en vain|n'apporte rien|ne s'applique pas|n'est pas possible|n'est pas vrai|n'est pas vraie|trop grossier|trop grossière|\
         ne donne que|ne permet pas|n'est pas assez|\
         can't work|can't give|can't reach|can't handle|can't be used|can't hold|won't work|won't do|can never work|won't fly|\
         doesn't suffice|don't suffice|not sufficient|not enough|no way to|no way around|violates|unusable|not feasible|\
         infeasible|is no help|of no help|to be wrong|to be false|something false|gets nowhere|give up|out of reach|\
         route is closed|doesn't give|führt zu nichts|führt nicht|ne donne rien|ne mène pas|is false|are false|false as stated|\
         as stated|as printed|not true|isn't true|insufficient|not strong enough|too weak|breaks down|dead-end|impossible|\
         hopeless|circular|doesn't hold|unworkable|fails for|fails at|fails because|fails already|fail because|counterexample|\
         counter-example|refuted|refutes|disproved|unprovable|not provable|can't be proved|can't be applied|can't be improved|\
         loses a factor|loses too much|no hope|gives up|gave up|had to abandon|have to abandon|goes nowhere|leads nowhere|\
         went nowhere|never converges|obstruction|can't close|none closes|doesn't terminate|blows up|not available in mathlib|\
         not in mathlib|ruled out|abandoned|doesn't generalize|doesn't generalise|can't be fixed|is not monotone|\
         isn't monotone|isn't summable|exhausts|undecidable|sackgasse|verworfen|ist falsch|kann nicht funktionieren|\
         reicht nicht|scheitert|scheiterte|gescheitert|nicht weiter|gegenbeispiel|unmöglich|gilt nicht|zu schwach|trägt nicht|versperrt|impasse|est faux|\
         est fausse|ne peut pas|ne suffit pas|échoue|contre-exemple|fermée|trop faible|ne tient pas|est circulaire|\
         ne passera pas|ne passe pas|est insuffisante|est insuffisant|faux tel quel|ne marchera pas|ne fonctionnera pas|\
         n'aboutit pas|perd un facteur|sans espoir|sans issue|ne mène à rien|mène nulle part|abandonnée|réfuté|réfutée|\
         indémontrable|n'est pas stable"),
    // A person reverts what they do not want; the agent what did not work.
    Cue("undone", At::Anywhere, (0, 37), DEAD_END, "backed that|reverted"),
    Cue("warning", At::Clause, (0, 37), DEAD_END, "don't try|don't attempt|don't retry|versuche nicht|n'essaie pas"),
    Cue("attempt", At::Anywhere, (0, 12), None,
        "methode|méthode|preuve par|proof by|proof via|beweis über|beweis mit|approach|route|argument|attempt|induction|idea|strategy|reduction|method|weg|ansatz|versuch|approche|voie|piste|\
         récurrence"),
    Cue("the person", At::Anywhere, (0, 27), PREFERENCE,
        "user doesn't want|user told|user refused|user objected|user said|user says|user noted|user prefers|user wants|user feedback|user corrected|user insists|user insisted|user asked for|user's request|\
         user pointed out|user dislikes|user explicitly|user was upset|user rejected|user clarified|user decided|user chose|\
         user correction|per user|key decision|decision|decided|finding|nutzer|l'utilisateur|\
         without an explicit"),
    // What is no statement to keep.
    Cue("no contrast", At::Anywhere, (-8, -8), None,
        ", not because|, not yet|, not now|, not too|, nicht weil|, pas parce"),
    Cue("talk", At::Anywhere, (-120, -10), None, "take your time|no problem|no rush|no worries|lass dir zeit|kein problem|prends ton temps|pas de problème|never mind|nevermind|don't ask me why|don't worry|don't bother|don't stop|don't give up|keep going|keep trying|keep an eye|hör nicht auf|gib nicht auf|n'arrête pas|keine sorge|mach dir keine|ne t'inquiète|pas de souci|haha|hehe|lol|:)|;)|xd|good morning|good night|see you|guten morgen|gute nacht|bis morgen|bonne nuit|à demain|bonjour|hello|hallo|salut"),
    Cue("question", At::Start, (-41, -40), None,
        "i'm not sure|it's not clear|mir ist nicht klar|ce n'est pas clair|i don't understand|i don't see|i don't get|ich verstehe nicht|je ne comprends pas|je ne vois pas|do you|do i|do we|did you|did i|did we|does|would you|would it|should i|should we|shall|can we|can i|is it|is there|\
         is your|is this|is that|are you|are there|have i|have you|have we|what|what's|which|why|how|where|who|when did|\
         i wonder|any idea|wie|warum|wieso|wo|was|welche|welcher|welches|wer|hast du|ist das|gibt es|sollen wir|pourquoi|\
         comment|où|quel|quelle|qui|qu'est-ce|est-ce|as-tu|y a-t-il|c'est quoi|souhaitez-vous|voulez-vous|veux-tu"),
    Cue("maybe", At::Anywhere, (-25, -17), None,
        "if we ever|if i ever|i was thinking|sleep on it|i'm inclined|tempted|ich überlege|je pensais|j'envisage|maybe|perhaps|might|there must be|it must be|must have been|suppose|supposing|not sure|i guess|possibly|would be|\
         let me know|feel free|i wonder|could be|i think|probably|seems|seem|if you like|if you want|up to you|hopefully|hope|\
         vielleicht|eventuell|vermutlich|wahrscheinlich|ich glaube|ich denke|ich frage mich|anscheinend|offenbar|keine ahnung|\
         falls du|peut-être|sans doute|je crois|je pense|je me demande|je suppose|on pourrait|apparemment|probablement|\
         si tu veux|il semble|il se peut|éventuellement|j'imagine|à ton avis|j'hésite|on dirait"),
    Cue("praise", At::Start, (-20, -10), None,
        "that is how|that's how|that is exactly|that's exactly|genau so|c'est exactement|thanks|thank you|great|nice|perfect|good|cool|awesome|lovely|excellent|well done|sounds good|looks good|lgtm|super|\
         danke|prima|gut|sehr gut|schön|sehr schön|perfekt|wunderbar|klasse|toll|passt|merci|parfait|génial|bravo|bien|\
         très bien"),
    Cue("own doing", At::Anywhere, (-7, -16), None,
        "i ran|i pushed|i just|i'm|i am|i've|i have|i'll|i will|i got|i see|i saw|i tried|i was|i found|i checked|i added|\
         i fixed|i noticed|let me|i should|i can|now i|i also|we have|we now|we get|we need to|we can|we're now|we are now|\
         let us|let's|ich habe|ich hab|ich bin|ich werde|ich sehe|wir haben|wir brauchen|j'ai|je suis|je vais|je vois|on a|\
         nous avons|j'essaie|je lance|je propose|essayons|on obtient|il reste|il ne reste|je regarde"),
    Cue("memory", At::Past, (-120, 0), None, "always|never|immer|nie|toujours|jamais"),
    Cue("mood", At::Anywhere, (-40, 0), None,
        "every time i|each time i|whenever i|jedes mal wenn ich|jedes mal, wenn ich|chaque fois que je|chaque fois que j'|prefer to be|\
         rather be|rather not think|préfère ne pas y|préfère être|want to know|want to understand|will wissen|möchte wissen|\
         will verstehen|veux savoir|veux voir|veux comprendre|from now on it|from now on it's"),
    Cue("count", At::Counted, (0, -30), None, "proved|failed|passed|timed out|with gaps|done|left|bewiesen|prouvés"),
    Cue("own doing now", At::Doing, (-20, 0), None, "i'm|i am|we're|we are"),
    Cue("own duty", At::Anywhere, (-24, -10), None,
        "i need|i have to|i must|i need to|ich muss|je dois|il faut que je|we must have"),
    Cue("exists", At::Anywhere, (-16, -3), None,
        "there is a|there are|we have|es gibt ein|es gibt eine|il y a un|il y a une|il y a des"),
    Cue("done", At::Anywhere, (-14, -12), None,
        "done|passes|pass|compiles|compiled|builds|complains|complain|meckert|râle|are wrong|all that remains|läuft durch|laufen durch|passent|compilent|committed|pushed|merged|updated|added|fixed|created|removed|renamed|\
         remaining|todo|finished|succeeded|green|works now|all tests|fertig|erledigt|angepasst|gefixt|terminé|corrigé|ajouté|\
         fini"),
    Cue("at first", At::Clause, (0, -60), None,
        "at first|initially|in the beginning|first it|first i|zuerst glaubte|zuerst dachte|zunächst|anfangs|au début|au départ"),
    // What is only supposed, and counts.
    Cue("supposed", At::Anywhere, (-15, -60), None,
        "suppose|assume|supposing|assuming|by contradiction|for contradiction|a contradiction|contradicting|were false|\
         were true|is false implies|which is impossible|angenommen|supposons|par l'absurde|ce qui est impossible|\
         was unmöglich ist"),
    Cue("explains", At::Anywhere, (-8, -10), None, ", so|which is why|, also|weshalb|, donc"),
    Cue("step of a proof", At::Anywhere, (-18, -2), None,
        "define a|define the|define an|let x|let n|let f|let p|let g|we must find|we must show|we must prove|must show|must prove|have to show|have to prove|\
         müssen zeigen|il faut montrer|on doit montrer|denote|denotes|suppose|hence|thus|therefore|we have|by assumption|\
         by induction|by definition|q.e.d|wlog|w.l.o.g|the fact that|le fait que|die tatsache|ohne einschränkung|o.b.d.a|\
         such that|there exists|contradiction|conclude|pick a|pick an|pick some|fix a|fix an|fix some|fix n|also gilt|\
         damit folgt|folgt die|sei|seien|somit|daher|soit|soient|donc|conclus|puisque|on suppose|supposons|posons|on pose|\
         on en déduit|notons|par hypothèse"),
    Cue("mathematics", At::Anywhere, (-14, -3), None,
        "iff|converges|positive|negative|nonnegative|zero|nonzero|prime|divides|continuous|integrable|compact|bounded|minimal|\
         integer|integers|square|sequence|limit|infimum|supremum|function|subset|konvergiert|stetig|positiv|folge|grenzwert|\
         converge|continue sur|premier|divise|strictement|libre|nul|suite|limite"),
    Cue("condition", At::Start, (0, -10), None,
        "if|when|once|as soon as|unless|in case|while|wenn|falls|sobald|si|quand|lorsque|dès que"),
    Cue("said elsewhere", At::Anywhere, (-22, -11), None,
        "wrote|writes:|says|said|asks whether|asks if|fragt, ob|demande si|on zulip|the docs say|the readme says|according to|\
         from the log|schrieb|sagt|laut|a écrit|selon|dit que"),
    // What a sentence as a whole does not mean; see `is_meant`.
    Cue("irony", At::Anywhere, (0, 0), None,
        "in a perfect world|in an ideal world|in einer idealen welt|dans un monde idéal|yeah right|oh sure|oh great|what could|i wish|ich wünschte|j'aurais aimé|call it a day|brilliant|great idea|ja klar|na klar|na toll|na super|\
         super idee|tolle idee|klasse idee|was soll schon|quelle excellente|quelle brillante|belle idée|bonne idée|\
         excellente idée|mais bien sûr"),
    Cue("opinion", At::OfOthers, (0, 0), None,
        "thinks|believes|wanted|would rather|would like|suggests|recommends|recommend|proposes|argues|meint|glaubt|findet|\
         denkt|wollte|hätte gern|hätte lieber|schlägt vor|empfiehlt|pense que|pense qu'il|croit|propose de|recommande|suggère|\
         estime|voulait|voudrait|aimerait|trouve que|trouve qu'il"),
    Cue("agreed", At::Anywhere, (0, 0), None,
        "i agree|agreed|adopted|so do i|we do that|einverstanden|hat recht|machen wir|d'accord|a raison"),
    Cue("described", At::Anywhere, (0, 0), None,
        "you always|you never|du findest|du vergisst|vorgestellt|tu trouves|tu n'oublies|tu oublies"),
    Cue("unreal", At::Anywhere, (0, 0), None,
        "would|could have|wäre|wären|würde|würden|hätte|hätten|könnten|serait|seraient|aurait|aurions|étaient"),
    Cue("unreal condition", At::Start, (0, 0), None,
        "würden|würde|hätten|hätte|wären|wäre|were we|had we|if we had|if we were|if only|if we never|if we always"),
    Cue("called", At::Anywhere, (0, 0), None, "call|called|nennen|heißt|heißen|appelle|dit|appelons|say"),
    Cue("called if", At::Later, (0, 0), None, "if|iff|wenn|falls|si|such that|tel que|telle que|whenever|when"),
    // What a refusal says of the moment.
    Cue("put off", At::Anywhere, (0, 0), None,
        "wait|hold on|hang on|one moment|just a moment|warte|moment|attends|attendez|un instant|later|not now|not yet|tomorrow|\
         später|nachher|morgen|nicht jetzt|jetzt nicht|noch nicht|plus tard|demain|pas maintenant|pas encore|fine|go ahead|\
         go on|not necessary|not needed|i'll|i will|i want to|let me|i believe|i know|i think|i'd like to|ich will|ich schau|\
         ich schaue|ich mach|ich mache|ich möchte|je vais|je veux|je voudrais|laisse-moi|you already|you just|du hast schon|\
         tu as déjà"),
    Cue("withdrawn", At::Clause, (0, 0), None,
        "forget what i said|forget that|forget the rule|scratch that|scrap that|strike that|ignore what i said|vergiss die regel|\
         vergiss, was ich|oublie la règle|oublie ça|oublie ce que"),
    Cue("withdrawn", At::Whole, (0, 0), None,
        "ignore that|disregard that|kidding|just kidding|joking|just joking|so no|so not|scherz|war ein scherz|also nicht|je plaisante|donc non|\
         forget it|never mind|nevermind|nvm|cancel that|belay that|bad idea|vergiss es|lass es|doch nicht|quatsch|oublie|\
         oubliez|laisse|laisse tomber|mauvaise idée"),
    Cue("taken back", At::Anywhere, (0, 0), None,
        "changed my mind|on second thought|take that back|take it back|no longer applies|after all|is fine again|\
         are fine again|is ok again|allowed again|anders überlegt|nehme das zurück|nehme ich zurück|gilt nicht mehr|\
         doch wieder|wieder erlaubt|changé d'avis|je retire|ne vaut plus|ne s'applique plus|tout compte fait|quand même|\
         de nouveau permis"),
];

/// What no word alone says of a sentence: what it adds for a person and for the agent, and where.
type Trait = ((i16, i16), fn(&Look<'_>) -> bool);

struct Look<'s> {
    text: &'s str,
    words: usize,
    place: Place,
    cues: &'s [(&'static Cue, &'static str)],
    /// It orders something for good.
    is_order: bool,
    /// It is an order that is put as a question.
    is_polite: bool,
}

impl Look<'_> {
    /// The word by which a cue holds.
    fn word(&self, name: &str) -> Option<&'static str> {
        self.cues.iter().find(|(cue, _)| cue.0 == name).map(|(_, word)| *word)
    }
}

#[rustfmt::skip]
const TRAITS: &[Trait] = &[
    // What every sentence has to outweigh.
    ((-14, -29), |_| true),
    ((10, 10), |look| look.text.as_bytes().contains(&BLANK)),
    ((-18, -18), |look| {
        let is_clear = ["state of things", "manner", "before doing", "ask me"].iter().any(|name| look.word(name).is_some());
        look.words < 5 && !is_clear && !look.is_order
    }),
    ((-10, -10), |look| look.words < 8 && !look.is_order),
    // `Case 2 is impossible`: a step of a proof.
    ((0, -40), is_closed_case),
    ((0, -40), |look| is_overcome(look.text)),
    ((11, 14), |look| look.words > 15),
    ((-9, -13), |look| words(look.text).any(is_letter)),
    ((-16, -14), |look| look.text.trim_end().ends_with(':')),
    ((-3, 12), |look| look.text.contains([':', ';'])),
    ((-8, 0), |look| look.place.in_long_message),
    ((17, 0), |look| look.place.after_rejection),
    // `I only changed the comment`
    ((-20, 0), tells_own_past),
    // `Utilise toujours ...`, `Darfst du nie ...`: an order that holds for good, wherever its adverb stands.
    ((22, 0), |look| look.is_order),
    // `subtraction always in ℤ, never in ℕ`
    ((24, 0), is_always_and_never),
    // `Lines: 100 characters`
    ((14, 0), is_labelled),
    // `Lemma 4 is false for n = 0`
    ((22, 0), is_verdict),
    // `Docstrings end with a full stop.`
    ((6, 0), |look| look.word("things of a kind").is_some_and(|word| look.text.starts_with(word))),
    // `Fix the test, the code is right`
    ((42, 0), is_of_sides),
    // `Schreib lieber lang als kurz`
    ((20, 0), is_rather),
    // `Fass den Ordner nicht an`: an order like `don't`.
    ((30, 0), is_refusal),
];

fn is_asked_of_you(sentence: &str) -> bool {
    const ASKED: &str = "could you|can you|would you|will you|can we|could we|kannst du|könntest du|können sie|könnten sie|\
        können wir|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous";
    ASKED.split('|').any(|words| sentence.starts_with(words))
}

/// `Could you please ...`, `kannst du bitte ...`
fn asks_politely(sentence: &str) -> bool {
    const PLEASE: &str = "please|pls|bitte|stp|s'il te plaît|s'il vous plaît";
    is_asked_of_you(sentence) && PLEASE.split('|').any(|word| sentence.contains(word))
}

/// Whether a clause orders something for good: `always check ...`, `from now on build ...`, `immer erst ... prüfen`.
fn is_order_for_good(look: &Look<'_>) -> bool {
    let adverbs = ["always", "lasting"].map(|name| look.word(name));
    let mut clauses = look.text.split([',', ';', ':', '(', '–']);
    clauses.any(|clause| adverbs.into_iter().flatten().any(|adverb| orders(clause, adverb)))
}

fn orders(clause: &str, adverb: &str) -> bool {
    const SMALL: &str = "|only|first|erst|nur|ne|darfst|du|dois|to";
    const DONE: &str =
        "haben|habe|hab|hat|hatte|sind|ist|war|waren|wird|werden|wurde|wurden|können|müssen";
    const TOLD: [&str; 5] = [" that ", " dass ", " que ", " is ", " ist "];
    let Some((before, after)) = clause.split_once(adverb) else { return false };
    let mut words = before.split(' ').chain(after.split(' '));
    let verb = words.find(|word| !OPENERS.contains(word) && !is_in(SMALL, word));
    let ends =
        |word: &str, ends: [&str; 3]| word.len() > 4 && ends.iter().any(|end| word.ends_with(end));
    let last = clause.trim_end().rsplit(' ').next().unwrap_or_default();
    let next = after.split_whitespace().next().unwrap_or_default();
    verb.is_some_and(|verb| WORK.contains(verb)) && !TOLD.iter().any(|told| before.contains(told))
        || ends(last, ["en", "rn", "ln"]) && !clause.split(' ').any(|word| is_in(DONE, word))
        || is_in("toujours|jamais|désormais|dorénavant", adverb) && ends(next, ["er", "ir", "re"])
}

/// What is asked of a proof is no order: `show that f is always positive`.
const OF_PROOFS: &str = "prove|show|beweise|zeig|zeige|prouve|démontre|montre|assume";

/// The verbs of an order.
static WORK: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let orders = CUES.iter().filter(|cue| matches!(cue.0, "task" | "policy verb"));
    let verbs = orders.flat_map(|cue| cue.4.split('|'));
    verbs.filter(|verb| !verb.contains(' ') && !is_in(OF_PROOFS, verb)).collect()
});

/// Whether of two things that should agree one is right.
fn is_of_sides(look: &Look<'_>) -> bool {
    const SIDES: &str = "statement|proof|test|tests|code|blueprint|paper|article|definition|lean|docs|docstring|comment|\
        formalization|sketch|aussage|beweis|papier|definition|kommentar|skizze|énoncé|preuve|définition|esquisse";
    let words = look.text.split(|c: char| !c.is_alphanumeric());
    let sides: HashSet<&str> = words.filter(|word| is_in(SIDES, word)).collect();
    let says = |name: &str| look.word(name).is_some();
    let (right, broken) = (says("is right"), says("is broken"));
    let is_asked = [" whether ", " ob ", " si "].iter().any(|word| look.text.contains(word));
    sides.len() > 1 && !is_asked && (right && broken || (right || broken) && says("contrast"))
}

fn is_always_and_never(look: &Look<'_>) -> bool {
    const PAIRS: [(&str, &str); 3] =
        [("always ", ", never "), ("immer ", ", nie "), ("toujours ", ", jamais ")];
    PAIRS.iter().any(|(always, never)| look.text.contains(always) && look.text.contains(never))
}

fn is_closed_case(look: &Look<'_>) -> bool {
    let mut first = words(look.text).take(2);
    first.any(|word| is_in("case|cases|fall|cas", word))
        && look.word("dead end").is_some_and(|word| is_in("impossible|unmöglich", word))
}

/// It ends with what works: `it was not enough, but with the lemma it works`.
fn is_overcome(sentence: &str) -> bool {
    const DONE: &str = "did the job|worked|goes through|went through|closed it|closed the goal|it holds|geht durch|passe maintenant";
    let behind = [" but ", " aber ", " mais "].iter().find_map(|word| sentence.split_once(word));
    let (_, rest) = behind.unwrap_or_default();
    let says = |done: &str| has_name(rest, done, char::is_alphanumeric);
    let is_denied =
        words(rest).any(|word| is_in("not|no|never|nicht|kein|ne|pas|only|nur|seulement", word));
    !is_denied && DONE.split('|').any(says)
}

fn is_verdict(look: &Look<'_>) -> bool {
    const STATED: &str = "lemma|theorem|proposition|prop|corollary|conjecture|claim|statement|bound|satz|vermutung|behauptung|aussage|\
        schranke|lemme|théorème|corollaire|affirmation|énoncé|borne";
    let names =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == char::from(BLANK));
    let mut first = words(look.text).take(4).skip_while(|word| !is_in(STATED, word));
    let is_named = first.next().is_some() && first.next().is_some_and(names);
    look.word("dead end").or(look.word("does not work")).is_some()
        && (is_named || look.word("attempt").is_some())
}

/// What it is about stands before a colon.
fn is_labelled(look: &Look<'_>) -> bool {
    const OTHER: &str = "note|todo|error|warning|next|goal|ps|edit|question|status|result|update|ok|wait|reminder|hint";
    let (label, rest) = look.text.split_once(": ").unwrap_or_default();
    let is_short = (1..3).contains(&words(label).count()) && words(rest).count() > 1;
    is_short
        && !label
            .split(' ')
            .any(|word| is_in(OTHER, word) || OPENERS.contains(&word) || WORK.contains(word))
}

fn tells_own_past(look: &Look<'_>) -> bool {
    const CHOSE: &str = "decided|agreed|settled";
    let mut first = words(look.text).skip_while(|word| OPENERS.contains(word)).take(3);
    first.next() == Some("i") && first.any(|word| word.ends_with("ed") && !is_in(CHOSE, word))
}

fn is_rather(look: &Look<'_>) -> bool {
    const PAIRS: [(&str, &str); 4] = [
        ("lieber ", " als "),
        ("plutôt ", " que "),
        ("rather ", " than "),
        ("better to ", " than "),
    ];
    let behind = |first| look.text.split_once(first).map_or("", |(_, rest)| rest);
    PAIRS.iter().any(|(first, second)| behind(*first).contains(second))
}

/// A German order that is denied at its end.
fn is_refusal(look: &Look<'_>) -> bool {
    const MORE: &str = "fass|fasst|rühr|rühre|änder|ändere|verändere|überschreib|überschreibe|tu|pack|benenn|benenne";
    let first = words(look.text).find(|word| !OPENERS.contains(word)).unwrap_or_default();
    look.text.contains(" nicht") && (is_in(MORE, first) || WORK.contains(first))
}

/// Whether a sentence means what it says, as a whole: it is no question, irony, somebody else's opinion, praise of
/// what the agent does, a definition (`we call a set thin if ...`), or what would be so.
pub(super) fn is_meant(sentence: &str) -> bool {
    const UNMEANT: [&str; 5] =
        ["irony", "opinion", "unreal condition", "praise+described", "called+called if"];
    let found: Vec<&str> = cues(sentence).map(|(cue, _)| cue.0).collect();
    let has = |names: &str| names.split('+').all(|name| found.contains(&name));
    let is_asked = is_marked_question(sentence) && !asks_politely(sentence);
    !is_asked
        && !has("condition+unreal")
        // What is said beside it is what was before.
        && (!has("withdrawn") || has("lasting") || has("always"))
        && !is_all_sorry(sentence)
        // `As my mother says, ...`
        && !(sentence.starts_with("as ") && has("said elsewhere"))
        && !UNMEANT.iter().any(|names| has(names) && !(*names == "opinion" && has("agreed")))
}

/// Whether a sentence tells what others do, in a group or a project of their own, and nothing to us: `Her students never
/// use choice`, `in the other project they do not allow it`.
pub(super) fn is_of_others(sentence: &str) -> bool {
    const PEOPLE: &str = "student|students|roommate|boss|mentor|postdoc|colleague|colleagues|supervisor|advisor|professor|friend|friends|people|folks|guys|\
        neighbour|neighbours|mitbewohner|mentor|kollege|kollegen|kollegin|kolleginnen|studenten|doktorand|doktoranden|doktorandin|betreuer|\
        betreuerin|chef|chefin|freund|freunde|leute|étudiant|étudiante|étudiants|doctorant|doctorante|doctorants|collègue|\
        collègues|directeur|directrice|gens|ami|amis";
    const GROUPS: &str = "job|company|tutorial|talk|seminar|class|code|thesis|blog|lecture|book|textbook|vorlesung|buch|cours|livre|group|team|lab|department|project|projects|repo|repos|course|gruppe|team|projekt|projekten|équipe|groupe|\
        projet|projets|dépôt";
    const OTHER: &str = "other|another|different|old|previous|their|his|her|my|anderen|anderem|andere|alten|früheren|ihrem|autre|\
        autres|ancien";
    const THEY: &str = "they|he|she|sie|er|ils|elles";
    const PLACES: &str = "in|at|over|with|on|im|am|bei|beim|dans|chez|à|au|en";
    const OURS: &str = "we|us|our|i|you|your|this|these|wir|uns|unser|unsere|unserem|unserer|ich|du|diesem|dieser|nous|notre|je|\
        tu|ce|cet|cette";
    const NEAR: usize = 5;
    let (clause, rest) =
        sentence.split_at(sentence.find([',', ';', ':']).unwrap_or(sentence.len()));
    let bare = |clause: &'_ str| -> Vec<String> {
        let words = clause.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let words = words.filter(|word| !word.is_empty());
        words
            .skip_while(|word| is_in(SMALL, word) || OPENERS.contains(word))
            .map(str::to_owned)
            .collect()
    };
    let words = bare(clause);
    let is_order =
        |word: &str| WORK.contains(word) || EACH.contains(&word) || is_in("don't|dont", word);
    let is_ours = |word: &str| is_in(OURS, word);
    let Some(first) = words.first() else { return false };
    let turns_to_us = !rest.starts_with(':')
        && rest
            .split([',', ';', ':'])
            .any(|clause| bare(clause).first().is_some_and(|word| is_ours(word) || is_order(word)));
    if turns_to_us || is_order(first) || words.iter().any(|word| is_ours(word)) {
        return false;
    }
    let mut is_other = false;
    // `The team in Graz`.
    let is_somewhere =
        |at: usize| words.get(at + 1).is_some_and(|next| is_in("in|at|from|aus|von|de|du|à", next));
    let mut are_people =
        words.iter().enumerate().take(NEAR).take_while(|(_, word)| !is_order(word)).map(
            |(at, word)| {
                let word = word.trim_start_matches("l'");
                let is_one = is_in(PEOPLE, word)
                    || is_other && is_in(GROUPS, word)
                    || is_in("team|gruppe|équipe|group", word) && is_somewhere(at);
                is_other |= is_in(OTHER, word) || word.ends_with("'s");
                is_one
            },
        );
    is_in("he|she", first)
        || words.iter().any(|word| is_in("his|her", word))
        || are_people.any(|is_one| is_one)
        || is_in(PLACES, first) && words.iter().any(|word| is_in(THEY, word))
}

/// Whether a sentence goes on about them: `They do not allow it.`
pub(super) fn is_of_them(sentence: &str) -> bool {
    const THEY: &str = "they|they're|he|she|their|sie|er|ils|elles|ihre";
    is_in(THEY, sentence.split([' ', ',']).next().unwrap_or_default())
}

/// Whether one of these cues holds of a sentence.
pub(super) fn has(sentence: &str, names: &str) -> bool {
    cues(sentence).any(|(cue, _)| is_in(names, cue.0))
}

/// `Let's write sorry everywhere`: nobody means that.
fn is_all_sorry(sentence: &str) -> bool {
    const ALL: &str = "everywhere|everything|überall|alles|partout|tout";
    const NOT: &str =
        "no|not|never|without|don't|remove|keine|kein|nie|ohne|nicht|pas|sans|jamais|aucun";
    let has =
        |known: &str| words(sentence).any(|word| is_in(known, word.trim_matches([',', '.', '!'])));
    sentence.contains("sorry") && has(ALL) && !has(NOT)
}

fn is_marked_question(sentence: &str) -> bool {
    const ASKED: &str = "what is |what are |why |how do|was ist |warum |wieso |pourquoi ";
    const TAGS: &str = ", right|, don't we|, dont we|, oder|, nicht wahr|, n'est-ce pas";
    let bare = sentence.trim_end_matches([')', '"', '\'', ' ', '!']);
    let last = bare.rsplit(", ").next().unwrap_or_default();
    bare.ends_with('?')
        || TAGS.split('|').any(|tag| bare.ends_with(tag))
        || ASKED.split('|').any(|word| last.starts_with(word))
}

fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let blank = |c: char| c as u32 == u32::from(BLANK);
    sentence.split(' ').filter(move |word| word.contains(|c: char| c.is_alphanumeric() || blank(c)))
}

/// A word of one letter that prose does not have.
fn is_letter(word: &str) -> bool {
    let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
    word.chars().count() == 1
        && word.starts_with(|c: char| c.is_alphabetic() && !"ℕℤℚℝℂ𝕜".contains(c))
        && !matches!(word, "a" | "i" | "à" | "y")
}

#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is true or not of any place")]
pub(super) struct Place {
    pub(super) by_agent: bool,
    pub(super) in_long_message: bool,
    /// It stands where a summary says what the session was asked for.
    pub(super) is_request: bool,
    /// It is the reason for which the person did not let the agent do something.
    pub(super) after_rejection: bool,
}

/// What a sentence is, and the words that weighed most.
pub(super) type Weighed = (Kind, &'static str);

/// Words to be found whole in a searched sentence, each with what it stands for.
pub(super) struct Phrases<T> {
    automaton: AhoCorasick,
    words: Vec<(String, T)>,
}

/// A word, and how else one types it: `don't` as `dont` and `do not`, without the accents.
fn spellings(word: &str) -> impl Iterator<Item = String> {
    let apart = word.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not");
    let plain: String = word.chars().map(without_mark).collect();
    // `où` is no `ou`, and `ajouté` no `ajoute`.
    let plain = if word.len() > 4 && !word.ends_with('é') { plain } else { word.to_owned() };
    let short = word.replace("n't", "nt").replace("let's", "lets");
    let mut all = vec![word.to_owned(), apart, short, plain, word.replace('-', " ")];
    all.sort();
    all.dedup();
    all.into_iter()
}

impl<T: Copy> Phrases<T> {
    /// `rows` have words with `|` between them.
    pub(super) fn new(rows: impl IntoIterator<Item = (T, &'static str)>) -> Self {
        let rows = rows.into_iter();
        let words = rows.flat_map(|(of, words)| words.split('|').map(move |word| (word, of)));
        let words: Vec<(String, T)> =
            words.flat_map(|(word, of)| spellings(word).map(move |word| (word, of))).collect();
        #[expect(clippy::expect_used, reason = "fails only for more words than fit in memory")]
        let automaton = AhoCorasick::new(words.iter().map(|(word, _)| word)).expect("some words");
        Self { automaton, words }
    }

    pub(super) fn places(&'static self, text: &str) -> Vec<(usize, &'static str, T)> {
        let bytes = text.as_bytes();
        let in_word =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
        let mut places: Vec<(usize, &'static str, T)> = self
            .automaton
            .find_overlapping_iter(text)
            .filter(|found| {
                let (before, last) = (bytes[..found.start()].last(), bytes.get(found.end() - 1));
                let (first, next) = (bytes.get(found.start()), bytes.get(found.end()));
                // `Blocks.lean` is one word, and so is `Tests/Blocks.lean`.
                let in_name = next == Some(&b'.') && in_word(bytes.get(found.end() + 1))
                    || next == Some(&b'/') && is_path(&text[found.end()..]);
                !(in_name || in_word(first) && in_word(before) || in_word(last) && in_word(next))
            })
            .map(|found| {
                let (word, of) = &self.words[found.pattern()];
                (found.start(), word.as_str(), *of)
            })
            .collect();
        places.sort_by_key(|(at, word, _)| (*at, *word));
        places
    }
}

/// Whether the word that goes on so ends as a file's name does.
fn is_path(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    word.rsplit_once('.').is_some_and(|(_, end)| end.chars().all(char::is_alphanumeric))
}

/// All words, each with the number of its cue.
static WORDS: LazyLock<Phrases<usize>> =
    LazyLock::new(|| Phrases::new(CUES.iter().map(|Cue(.., words)| *words).enumerate()));

/// An item of a list under a heading that announces what it holds: so it counts, unless it says nothing.
pub(super) fn item(sentence: &str, kind: Kind) -> Option<Weighed> {
    (words(sentence).count() >= 4 && !asks(sentence)).then_some((kind, ""))
}

pub(super) fn asks(sentence: &str) -> bool {
    is_marked_question(sentence) || has(sentence, "question")
}

/// Whether a clause leaves open what the one beside it says: it asks, supposes, quotes, or names a condition.
pub(super) fn leaves_open(clause: &str) -> bool {
    const OPEN: &str = "talk|question|maybe|supposed|at first|step of a proof|condition|said elsewhere|mathematics";
    (has(clause, OPEN) || is_overcome(clause)) && !has(clause, "agreed")
}

/// Whether a clause cannot stand without what is before it.
pub(super) fn leans(clause: &str) -> bool {
    const WORDS: &str = "because|since|as|which|that|so|it|its|they|this|these|those|or|otherwise|unless|if|than|weil|\
        denn|sonst|dass|was|es|sie|die|der|das|oder|wenn|car|que|qui|sinon|ou|ça|ce|elle|il|si";
    let first = clause.split([' ', ',', '\'']).next().unwrap_or_default();
    is_in(WORDS, first)
}

/// Whether a sentence is about what only the sentence before it names: `We tried it in spring.`
pub(super) fn leans_back(sentence: &str) -> bool {
    const PRONOUNS: &str = "it|it's|its|them|they|they're|ihn|ça|cela";
    // `when it builds`: what it stands for is likely to stand before, in the same sentence.
    const JOINED: &str =
        "when|if|once|because|that|where|until|unless|as|since|so|before|after|and|or|like|make";
    const VERBS: &str = "one|is|isn't|was|does|doesn't|did|can't|cannot|would|will|won't|fails|works|breaks|gives|means|has";
    const NEAR: usize = 6;
    let clause = sentence.split([',', ';', ':']).next().unwrap_or_default();
    let words: Vec<&str> = clause
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .skip_while(|word| is_in(SMALL, word) || OPENERS.contains(word))
        .collect();
    let points = match words.as_slice() {
        ["this" | "that", next, ..] => is_in(VERBS, next),
        // `Not acceptable for the paper.`
        ["not", next, ..] => !is_in("the|a|in|on", next),
        // `Use the lemma instead.`
        ["that's" | "thats", ..] | [.., "instead" | "stattdessen"] => true,
        _ => false,
    };
    let stands = |(at, word): (usize, &&str)| {
        is_in(PRONOUNS, word)
            && at.checked_sub(1).is_none_or(|before| !is_in(JOINED, words[before]))
    };
    points || words.iter().enumerate().take(NEAR).any(stands)
}

/// Whether a sentence complains of what the next one says how to do.
pub(super) fn leans_on(sentence: &str) -> bool {
    const COMPLAINTS: &str = "you keep |you always |stop that|du machst immer|tu fais toujours";
    COMPLAINTS.split('|').any(|words| sentence.starts_with(words))
}

/// `ok,`, `no thats the wrong one,`: what answers what was said and is nothing to keep.
pub(super) fn is_lead_in(clause: &str) -> bool {
    const BEHIND: &str = "that|thats|that's|it|its|it's|this|not|no|what|quite|so|catch|point|idea|job|ok|for|to|\
        more|das|nicht|c'est|pas|je|ce|i|you|but";
    let bare = clause.trim_end_matches(|c: char| !c.is_alphanumeric());
    let answers = |(cue, word): (&Cue, &str)| matches!(cue.0, "praise" | "wrong") && word == bare;
    let mut words = bare.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    // `undo that, `: what was done just now.
    let undoes = is_in("that|it|this|das|ça", second.unwrap_or_default())
        && cues(bare).any(|(cue, _)| cue.0 == "task");
    let answers_more = undoes
        || OPENERS.contains(&first) && second.is_some_and(|word| is_in(BEHIND, word))
        || is_in("that's|thats|c'est", first);
    OPENERS.contains(&bare) || cues(bare).any(answers) || answers_more && words.count() < 4
}

/// Small words at the beginning of a sentence that say nothing.
pub(super) const SMALL: &str = "ok|okay|btw|fyi|and|but|yes|yeah|hm|hmm|mm|uh|um|er|ah|oh|well|also|äh|ach|und|aber|übrigens|et|mais|bon|euh";

/// Whether what follows a sentence is about what it lets be: `Let G be a graph.`
pub(super) fn opens_proof(sentence: &str) -> bool {
    const OPENS: &str =
        "sei |seien |soit |soient |suppose |assume |supposons |angenommen|fix |consider ";
    sentence.starts_with("let ") && sentence.contains(" be ")
        || OPENS.split('|').any(|word| sentence.starts_with(word))
}

/// The reason for which the person did not let the agent do something. It need not be put as a rule: it tells one,
/// unless it tells what to do now or what the person does next.
pub(super) fn reason(sentence: &str) -> Option<Weighed> {
    const PASSING: &str = "in turn|question|maybe|talk|praise|done|task|for today|put off";
    // `The file is Petra's now.`
    let is_then = |cue: &Cue, word: &str| cue.0 == "now" && word != "now";
    (words(sentence).count() >= 3
        && !cues(sentence).any(|(cue, word)| is_in(PASSING, cue.0) || is_then(cue, word)))
    .then_some((Kind::Preference, ""))
}

/// `Which lemma do we prove first`
pub(super) fn asks_which(question: &str) -> bool {
    const WORDS: &str = "which|what|where|who|welche|welcher|welches|welchen|was|wo|wer|womit|quel|quelle|quels|par";
    is_in(WORDS, question.split(' ').next().unwrap_or_default())
}

/// Whether something is asked of all things of a kind, or for good: `Should equations be numbered by section`.
pub(super) fn is_of_a_kind(question: &str) -> bool {
    const KINDS: &str =
        "lasting|always|things of a kind|each of a kind|all of a kind|our way|duty|language";
    const ONE: &str = "this one|this moment|for today|here";
    const ASKED: &str =
        "should |must |may |do we |sollen |müssen |dürfen |faut-il |doit-on |est-ce qu'on ";
    const PARTICULAR: &str = "the|this|that|it|these|those|i|you|me|your|my|der|die|das|dieser|diese|dieses|den|es|\
        ich|du|le|la|ce|cette|je|tu|ça";
    let has = |names: &str| has(question, names);
    let is_general = || {
        ASKED.split('|').any(|words| question.starts_with(words))
            && !question.split(' ').any(|word| is_in(PARTICULAR, word))
    };
    !has(ONE) && (has(KINDS) || is_general())
}

/// Of a sentence that takes back what was said before, the words that do.
pub(super) fn taken_back(sentence: &str) -> Option<&'static str> {
    let by = cues(sentence).find(|(cue, _)| is_in("taken back|withdrawn", cue.0));
    by.map(|(_, word)| word).filter(|_| !is_marked_question(sentence))
}

/// `now` by itself, and not in `from now on`.
pub(super) fn is_now(question: &str) -> bool {
    cues(question).any(|(_, word)| is_in("now|jetzt|maintenant", word))
}

/// Whether an answer names something, and tells, asks or says nothing else.
pub(super) fn is_name(answer: &str) -> bool {
    const OTHER: &str =
        "question|task|talk|praise|in turn|now|this moment|for today|own doing|maybe|done|put off";
    !asks(answer) && !has(answer, OTHER)
}

/// What a wish has to outweigh where it is likely to be the task of one session.
const TASK: i16 = 20;

pub(super) fn weigh(sentence: &str, place: Place) -> Option<Weighed> {
    let pick = |(person, agent): (i16, i16)| if place.by_agent { agent } else { person };
    let cues: Vec<(&Cue, &str)> = cues(sentence).collect();
    let words = words(sentence).count();
    let mut look =
        Look { text: sentence, words, place, cues: &cues, is_order: false, is_polite: false };
    look.is_order = !place.by_agent && is_order_for_good(&look);
    look.is_polite = !place.by_agent && look.word("lasting").is_some() && asks_politely(sentence);
    // `can you make sure that all names are right` is for now, too.
    let is_passing = look.word("for today").is_some()
        || is_asked_of_you(sentence) && !look.is_order && look.word("always").is_none();
    if !place.by_agent && is_passing && look.word("lasting").is_none() {
        return None;
    }
    // Where something ends is no place in a text.
    let ends = look.word("dead end").or(look.word("does not work")).is_some();
    // What is to be done each time is no task.
    let counts = |name: &str| {
        let is_task = matches!(name, "task" | "and a task");
        !(name == "said elsewhere" && look.word("agreed").is_some()
            || name == "here" && place.by_agent && ends
            || is_task && look.is_order
            || look.is_polite && (is_task || name == "question"))
    };
    let mut sum = 0;
    let mut best: Option<(i16, Weighed)> = None;
    for &(Cue(_, _, weights, says, _), phrase) in cues.iter().filter(|(cue, _)| counts(cue.0)) {
        let weight = pick(*weights);
        sum += weight;
        let is_better = best.is_none_or(|(other, ..)| other < weight);
        if let Some(kind) = says.filter(|_| is_better && weight > 0) {
            best = Some((weight, (kind, phrase)));
        }
    }
    if place.is_request && look.word("always").or(look.word("lasting")).is_none() {
        sum -= TASK;
    }
    for (weights, _) in TRAITS.iter().filter(|(_, holds)| holds(&look)) {
        sum += pick(*weights);
    }
    let ruled = ["always", "lasting"].into_iter().find_map(|name| look.word(name));
    let ruled = ruled.filter(|_| look.is_order).map(|adverb| (0, (Kind::Preference, adverb)));
    let fails = look.word("does not work");
    let is_attempt = place.by_agent && look.word("attempt").is_some();
    // `X does not work because Y`: of a tool it is a trap.
    let is_of_tool = sentence.bytes().find(|byte| *byte != b' ') == Some(BLANK);
    let is_dead_end = look.word("reason").is_some() && !is_of_tool;
    let kind = |kind| match kind {
        Kind::Lesson | Kind::Decision if is_attempt => Kind::Failure,
        Kind::Lesson if is_dead_end && fails.is_some() => Kind::Failure,
        kind => kind,
    };
    // What a person says so clearly counts, whatever it is.
    let other = (!place.by_agent).then_some((0, (Kind::Decision, "")));
    best.or(ruled).or(other).filter(|_| sum >= 0).map(|(_, (best, phrase))| (kind(best), phrase))
}

/// Cues in whose words no other counts: `now` is nothing of its own in `from now on`, nor `never` in `never mind`, nor
/// `let's` in `let's drop`.
const WHOLE: &str = "lasting|talk|no contrast|all of a kind|this moment|for today|left out|ask me";

/// The cues of a sentence, each once, with the first of its words that counts.
fn cues(sentence: &str) -> impl Iterator<Item = (&'static Cue, &'static str)> {
    let mut first: [Option<&'static str>; CUES.len()] = [None; CUES.len()];
    let places = WORDS.places(sentence);
    let wholes: Vec<Range<usize>> = places
        .iter()
        .filter(|(.., number)| is_in(WHOLE, CUES[*number].0))
        .map(|(at, word, _)| *at..at + word.len())
        .collect();
    for (at, word, number) in places {
        let is_within = |whole: &Range<usize>| whole.contains(&at) && whole.len() > word.len();
        let is_own = !wholes.iter().any(is_within);
        if is_own && first[number].is_none() && CUES[number].1.holds(sentence, at, word) {
            first[number] = Some(word);
        }
    }
    CUES.iter().zip(first).filter_map(|(cue, word)| Some((cue, word?)))
}

#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "all right", "alright", "very well", "please", "pls", "plz", "so", "also", "ok", "okay", "yes", "yeah", "no", "nope", "again", "then",
    "thanks", "just", "and", "but", "hm", "hmm", "oh", "ah", "btw", "fyi", "well", "right", "nah",
    "in general", "from now on", "from here on", "going forward", "ab jetzt", "ab sofort", "künftig", "désormais",
    "so please", "ok so", "actually", "sorry", "wait", "stop", "hey", "look", "good", "great", "unfortunately", "conclusion", "d'accord", "leider",
    "one thing", "bitte", "ja", "nein", "und", "aber", "also bitte", "ach", "ach ja", "übrigens",
    "achso", "nee", "oui", "non", "et", "mais", "donc", "bon", "alors", "stp", "s'il te plaît",
    "au fait", "par contre", "en revanche", "you should", "you must", "you can", "you", "i want you to", "we should",
];

/// Words that make what follows them one particular thing.
const PARTICULAR: &[&str] = &[
    "the", "this", "these", "those", "that", "my", "your", "its", "which", "two", "three", "both",
    "some", "die", "diese", "ces", "tes",
];

/// Words for each of a kind, or for none of it.
const EACH: &[&str] = &[
    "every", "each", "any", "no", "all", "whole", "jede", "jeder", "jedes", "jeden", "kein",
    "keine", "keinen", "ganze", "ganzen", "chaque", "aucun", "aucune", "tout", "toute",
];

/// What `no` stands before where it answers or tells how things are.
const NO_THINGS: &str = "that|that's|thats|this|the|it's|its|you|we're|they|there|there's|what|why|please|wait|thanks|thank|not|need|more|one|\
    longer|idea|problem|problems|worries|worry|luck|rush|hurry|matter|doubt|way|wonder|chance|hope|error|errors|\
    change|changes|goals|result|results|progress|but|sorry|just|don't|use|never|objection|objections|clue|sign|success";

const PAST: &str = "understood|thought|get|mix|confuse|forget|lose|struggle|got|had|was|were|knew|forgot|wonder|would|could|heard|saw|seen|been|told|\
    said|compris|pensé|cru|vu|su|verstanden|gedacht|gewusst|gesehen|vergessen|vergesse";

/// Verbs behind `we` that are about this moment.
const PASSING: &str = "already|really|nur|noch|schon|stop|come|finish|try|wait|need|have|can|are|get|want|could|will|still|also|now|just|had|were|did|got|may|might|must|should|\
    do|not|see|saw|know|think|tried|found|proved|then|would|brauchen|haben|können|sind|wollen|werden|müssen|sehen|\
    wissen|a|peut|est|doit|veut|va|voit|sait|avait|obtient|suppose|pose|en|note|continue|attaque|reprend|commence|y";

/// Whether a word is one of those with `|` between them.
pub(super) fn is_in(words: &str, word: &str) -> bool {
    words.split('|').any(|known| known == word)
}

/// Whether what stands behind these words of a clause is said, and not only supposed, asked or thought.
pub(super) fn is_asserted(before: &str) -> bool {
    const SUPPOSED: &str = "if|when|whenever|where|should|whether|unless|suppose|supposing|assume|assuming|would|might|may|could|thought|think|believe|believed|expected|claimed|\
        suspect|suspected|feared|afraid|worried|hoped|seems|seemed|appears|looks|looked|sounds|sounded|sollte|sah|wenn|falls|sofern|ob|angenommen|würde|wäre|könnte|dachte|glaubte|meinte|\
        scheint|schien|si|s'il|supposons|serait|pourrait|croyais|pensais|croire|semble|semblait|paraît|paraissait|soit";
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let clause = sentence.rsplit([',', ';', ':', '(', '–', '—']).next().unwrap_or_default();
    !clause.split_whitespace().any(|word| is_in(SUPPOSED, word))
}

impl At {
    fn holds(self, sentence: &str, at: usize, word: &str) -> bool {
        let before =
            sentence[..at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\u{1}');
        let mut behind = sentence[at + word.len()..].chars();
        let last = before.trim_end().rsplit(' ').next().unwrap_or("");
        let next =
            sentence[at + word.len()..].trim_start().split([' ', ',', '.']).next().unwrap_or("");
        match self {
            Self::Anywhere => true,
            // `Commit-Nachrichten` are no order, and `do not` is another one.
            Self::Start | Self::Clause
                if behind.as_str().starts_with(" not ")
                    || word == "stop" && behind.as_str().starts_with(',')
                    || behind.next() == Some('-')
                        && behind.next().is_some_and(char::is_alphabetic) =>
            {
                false
            }
            Self::Start | Self::Clause => {
                let marks: &[char] = &[',', ';', ':', '(', '–', '—', '-', '.', '!', '…'];
                let clause = before.trim_end();
                let clause = clause.rsplit(marks).next().unwrap_or("").trim();
                let opens = clause.is_empty() || OPENERS.contains(&clause);
                let rest = before.trim_end().strip_suffix(clause).unwrap_or("");
                let is_first = rest
                    .split(marks)
                    .all(|part| part.trim().is_empty() || OPENERS.contains(&part.trim()));
                opens && (self == Self::Clause || is_first)
            }
            Self::Whole => {
                let rest = behind.as_str().trim_start();
                let is_end =
                    rest.is_empty() || rest.starts_with([',', ';', ':', '.', '!', '…', '–']);
                is_end && Self::Clause.holds(sentence, at, word)
            }
            Self::Nothing => {
                let is_thing = next.len() > 2 && next.starts_with(char::is_alphabetic);
                let clause = behind.as_str().split([',', ';', '.']).next().unwrap_or_default();
                let is_local = clause.ends_with(" here");
                is_thing
                    && !is_local
                    && !is_in(NO_THINGS, next)
                    && behind.as_str().starts_with(' ')
                    && Self::Start.holds(sentence, at, word)
            }
            Self::Later => !before.trim().is_empty() && !OPENERS.contains(&before.trim()),
            // `The two helper lemmas` are particular too.
            Self::Bare => {
                let second = before.trim_end().rsplit(' ').nth(1).unwrap_or_default();
                !PARTICULAR.contains(&last) && !is_in("two|three|both|these|those", second)
            }
            Self::Each => {
                let mut near = before.trim_end().rsplit(' ').take(2);
                near.any(|word| EACH.contains(&word))
            }
            Self::OurWay => {
                let is_passing = next.is_empty() || next.ends_with("ed") || next.starts_with('\'');
                let clause =
                    before.rsplit([',', ';', ':', '.', '!']).next().unwrap_or_default().trim();
                let is_place = is_in(
                    "in|inside|within|for|outside|im|für|innerhalb|dans|pour",
                    clause.split(' ').next().unwrap_or_default(),
                );
                !is_passing
                    && !is_in(PASSING, next)
                    && (is_place && word != "on" || Self::Clause.holds(sentence, at, word))
            }
            Self::Doing => next.ends_with("ing") && !next.ends_with("thing"),
            Self::Past => is_in(PAST, next) || next.ends_with("ed") && is_in("i|we|you|they", last),
            Self::OfOthers => !is_in("i|we|you|ich|wir|je|on|nous|is|isn't|are|aren't|not", last),
            Self::Asserted => is_asserted(before),
            Self::Counted => {
                let bare = before.trim_end();
                let counted = bare.trim_end_matches(|c: char| c.is_ascii_digit());
                let clause = counted.trim_end();
                counted.len() < bare.len()
                    && (clause.is_empty() || clause.ends_with([',', ';', ':', '(']))
            }
        }
    }
}
