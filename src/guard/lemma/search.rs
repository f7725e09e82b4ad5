//! False lemmas looked for in a text.

use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{FIELDS, FalseLemma, Notions, Sameness, is_or_ends_in, signature, variants};
use crate::lean::{self, Claim, Declaration, Mention, Outline};

/// Where a text has to do with a false lemma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::guard) struct Sighting {
    /// Which lemma, by its index.
    pub(in crate::guard) lemma: usize,
    /// Whether it is stated there, not used.
    pub(in crate::guard) states: bool,
    /// It is stated in the same words over a definition of which the record says nothing.
    pub(in crate::guard) is_unsure: bool,
    /// Index of the declaration in which it is.
    pub(in crate::guard) declaration: Option<usize>,
    /// Line, from 1.
    pub(in crate::guard) line: usize,
    /// Byte offset.
    pub(in crate::guard) start: usize,
}

/// False lemmas, to be looked for in texts.
pub(in crate::guard) struct Search<'l> {
    lemmas: &'l [FalseLemma],
    by_end: HashMap<&'l str, Vec<usize>>,
    ends: Words,
    claims: OnceLock<Claims>,
}

/// The claims of false lemmas.
struct Claims {
    lemmas: HashMap<Claim, Vec<usize>>,
    /// The first word of each.
    words: Words,
    /// Whether there are claims without words.
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
            for claim in said.iter().flat_map(|said| variants::stronger(said)) {
                if let Some(claim) = Claim::of_signature(&claim) {
                    by_claim.entry(claim).or_default().push(index);
                }
            }
        }
        let has_wordless = by_claim.keys().any(|claim| claim.words().is_empty());
        let firsts = by_claim.keys().filter_map(|claim| claim.words().first());
        let words = Words::of(firsts.map(String::as_str));
        Self { lemmas: by_claim, words, has_wordless }
    }

    /// The lemmas whose claim a signature makes. Taking a signature apart costs ten times as much as
    /// looking for words in it, and nearly none makes a claim that is known.
    fn made_by(&self, signature: &str) -> Option<&Vec<usize>> {
        let fits = |claim: &Claim| {
            let words = claim.words();
            !words.is_empty() && words.iter().all(|word| signature.contains(word.as_str()))
        };
        let may_be = self.words.are_in(signature) && self.lemmas.keys().any(fits)
            || self.has_wordless && !Claim::surely_has_word(signature);
        let claim = Some(signature).filter(|_| may_be).and_then(Claim::of_signature)?;
        self.lemmas.get(&claim)
    }
}

/// Words to be looked for in texts; `None` where any text may hold one of them.
struct Words(Option<AhoCorasick>);

impl Words {
    fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        // Without this kind the crate does not look for several bytes at a time.
        let words = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
        Self(words.ok())
    }

    fn are_in(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}

impl<'l> Search<'l> {
    pub(in crate::guard) fn of(lemmas: &'l [FalseLemma]) -> Self {
        let mut by_end: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, lemma) in lemmas.iter().enumerate() {
            if !lemma.elsewhere && !lemma.is_everyday() {
                by_end.entry(lean::last_part(&lemma.name)).or_default().push(index);
            }
        }
        let ends = Words::of(by_end.keys().copied());
        Self { lemmas, by_end, ends, claims: OnceLock::new() }
    }

    /// Where a text uses or states false lemmas, by position. Only the declarations that are wanted
    /// are looked at for what they state.
    pub(in crate::guard) fn sightings(
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
                let same = self.lemmas.get(lemma).map(|lemma| notions.of(declaration, lemma));
                if same == Some(Sameness::Other) {
                    continue;
                }
                let is_unsure = same == Some(Sameness::Unknown);
                let name = declaration.name_span.as_ref().unwrap_or(&declaration.statement_span);
                let (declaration, line, start) = (Some(index), declaration.line, name.start);
                found.push(Sighting { lemma, states: true, is_unsure, declaration, line, start });
            }
        }
        found.sort_by_key(|sighting| sighting.start);
        found
    }

    /// Where a text uses false lemmas by name.
    fn uses(&self, text: &str, outline: &Outline, notions: &Notions<'_>) -> Vec<Sighting> {
        if !self.ends.are_in(text) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for mention in lean::mentions(text, outline, |written| self.is_like(written)) {
            let (declaration, line, start) =
                (mention.declaration, mention.line, mention.span.start);
            let lemmas = self.meant(&mention, outline, notions);
            found.extend(lemmas.map(|lemma| Sighting {
                lemma,
                states: false,
                is_unsure: false,
                declaration,
                line,
                start,
            }));
        }
        found
    }

    /// The lemmas that a declaration states: those with its claim, or else those with its name
    /// whose statement is not known.
    fn stated(&self, declaration: &Declaration, text: &str) -> Vec<usize> {
        let claims = self.claims.get_or_init(|| Claims::of(self.lemmas));
        let claimed = signature(declaration, text).and_then(|said| claims.made_by(said));
        if let Some(claimed) = claimed {
            return claimed.clone();
        }
        let whole = text.get(declaration.span.clone()).unwrap_or_default();
        if claims.words.are_in(whole) {
            let said = signature(declaration, text).unwrap_or_default();
            let body = declaration.body(text).unwrap_or_default();
            let mut inner = variants::stated(said);
            inner.extend(variants::inside(said, body));
            if let Some(claimed) = inner.iter().find_map(|said| claims.made_by(said)) {
                return claimed.clone();
            }
        }
        let name = declaration.name.as_deref().filter(|_| declaration.kind.is_proof());
        let name = name.unwrap_or_default();
        let alike = self.by_end.get(lean::last_part(name)).into_iter().flatten();
        let is_it =
            |lemma: &FalseLemma| lemma.statement.is_empty() && is_or_ends_in(name, &lemma.name);
        alike.copied().filter(|index| self.lemmas.get(*index).is_some_and(is_it)).collect()
    }

    /// Whether a name may be that of a lemma.
    pub(in crate::guard) fn is_like(&self, written: &str) -> bool {
        self.ends(written).next().is_some()
    }

    /// Lemmas whose names end like a name, or like the name without fields of the proof.
    fn ends<'m>(&'m self, written: &'m str) -> impl Iterator<Item = (&'m str, usize)> + 'm {
        let mut next = Some(written).filter(|name| !name.starts_with('.'));
        let names = std::iter::from_fn(move || {
            let name = next?;
            let head = name.rsplit_once('.').filter(|(_, field)| FIELDS.contains(field));
            next = head.map(|(head, _)| head);
            Some(name)
        });
        names.flat_map(|name| {
            let alike = self.by_end.get(lean::last_part(name));
            alike.into_iter().flatten().map(move |lemma| (name, *lemma))
        })
    }

    /// The lemmas that a name in code means.
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
