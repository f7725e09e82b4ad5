//! Lifts that a project carries itself, in `.math-forge/lifts.toml`: what `mk audit` lets pass once
//! the file is committed, so that it was seen by whoever reviewed the commit.

use serde::Deserialize;

use super::audit::Hit;
use super::rules::{Group, Rule};

/// A lift in a project's own file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedLift {
    /// Code of a rule of the guard (`proof-lost`) or of the audit (`axiom`), with `-` between words.
    pub rule: String,
    /// Full name of the declaration; `None` for the whole file.
    pub declaration: Option<String>,
    /// The file, relative to the project's root with `/`; `None` for the declaration wherever it
    /// stands.
    pub file: Option<String>,
    pub reason: String,
    /// The last day on which it holds, `YYYY-MM-DD`; `None` for always.
    pub until: Option<String>,
}

impl CommittedLift {
    /// Whether it is over on a day (`YYYY-MM-DD`, in UTC).
    pub fn is_over(&self, today: &str) -> bool {
        self.until.as_deref().is_some_and(|until| until < today)
    }

    /// Whether it lets a finding of an audit pass: what its rule says itself, and what cannot but
    /// follow, as the gap that stands where a proof was.
    pub fn covers(&self, file: &str, hit: &Hit) -> bool {
        let past = hit.past.as_ref().and_then(|past| past.name.as_ref());
        let mut names = hit.declaration.iter().chain(past);
        let group = hit.rule.group();
        let follows = match Rule::from_code(&self.rule) {
            Some(rule) if rule == hit.rule => true,
            Some(Rule::ProofLost | Rule::GapInCompleteFile) => group == Group::Gaps,
            Some(Rule::StatementChanged) => hit.rule == Rule::OpenStatementChanged,
            Some(Rule::SearchLeft) => hit.rule == Rule::SearchTactic,
            Some(Rule::AxiomAdded) => hit.rule == Rule::Axiom,
            Some(Rule::TrustAdded) => {
                !matches!(hit.rule, Rule::Axiom | Rule::FalseLemma)
                    && matches!(group, Group::Trust | Group::Meaning | Group::Checker)
            }
            _ => false,
        };
        follows
            && self.file.as_deref().is_none_or(|own| own == file)
            && self.declaration.as_ref().is_none_or(|own| names.any(|name| name == own))
    }

    /// The entry for the file, with a blank line before it.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("\n[[lift]]\n");
        let fields = [
            ("rule", Some(&self.rule)),
            ("declaration", self.declaration.as_ref()),
            ("file", self.file.as_ref()),
            ("reason", Some(&self.reason)),
            ("until", self.until.as_ref()),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                // What JSON writes as a string, TOML reads as the same one, but for DEL.
                let value = serde_json::Value::from(value.as_str()).to_string();
                text.extend([name, " = ", &value.replace('\u{7f}', "\\u007F"), "\n"]);
            }
        }
        text
    }
}

/// The form of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    lift: Vec<toml::Spanned<toml::Table>>,
}

/// The form of one entry.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Entry {
    rule: String,
    declaration: Option<String>,
    file: Option<String>,
    reason: String,
    until: Option<Day>,
}

/// A day, written with or without quotes.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Day {
    Text(String),
    Date(toml::value::Datetime),
}

/// The lifts of the file, and what is wrong with it, a sentence each. An entry that is wrong lifts
/// nothing; the others count.
pub fn committed_lifts(text: &str) -> (Vec<CommittedLift>, Vec<String>) {
    let line = |offset: usize| 1 + text.bytes().take(offset).filter(|b| *b == b'\n').count();
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let line = error.span().map_or(1, |span| line(span.start));
            let message = error.message().replace('\n', " ");
            return (Vec::new(), vec![format!("line {line}: {message}: the file is ignored")]);
        }
    };
    let (mut lifts, mut problems) = (Vec::new(), Vec::new());
    for entry in file.lift {
        let line = line(entry.span().start);
        match lift(entry.into_inner()) {
            Ok(lift) => lifts.push(lift),
            Err(reason) => problems.push(format!("line {line}: {reason}: this lift is ignored")),
        }
    }
    (lifts, problems)
}

fn lift(table: toml::Table) -> Result<CommittedLift, String> {
    let entry: Entry =
        table.try_into().map_err(|error: toml::de::Error| error.message().replace('\n', " "))?;
    let rule = plain(&entry.rule);
    if Rule::from_code(&rule).is_none() {
        return Err(format!("there is no rule `{}`", entry.rule));
    }
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (declaration, file) = (given(entry.declaration), given(entry.file));
    if declaration.is_none() && file.is_none() {
        return Err("it names neither a declaration nor a file".to_owned());
    }
    if entry.reason.trim().is_empty() {
        return Err("it has no reason".to_owned());
    }
    let until = match entry.until {
        None => None,
        Some(Day::Text(text)) => Some(text),
        Some(Day::Date(date)) => Some(date.to_string()),
    };
    if let Some(day) = until.as_deref().filter(|day| !is_day(day)) {
        return Err(format!("`until` is `{day}`, not a day such as 2026-01-31"));
    }
    Ok(CommittedLift { rule, declaration, file, reason: entry.reason, until })
}

