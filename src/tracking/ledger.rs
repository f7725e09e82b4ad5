//! The submissions of a database with what their names say, and which problem each record is about.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::open::{TARGETS, Tables};
use super::rows::Row;
use crate::model::{
    Domain, IN_FLIGHT, KnownProblems, Outcome, is_bare_slot, problem_key, same_problem, slot_label,
    slot_of, stem_key, word_key,
};
use crate::text::{base_name, clean, is_among, one_line, plural, spaced};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// What people call it: `slot12`, else the file's name without folders and ending.
    pub label: String,
    /// Row id; `None` where the table has none.
    #[serde(skip)]
    pub id: Option<i64>,
    pub uuid: Option<String>,
    pub filename: String,
    pub slot: Option<i64>,
    pub problem: Option<String>,
    pub pattern: Option<String>,
    pub status: Option<String>,
    pub standing: Standing,
    #[serde(rename = "sorry_count")]
    pub sorry: Option<i64>,
    #[serde(rename = "proven_count")]
    pub proven: Option<i64>,
    /// Whether somebody verified it; `None` where nobody looked.
    pub verified: Option<bool>,
    /// UTC, as all times here.
    pub created_at: Option<String>,
    pub submitted_at: Option<String>,
    pub completed_at: Option<String>,
    #[serde(skip)]
    pub output_file: Option<String>,
    pub notes: Option<String>,
    #[serde(rename = "verification_notes", skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
    /// What its definitions were blamed for, and what models said of it, each with its source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<String>,
    /// The owner says that it settles its problem.
    pub resolved: bool,
    /// It is marked so, and its note takes that back.
    #[serde(skip)]
    pub is_resolved_by_mistake: bool,
    pub false_targets: Vec<String>,
    /// Its owner wrote down what is new in it.
    #[serde(skip)]
    pub has_contribution: bool,
    #[serde(skip)]
    pub frontier: Option<String>,
}

/// What a note says of a proof that is none, in spaced words.
const VOID: &[&str] = &[
    "is the conjecture",
    "is the claim",
    "assumes the conjecture",
    "assumes the claim",
    "assumes the result",
    "assumes its claim",
    "assumes its conclusion",
    "assumes what it",
    "does not count",
    "doesn t count",
    "not to be counted",
    "hypothesis conclusion",
    "hypothèse conclusion",
    "hypothèse est la conjecture",
    "suppose la conjecture",
    "setzt die vermutung voraus",
    "à ne pas compter",
    "ne pas compter",
    "not a proof",
    "definition is empty",
    "def is empty",
    "definition leer",
    "definition ist leer",
    "def ist leer",
    "def leer",
    "ist die vermutung",
    "zählt nicht",
    "kein beweis",
    "ne compte pas",
    "pas une preuve",
];

/// The note takes back that the row settles its problem.
fn is_resolved_by_mistake(note: &str) -> bool {
    const MISTAKEN: &str = "mistakenly erroneously wrongly vacuous circular tautology tautological unfaithful \
         misstated retracted withdrawn misclick misclicked irrtümlich fälschlich zirkulär zurückgezogen fehlklick \
         versehen verklickt versehentlich";
    // Who speaks of the mark itself takes it back, unless they stand by it.
    const MARK: &str = "flag flagged ticked tick checkbox clicked haken häkchen markierung angekreuzt marque coché";
    const STANDS: &str =
        "right correct confirmed checked deliberate deliberately richtig bestätigt geprüft";
    const TAKEN_BACK: &[&str] =
        &["by mistake", "by accident", "by the script", "by a script", "par erreur"];
    const NOT: &[&str] = &[
        "not",
        "doesn t",
        "not yet",
        "not really",
        "not actually",
        "nicht",
        "never",
        "pas",
        "isn t",
    ];
    const SETTLED: &[&str] = &[
        "solve",
        "solved",
        "settle",
        "settled",
        "resolve",
        "resolved",
        "counted",
        "the conjecture",
        "the problem",
        "gelöst",
        "résolu",
    ];
    // They may be said of another case beside the one that is settled: `Settled for k = 4; k = 5 is still open.`
    const OPEN: &[&str] = &[
        "still open",
        "remains open",
        "is open",
        "not proved",
        "not proven",
        "noch offen",
        "ist offen",
        "bleibt offen",
        "nicht bewiesen",
        "toujours ouvert",
        "toujours ouverte",
        "reste ouvert",
        "reste ouverte",
    ];
    const SETTLES: &[&str] = &["settled", "settles", "solved", "solves", "gelöst", "résolu"];
    let said = format!(" {} ", spaced(note));
    let has = |words: &str| said.contains(&format!(" {words} "));
    let any = |words: &[&str]| words.iter().any(|words| has(words));
    let one_of = |words: &str| said.split(' ').any(|word| is_among(word, words));
    one_of(MISTAKEN)
        || (one_of(MARK) && !one_of(STANDS))
        || any(TAKEN_BACK)
        || any(VOID)
        || (any(OPEN) && !any(SETTLES))
        || NOT.iter().any(|not| SETTLED.iter().any(|word| has(&format!("{not} {word}"))))
}

