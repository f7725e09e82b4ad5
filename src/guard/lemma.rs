//! Lemmas that are known to be false: seen by name where they are used, by statement where they
//! are stated again under another name.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::lean::{
    self, Claim, Comparison, DeclKind, Declaration, KEY_VERSION, Key, Mention, Outline, Statements,
    is_or_ends_in,
};
use crate::text::{clean, clip, is_among, one_line};

#[cfg(test)]
mod tests;

/// Longest text about a lemma in a message, in columns: three of them and the rest must fit.
const WIDTH: usize = 110;

/// A lemma that is known to be false.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FalseLemma {
    pub name: String,
    pub statement: String,
    /// By what the statement is recognised, where it is known in which file it stood.
    pub key: Option<Key>,
    /// The case in which it fails.
    pub counterexample: String,
    pub why: String,
    /// What to use in its place.
    pub instead: String,
    /// Nobody and nothing has checked that it is false.
    pub claimed: bool,
    /// It belongs to another project: its name means something else here, its statement does not.
    pub elsewhere: bool,
}

impl FalseLemma {
    pub fn claim(&self) -> Option<Claim> {
        Self::claim_of(&self.statement)
    }

    /// What a statement claims, as people and provers note it: a declaration, a signature, or the
    /// proposition alone. `None` where nothing is stated.
    pub fn claim_of(statement: &str) -> Option<Claim> {
        let statement = statement.trim();
        match lean::outline(statement).declarations.first() {
            Some(declaration) => claim(declaration, statement),
            None => Claim::of_note(statement),
        }
    }

    /// What there is to say about it: the case, the reason, the way on.
    pub fn reasons(&self) -> String {
        let mut parts = Vec::new();
        if self.elsewhere {
            parts.push("known from another project".to_owned());
        }
        if self.claimed {
            parts.push("only reported, nobody checked it".to_owned());
        }
        for (label, text) in [
            ("counterexample", &self.counterexample),
            ("why", &self.why),
            ("instead", &self.instead),
        ] {
            let text = clip(&one_line(&clean(text)), WIDTH);
            let text = text.trim_end_matches(['.', ';', ' ']);
            if !text.is_empty() {
                parts.push(format!("{label}: {text}"));
            }
        }
        parts.join("; ")
    }

    /// Whether its name alone says nothing: many texts use such names for their own.
    fn is_everyday(&self) -> bool {
        let plain = self.name.trim_end_matches(|c: char| c.is_numeric() || "'_₀₁₂₃".contains(c));
        let short = self.name.chars().count() < 4 || is_among(plain, EVERYDAY);
        short && !self.name.contains('.')
    }

    /// Whether a name as it is written, with the full names that it may stand for, means this lemma.
    fn is_meant_by(&self, written: &str, names: &[String]) -> bool {
        let fits = names.iter().any(|name| is_or_ends_in(name, &self.name));
        // A name without a dot may stand in any namespace, but for those of the libraries.
        let head = written.split_once('.').map(|(head, _)| head);
        let foreign = head.is_some_and(|head| is_among(head, LIBRARIES));
        !self.elsewhere && fits && (self.name.contains('.') || !foreign)
    }

    /// Whether a declaration shows that this one is false.
    fn is_denied_by(&self, user: &Declaration, mention: &Mention, text: &str) -> bool {
        let denies = |signature: &str| {
            let denied = Claim::denied_by(signature);
            (mention.in_statement && Claim::is_denial(signature))
                || (denied.is_some() && denied == self.claim())
        };
        self.is_denied_in_name(user) || signature(user, text).is_some_and(denies)
    }

    /// Whether a text itself declares the name with another statement: it means that one there.
    fn is_another_in(&self, text: &str, outline: &Outline, notions: &Notions<'_>) -> bool {
        let is_named = |declaration: &&Declaration| {
            is_or_ends_in(declaration.name.as_deref().unwrap_or_default(), &self.name)
        };
        let mut named = outline.declarations.iter().filter(is_named);
        !self.statement.is_empty()
            && named.any(|named| {
                claim(named, text) != self.claim() || notions.are_same(named, self) != Some(true)
            })
    }

    /// Whether a declaration says in its own name that this one is false: `not_bad`, `bad_false`.
    fn is_denied_in_name(&self, declaration: &Declaration) -> bool {
        let name = declaration.name.as_deref().unwrap_or_default();
        let own = lean::last_part(&self.name);
        let Some((before, after)) = name.split_once(own) else { return false };
        let mut words = before.split(['.', '_']).chain(after.split(['.', '_']));
        words.any(|word| is_among(word, DENIALS))
    }
}

struct Notions<'t> {
    text: &'t str,
    statements: OnceCell<Statements<'t>>,
}

impl<'t> Notions<'t> {
    fn in_text(text: &'t str) -> Self {
        Self { text, statements: OnceCell::new() }
    }

