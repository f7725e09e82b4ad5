//! The guard's part of the configuration, as the guard understands it.

use crate::config::{self, Config, Words};
use crate::guard::audit::{Allowance, Selection};
use crate::guard::{Level, Policy, Rule};

/// The levels and allowances of the configuration.
pub fn levels(config: &Config) -> Policy {
    let words = config.guard_levels.iter();
    let known =
        words.filter_map(|(code, level)| Some((Rule::from_code(code)?, Level::from_word(level)?)));
    let allowed = config.guard_allow_axioms.clone();
    let answer = match config.guard_ask.as_str() {
        "deny" => Some(Level::Deny),
        "note" => Some(Level::Warn),
        _ => None,
    };
    Policy { levels: known.collect(), answer, allowed, ..Policy::default() }
}

/// The words that a configuration may use for rules and levels.
pub fn words() -> Words {
    let rule = |rule: Rule| config::Rule {
        code: rule.code(),
        level: rule.default_level().as_str(),
        help: rule.summary(),
    };
    Words {
        rules: Rule::guarded().map(rule).collect(),
        levels: [Level::Off, Level::Warn, Level::Ask, Level::Deny].map(Level::as_str).to_vec(),
        selection: |text| text.parse::<Selection>().map(drop).map_err(|error| error.to_string()),
        allowance: |text| text.parse::<Allowance>().map(drop).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    #[test]
    fn words_of_the_configuration_are_the_guards() {
        let dir = tempfile::tempdir().unwrap();
        let user = dir.path().join("config.toml");
        let text = "[guard]\nallow_axioms = [\"A.*\"]\n[guard.levels]\nproof_lost = \"ask\"\n\
                    axiom-added = \"DENY\"\nfalse-lemma = \"strict\"\n[audit]\ndeny = [\"gaps,axiom\"]\n\
                    allow = [\"axiom=A.*\"]\n";
        std::fs::write(&user, text).unwrap();
        let none = dir.path().join("none");
        let config = Config::load(&user, &none, &Environment::of(&[]), &words());
        assert_eq!(config.problems.len(), 1, "{:?}", config.problems);
        let policy = levels(&config);
        assert_eq!(policy.levels, [(Rule::AxiomAdded, Level::Deny), (Rule::ProofLost, Level::Ask)]);
        assert_eq!(policy.allowed, ["A.*"]);
        assert_eq!((config.audit_deny.len(), config.audit_allow.len()), (1, 1));
    }

    #[test]
    fn levels_are_in_order_and_every_rule_has_one() {
        let words = words();
        let rank = |level| words.levels.iter().position(|known| *known == level);
        assert!(
            rank("off") < rank("warn") && rank("warn") < rank("ask") && rank("ask") < rank("deny")
        );
        assert!(words.rules.iter().all(|rule| rank(rule.level).is_some()));
    }
}
