//! The technique of a proof: what its comments and lemmas say, else its own steps, else the tactic that closes it. Of
//! tactics alone, a few name it wherever they occur, else the most used one that does real work; `exact`, `have` and their
//! like only count where there is nothing better.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::lean::{self, last_part};
use crate::model::FINISHED_BY;
use crate::text::{self, is_among};

/// Words for tactics, and their names.
type Table = &'static [(&'static str, &'static str)];

/// They name the method wherever they occur; the first of the table wins. Words for tactics, as specified.
const DECISIVE: Table = &[
    ("finite computation (native_decide)", "native_decide"),
    ("finite computation (bv_decide)", "bv_decide"),
    // `decide` closes its first case.
    ("induction", "induction induction' fun_induction"),
    ("finite computation (decide)", "decide"),
    ("calculational proof", "calc"),
    ("interval case analysis", "interval_cases"),
    ("finite case analysis (fin_cases)", "fin_cases"),
];

/// They do the work of a step; the most used wins, of equals the first.
const WORKING: Table = &[
    ("linear arithmetic (omega)", "omega"),
    ("linear arithmetic (linarith)", "linarith"),
    ("nonlinear arithmetic (nlinarith)", "nlinarith"),
    ("polynomial arithmetic (polyrith)", "polyrith"),
    ("linear combination", "linear_combination"),
    ("numerical normalization", "norm_num"),
    ("ring tactic", "ring ring_nf noncomm_ring"),
    ("field simplification", "field_simp field"),
    ("positivity", "positivity"),
    ("monotonicity (gcongr)", "gcongr"),
    ("bounding (bound)", "bound"),
    ("group identities (group)", "group"),
    ("commutative group identities (abel)", "abel"),
    ("module identities (module)", "module"),
    ("continuity", "continuity"),
    ("function properties (fun_prop)", "fun_prop"),
    ("measurability", "measurability"),
    ("eventual bounds (filter_upwards)", "filter_upwards"),
    ("automation (grind)", "grind"),
    ("automation (aesop)", "aesop"),
    ("propositional logic (tauto)", "tauto"),
    ("propositional logic (itauto)", "itauto"),
    ("simplification (simp)", "simp simp_all simpa dsimp"),
    ("casts to integers (zify)", "zify"),
    ("casts (push_cast)", "push_cast norm_cast exact_mod_cast"),
];

/// They only move terms about.
const WEAK: Table = &[
    ("contradiction", "contradiction"),
    (CONTRADICTION, "by_contra by_contra!"),
    ("contraposition", "contrapose contrapose!"),
    ("case analysis", "cases cases' rcases by_cases split_ifs"),
    ("explicit witness", "use exists"),
    ("extensionality", "ext funext"),
    ("rewriting", "rw rwa nth_rw"),
    ("by definition (rfl)", "rfl"),
    (TERM, "exact apply refine refine'"),
];

const TERM: &str = "direct proof term";

/// Takes the number of uses per tactic.
pub fn of_tactics(tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
    let used = |table: Table| {
        table.iter().filter_map(|(words, names)| {
            let count: usize = names.split(' ').filter_map(|name| tactics.get(name)).sum();
            (count > 0).then_some((*words, count))
        })
    };
    let most_used =
        |table| used(table).collect::<Vec<_>>().into_iter().rev().max_by_key(|row| row.1);
    let found = used(DECISIVE).next().or_else(|| most_used(WORKING)).or_else(|| most_used(WEAK));
    found.map(|(words, _)| words)
}

/// What is known of a proof, besides its tactics.
#[derive(Debug, Clone, Default)]
pub struct Proof<'a> {
    /// After `:=`.
    pub body: &'a str,
    pub goal: Goal,
    pub tactics: Option<&'a BTreeMap<String, usize>>,
    /// Comments in it; what stands above it; what is said of its file. In words with single blanks.
    pub inside: String,
    pub above: String,
    pub around: String,
    /// The names of the file's own declarations that it uses, in words.
    pub own: String,
    pub name: &'a str,
}

/// The form of what is to be proved, where it shows what a proof is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Goal {
    Exists,
    NotAll,
    Negation,
    #[default]
    Other,
}

const COUNTEREXAMPLE: &str = "explicit counterexample";
const CONTRADICTION: &str = "proof by contradiction";