    /// Whether the same words say the same: what a declaration speaks of, and what a false lemma spoke of.
    /// What the text does not define itself is taken to be the same; `None` where it defines a notion of
    /// which the record says nothing.
    fn are_same(&self, declaration: &Declaration, lemma: &FalseLemma) -> Option<bool> {
        let statements = self.statements.get_or_init(|| Statements::of(self.text));
        let index = statements.index_of(declaration);
        let here = index.and_then(|index| statements.key(index)).map_or(0, |key| key.definitions);
        let known = lemma.key.filter(|key| key.version == KEY_VERSION);
        if here == 0 { Some(true) } else { known.map(|key| key.definitions == here) }
    }
}

const EVERYDAY: &str = "aux main lemma theorem claim key step helper foo bar test goal result fact thm prop this \
    conjecture main_theorem main_lemma";

const LIBRARIES: &str = "Nat Int Rat Real NNReal ENNReal Complex Fin ZMod List Array Finset Set Multiset Finsupp \
    Function Polynomial Matrix Filter Bool Option Prod Sum Sigma Subtype Eq Ne Iff And Or Not \
    Exists Classical Lean Std Mathlib Units Equiv Fintype String";

const DENIALS: &str = "not false isFalse is_false neg negation counterexample disproof disproved disproven \
    refuted wrong fails absurd";

/// Fields by which the proof of a statement is taken further: `bad.le` uses `bad`.
const FIELDS: &str = "mp mpr symm trans left right le lt ge gt ne ne' le' lt' not_le not_lt trans_le trans_lt \
    elim choose choose_spec imp resolve_left resolve_right";

fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    Claim::of_signature(signature(declaration, text)?)
}

/// The signature of a declaration that claims something, from after its name on.
fn signature<'a>(declaration: &Declaration, text: &'a str) -> Option<&'a str> {
    let kind = declaration.kind;
    let wanted = matches!(kind, DeclKind::ProofWanted | DeclKind::TheoremWanted);
    let claims = kind.is_proof() || kind == DeclKind::Axiom || wanted;
    let span = &declaration.statement_span;
    let keyword = span.start + kind.as_str().len();
    let start = declaration.name_span.as_ref().map_or(keyword, |name| name.end);
    text.get(start..span.end).filter(|_| claims)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sighting {
    /// Which lemma, by its index.
    pub(super) lemma: usize,
    /// Whether it is stated there, not used.
    pub(super) states: bool,
    /// It is stated in the same words over a definition of which the record says nothing.
    pub(super) is_unsure: bool,
    pub(super) declaration: Option<usize>,
    pub(super) line: usize,
    pub(super) start: usize,
}

pub struct Search<'l> {
    pub(super) lemmas: &'l [FalseLemma],
    by_end: HashMap<&'l str, Vec<usize>>,
    ends: OnceLock<Words>,
    claims: OnceLock<Claims>,
}

struct Claims {
    lemmas: HashMap<Claim, Vec<usize>>,
    /// The first word of each.
    words: Words,
    has_wordless: bool,
}

impl Claims {
    fn of(lemmas: &[FalseLemma]) -> Self {
        let mut by_claim: HashMap<Claim, Vec<usize>> = HashMap::new();
        for (index, lemma) in lemmas.iter().enumerate() {
            if let Some(claim) = lemma.claim() {
                by_claim.entry(claim).or_default().push(index);
            }
            // What it follows from is false as well.
            let statement = lemma.statement.as_str();
            let outline = lean::outline(statement);
            let said = outline.declarations.first().and_then(|one| signature(one, statement));
            for claim in said.into_iter().flat_map(Claim::stronger) {
                by_claim.entry(claim).or_default().push(index);
            }
        }
        let has_wordless = by_claim.keys().any(|claim| claim.words().is_empty());
        let firsts = by_claim.keys().filter_map(|claim| claim.words().first());
        let words = Words::of(firsts.map(String::as_str));
        Self { lemmas: by_claim, words, has_wordless }
    }

    /// Whether a text has the words of a claim. Taking a signature apart costs ten times as much as
    /// looking for words in it, and nearly none makes a claim that is known.
    fn may_be_in(&self, text: &str) -> bool {
        let fits = |claim: &Claim| {
            let words = claim.words();
            !words.is_empty() && words.iter().all(|word| text.contains(word.as_str()))
        };
        self.words.are_in(text) && self.lemmas.keys().any(fits)
    }