fn plain(rule: &str) -> String {
    rule.trim().replace('_', "-").to_ascii_lowercase()
}

/// `YYYY-MM-DD`.
fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_that_hold() {
        let text = "# seen by the team\n[[lift]]\nrule = \"Proof_Lost\"\ndeclaration = \"A.foo\"\n\
                    reason = \"rewritten\"\nuntil = 2026-03-01\n\n[[lift]]\nrule = \"axiom\"\n\
                    file = \"Src/Axioms.lean\"\nreason = \"assumed\"\nuntil = \"2026-01-31\"\n";
        let (lifts, problems) = committed_lifts(text);
        assert_eq!(problems, [""; 0]);
        let hit = |rule, declaration: Option<&str>| Hit {
            rule,
            line: 1,
            column: 0,
            length: 1,
            declaration: declaration.map(str::to_owned),
            what: String::new(),
            excerpt: String::new(),
            past: None,
        };
        let covers = |rule, declaration, file: &str, today: &str| {
            let hit = hit(rule, declaration);
            lifts.iter().any(|lift| !lift.is_over(today) && lift.covers(file, &hit))
        };
        for (rule, declaration, file, today, expected) in [
            (Rule::ProofLost, Some("A.foo"), "B.lean", "2026-03-01", true),
            (Rule::Sorry, Some("A.foo"), "B.lean", "2026-03-01", true),
            (Rule::ProofLost, Some("A.foo"), "B.lean", "2026-03-02", false),
            (Rule::ProofLost, Some("foo"), "B.lean", "2026-03-01", false),
            (Rule::ProofLost, None, "B.lean", "2026-03-01", false),
            (Rule::StatementChanged, Some("A.foo"), "B.lean", "2026-03-01", false),
            (Rule::Axiom, Some("choice"), "Src/Axioms.lean", "2026-01-31", true),
            (Rule::Axiom, None, "Src/Axioms.lean", "2026-01-31", true),
            (Rule::Axiom, None, "Axioms.lean", "2026-01-31", false),
        ] {
            assert_eq!(covers(rule, declaration, file, today), expected, "{rule} {declaration:?}");
        }
        assert_eq!(committed_lifts(""), (Vec::new(), Vec::new()));
    }

    #[test]
    fn entries_that_do_not() {
        for (entry, expected) in [
            ("rule = \"sory\"", "line 2: there is no rule `sory`: this lift is ignored"),
            (
                "rule = \"proof-lost\"\nreason = \"x\"",
                "line 2: it names neither a declaration nor a file: this lift is ignored",
            ),
            (
                "rule = \"proof-lost\"\ndeclaration = \"a\"",
                "line 2: it has no reason: this lift is ignored",
            ),
            (
                "rule = \"proof-lost\"\nfile = \"a\"\nreason = \"x\"\nuntil = \"soon\"",
                "line 2: `until` is `soon`, not a day such as 2026-01-31: this lift is ignored",
            ),
            ("rules = \"x\"", "line 2: unknown field `rules`"),
        ] {
            let good = "[[lift]]\nrule = \"sorry\"\nfile = \"A.lean\"\nreason = \"later\"\n";
            let (lifts, problems) = committed_lifts(&format!("# a\n[[lift]]\n{entry}\n{good}"));
            assert_eq!(lifts.len(), 1, "{entry}");
            assert!(problems[0].starts_with(expected), "{problems:?}");
        }
        let (lifts, problems) = committed_lifts("[[lift]]\n\nrule = \n");
        assert!(lifts.is_empty() && problems[0].starts_with("line 3: "), "{problems:?}");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in "\\PC{1,20}", reason in "(.|\n){1,30}", dated: bool) {
            let lift = CommittedLift {
                rule: "proof-lost".to_owned(),
                declaration: Some(format!("x{name}")),
                file: None,
                reason: format!("x{reason}"),
                until: dated.then(|| "2026-01-31".to_owned()),
            };
            let text = format!("# before\n{}{}", lift.to_toml(), lift.to_toml());
            let (lifts, problems) = committed_lifts(&text);
            prop_assert_eq!(problems, Vec::<String>::new());
            prop_assert_eq!(lifts, vec![lift.clone(), lift]);
        }
    }
}
