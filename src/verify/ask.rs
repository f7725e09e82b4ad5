//! What Lean is asked about a compiled module. Its own program (`ask.lean`) reads the file, without the syntax and the code
//! of any module, so that none can answer for Lean; only to be shown, statements are printed by `#check`.

use std::collections::{BTreeSet, HashMap};

use anyhow::{anyhow, bail};
use serde_json::Value;

use super::check::{Compiled, Unasked};
use super::lake::{Lake, complaint};
use crate::guard::audit::COMPUTED;
use crate::lean::{self, TokenKind};
use crate::model::{USUAL_AXIOMS, is_of_native_decide};

/// Names of one call.
const AT_ONCE: usize = 2000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// With `_private.Some.Module.0.` before it where it is private.
    pub(super) whole: String,
    pub(super) kind: String,
    /// As the kernel has it, with universes, implicit arguments and instances.
    pub(super) elaborated: String,
    /// By their whole names.
    pub(super) axioms: Vec<String>,
    pub(super) problem: Option<String>,
}

impl Answer {
    pub(super) fn name(&self) -> &str {
        private_part(&self.whole).unwrap_or(&self.whole)
    }
}

/// Kinds, types and axioms of declarations of a module, where the kernel's own names are Lean's in it.
pub(super) fn answers(
    lake: &Lake,
    of: &Compiled,
    names: &[String],
) -> Result<Vec<Answer>, Unasked> {
    let mut all = Vec::new();
    for names in names.chunks(AT_ONCE) {
        let mut arguments = vec!["axioms", of.module.as_str()];
        arguments.extend(COMPUTED.split(' ').chain(USUAL_AXIOMS).chain(["--"]));
        arguments.extend(names.iter().map(String::as_str));
        let mut lines = lines(lake, of, &arguments, names.len() + 1)?;
        let own = lines.remove(0);
        let own = own.strip_prefix("own").and_then(quoted);
        match own.ok_or_else(unreadable)?.as_slice() {
            [] => {}
            [name, ..] if name == "Init" => {
                return Err(Unasked::Refused("it does without Lean's own library".to_owned()));
            }
            [name, module, ..] => {
                return Err(Unasked::Refused(format!(
                    "`{name}`, which the kernel computes by itself, is here what `{module}` makes of it"
                )));
            }
            [_] => return Err(unreadable().into()),
        }
        all.extend(names.iter().zip(lines).map(|(name, line)| answer(name, &line)));
    }
    let by_hand = by_hand(lake, of, &all)?;
    for axiom in all.iter_mut().flat_map(|one| &mut one.axioms) {
        if by_hand.contains(axiom) {
            *axiom = format!("{} (written by hand)", lean::last_part(axiom));
        }
    }
    Ok(all)
}

/// Of the axioms on which answers rest those that are called like the compiler's and do not state what those do, that a
/// decision came out true.
fn by_hand(lake: &Lake, of: &Compiled, answers: &[Answer]) -> anyhow::Result<BTreeSet<String>> {
    let all = answers.iter().flat_map(|one| &one.axioms);
    let named: BTreeSet<&str> =
        all.filter(|name| is_of_native_decide(name)).map(String::as_str).collect();
    let mut found = BTreeSet::new();
    let named: Vec<&str> = named.into_iter().collect();
    for named in named.chunks(AT_ONCE) {
        let mut arguments = vec!["axioms", of.module.as_str(), "--"];
        arguments.extend(named);
        let lines = lines(lake, of, &arguments, named.len() + 1)?;
        for (name, line) in named.iter().zip(lines.iter().skip(1)) {
            let stated = answer(name, line).elaborated;
            let decides = stated.starts_with("Eq.{1} Bool (Decidable.decide ")
                && stated.ends_with(" Bool.true");
            found.extend((!decides).then(|| (*name).to_owned()));
        }
    }
    Ok(found)
}

fn unreadable() -> anyhow::Error {
    anyhow!("Lean's answer cannot be read")
}