    /// The lemmas of which a declaration claims one.
    fn made_by(&self, declaration: &Declaration, text: &str) -> Option<&Vec<usize>> {
        let said = signature(declaration, text).unwrap_or_default();
        let own = Some(said).filter(|said| self.has_wordless || self.may_be_in(said));
        let own = own.and_then(Claim::of_signature).and_then(|claim| self.lemmas.get(&claim));
        own.or_else(|| {
            text.get(declaration.span.clone()).filter(|whole| self.may_be_in(whole))?;
            let inner = Claim::inner(said, declaration.body(text).unwrap_or_default());
            inner.iter().find_map(|claim| self.lemmas.get(claim))
        })
    }
}

/// Words to be looked for in texts; `None` where any text may hold one of them.
pub(super) struct Words(Option<AhoCorasick>);

impl Words {
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        // Without this kind the crate does not look for several bytes at a time.
        let words = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
        Self(words.ok())
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}

impl<'l> Search<'l> {
    pub fn of(lemmas: &'l [FalseLemma]) -> Self {
        let mut by_end: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, lemma) in lemmas.iter().enumerate() {
            if !lemma.elsewhere && !lemma.is_everyday() {
                by_end.entry(lean::last_part(&lemma.name)).or_default().push(index);
            }
        }
        Self { lemmas, by_end, ends: OnceLock::new(), claims: OnceLock::new() }
    }

    /// Where a text uses or states false lemmas, by position. Only the declarations that are wanted
    /// are looked at for what they state.
    pub(super) fn sightings(
        &self,
        text: &str,
        outline: &Outline,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<Sighting> {
        let notions = Notions::in_text(text);
        let mut found = self.uses(text, outline, &notions);
        for (index, declaration) in outline.declarations.iter().enumerate() {
            if !is_wanted(index) {
                continue;
            }
            for lemma in self.stated(declaration, text) {
                let same =
                    self.lemmas.get(lemma).and_then(|one| notions.are_same(declaration, one));
                if same == Some(false) {
                    continue;
                }
                let is_unsure = same.is_none();
                let name = declaration.name_span.as_ref().unwrap_or(&declaration.statement_span);
                let (declaration, line, start) = (Some(index), declaration.line, name.start);
                found.push(Sighting { lemma, states: true, is_unsure, declaration, line, start });
            }
        }
        found.sort_by_key(|sighting| sighting.start);
        found
    }

    /// The wanted declarations that state a lemma, by their indexes, and whether it is unsure that its definitions are
    /// the same.
    pub fn stated_in(
        &self,
        text: &str,
        outline: &Outline,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, &'l FalseLemma, bool)> {
        let sightings = self.sightings(text, outline, is_wanted).into_iter();
        let stated = sightings.filter(|one| one.states);
        let one =
            |one: Sighting| Some((one.declaration?, self.lemmas.get(one.lemma)?, one.is_unsure));
        stated.filter_map(one).collect()
    }

    fn uses(&self, text: &str, outline: &Outline, notions: &Notions<'_>) -> Vec<Sighting> {
        let ends = || Words::of(self.by_end.keys().copied());
        if !self.ends.get_or_init(ends).are_in(text) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let everywhere = 0..text.len();
        for mention in lean::mentions(text, outline, &everywhere, |written| self.is_like(written)) {
            let lemmas = self.meant(&mention, outline, notions);
            found.extend(lemmas.map(|lemma| Sighting {
                lemma,
                states: false,
                is_unsure: false,
                declaration: mention.declaration,
                line: mention.line,
                start: mention.span.start,
            }));
        }
        found
    }

    /// The lemmas that a declaration states: those with its claim, or else those with its name
    /// whose statement is not known.
    fn stated(&self, declaration: &Declaration, text: &str) -> Vec<usize> {
        let claims = self.claims.get_or_init(|| Claims::of(self.lemmas));
        if let Some(claimed) = claims.made_by(declaration, text) {
            return claimed.clone();
        }
        let name = declaration.name.as_deref().filter(|_| declaration.kind.is_proof());
        let name = name.unwrap_or_default();
        let alike = self.by_end.get(lean::last_part(name)).into_iter().flatten();
        let is_it =
            |lemma: &FalseLemma| lemma.statement.is_empty() && is_or_ends_in(name, &lemma.name);
        alike.copied().filter(|index| self.lemmas.get(*index).is_some_and(is_it)).collect()
    }

    pub(super) fn is_like(&self, written: &str) -> bool {
        self.ends(written).next().is_some()
    }

    /// Lemmas whose names end like a name, or like the name without fields of the proof.
    fn ends<'m>(&'m self, written: &'m str) -> impl Iterator<Item = (&'m str, usize)> + 'm {
        let mut next = Some(written).filter(|name| !name.starts_with('.'));
        let names = std::iter::from_fn(move || {
            let name = next?;
            let head = name.rsplit_once('.').filter(|(_, field)| is_among(field, FIELDS));
            next = head.map(|(head, _)| head);
            Some(name)
        });
        names.flat_map(|name| {
            let alike = self.by_end.get(lean::last_part(name));
            alike.into_iter().flatten().map(move |lemma| (name, *lemma))
        })
    }

    fn meant<'m>(
        &'m self,
        mention: &'m Mention,
        outline: &'m Outline,
        notions: &'m Notions<'_>,
    ) -> impl Iterator<Item = usize> + 'm {
        self.ends(&mention.written).filter_map(move |(name, index)| {
            let lemma = self.lemmas.get(index)?;
            let dropped = mention.written.len() - name.len();
            let without =
                |full: &String| full.get(..full.len().checked_sub(dropped)?).map(str::to_owned);
            let names: Vec<String> = mention.names.iter().filter_map(without).collect();
            let user = mention.declaration.and_then(|user| outline.declarations.get(user));
            let meant = lemma.is_meant_by(name, &names)
                && !user.is_some_and(|user| lemma.is_denied_by(user, mention, notions.text))
                && !lemma.is_another_in(notions.text, outline, notions);
            meant.then_some(index)
        })
    }
}