/// A line of `data/techniques.txt`.
struct Method {
    name: &'static str,
    /// Spaced words, and whether a statement may speak of them too.
    said: Vec<(&'static str, bool)>,
}

#[derive(Default)]
struct Methods {
    rows: Vec<Method>,
    /// The first rows show in names too, and come before a proof's steps.
    specific: usize,
    names: HashMap<&'static str, usize>,
    /// What a name begins and ends with; behind an empty beginning, what it has anywhere.
    patterns: Vec<(&'static str, &'static str, usize)>,
}

static METHODS: LazyLock<Methods> = LazyLock::new(|| {
    let mut methods = Methods::default();
    for line in include_str!("../../data/techniques.txt").lines().filter(|it| !it.starts_with('#'))
    {
        let mut parts = line.split('|').map(str::trim);
        let (Some(name), Some(said), Some(names)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let row = methods.rows.len();
        for used in names.split_whitespace() {
            match used.split_once('*') {
                Some((head, tail)) => {
                    methods.patterns.push((head, tail.trim_end_matches('*'), row));
                }
                None => drop(methods.names.insert(used, row)),
            }
        }
        let said = said.split(", ").filter(|said| !said.is_empty());
        let said =
            said.map(|it| it.strip_prefix('~').map_or((it, false), |it| (it, true))).collect();
        methods.rows.push(Method { name, said });
        if !names.is_empty() {
            methods.specific = row + 1;
        }
    }
    methods
});

impl Methods {
    fn said(
        &self,
        words: &str,
        is_inside: bool,
        rows: std::ops::Range<usize>,
    ) -> Option<&'static str> {
        let says = |(said, may_be_claimed): &(&str, bool)| {
            let is_way = |(at, _): (usize, &str)| {
                let before = words.get(..at).unwrap_or_default().trim_end();
                let before = before.strip_suffix(" the").unwrap_or(before);
                let last = before.rsplit(' ').next().unwrap_or_default();
                is_among(last, "by via using with through from apply applying")
            };
            if *may_be_claimed && !is_inside {
                words.match_indices(said).any(is_way)
            } else {
                text::says(words, said)
            }
        };
        let mut rows = self.rows.get(rows).unwrap_or_default().iter();
        rows.find(|row| !words.is_empty() && row.said.iter().any(says)).map(|row| row.name)
    }

    fn used(&self, body: &str) -> Option<&'static str> {
        let fits = |part: &str| {
            let exact = self.names.get(part).copied();
            let mut patterns = self.patterns.iter();
            let pattern = patterns.find(|(head, tail, _)| match *head {
                "" => part.contains(tail),
                head => part.starts_with(head) && part.ends_with(tail),
            });
            exact.into_iter().chain(pattern.map(|(.., row)| *row)).min()
        };
        let parts = lean::words(body).flat_map(|word| word.split('.'));
        let first = parts.filter(|part| part.len() > 3).filter_map(fits).min()?;
        self.rows.get(first).map(|row| row.name)
    }
}

/// What comments and lemmas say, nearest first; then how it goes about its goal; then what closes it.
pub fn of(proof: &Proof<'_>) -> Option<String> {
    let methods = &*METHODS;
    let (specific, all) = (0..methods.specific, methods.specific..methods.rows.len());
    let steps = Steps::of(proof.body);
    let begins_with = |names: &str| steps.own.iter().any(|(first, _)| is_among(first, names));
    let inducts = || steps.own.iter().find_map(|(first, rest)| induction(first, rest));
    methods
        .said(&proof.inside, true, specific.clone())
        .or_else(|| methods.said(&proof.above, false, specific.clone()))
        .or_else(inducts)
        .or_else(|| methods.used(proof.body))
        .or_else(|| methods.said(&proof.own, false, specific.clone()))
        .or_else(|| methods.said(&proof.around, false, specific))
        .or_else(|| (proof.goal == Goal::NotAll).then_some(COUNTEREXAMPLE))
        .or_else(|| {
            (proof.goal == Goal::Exists && steps.gives_witness()).then_some("explicit construction")
        })
        .or_else(|| methods.said(&proof.inside, true, all.clone()))
        .or_else(|| methods.said(&proof.above, false, all))
        .or_else(|| steps.computation(proof.tactics?))
        .or_else(|| begins_with("by_contra by_contra!").then_some(CONTRADICTION))
        .or_else(|| begins_with("contrapose contrapose!").then_some("contraposition"))
        .or_else(|| (proof.goal == Goal::Negation && steps.takes_in()).then_some(CONTRADICTION))
        .or_else(|| steps.recursion(proof.name))
        .or_else(|| steps.inner(proof.tactics?))
        .map(str::to_owned)
        .or_else(|| closing(proof, &steps))
}