fn lines(
    lake: &Lake,
    of: &Compiled,
    arguments: &[&str],
    count: usize,
) -> anyhow::Result<Vec<String>> {
    let ran = lake.ask(arguments, of.folder.as_deref())?;
    if ran.code != Some(0) {
        bail!("its compiled file cannot be read: {}", complaint(&ran));
    }
    let lines: Vec<String> =
        ran.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if lines.len() != count {
        bail!("Lean gave {} answers to {count} questions", lines.len());
    }
    Ok(lines)
}

fn answer(whole: &str, line: &str) -> Answer {
    let blank = Answer { whole: whole.to_owned(), ..Answer::default() };
    let problem = |problem: &str| Answer { problem: Some(problem.to_owned()), ..blank.clone() };
    if line == "unknown" {
        return problem("its compiled file does not have it");
    }
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut parts = quoted(rest).unwrap_or_default().into_iter();
    let Some(elaborated) = parts.next() else { return problem("Lean's answer cannot be read") };
    let mut axioms: Vec<String> = parts.collect();
    axioms.sort();
    Answer { kind: kind.to_owned(), elaborated, axioms, ..blank }
}

/// Strings as Lean's `String.quote` writes them, with blanks between.
fn quoted(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut chars = text.trim().chars().peekable();
    while chars.next_if_eq(&'"').is_some() {
        let mut part = String::new();
        loop {
            part.push(match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'x' => {
                        let digits = [chars.next()?, chars.next()?];
                        let code = u8::from_str_radix(&String::from_iter(digits), 16).ok()?;
                        char::from(code)
                    }
                    other => other,
                },
                other => other,
            });
        }
        parts.push(part);
        while chars.next_if_eq(&' ').is_some() {}
    }
    chars.next().is_none().then_some(parts)
}

/// How a declaration of one module compares with one of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    OtherStatement,
    /// It speaks of this, which is another thing.
    OtherDefinition(String),
}

/// Whether pairs of declarations mean the same, with all that they speak of.
pub(super) fn compared(
    lake: &Lake,
    one: &Compiled,
    other: &Compiled,
    pairs: &[(&str, &str)],
) -> anyhow::Result<Vec<Compared>> {
    let paths = [lake.path_with(one.folder.as_deref()), lake.path_with(other.folder.as_deref())];
    let root = lake.sysroot();
    let mut all = Vec::new();
    for pairs in pairs.chunks(AT_ONCE) {
        let mut arguments =
            vec!["compare", &root, &paths[0], &one.module, &paths[1], &other.module];
        arguments.extend(pairs.iter().flat_map(|(one, other)| [*one, *other]));
        for line in lines(lake, one, &arguments, pairs.len())? {
            all.push(match line.split_once(' ').map(|(_, rest)| quoted(rest)) {
                None if line == "same" => Compared::Same,
                None if line == "statement" => Compared::OtherStatement,
                Some(Some(mut name)) if name.len() == 1 => {
                    Compared::OtherDefinition(name.remove(0))
                }
                _ => return Err(unreadable()),
            });
        }
    }
    Ok(all)
}

/// How a statement is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    ToRead,
    /// Universes, implicit arguments and instances, so that Lean reads the same again.
    InFull,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Universe parameters, separated by `, `.
    pub(super) levels: String,
    pub(super) text: String,
}

/// Statements as `#check` prints them, by name. A module can change how: nothing is judged by them.
pub(super) fn statements(
    lake: &Lake,
    of: &Compiled,
    names: &[&str],
    print: Print,
) -> anyhow::Result<HashMap<String, Statement>> {
    let names: Vec<&str> = names.iter().copied().filter(|name| is_name(name)).collect();
    let options = match print {
        Print::ToRead => "set_option pp.fullNames true",
        Print::InFull => {
            "set_option pp.deepTerms true set_option pp.maxSteps 10000000 set_option pp.all true"
        }
    };
    let mut text = format!("import {}\n{options}\n", of.module);
    text.extend(names.iter().map(|name| format!("#check @{name}\n")));
    let ran = lake.lean(&["--json", "--stdin"], &text, of.folder.as_deref())?;
    let messages = ran.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let stated = messages.filter(|one| one["severity"] == "information").filter_map(|message| {
        let line = usize::try_from(message["pos"]["line"].as_u64()?).ok()?;
        let name = *names.get(line.checked_sub(3)?)?;
        Some((name.to_owned(), type_of(message["data"].as_str()?, name)?))
    });
    Ok(stated.collect())
}

