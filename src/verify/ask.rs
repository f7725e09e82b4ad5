//! What Lean is asked about the declarations of a module, one command a line, and what its answers mean.

use std::collections::HashMap;

use serde::Deserialize;

use crate::lean::{self, TokenKind};

/// Kinds that `#print` begins with, after attributes and modifiers.
const KINDS: &str = "theorem def abbrev axiom opaque inductive structure class instance constructor recursor Quotient";

const MODIFIERS: &str = "private protected noncomputable unsafe partial meta public";

/// Everything of a type is printed, however large, and names in full.
const OPTIONS: [&str; 4] = [
    "set_option pp.deepTerms true",
    "set_option pp.maxSteps 10000000",
    "set_option pp.proofs true",
    "set_option pp.fullNames true",
];

/// What a term says, not how it is printed.
const PLAIN: &str = "set_option pp.notation false";

/// Commands about one declaration, each on a line of its own.
const ABOUT: &[&str] = &[
    // Only its first words are read, and proofs are long.
    "set_option pp.maxSteps 1 in #print {}",
    "#check @{}",
    "set_option pp.piBinderNames false in set_option pp.all true in #check @{}",
    "#print axioms {}",
];

const CONTENT: &[&str] =
    &["set_option pp.piBinderNames false in set_option pp.all true in #print {}"];

/// A file for Lean, and where in it is which question.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) text: String,
    /// Line of the first question, from 1.
    first: usize,
    probe: String,
    names: Vec<String>,
    questions: &'static [&'static str],
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) kind: String,
    /// As Lean prints it.
    pub(super) statement: String,
    /// With everything printed: universes, implicit arguments, instances.
    pub(super) elaborated: String,
    /// Its universe parameters, separated by `, `.
    pub(super) levels: String,
    /// By their whole names.
    pub(super) axioms: Vec<String>,
    pub(super) problem: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    severity: String,
    data: String,
    pos: Position,
}

#[derive(Deserialize)]
struct Position {
    line: usize,
}

type Said = HashMap<usize, Vec<Message>>;

impl Query {
    /// `head` imports the module, or is its source; `nonce` makes a name that no module can expect; `plain` prints
    /// without notation.
    pub(super) fn new(head: &str, names: &[String], nonce: &str, plain: bool) -> Self {
        Self::of(head, names, nonce, plain, ABOUT)
    }

    /// Asks what these declarations are, definitions with their values.
    pub(super) fn contents(head: &str, names: &[String], nonce: &str) -> Self {
        Self::of(head, names, nonce, true, CONTENT)
    }

    fn of(
        head: &str,
        names: &[String],
        nonce: &str,
        plain: bool,
        questions: &'static [&'static str],
    ) -> Self {
        let probe = format!("mk_probe_{nonce}");
        let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
        lines.extend(OPTIONS.map(str::to_owned));
        lines.extend(plain.then(|| PLAIN.to_owned()));
        // A declaration of which every answer is known: who answers otherwise cannot be believed.
        lines.push(format!("axiom _root_.{probe} : _root_.False"));
        lines.push(format!("theorem _root_.{probe}' : _root_.False := {probe}"));
        let first = lines.len() + 1;
        let about = |name: &str, questions: &[&str]| -> Vec<String> {
            questions.iter().map(|question| question.replace("{}", name)).collect()
        };
        lines.extend(about(&format!("{probe}'"), ABOUT));
        lines.extend(names.iter().flat_map(|name| about(name, questions)));
        let text = lines.join("\n") + "\n";
        Self { text, first, probe, names: names.to_vec(), questions }
    }

    fn said(output: &str) -> Said {
        let mut said = Said::new();
        for line in output.lines().filter(|line| line.starts_with('{')) {
            if let Ok(message) = serde_json::from_str::<Message>(line) {
                said.entry(message.pos.line).or_default().push(message);
            }
        }
        said
    }

    fn is_believable(&self, said: &Said) -> bool {
        let probed = format!("{}'", self.probe);
        let probe = about(said, self.first, &probed, &probed);
        probe.problem.is_none()
            && (probe.kind.as_str(), probe.statement.as_str()) == ("theorem", "False")
            && probe.axioms == [self.probe.as_str()]
    }

    fn line_of(&self, nth: usize) -> usize {
        self.first + ABOUT.len() + nth * self.questions.len()
    }

    /// Reads what `lean --json` printed. `shown` gives the name under which Lean speaks of a declaration.
    pub(super) fn read(&self, output: &str, shown: impl Fn(&str) -> String) -> Vec<Answer> {
        let said = Self::said(output);
        let is_believable = self.is_believable(&said);
        let answers = self.names.iter().enumerate().map(|(nth, name)| {
            let mut answer = about(&said, self.line_of(nth), name, &shown(name));
            if !is_believable {
                let why = "`#print` and `#check` do not say here what they should";
                answer.problem = Some(why.to_owned());
            }
            answer
        });
        answers.collect()
    }

    /// Why nothing could be asked: the first line imports the module.
    pub(super) fn import_failure(output: &str) -> Option<String> {
        let said = Self::said(output).remove(&1)?;
        let error = said.into_iter().find(|it| it.severity == "error")?;
        Some(crate::text::one_line(&error.data))
    }

    /// The answers to [`Query::contents`]; none where one is missing or cannot be believed.
    pub(super) fn read_contents(&self, output: &str) -> Option<Vec<String>> {
        let said = Self::said(output);
        let content = |(nth, _)| {
            let text = only(&said, self.line_of(nth)).ok()?;
            (!text.contains('⋯')).then(|| text.to_owned())
        };
        let contents: Option<Vec<String>> = self.names.iter().enumerate().map(content).collect();
        contents.filter(|_| self.is_believable(&said))
    }
}