/// The steps of a proof in tactics that stand for themselves, not inside of others: the first word and the rest.
struct Steps<'a> {
    body: &'a str,
    is_tactics: bool,
    own: Vec<(&'a str, &'a str)>,
}

impl<'a> Steps<'a> {
    fn of(body: &'a str) -> Self {
        let body = body.trim().trim_start_matches(":=").trim_start();
        let after = body.strip_prefix("by").filter(|rest| rest.starts_with(char::is_whitespace));
        let mut own = Vec::new();
        let mut column = None;
        for (at, line) in after.unwrap_or_default().lines().enumerate() {
            let code = line.split("--").next().unwrap_or_default();
            let start = code.len() - code.trim_start().len();
            if code.trim().is_empty() || (at > 0 && *column.get_or_insert(start) != start) {
                continue;
            }
            own.extend(code.split(';').map(|step| {
                let step = step.trim().trim_end_matches('<');
                step.split_once(char::is_whitespace).unwrap_or((step, ""))
            }));
        }
        Self { body, is_tactics: after.is_some(), own }
    }

    /// A term is given for what is to exist, and it was not merely obtained.
    fn gives_witness(&self) -> bool {
        let given = |rest: &'a str| rest.trim_start().strip_prefix('⟨');
        let steps = self.own.iter().filter_map(|(first, rest)| match *first {
            "use" | "exists" | "existsi" => Some(*rest),
            "refine" | "refine'" | "exact" => given(rest),
            _ => None,
        });
        let term = given(self.body).filter(|_| !self.is_tactics);
        let is_obtained = |name: &str| {
            let taken = self
                .body
                .lines()
                .filter(|line| ["obtain", "choose", "rcases"].iter().any(|it| line.contains(it)));
            taken.flat_map(lean::words).any(|word| word == name)
        };
        steps.chain(term).any(|given| {
            let witness = given.split(',').next().unwrap_or_default().trim().trim_end_matches('⟩');
            !witness.starts_with(['_', '?']) && !witness.is_empty() && !is_obtained(witness)
        })
    }

    /// It begins by assuming what is denied.
    fn takes_in(&self) -> bool {
        let steps = self.own.iter().map(|(first, _)| *first);
        let mut steps = steps.filter(|first| !is_among(first, "classical unfold simp rw push_neg"));
        steps.next().is_some_and(|first| is_among(first, "intro rintro intros"))
            || self.body.starts_with("fun")
            || self.body.starts_with('λ')
    }

    fn computation(&self, tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
        const ALWAYS: &str = "native_decide bv_decide interval_cases fin_cases";
        let body = self.body.trim_end();
        let has = |name: &str| {
            tactics.contains_key(name) && (is_among(name, ALWAYS) || body.ends_with(name))
        };
        let names = "native_decide bv_decide decide interval_cases fin_cases".split(' ');
        names.filter(|name| has(name)).find_map(|name| of_table(DECISIVE, name))
    }

    /// By cases of a pattern, the theorem itself used in one of them.
    fn recursion(&self, name: &str) -> Option<&'static str> {
        let is_patterns = self.body.starts_with('|');
        let is_used = || lean::words(self.body).any(|word| word == name || word == last_part(name));
        is_patterns.then(|| if is_used() { "induction" } else { "case analysis" })
    }

    /// What it does inside of a step.
    fn inner(&self, tactics: &BTreeMap<String, usize>) -> Option<&'static str> {
        let steps = self.body.lines().flat_map(|line| line.split(';'));
        let steps = steps.map(|step| step.trim_start_matches(['·', ' ', '(']));
        let mut steps = steps.filter_map(|step| step.split_once(' '));
        let calc = || tactics.contains_key("calc").then(|| of_table(DECISIVE, "calc")).flatten();
        steps.find_map(|(first, rest)| induction(first, rest)).or_else(calc)
    }
}