/// What an edit has to do with false lemmas that the text before it had not, each lemma once, with its
/// line and what is said of it.
pub(super) fn told<'l>(
    comparison: &Comparison<'_>,
    lemmas: &'l [FalseLemma],
) -> Vec<(&'l FalseLemma, usize, String)> {
    let search = Search::of(lemmas);
    let (before, after) = (comparison.old.text(), comparison.new.text());
    let (old, new) = (comparison.old.outline(), comparison.new.outline());
    // The declarations that the other text has in the same words.
    let is_kept = |&&(was, is): &&(usize, usize)| {
        let both = old.declarations.get(was).zip(new.declarations.get(is));
        both.is_some_and(|(was, is)| {
            was.name == is.name && was.statement(before) == is.statement(after)
        })
    };
    let (kept_old, kept): (HashSet<usize>, HashSet<usize>) =
        comparison.pairs.iter().filter(is_kept).copied().unzip();
    let edited = after.get(lean::changed(before, after)).unwrap_or_default();
    let mut words = lean::words(edited).map(|word| word.strip_prefix("_root_.").unwrap_or(word));
    if !words.any(|word| search.is_like(word)) && kept.len() == new.declarations.len() {
        return Vec::new();
    }
    let found = search.sightings(after, new, |index| !kept.contains(&index));
    if found.is_empty() {
        return Vec::new();
    }
    let found_before = search.sightings(before, old, |index| !kept_old.contains(&index));
    let (now, then) = (counts(&found, new), counts(&found_before, old));
    let grew = |spot: &Spot<'_>| now.get(spot) > then.get(spot);
    let mut told: Vec<(&FalseLemma, usize, String)> = Vec::new();
    for sighting in &found {
        let name = sighting.name(new);
        // More of them in all, and more in this declaration: what only moves is nothing new.
        let (lemma, states) = (sighting.lemma, sighting.states);
        let is_new = grew(&(lemma, states, None)) && grew(&(lemma, states, Some(name)));
        let Some(lemma) = lemmas.get(lemma).filter(|_| is_new) else { continue };
        if told.iter().all(|(other, ..)| !std::ptr::eq(*other, lemma)) {
            let stated = states.then(|| lemma.detail_of_statement(name, sighting.is_unsure));
            let detail = stated.unwrap_or_else(|| lemma.reasons());
            told.push((lemma, sighting.line, detail));
        }
    }
    told
}

/// A lemma, whether it is stated or used, and the name of the declaration where it is; `None` for
/// all declarations.
type Spot<'c> = (usize, bool, Option<Option<&'c str>>);

fn counts<'c>(sightings: &[Sighting], outline: &'c Outline) -> HashMap<Spot<'c>, usize> {
    let mut counts: HashMap<Spot<'c>, usize> = HashMap::new();
    for one in sightings {
        *counts.entry((one.lemma, one.states, None)).or_default() += 1;
        *counts.entry((one.lemma, one.states, Some(one.name(outline)))).or_default() += 1;
    }
    counts
}

impl Sighting {
    fn name<'c>(&self, outline: &'c Outline) -> Option<&'c str> {
        outline.declarations.get(self.declaration?)?.name.as_deref()
    }
}

impl FalseLemma {
    fn detail_of_statement(&self, by: Option<&str>, is_unsure: bool) -> String {
        let again = match by {
            Some(name) if is_unsure => format!(
                "`{}` has its words, over a definition here of which the record says nothing",
                clip(&clean(name), WIDTH)
            ),
            Some(name) if is_or_ends_in(name, &self.name) => "stated again here".to_owned(),
            Some(name) => format!("`{}` states the same", clip(&clean(name), WIDTH)),
            None => "stated here without a name".to_owned(),
        };
        let reasons = self.reasons();
        if reasons.is_empty() { again } else { format!("{again}; {reasons}") }
    }
}