/// The answer on a line. Warnings say that a name is deprecated.
fn only(said: &Said, line: usize) -> Result<&str, String> {
    let said = said.get(&line).into_iter().flatten();
    let said: Vec<&Message> = said.filter(|it| it.severity != "warning").collect();
    match said.as_slice() {
        [only] if only.severity == "information" => Ok(only.data.as_str()),
        [first, ..] => Err(crate::text::one_line(&first.data)),
        [] => Err("Lean did not answer".to_owned()),
    }
}

/// The answers to [`ABOUT`] from a line on.
fn about(said: &Said, at: usize, name: &str, full: &str) -> Answer {
    let blank = Answer { name: name.to_owned(), ..Answer::default() };
    let read = || -> Result<Answer, String> {
        let names = [name, full];
        let unread = |what: &str| format!("its {what} cannot be read");
        let (levels, elaborated) =
            type_of(only(said, at + 2)?, names).ok_or_else(|| unread("type"))?;
        if elaborated.contains('⋯') {
            return Err("its type is not printed in full".to_owned());
        }
        Ok(Answer {
            name: name.to_owned(),
            kind: kind_of(only(said, at)?).ok_or_else(|| unread("kind"))?,
            statement: type_of(only(said, at + 1)?, names).ok_or_else(|| unread("type"))?.1,
            elaborated,
            levels,
            axioms: axioms_of(only(said, at + 3)?, full).ok_or_else(|| unread("axioms"))?,
            problem: None,
        })
    };
    read().unwrap_or_else(|problem| Answer { problem: Some(problem), ..blank })
}

/// Whether a name from a compiled file can be written as one: it is pasted into a command.
pub(super) fn is_name(name: &str) -> bool {
    let tokens = lean::lex(name);
    !name.contains(['\n', '\r'])
        && matches!(tokens.as_slice(), [only] if only.kind == TokenKind::Ident)
        && !name.starts_with("_private.")
}

/// What stands before a private name of a text that is read from standard input.
pub(super) const PRIVATE: &str = "_private._stdin.0.";

/// `Foo.bar` of `_private.Some.Module.0.Foo.bar`.
pub(super) fn private_part(name: &str) -> Option<&str> {
    name.strip_prefix("_private.")?.split_once(".0.").map(|(_, name)| name)
}

fn kind_of(printed: &str) -> Option<String> {
    let mut rest = printed.trim_start();
    while let Some(after) = rest.strip_prefix("@[") {
        rest = after.split_once(']')?.1.trim_start();
    }
    let mut words = rest.split_whitespace();
    let is_modifier = |word: &&str| MODIFIERS.split(' ').any(|one| one == *word);
    let word = words.find(|word| !is_modifier(word))?;
    KINDS.split(' ').find(|kind| *kind == word).map(str::to_owned)
}

/// What stands behind the name, `@N.{LEVELS} : TYPE`. Lean may call it by its private name.
fn type_of(checked: &str, names: [&str; 2]) -> Option<(String, String)> {
    let checked = checked.strip_prefix('@').unwrap_or(checked);
    let rest = names.into_iter().find_map(|name| checked.strip_prefix(name))?;
    let (levels, rest) = match rest.strip_prefix(".{") {
        Some(levels) => levels.split_once('}')?,
        None => ("", rest),
    };
    let rest = rest.trim_start_matches('✝').trim_start().strip_prefix(':')?;
    Some((levels.to_owned(), rest.trim().to_owned()))
}

/// `None` where the answer is about something else, or is none.
fn axioms_of(said: &str, full: &str) -> Option<Vec<String>> {
    let rest = said.strip_prefix('\'')?.strip_prefix(full)?.strip_prefix('\'')?.trim();
    if rest == "does not depend on any axioms" {
        return Some(Vec::new());
    }
    let list = rest.strip_prefix("depends on axioms:")?.trim();
    let list = list.strip_prefix('[')?.strip_suffix(']')?;
    let words = words(list);
    let is_list = words.iter().enumerate().all(|(at, word)| (word == ",") == (at % 2 == 1));
    let is_list = is_list && words.len() % 2 == 1;
    is_list.then(|| words.into_iter().step_by(2).collect())
}