fn reviews(row: &Row) -> Vec<String> {
    const COLUMNS: [(&str, &str); 3] = [
        ("Definitions", "definition_issues"),
        ("Grok", "grok_issues"),
        ("Gemini", "gemini_issues"),
    ];
    const NOTHING: &str = "none null no ok clean n a passed";
    let says = |text: &String| {
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.any(|word| !is_among(&word.to_lowercase(), NOTHING))
    };
    let review = |(label, column): (&str, &str)| {
        let text = row.text(column).filter(says)?;
        Some(format!("{label}: {}", one_line(&text)))
    };
    COLUMNS.into_iter().filter_map(review).collect()
}

impl Submission {
    fn read(row: &Row) -> Self {
        let status = row.text("status");
        let (sorry, proven) = (row.int("sorry_count"), row.int("proven_count"));
        let filename = row.text("filename").or_else(|| row.text("output_file"));
        let filename = filename.unwrap_or_default();
        let problem = row.text("problem_id");
        let slot = slot_of(&filename).or_else(|| problem.as_deref().and_then(slot_of));
        let is_flagged = row.flag("target_resolved") == Some(true);
        let is_mistaken = row.text("notes").is_some_and(|note| is_resolved_by_mistake(&note));
        Self {
            label: label(slot, &filename),
            id: row.int("id"),
            uuid: row.text("uuid"),
            slot,
            problem,
            filename,
            pattern: row.text("pattern"),
            standing: standing(status.as_deref(), sorry, proven),
            status,
            sorry,
            proven,
            verified: row.flag("verified"),
            created_at: row.time("created_at"),
            submitted_at: row.time("submitted_at"),
            completed_at: row.time("completed_at"),
            output_file: row.text("output_file"),
            notes: row.text("notes"),
            verification: row.text("verification_notes"),
            reviews: reviews(row),
            resolved: is_flagged && !is_mistaken,
            is_resolved_by_mistake: is_flagged && is_mistaken,
            false_targets: Vec::new(),
            has_contribution: row.text("contribution_statement").is_some(),
            frontier: row.text("frontier_id"),
        }
    }

    /// What identifies it: the prover's id, else its file.
    pub(super) fn origin(&self) -> &str {
        self.uuid.as_deref().unwrap_or(&self.filename)
    }

    pub fn happened_at(&self) -> Option<&str> {
        let times = [&self.completed_at, &self.submitted_at, &self.created_at];
        times.into_iter().flatten().next().map(String::as_str)
    }

    /// It says only that there is, or was, a file.
    pub fn is_indexed(&self) -> bool {
        const OF_FILES: &str = "missing stale historical history indexed unknown archived";
        let status = word_key(self.status.as_deref().unwrap_or_default());
        let has_count = self.sorry.is_some() || self.proven.is_some();
        self.standing == Standing::History
            && !has_count
            && self.verified.is_none()
            && is_among(&status, OF_FILES)
    }

    /// It waits to be fetched: it is complete and nobody has verified or refused it.
    pub(super) fn is_fetchable(&self) -> bool {
        let word = word_key(self.status.as_deref().unwrap_or_default());
        self.verified.is_none() && (word == "completed" || word.starts_with("compiled"))
    }

    fn is_called_clean(&self) -> bool {
        self.standing == Standing::Proved && self.verified != Some(false)
    }

    /// Written down, and never sent.
    pub(super) fn is_draft(&self) -> bool {
        let word = word_key(self.status.as_deref().unwrap_or_default());
        let is_sent = self.uuid.is_some() || self.submitted_at.is_some();
        !is_sent && matches!(word.as_str(), "draft" | "planned" | "idea" | "todo")
    }

    /// Nobody is to believe that it proves something: its owner refuses it, or it came back and was not verified.
    pub(super) fn is_refused(&self) -> bool {
        let word = word_key(self.status.as_deref().unwrap_or_default());
        self.refusal().is_some() || (self.verified == Some(false) && word == "completed")
    }

