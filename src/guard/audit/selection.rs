//! Which findings count: the rules that are denied, and what is allowed all the same.

use std::str::FromStr;

use super::Hit;
use crate::guard::rules::{Group, Rule, Severity};
use crate::text::name_matches;

/// Rules by name, by group (`gaps`), from a severity on (`warning`), or `all`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection(pub Vec<Rule>);

impl FromStr for Selection {
    type Err = String;

    /// Reads words with commas between them. Words are accepted with `-` or `_` and in any case.
    fn from_str(words: &str) -> Result<Self, String> {
        let mut rules = Vec::new();
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            rules.extend(named(&word.to_lowercase().replace('_', "-"))?);
        }
        Ok(Self(rules))
    }
}

fn named(word: &str) -> Result<Vec<Rule>, String> {
    let all = Rule::audited();
    if word == "all" {
        return Ok(all.collect());
    }
    if let Some(rule) = all.clone().find(|rule| rule.code() == word) {
        return Ok(vec![rule]);
    }
    let is_it = |group: &&Group| group.as_str() == word && **group != Group::Edits;
    if let Some(group) = Group::ALL.iter().find(is_it) {
        return Ok(all.filter(|rule| rule.group() == *group).collect());
    }
    if let Some(least) = Severity::ALL.iter().find(|severity| severity.as_str() == word) {
        return Ok(all.filter(|rule| rule.severity() >= *least).collect());
    }
    let alike = |id: &str| id.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
    let near = all.map(Rule::code).filter(|id| alike(id) > 2).max_by_key(|id| alike(id));
    let hint = near.map(|id| format!(" (do you mean `{id}`?)")).unwrap_or_default();
    Err(format!("there is no rule `{word}`{hint}; `mk audit --rules` lists them"))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    rules: Selection,
    pattern: Option<String>,
}

impl Allowance {
    pub fn covers(&self, file: &str, hit: &Hit) -> bool {
        if !self.rules.0.contains(&hit.rule) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        if name_matches(pattern, file) {
            return true;
        }
        let past = hit.past.as_ref().and_then(|past| past.name.as_ref());
        // Lean names the axiom of each use after the declaration.
        hit.declaration.iter().chain(past).any(|name| {
            name_matches(pattern, name)
                || (hit.rule == Rule::NativeDecide
                    && name_matches(pattern, &format!("{name}.native_decide.ax_1_1")))
        })
    }
}

impl FromStr for Allowance {
    type Err = String;

    /// `RULES` or `RULES=PATTERN`; `*` in a pattern stands for any characters, `?` for one.
    fn from_str(text: &str) -> Result<Self, String> {
        let (rules, pattern) = match text.split_once('=') {
            Some((rules, pattern)) => (rules, Some(pattern.trim().to_owned())),
            None => (text, None),
        };
        Ok(Self { rules: rules.parse()?, pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_named_in_many_ways() {
        let count = |words: &str| words.parse::<Selection>().map(|s| s.0.len());
        assert_eq!(count("sorry"), Ok(1));
        assert_eq!(count(" Sorry_Ax , axiom,"), Ok(2));
        assert_eq!(count(""), Ok(0));
        assert_eq!(count("all"), Ok(Rule::audited().count()));
        assert_eq!(count("note"), count("all"));
        let error: Selection = "error".parse().unwrap();
        assert!(error.0.contains(&Rule::Axiom) && !error.0.contains(&Rule::NativeDecide));
        let gaps: Selection = "gaps".parse().unwrap();
        assert!(gaps.0.contains(&Rule::Stop) && !gaps.0.contains(&Rule::Axiom));
        let message = "axioms".parse::<Selection>().unwrap_err();
        assert_eq!(
            message,
            "there is no rule `axioms` (do you mean `axiom`?); `mk audit --rules` lists them"
        );
    }

    #[test]
    fn allowances_fit_names_files_and_the_axioms_of_native_decide() {
        let hit = |rule, name: &str| Hit {
            rule,
            line: 1,
            column: 0,
            length: 1,
            declaration: Some(name.to_owned()),
            what: String::new(),
            excerpt: String::new(),
            past: None,
        };
        for (allowance, rule, name, expected) in [
            ("axiom", Rule::Axiom, "A.b", true),
            ("axiom=A.*", Rule::Axiom, "A.b", true),
            ("axiom=A.*", Rule::Axiom, "AB", false),
            ("axiom=A", Rule::Axiom, "A.b", false),
            ("trust=A.b", Rule::Axiom, "A.b", true),
            ("axiom=A.b", Rule::Sorry, "A.b", false),
            ("native_decide=*.native_decide.ax_*", Rule::NativeDecide, "A.b", true),
            ("axiom=*.native_decide.ax_*", Rule::Axiom, "A.b", false),
            ("all=Tests/*", Rule::Sorry, "x", true),
            ("all=*/X.lean", Rule::Sorry, "x", true),
            ("all=Test/*", Rule::Sorry, "x", false),
        ] {
            let allowed = allowance.parse::<Allowance>().unwrap();
            assert_eq!(allowed.covers("Tests/X.lean", &hit(rule, name)), expected, "{allowance}");
        }
        assert!("axoim=A".parse::<Allowance>().is_err());
    }
}