/// `induction e using Sym2.ind` only takes a pair apart.
fn induction(first: &str, rest: &str) -> Option<&'static str> {
    const APART: &str = "ind inductionOn inductionOn₂ induction_on induction_on' rec casesOn cases";
    if !is_among(first, "induction induction' fun_induction") {
        return None;
    }
    let by = rest.split_once(" using ").and_then(|(_, by)| by.split_whitespace().next());
    let of = by.and_then(|by| by.rsplit_once('.'));
    match of {
        Some(("Sym2" | "Quot" | "Quotient" | "Trunc" | "QuotientGroup" | "Quotient.mk", last))
            if is_among(last, APART) =>
        {
            None
        }
        Some((_, last)) if last.to_lowercase().contains("strong") => Some("strong induction"),
        _ => Some("induction"),
    }
}

fn of_table(table: Table, tactic: &str) -> Option<&'static str> {
    table.iter().find(|(_, names)| is_among(tactic, names)).map(|(words, _)| *words)
}

/// The last tactic that does real work; a term as such.
fn closing(proof: &Proof<'_>, steps: &Steps<'_>) -> Option<String> {
    let tactics = proof.tactics?;
    let words: Vec<&str> =
        lean::words(proof.body).filter(|word| tactics.contains_key(*word)).collect();
    let last = |table| words.iter().rev().find_map(|word| of_table(table, word));
    match last(WORKING) {
        Some(words) => Some(format!("{FINISHED_BY}{words}")),
        None if !steps.is_tactics && !steps.body.is_empty() => Some(TERM.to_owned()),
        None => last(WEAK).map(|words| match words {
            TERM => format!("{FINISHED_BY}a lemma (exact)"),
            "contradiction" | "extensionality" | "rewriting" => format!("{FINISHED_BY}{words}"),
            words => words.to_owned(),
        }),
    }
}

pub fn is_tactic(name: &str) -> bool {
    let mut rows = [DECISIVE, WORKING, WEAK].into_iter().flatten();
    rows.any(|(_, names)| is_among(name, names))
}

/// Not those of tactics that occur in every proof; words in no table do.
pub fn is_telling(words: &str) -> bool {
    !words.contains("(exact)") && !WEAK.iter().any(|(known, _)| *known == words)
}

pub fn listed(tactics: &BTreeMap<String, usize>) -> Vec<&str> {
    let mut known: Vec<(&str, usize)> = tactics
        .iter()
        .filter(|(name, _)| is_tactic(name))
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    known.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    known.into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tactics(list: &[(&str, usize)]) -> BTreeMap<String, usize> {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn technique_rows() {
        for (used, expected) in [
            (&[("native_decide", 1), ("simp", 40)][..], Some("finite computation (native_decide)")),
            (&[("decide", 1), ("native_decide", 1)], Some("finite computation (native_decide)")),
            (&[("induction", 1), ("omega", 9)], Some("induction")),
            (&[("calc", 1), ("interval_cases", 2)], Some("calculational proof")),
            (&[("interval_cases", 1), ("omega", 12)], Some("interval case analysis")),
            (&[("simp", 3), ("omega", 5)], Some("linear arithmetic (omega)")),
            (&[("simp", 3), ("simp_all", 3), ("omega", 5)], Some("simplification (simp)")),
            (
                &[("exact", 90), ("have", 80), ("nlinarith", 1)],
                Some("nonlinear arithmetic (nlinarith)"),
            ),
            (&[("omega", 2), ("simp", 2)], Some("linear arithmetic (omega)")),
            (&[("exact", 2), ("intro", 9)], Some("direct proof term")),
            (&[("rw", 2), ("exact", 1)], Some("rewriting")),
            (&[("intro", 9), ("have", 3)], None),
            (&[("decide", 0)], None),
            (&[], None),
        ] {
            assert_eq!(of_tactics(&tactics(used)), expected, "{used:?}");
        }
    }

    #[test]
    fn the_list_names_known_tactics_by_use() {
        let used = tactics(&[("my_macro", 9), ("simp", 1), ("omega", 2), ("exact", 2)]);
        assert_eq!(listed(&used), ["exact", "omega", "simp"]);
    }
}