/// Whether a name from a compiled file can be written as one: it is pasted into a command.
fn is_name(name: &str) -> bool {
    let tokens = lean::lex(name);
    !name.contains(['\n', '\r'])
        && matches!(tokens.as_slice(), [only] if only.kind == TokenKind::Ident)
        && !name.starts_with("_private.")
}

/// `Foo.bar` of `_private.Some.Module.0.Foo.bar`.
pub(super) fn private_part(name: &str) -> Option<&str> {
    name.strip_prefix("_private.")?.split_once(".0.").map(|(_, name)| name)
}

/// What stands behind the name, `@N.{LEVELS} : TYPE`.
fn type_of(checked: &str, name: &str) -> Option<Statement> {
    let checked = checked.strip_prefix('@').unwrap_or(checked);
    let rest = checked.strip_prefix(name)?;
    let (levels, rest) = match rest.strip_prefix(".{") {
        Some(levels) => levels.split_once('}')?,
        None => ("", rest),
    };
    let text = rest.trim_start().strip_prefix(':')?.trim().to_owned();
    Some(Statement { levels: levels.to_owned(), text })
}

/// What an `.ilean` says: the declarations that its module defines, with their lines from 1.
pub(super) fn index(ilean: &[u8]) -> Option<Vec<(String, u64)>> {
    let index: Value = serde_json::from_slice(ilean).ok()?;
    let mut listed = Vec::new();
    for (key, reference) in index["references"].as_object()? {
        let key: Value = serde_json::from_str(key).unwrap_or_default();
        let (constant, line) = (&key["c"], reference["definition"][0].as_u64());
        let name = constant["n"].as_str().filter(|name| !name.ends_with("_example"));
        if let (Some(name), Some(line)) = (name, line)
            && constant["m"] == index["module"]
        {
            listed.push((name.to_owned(), line + 1));
        }
    }
    listed.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    Some(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_types_are_read() {
        let read = |line: &str| {
            let answer = answer("A.t", line);
            answer.problem.map_or_else(
                || [vec![answer.kind, answer.elaborated], answer.axioms].concat().join("|"),
                |_| "?".to_owned(),
            )
        };
        for (line, expected) in [
            ("theorem \"Eq.{1} Nat 1 1\"", "theorem|Eq.{1} Nat 1 1"),
            (
                "def \"a\\nb \\\"c\\\" \\x01\" \"propext\" \"«x, y»\"",
                "def|a\nb \"c\" \u{1}|propext|«x, y»",
            ),
            ("unknown", "?"),
            ("", "?"),
            ("theorem", "?"),
            ("theorem \"a", "?"),
            ("theorem \"a\" b", "?"),
            ("theorem \"a\\", "?"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        for (checked, expected) in [
            ("@A.t : ∀ (n : Nat), n = n", Some(("", "∀ (n : Nat), n = n"))),
            ("A.t.{u, v} : Type u", Some(("u, v", "Type u"))),
            ("A.tu : 1 = 1", None),
            ("fine", None),
        ] {
            let read = type_of(checked, "A.t");
            let read = read.as_ref().map(|read| (read.levels.as_str(), read.text.as_str()));
            assert_eq!(read, expected, "{checked}");
        }
    }

    #[test]
    fn only_names_are_pasted() {
        for (name, expected) in [
            ("A.t", true),
            ("A.«b c.d»", true),
            ("été.x'", true),
            ("a b", false),
            ("a\n#eval 1", false),
            ("", false),
            ("_private.M.0.A.t", false),
            ("t -- x", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }
}