    /// Its owner's note refuses it. That `verified` is 0 may only say that nobody looked: it needs a reason beside it.
    pub fn refusal(&self) -> Option<&str> {
        const REFUSED: &str = "rejected refused retracted withdrawn void invalid unusable worthless \
             verworfen abgelehnt ungültig zurückgezogen rejeté refusé";
        const WRONG: &str = "wrong false vacuous trivial trivially tautology circular weaker unfaithful misstated \
             useless nothing assumes empty contradictory inconsistent falsch leer widersprüchlich wertlos faux vide";
        let says = |note: &str, words: &str| {
            let said = note.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
            said.into_iter().any(|word| is_among(&word, words))
        };
        let is_void = |note: &str| {
            let said = format!(" {} ", spaced(note));
            VOID.iter().any(|words| said.contains(&format!(" {words} ")))
        };
        let is_looked_at = self.verified == Some(true);
        let mut own =
            [&self.notes, &self.verification].into_iter().flatten().filter(|_| !self.resolved);
        let refuses = |note: &&String| {
            is_void(note)
                || (!is_looked_at && says(note, REFUSED))
                || (self.verified == Some(false) && says(note, WRONG))
        };
        own.find(refuses).map(String::as_str)
    }

    /// Its owner holds it for a step towards the problem, or for a small thing.
    pub fn is_advance(&self) -> Option<bool> {
        const BEST: &str =
            "best strongest breakthrough milestone durchbruch beste bestes meilleur meilleure";
        const SMALL: &str = "trivial trivially small tiny easy minor toy warmup helper sanity einfach klein kleines \
             trivialerweise banal facile petit";
        let status = word_key(self.status.as_deref().unwrap_or_default());
        if self.resolved || self.has_contribution || status == "compiledadvance" {
            return Some(true);
        }
        let note = spaced(self.notes.as_deref().unwrap_or_default());
        let says = |words: &str| note.split(' ').any(|word| is_among(word, words));
        match (status == "compilednoadvance" || says(SMALL), says(BEST)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    /// Its owner's note gives it up.
    pub(super) fn is_given_up(&self) -> bool {
        const GIVEN_UP: &str = "dead abandoned hopeless pointless unprovable superseded redo aufgegeben aussichtslos \
             unbeweisbar abandonne abandonné abandonnée zwecklos indémontrable";
        const PHRASES: [&str; 23] = [
            "out of reach",
            "laisse tomber",
            "laissé tomber",
            "hors de portée",
            "sans espoir",
            "außer reichweite",
            "not provable",
            "cannot be proved",
            "done in slot",
            "done by slot",
            "sent again as",
            "neu machen",
            "gave up",
            "give up",
            "given up",
            "giving up",
            "budget gone",
            "no more budget",
            "no budget",
            "do not resubmit",
            "do not resend",
            "not worth",
            "no point",
        ];
        let said = format!(" {} ", spaced(self.notes.as_deref().unwrap_or_default()));
        said.split(' ').any(|word| is_among(word, GIVEN_UP))
            || PHRASES.iter().any(|words| said.contains(&format!(" {words} ")))
    }

    /// All that was written about it, a line each.
    pub(super) fn written(&self) -> Option<String> {
        let own = [&self.notes, &self.verification].into_iter().flatten();
        let all: Vec<&str> = own.chain(&self.reviews).map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// Its row says that the answer proves what was asked, or its owner says that it settles the problem.
    pub fn is_called_proved(&self) -> bool {
        self.is_called_clean() || (self.resolved && self.standing != Standing::False)
    }

    /// Somebody who looked agrees that it is false.
    pub(super) fn is_disproof(&self) -> bool {
        self.standing == Standing::False && self.verified == Some(true)
    }

    /// Nobody vouched for that, and its problem is not settled by it.
    pub fn is_called_false(&self) -> bool {
        self.standing == Standing::False && !self.resolved && self.verified != Some(true)
    }

    pub fn standing_there(&self) -> Option<String> {
        self.status.as_deref().map(|status| clean(status).replace('_', " "))
    }

    /// How it ended, in a few words each: `near miss`, `18 proved`, `1 gap`.
    pub fn ended(&self) -> Vec<String> {
        let status = self.standing_there().unwrap_or_else(|| "no status".to_owned());
        let is_running = self.standing == Standing::InFlight;
        let status = if is_running { format!("{IN_FLIGHT} ({status})") } else { status };
        let mut parts = vec![status];
        parts.extend(self.proven.map(|count| format!("{count} proved")));
        parts.extend(self.sorry.map(|count| plural(count, "gap")));
        parts
    }

    /// When the last thing that is known happened to it.
    pub fn last_seen(&self) -> Option<&str> {
        [&self.completed_at, &self.submitted_at, &self.created_at]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .max()
    }
}

fn label(slot: Option<i64>, filename: &str) -> String {
    let of_slot = || slot.map(|slot| format!("slot{slot}"));
    if let Some(label) = slot_label(filename).or_else(of_slot) {
        return label;
    }
    let name = base_name(filename);
    let name = name.strip_suffix(".lean").unwrap_or(name);
    if name.is_empty() { "unnamed submission".to_owned() } else { name.to_owned() }
}

#[derive(Debug, Default)]
pub struct Ledger {
    pub submissions: Vec<Submission>,
    /// Ids that the database itself lists or states. Only these are looked for in names and texts:
    /// what an earlier import made of them must not change the next one.
    own: KnownProblems,
    /// How each id is spelt: as it is known elsewhere, else as in `own`.
    spelling: KnownProblems,
    domains: HashMap<String, String>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Ledger {
    /// Says of each submission which problem it is about, and indexes them. The spelling of `known` ids counts.
    pub(super) fn new(tables: &Tables, aliases: &[(String, String)], known: &[String]) -> Self {
        let mut submissions: Vec<Submission> =
            tables.rows("submissions").iter().map(Submission::read).collect();
        let mut ledger = Self::default();
        for (alias, id) in aliases {
            ledger.alias(alias, id);
        }
        for id in known {
            ledger.spelling.insert(id);
        }
        for row in tables.rows("candidate_problems") {
            let Some(id) = row.get("id").filter(|id| !problem_key(id).is_empty()) else { continue };
            let id = ledger.own.insert(&ledger.spelling.insert(id));
            let says = |words: &&str| words.chars().filter(|c| c.is_alphabetic()).count() > 1;
            let domain = row.get("domain").filter(says).map(Domain::id_of);
            ledger.domains.extend(domain.map(|domain| (id, domain)));
        }
        for one in &submissions {
            let is_problem = |name: &String| {
                let is_it = |id: &String| same_problem(id, name);
                ledger.own.spelling(name).is_some()
                    || submissions.iter().filter_map(|one| one.problem.as_ref()).any(is_it)
            };
            if let (Some(id), Some(frontier)) = (&one.problem, &one.frontier)
                && is_abbreviation(id, frontier)
                && is_problem(frontier)
            {
                ledger.alias(id, &problem_key(frontier));
            }
        }
        let (bare, stated): (Vec<String>, Vec<String>) =
            spellings(&submissions).into_iter().partition(|id| is_bare_number(id));
        for id in stated.into_iter().chain(bare) {
            if let Some(meant) = ledger.own.of_number(&id).map(str::to_owned) {
                ledger.alias(&id, &meant);
            } else {
                ledger.own.insert(&ledger.spelling.insert(&id));
            }
        }
        ledger.learn_aliases(&submissions);
        forget_indexing_times(&mut submissions);
        let mut targets = targets_of_false_lemmas(tables);
        for (at, submission) in submissions.iter_mut().enumerate() {
            let tried = submission.id.and_then(|id| targets.remove(&id));
            submission.false_targets = tried.unwrap_or_default();
            let stated = submission.problem.as_deref().and_then(|id| ledger.problem(id));
            let corrected = ledger.corrected(submission.notes.as_deref(), stated.as_deref());
            let stated = corrected.or(stated);
            submission.problem = stated.or_else(|| ledger.problem_in_name(&submission.filename));
            if !submission.filename.is_empty() && !is_bare_slot(&submission.filename) {
                ledger.by_name.entry(stem_key(&submission.filename)).or_default().push(at);
            }
        }
        ledger.submissions = submissions;
        ledger
    }

    /// The one other problem that a note names, if it says that the row has the wrong one.
    fn corrected(&self, note: Option<&str>, stated: Option<&str>) -> Option<String> {
        const WRONG: &[&str] = &[
            "wrong id",
            "wrong problem",
            "misfiled",
            "mislabel",
            "under the wrong",
            "falsche id",
            "falsches problem",
            "mauvais problème",
        ];
        // Said of the column.
        const COLUMN: &str = "id problem column spalte";
        const IS_WRONG: &str = "wrong nonsense copy typo falsch falsche quatsch faux";
        // With the problem right behind.
        const IS: &[&str] = &[
            "belongs to",
            "belongs under",
            "that one is",
            "this one is",
            "should be",
            "should be under",
            "gehört zu",
            "appartient à",
        ];
        let note = note?;
        let said = spaced(note);
        let is = |id: &String| {
            let id = spaced(id);
            IS.iter().any(|is| said.contains(&format!("{is} {id}")))
        };
        let one_of = |words: &str| said.split(' ').any(|word| is_among(word, words));
        let is_wrong =
            WRONG.iter().any(|wrong| said.contains(wrong)) || (one_of(COLUMN) && one_of(IS_WRONG));
        let mut named = self.own.named_in(note);
        named.retain(|id| stated.is_none_or(|stated| !same_problem(id, stated)));
        match named.as_slice() {
            [one] if is_wrong || is(one) => self.spelt(one.clone()),
            _ => None,
        }
    }

    fn alias(&mut self, alias: &str, id: &str) {
        self.own.alias(alias, id);
        self.spelling.alias(alias, id);
    }

    /// A frontier is another name of the one problem under it whose id ends with it, or alone begins with it: `nu_4`
    /// of `tuza_nu4`, `sidon` of `sidon_upper`, but not `erdos` of `erdos_850`.
    fn learn_aliases(&mut self, submissions: &[Submission]) {
        let mut owners: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for submission in submissions {
            let (Some(frontier), Some(id)) = (&submission.frontier, &submission.problem) else {
                continue;
            };
            let key = word_key(frontier);
            let is_alone = self.own.beginning(&key) == 1;
            let is_name = |id: &String| {
                let id = word_key(id);
                let rest = id.strip_prefix(&key).filter(|_| is_alone);
                id.ends_with(&key) || rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
            };
            let owner = self.problem(id).filter(is_name);
            owners.entry(frontier).or_default().extend(owner.filter(|_| !key.is_empty()));
        }
        for (frontier, owners) in owners {
            if let (1, Some(only)) = (owners.len(), owners.first()) {
                self.alias(frontier, only);
            }
        }
    }

    /// The problems to which the submissions of a frontier belong.
    pub fn of_frontier(&self, words: &str) -> Vec<String> {
        let key = word_key(words);
        let is_of_it = |one: &&Submission| {
            one.frontier.as_deref().is_some_and(|frontier| word_key(frontier) == key)
        };
        let all = self.submissions.iter().filter(is_of_it);
        let problems: BTreeSet<String> = all.filter_map(|one| one.problem.clone()).collect();
        problems.into_iter().collect()
    }

    /// The submission that a file belongs to, by uuid, path, name or slot, and whether it tells of this file alone.
    /// A slot joins only where all its submissions are about one problem, and then the newest.
    pub fn join(
        &self,
        uuid: Option<&str>,
        path: &str,
        slot: Option<i64>,
    ) -> Option<(&Submission, bool)> {
        if let Some(found) = uuid.and_then(|uuid| self.by_uuid(uuid)) {
            return Some((found, true));
        }
        // A file that states another request is not the answer to this one.
        let may_be = |row: &&Submission| uuid.is_none() || row.uuid.is_none();
        let is_there = |row: &&Submission| {
            row.output_file.as_deref().is_some_and(|output| ends_alike(path, output))
        };
        if let Some(found) = self.submissions.iter().filter(may_be).rfind(is_there) {
            return Some((found, true));
        }
        // One word, as in `Main.lean`, is no name.
        let stem = stem_key(path);
        let named = self.by_name.get(&stem).filter(|_| stem.contains('_'));
        let mut named = named.into_iter().flatten().filter_map(|at| self.submissions.get(*at));
        if let Some(found) = named.rfind(may_be) {
            return Some((found, true));
        }
        let of_slot = |row: &&Submission| row.slot.is_some() && row.slot == slot;
        let rows: Vec<&Submission> = self.submissions.iter().filter(of_slot).collect();
        let newest = rows.iter().copied().rfind(may_be)?;
        let is_one_problem =
            newest.problem.is_some() && rows.iter().all(|row| row.problem == newest.problem);
        is_one_problem.then_some((newest, rows.len() == 1))
    }

    /// Files and uuids that several rows name as their answer, with the rows.
    pub fn claimed_twice(&self) -> Vec<String> {
        let mut claims: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for one in &self.submissions {
            let named = [one.output_file.clone(), one.uuid.as_ref().map(|id| format!("uuid {id}"))];
            for claim in named.into_iter().flatten() {
                let row = one.id.map_or_else(|| one.label.clone(), |id| id.to_string());
                claims.entry(claim).or_default().push(row);
            }
        }
        let twice = claims.into_iter().filter(|(_, rows)| rows.len() > 1);
        twice.map(|(claim, rows)| format!("{claim} by rows {}", rows.join(" and "))).collect()
    }

    pub fn problems(&self) -> &KnownProblems {
        &self.own
    }

    /// The problem that a column names; a slot number is none.
    pub(super) fn problem(&self, stated: &str) -> Option<String> {
        if slot_of(stated).is_some() {
            return self.problem_in_name(stated);
        }
        self.spelt(problem_key(stated))
    }

    /// The problem that a file's or a theorem's name begins with.
    pub(super) fn problem_in_name(&self, name: &str) -> Option<String> {
        self.own.problem_of(name).and_then(|id| self.spelt(id))
    }

    /// The first problem of the database that a text mentions.
    pub(super) fn problem_in_text(&self, text: &str) -> Option<String> {
        text.split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .find_map(|word| self.own.spelling(word))
            .map(str::to_owned)
    }

    fn spelt(&self, id: String) -> Option<String> {
        let known = self.spelling.spelling(&id).map(str::to_owned);
        known.or(Some(id)).filter(|id| !id.is_empty())
    }

    pub fn domain_of(&self, problem: Option<&str>) -> Option<&str> {
        self.domains.get(problem?).map(String::as_str)
    }

    pub(super) fn by_id(&self, id: i64) -> Option<&Submission> {
        self.submissions.iter().find(|row| row.id == Some(id))
    }

    pub(super) fn by_uuid(&self, uuid: &str) -> Option<&Submission> {
        let is_it = |row: &&Submission| {
            row.uuid.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(uuid))
        };
        self.submissions.iter().find(is_it)
    }

    /// The one submission whose uuid begins so.
    pub(super) fn by_uuid_prefix(&self, prefix: &str) -> Option<&Submission> {
        let begins = |row: &&Submission| {
            row.uuid.as_deref().is_some_and(|uuid| uuid.to_ascii_lowercase().starts_with(prefix))
        };
        let mut found = self.submissions.iter().filter(begins);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// By the row of a submission.
fn targets_of_false_lemmas(tables: &Tables) -> HashMap<i64, Vec<String>> {
    let lemmas = tables.rows("false_lemmas").iter();
    let names: HashMap<i64, String> =
        lemmas.filter_map(|row| row.int("id").zip(row.text("lemma_name"))).collect();
    let mut targets: HashMap<i64, Vec<String>> = HashMap::new();
    for row in tables.rows(TARGETS) {
        let both = row.int("submission_id").zip(row.int("false_lemma_id"));
        let Some((submission, lemma)) = both else { continue };
        let name = names.get(&lemma).cloned();
        let name = name.unwrap_or_else(|| format!("false lemma {lemma}"));
        targets.entry(submission).or_default().push(name);
    }
    targets
}

/// Who writes down hundreds of files in one day says nothing of when they were made: rows that have
/// no other time lose such a one.
fn forget_indexing_times(submissions: &mut [Submission]) {
    const FEWEST: usize = 20;
    let day = |row: &Submission| match (&row.submitted_at, &row.completed_at, &row.created_at) {
        (None, None, Some(time)) => time.get(..10).map(str::to_owned),
        _ => None,
    };
    let mut days: HashMap<String, usize> = HashMap::new();
    for time in submissions.iter().filter_map(day) {
        *days.entry(time).or_default() += 1;
    }
    let most = FEWEST.min(submissions.len() / 20).max(3);
    for row in submissions {
        if day(row).and_then(|day| days.get(&day)).is_some_and(|count| *count > most) {
            row.created_at = None;
        }
    }
}

/// Whether two paths are one, seen from different folders: what both have is the same. A name that
/// many files have (`Main.lean`) needs its folder too.
fn ends_alike(path: &str, recorded: &str) -> bool {
    let recorded = recorded.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let alike: Vec<bool> = path.rsplit('/').zip(recorded).map(|(a, b)| a == b).collect();
    let least = if slot_of(path).is_some() { 1 } else { 2 };
    alike.len() >= least && alike.iter().all(|same| *same)
}

/// `Problem 203`: whose it is, only other rows can say.
fn is_bare_number(id: &str) -> bool {
    let key = word_key(id);
    key.strip_prefix("problem").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The problem ids that submissions state, the most frequent spelling of each first.
/// `EG` of `erdos_gyarfas`.
fn is_abbreviation(id: &str, of: &str) -> bool {
    let of = problem_key(of);
    let initials: String = of.split('_').filter_map(|word| word.chars().next()).collect();
    initials.len() > 1 && id.to_lowercase() == initials
}

fn spellings(submissions: &[Submission]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for id in submissions.iter().filter_map(|one| one.problem.as_deref()) {
        *counts.entry(id).or_default() += 1;
    }
    let mut ids: Vec<(&str, usize)> = counts.into_iter().collect();
    ids.sort_unstable_by(|(a, many), (b, more)| more.cmp(many).then_with(|| a.cmp(b)));
    let is_id = |id: &&str| slot_of(id).is_none() && !problem_key(id).is_empty();
    ids.into_iter().map(|(id, _)| id).filter(is_id).map(str::to_owned).collect()
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The prover works on it, or will.
    InFlight,
    /// Proved, without a gap.
    Proved,
    /// One gap is left of an otherwise proved file.
    NearMiss,
    False,
    Failed,
    /// Anything else, also no status and unknown ones.
    #[default]
    History,
}

fn standing(status: Option<&str>, gaps: Option<i64>, proven: Option<i64>) -> Standing {
    let word = word_key(status.unwrap_or_default());
    match word.as_str() {
        "submitted" | "running" | "inprogress" | "queued" | "pending" => Standing::InFlight,
        "disproven" | "disproved" | "likelyfalse" => Standing::False,
        "failed" | "compilefailed" | "error" | "timeout" | "invalid" | "broken" => Standing::Failed,
        "nearmiss" => Standing::NearMiss,
        "compiledpartial" if gaps == Some(1) => Standing::NearMiss,
        word if is_result(word) && gaps == Some(1) && proven > Some(5) => Standing::NearMiss,
        "completed" if gaps == Some(0) => Standing::Proved,
        "proven" | "compiledclean" | "compilednoadvance" | "compiledadvance"
            if gaps.unwrap_or(0) == 0 =>
        {
            Standing::Proved
        }
        _ => Standing::History,
    }
}

fn is_result(word: &str) -> bool {
    matches!(word, "completed" | "partial" | "incomplete" | "proven")
        || word.starts_with("compiled")
}

/// How the approach of such a submission ended; `None` where its status does not say.
pub(super) fn outcome(standing: Standing, status: Option<&str>) -> Option<Outcome> {
    match standing {
        Standing::InFlight => Some(Outcome::InFlight),
        Standing::Proved => Some(Outcome::Proven),
        Standing::NearMiss => Some(Outcome::Partial),
        Standing::False | Standing::Failed => Some(Outcome::Failed),
        Standing::History => {
            let word = word_key(status.unwrap_or_default());
            let partial = matches!(word.as_str(), "partial" | "incomplete" | "compiledpartial");
            partial.then_some(Outcome::Partial)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Standing::*;
    use super::*;

    #[test]
    fn statuses_of_both_vocabularies() {
        for (status, gaps, proven, expected) in [
            ("submitted", None, None, InFlight),
            ("running", None, None, InFlight),
            ("in_progress", None, None, InFlight),
            ("In Progress", Some(1), Some(9), InFlight),
            ("queued", None, None, InFlight),
            ("PENDING", None, None, InFlight),
            ("proven", Some(0), Some(3), Proved),
            ("proven", None, None, Proved),
            ("proven", Some(3), Some(9), History),
            ("compiled_clean", Some(0), Some(3), Proved),
            ("compiled-no-advance", Some(0), None, Proved),
            ("compiled_advance", None, Some(3), Proved),
            ("completed", Some(0), None, Proved),
            ("completed", None, None, History),
            ("completed", Some(1), Some(6), NearMiss),
            ("completed", Some(1), Some(5), History),
            ("completed", Some(1), None, History),
            ("completed", Some(2), Some(50), History),
            ("near_miss", None, None, NearMiss),
            ("near miss", Some(1), Some(0), NearMiss),
            ("compiled_partial", Some(1), Some(0), NearMiss),
            ("compiled_partial", Some(2), Some(9), History),
            ("compiled_partial", None, None, History),
            ("partial", Some(1), Some(12), NearMiss),
            ("disproven", Some(1), Some(12), False),
            ("disproved", None, None, False),
            ("likely_false", None, None, False),
            ("failed", Some(1), Some(12), Failed),
            ("compile_failed", None, None, Failed),
            ("error", None, None, Failed),
            ("timeout", None, None, Failed),
            ("invalid", None, None, Failed),
            ("broken", None, None, Failed),
            ("stale", Some(1), Some(12), History),
            ("historical", Some(0), None, History),
            ("draft", None, None, History),
            ("'; DROP", None, None, History),
            ("", Some(1), Some(12), History),
        ] {
            assert_eq!(
                standing(Some(status), gaps, proven),
                expected,
                "{status} {gaps:?} {proven:?}"
            );
        }
        assert_eq!(standing(None, Some(1), Some(9)), History);
    }

    #[test]
    fn results_wait_until_somebody_looked() {
        for (status, verified, expected) in [
            ("completed", None, true),
            ("compiled_no_advance", None, true),
            ("Compiled-Partial", None, true),
            ("completed", Some(true), false),
            ("completed", Some(false), false),
            ("compile_failed", None, false),
            ("proven", None, false),
        ] {
            let status = Some(status.to_owned());
            let submission = Submission { status, verified, ..Submission::default() };
            assert_eq!(submission.is_fetchable(), expected, "{submission:?}");
        }
        assert!(!Submission::default().is_fetchable());
    }

    #[test]
    fn a_note_takes_back_that_its_problem_is_settled() {
        for (note, expected) in [
            ("Only 3 mod 4! target_resolved was set by mistake, see the diary.", true),
            ("marque retirée le 12/09 : c'est n = 3", true),
            ("La conjecture reste ouverte.", true),
            ("non!! hypothèse = conclusion, à ne pas compter", true),
            ("Die Vermutung bleibt offen", true),
            ("complet, relu deux fois", false),
            ("the base case by hand, Mark read it", false),
            ("Not solved: the case k = 2 is missing", true),
            ("does not settle it", true),
            ("aus Versehen gesetzt", true),
            ("the script ticked it. the hypothesis IS the conjecture", true),
            ("flag is wrong, see the diary", true),
            ("this doesn't count", true),
            ("set by the script, ignore", true),
            ("assumes the conjecture", true),
            ("still open", true),
            ("circular: the class has the claim as a field", true),
            ("not a proof of the conjecture", true),
            ("resolved=1 war ein Fehlklick, n = 7, sonst nix", true),
            ("Haken bei resolved nehme ich zurück", true),
            ("I clicked the wrong one, only n = 7 is done", true),
            ("flag checked by Anna, it is right", false),
            ("RESOLVED on 12 Nov, written up", false),
            ("target resolved!", false),
            ("Settled; the sharper bound is not proved.", false),
            ("Ignore the linter. First rejected by the prover, then whole.", false),
            ("Settled for k = 4; k = 5 is still open.", false),
            ("Checked against the source by Anna.", false),
            ("Settled. The stronger bound was not tried.", false),
            ("A mistake in the sketch was mended first.", false),
        ] {
            assert_eq!(is_resolved_by_mistake(note), expected, "{note}");
        }
    }

    #[test]
    fn a_refusal_has_words() {
        for (verified, note, expected) in [
            (Some(false), None, false),
            (Some(false), Some("Clean compile, checked by hand."), false),
            (Some(false), Some("The definition is vacuous"), true),
            (Some(false), Some("It assumes the hard part."), true),
            (None, Some("does not use choice"), false),
            (None, Some("RETRACTED: the gap is hidden"), true),
            (Some(true), Some("first rejected, now checked"), false),
            (Some(true), Some("forget it: hR is the conjecture itself"), true),
            (Some(true), Some("connectedness is assumed, as in the source"), false),
            (Some(false), Some("Def ist leer!! Zählt nicht."), true),
            (None, Some("does not count"), true),
        ] {
            let notes = note.map(str::to_owned);
            let submission = Submission { verified, notes, ..Submission::default() };
            assert_eq!(submission.refusal().is_some(), expected, "{note:?}");
            let resolved = Submission { resolved: true, ..submission };
            assert_eq!(resolved.refusal(), Option::None);
        }
    }

    #[test]
    fn only_a_partial_result_of_history_says_how_it_ended() {
        assert_eq!(outcome(History, Some("compiled_partial")), Some(Outcome::Partial));
        assert_eq!(outcome(History, Some("stale")), None);
        assert_eq!(outcome(History, None), None);
        assert_eq!(outcome(False, Some("disproven")), Some(Outcome::Failed));
    }
}
