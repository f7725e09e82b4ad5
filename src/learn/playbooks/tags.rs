//! Tags of a piece of work, from its files and the words of its description. The same function tags
//! what is stored and says what to ask for.

use std::collections::BTreeSet;

use crate::model::{Domain, domain};
use crate::text::{base_name, name_words};

/// The tag of what says nothing.
pub const DEFAULT: &str = "code-generation";

const ENDINGS: &[(&str, &str)] = &[
    ("lean", "lean"),
    ("python", "py pyi"),
    ("typescript", "ts tsx"),
    ("javascript", "js jsx"),
    ("rust", "rs"),
    ("go", "go"),
    ("shell", "sh"),
    ("sql", "sql"),
    ("latex", "tex"),
    ("documentation", "md"),
];

const WORDS: &[(&str, &str)] = &[
    // As specified.
    ("test-writing", "test|tests|testing|tested|unittest|unittests"),
    ("refactoring", "refactor|refactors|refactored|refactoring"),
    ("api", "api|apis"),
    ("bug-fix", "bug|bugs|bugfix|fix|fixes|fixed|fixing"),
    // Lean's own.
    ("lean", "lean|lean4|mathlib|lake|theorem|lemma|sorry"),
    ("induction", "induction|inductive|induct|fun_induction|strong_induction"),
    ("contradiction", "contradiction|by_contra|exfalso|absurd|contrapose"),
    ("case-analysis", "rcases|by_cases|split_ifs|interval_cases|fin_cases|case analysis"),
    ("linear-arithmetic", "omega|linarith|linear arithmetic"),
    ("nonlinear-arithmetic", "nlinarith|polyrith|positivity|gcongr|nonlinear arithmetic"),
    ("simplification", "simp|simpa|simp_all|dsimp|norm_num|simplification"),
    ("ring-identities", "ring_nf|linear_combination|field_simp|ring tactic"),
    ("finite-computation", "by decide|native_decide|bv_decide|brute force|finite computation"),
    ("coercions", "coercion|coercions|norm_cast|push_cast|exact_mod_cast|zify|casts"),
    ("automation", "aesop|grind|tauto|automation"),
    ("rewriting", "rw|rwa|nth_rw|rewrite|rewrites|rewriting"),
    ("timeouts", "timeout|timeouts|maxheartbeats|heartbeats|timed out|maximum recursion"),
    ("imports", "import|imports|imported"),
    ("renamed-names", "renamed|deprecated|unknown identifier|unknown constant"),
    ("type-classes", "typeclass|typeclasses|failed to synthesize"),
    ("counterexamples", "counterexample|counterexamples|disproved|disproven|refuted|negated"),
    ("number-theory", "number theory"),
    ("building", "build|builds|toolchain|lakefile"),
];

/// The tags of a piece of work, in alphabetical order; [`DEFAULT`] where nothing says anything.
///
/// Files count by their endings only, the description by whole words: `latest` is no `test`. Parts of
/// names count as words (`Nat.Prime`, `test_suite`).
pub fn tags<'a>(files: impl IntoIterator<Item = &'a str>, description: &'a str) -> Vec<String> {
    // The description may name a file, too.
    let named = description.split_whitespace();
    let named = named.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words = words(description);
    let line = format!(" {} ", words.join(" "));
    let is_said = |terms: &str| terms.split('|').any(|term| line.contains(&format!(" {term} ")));
    let of_words = WORDS.iter().filter(|(_, terms)| is_said(terms)).map(|(tag, _)| *tag);
    let of_files = files.into_iter().chain(named).filter_map(of_ending);
    let mut found: BTreeSet<String> = of_files.chain(of_words).map(str::to_owned).collect();
    let no_code = || std::iter::empty::<&str>();
    found.extend(domain::infer(no_code(), no_code(), description).map(of_domain));
    if found.is_empty() {
        found.insert(DEFAULT.to_owned());
    }
    found.into_iter().collect()
}

pub fn domain_tag(id: &str) -> Option<String> {
    id.parse().ok().map(of_domain)
}

fn of_domain(domain: Domain) -> String {
    domain.title().to_lowercase().replace(' ', "-")
}

fn of_ending(file: &str) -> Option<&'static str> {
    let name = base_name(file);
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = ENDINGS.iter().find(|(_, known)| known.split(' ').any(|known| known == ending));
    known.filter(|_| !stem.is_empty()).map(|(tag, _)| *tag)
}

/// Words in lower case and in order. A name with parts (`by_cases`, `Nat.Prime`, `simpleGraph`) stands
/// there whole, and, between signs that are no word, in parts, so that no term spans them.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    for name in names.filter(|name| !name.is_empty()) {
        words.push(name.to_lowercase());
        let parts = name_words(name);
        if parts.len() > 1 {
            words.extend(parts.into_iter().flat_map(|part| ["/".to_owned(), part]));
            words.push("/".to_owned());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_words_give_tags() {
        for (files, description, expected) in [
            (&["src/a.py"][..], "", "python"),
            (&["a.ts", "b.tsx"], "", "typescript"),
            (&["Erdos/Basic.LEAN"], "", "lean"),
            (&[".py", "lean", "a.b/c", ""], "", "code-generation"),
            (&[], "", "code-generation"),
            (&[], "add a login page", "code-generation"),
            (&[], "write a test for the parser", "test-writing"),
            (&[], "Tests!", "test-writing"),
            (&[], "run the test_suite", "test-writing"),
            (&[], "the latest contest attests", "code-generation"),
            (&[], "rapid capital", "code-generation"),
            (&[], "the API is public", "api"),
            (&[], "prefix and suffix debugged", "code-generation"),
            (&[], "fix the bug", "bug-fix"),
            (&["a.py"], "refactor, then test", "python refactoring test-writing"),
            (&[], "see Main.lean", "lean"),
            (&["X.lean"], "by induction on n", "induction lean"),
            (&["X.lean"], "`interval_cases` timed out", "case-analysis lean timeouts"),
            (&["X.lean"], "timed. out", "lean timeouts"),
            (&[], "no time out", "code-generation"),
            (&[], "every prime p divides it: divisors", "number-theory"),
            (&[], "a SimpleGraph coloring", "combinatorics"),
            (&[], "IsSumTwoSq Nat.Prime", "number-theory"),
            (&[], "number theory", "number-theory"),
            (&[], "add a field to the group", "algebra"),
            (&[], "norm_cast and omega", "coercions linear-arithmetic"),
            (&[], "∀ n, n ≤ n", "code-generation"),
        ] {
            assert_eq!(
                tags(files.iter().copied(), description).join(" "),
                expected,
                "{description:?}"
            );
        }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        // The tags of an entry that came from a file are among those of later work on such a file.
        let stored = tags(["Erdos850.lean"], "Induction on the number of prime factors");
        let asked = tags(["Other.lean"], "");
        assert!(asked.iter().any(|tag| stored.contains(tag)), "{stored:?} {asked:?}");
        let tidy = |(tag, terms): &(&str, &str)| {
            !tag.contains([' ', ',', '_']) && terms.to_lowercase() == *terms
        };
        assert!(WORDS.iter().all(tidy), "tags have no commas, words are in lower case");
    }
}