/// Names, numbers and signs of a printed term.
pub(super) fn words(term: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for c in term.chars() {
        let is_sign = "(){}[]⟨⟩⦃⦄,:@∀∃λ".contains(c);
        if is_quoted || !(c.is_whitespace() || is_sign) {
            is_quoted = (is_quoted || c == '«') && c != '»';
            word.push(c);
            continue;
        }
        words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        words.extend(is_sign.then(|| c.to_string()));
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    /// From 1.
    pub(super) line: u64,
}

/// What an `.ilean` says: the declarations that its module defines, and the modules that it imports.
pub(super) fn index(ilean: &[u8]) -> Option<(Vec<Listed>, Vec<String>)> {
    #[derive(Deserialize)]
    struct Index {
        module: String,
        #[serde(default, rename = "directImports")]
        imports: Vec<serde_json::Value>,
        references: HashMap<String, Reference>,
    }
    #[derive(Deserialize)]
    struct Reference {
        definition: Option<Vec<serde_json::Value>>,
    }
    #[derive(Deserialize)]
    struct Key {
        c: Option<Constant>,
    }
    #[derive(Deserialize)]
    struct Constant {
        m: String,
        n: String,
    }
    let index: Index = serde_json::from_slice(ilean).ok()?;
    let mut listed = Vec::new();
    for (key, reference) in &index.references {
        let Some(line) = reference.definition.as_ref().and_then(|place| place.first()?.as_u64())
        else {
            continue;
        };
        let constant = serde_json::from_str::<Key>(key).ok().and_then(|key| key.c);
        let is_own = |it: &Constant| it.m == index.module && !it.n.ends_with("_example");
        if let Some(Constant { n: name, .. }) = constant.filter(is_own) {
            listed.push(Listed { name, line: line + 1 });
        }
    }
    listed.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    // `["M", false, ...]` today, `"M"` in older versions.
    let import = |value: &serde_json::Value| {
        value.as_str().or_else(|| value.get(0)?.as_str()).map(str::to_owned)
    };
    Some((listed, index.imports.iter().filter_map(import).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_types_and_axioms_are_read() {
        for (printed, kind) in [
            ("theorem A.t : 1 = 1 :=\nrfl", Some("theorem")),
            ("@[simp] protected theorem A.t : 1 = 1", Some("theorem")),
            ("@[defeq, simp]\nprivate def f : Nat", Some("def")),
            ("unsafe def f : Nat", Some("def")),
            ("axiom a : False", Some("axiom")),
            ("all is well", None),
            ("", None),
        ] {
            assert_eq!(kind_of(printed).as_deref(), kind, "{printed}");
        }
        for (checked, expected) in [
            ("@A.t : ∀ (n : Nat), n = n", Some("∀ (n : Nat), n = n")),
            ("A.t.{u, v} : Type u", Some("Type u")),
            ("A.t✝ : 1 = 1", Some("1 = 1")),
            ("_private.M.0.A.t : 1 = 1", Some("1 = 1")),
            ("A.tu : 1 = 1", None),
            ("fine", None),
        ] {
            let read = type_of(checked, ["A.t", "_private.M.0.A.t"]);
            assert_eq!(read.as_ref().map(|(_, read)| read.as_str()), expected, "{checked}");
        }
        for (said, expected) in [
            ("'A.t' does not depend on any axioms", Some(vec![])),
            (
                "'A.t' depends on axioms: [propext, A.«b, c»,\n Quot.sound]",
                Some(vec!["propext", "A.«b, c»", "Quot.sound"]),
            ),
            ("'A.u' does not depend on any axioms", None),
            ("'A.t' depends on axioms: []", None),
            ("'A.t' is fine", None),
        ] {
            let read = axioms_of(said, "A.t");
            assert_eq!(
                read,
                expected.map(|names| names.iter().map(|n| (*n).to_owned()).collect()),
                "{said}"
            );
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

    #[test]
    fn an_answer_counts_only_where_the_probe_is_answered_well() {
        let names = ["A.t".to_owned()];
        let query = Query::new("import A", &names, "7", false);
        let line = |nth: usize, data: &str| {
            let message = serde_json::json!({"severity": "information", "data": data, "pos": {"line": query.first + nth}});
            message.to_string() + "\n"
        };
        let probe = [
            line(0, "theorem mk_probe_7' : False"),
            line(1, "mk_probe_7' : False"),
            line(2, "mk_probe_7' : False"),
            line(3, "'mk_probe_7'' depends on axioms: [mk_probe_7]"),
        ]
        .concat();
        let asked = [
            line(4, "theorem A.t : 1 = 1"),
            line(5, "A.t : 1 = 1"),
            line(6, "A.t : @Eq.{1} Nat 1 1"),
            line(7, "'A.t' does not depend on any axioms"),
        ]
        .concat();
        let read = |output: &str| query.read(output, str::to_owned).remove(0);
        let good = read(&(probe.clone() + &asked));
        assert_eq!((good.problem, good.kind.as_str()), (None, "theorem"));
        assert!(read(&asked).problem.is_some(), "the probe was not answered");
        let silent =
            probe.replace("depends on axioms: [mk_probe_7]", "does not depend on any axioms");
        assert!(read(&(silent + &asked)).problem.is_some());
        let twice = probe.clone() + &asked + &line(7, "'A.t' does not depend on any axioms");
        assert!(read(&twice).problem.is_some(), "two answers to one question");
        assert!(read(&probe).problem.is_some());
    }
}
