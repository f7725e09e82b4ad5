//! Sessions as they are played to the hooks, in one notation: what the client does, and what it is
//! answered. Each play has a home and a project of its own.
//!
//! ```text
//! === title
//! @ A.lean               a file; its text follows. `~/` is the home
//! ! like TITLE           all that stands before the first step of that play
//! ! git                  the project is committed
//! ! false STATEMENT      a lemma is known to be false
//! ! sh COMMAND           somebody else runs a command of the shell, ! mk WORDS one of ours
//! ! sql STATEMENT        the database is changed by hand
//! ! says TEXT            the agent says something, ! line JSON stands in the transcript
//! ! refused TOOL INPUT => REASON  the person refused a call
//! ! session NAME         another session; also ! agent NAME, ! mode MODE, ! in FOLDER, ! env NAME VALUE
//! ! late                 the session began without us
//! ! back                 the files are as they were at the beginning
//! !                      any of the steps below without its verdict: it does not matter what is said
//! > VERDICT edit FILE    lines `-` and `+`: what is replaced, and by what; in one line FILE: OLD => NEW
//! > VERDICT write FILE   the file's new text
//! > VERDICT bash COMMAND the command may stand in the next lines too
//! > VERDICT fails COMMAND => WHAT IT PRINTED, also in lines, with a blank one between; passes the same
//! > VERDICT mcp TOOL INPUT => COMMAND  a server's tool, and the shell command that stands for it
//! > VERDICT tool TOOL INPUT => ANSWER  a tool, and its answer; with a list it is in blocks
//! > VERDICT before TOOL INPUT  asked, and not done. > VERDICT event NAME FIELDS  any event
//! > VERDICT prompt TEXT  also: start SOURCE, stop, compact, end
//! > VERDICT repair       the command that was offered last to bring a file back, which is then as it was
//! > VERDICT leave        `mk allow` as it was offered last; > VERDICT advised WORDS  what began so
//! > VERDICT mk WORDS     what is printed; also: sh COMMAND, sql STATEMENT
//! < what is said; `...` is anything. Without such lines only the verdict counts
//! ```
//!
//! A verdict is `silent`, `allow`, `note`, `tell` (the person), `ask`, `deny`, `block` (after it is done), or `yes`:
//! asked, and the person agrees. Of commands that are not the agent's it is `ok` or `failed`. In texts `$P` is
//! the project. The session starts before the first step, where that is not a `start`.
//!
//! `UPDATE_EXPECT=1` writes what came instead, `MK_PLAY` chooses plays by a part of their title, and
//! shows all that is said.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;

mod player;

pub(crate) use player::{Player, SESSION, Said};

/// What stands in a play: a file, something that happens, or a step that is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item<'a> {
    /// `@`, `!` or `>`.
    sign: &'a str,
    pub(crate) verdict: &'a str,
    pub(crate) does: &'a str,
    pub(crate) of: &'a str,
    pub(crate) lines: Vec<&'a str>,
    said: Vec<&'a str>,
    /// Its line, counted from 0, and the first line of what is said.
    at: usize,
    said_at: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Play<'a> {
    pub(crate) title: &'a str,
    pub(crate) items: Vec<Item<'a>>,
}

impl<'a> Play<'a> {
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Item<'a>> {
        self.items.iter().filter(|item| item.sign == ">")
    }

    /// Plays all; what was said at each step.
    pub(crate) fn with(&'a self, player: &mut Player) -> Vec<(&'a Item<'a>, Said)> {
        let mut said = Vec::new();
        for item in &self.items {
            match item.sign {
                "@" => player.file(item),
                "!" => player.happens(item),
                _ => said.push((item, player.step(item))),
            }
        }
        said
    }
}

impl<'a> Item<'a> {
    fn of(at: usize, line: &'a str) -> Option<Self> {
        let (sign, rest) = line.split_at_checked(2)?;
        let sign = sign.strip_suffix(' ')?;
        let mut item = Self { sign, at, said_at: at + 1, ..Self::default() };
        match sign {
            "@" => item.of = rest,
            "!" => (item.does, item.of) = rest.split_once(' ').unwrap_or((rest, "")),
            ">" => {
                let mut words = rest.splitn(3, ' ');
                let mut word = || words.next().unwrap_or_default();
                (item.verdict, item.does, item.of) = (word(), word(), word());
            }
            _ => return None,
        }
        Some(item)
    }

    /// The lines as a text with an end.
    pub(crate) fn text(&self) -> String {
        let text = self.lines.join("\n");
        if text.trim_end().is_empty() { String::new() } else { format!("{}\n", text.trim_end()) }
    }

    /// What stands behind the word, or in the lines.
    pub(crate) fn words(&self) -> String {
        if self.of.is_empty() {
            self.lines.join("\n").trim_end().to_owned()
        } else {
            self.of.to_owned()
        }
    }

    /// The first word behind what is done, and the rest.
    pub(crate) fn named(&self) -> (&str, &str) {
        self.of.split_once(' ').unwrap_or((self.of, ""))
    }

    /// Two texts: `ONE => TWO` behind the word, or one there and one in the lines, or in the lines with a blank one
    /// between them.
    pub(crate) fn halves(&self, behind: &str) -> (String, String) {
        let lines = |lines: &[&str]| lines.join("\n").trim_end().to_owned();
        if let Some((one, two)) = arrow(behind) {
            return (one.to_owned(), two.to_owned());
        }
        if !behind.is_empty() {
            return (behind.to_owned(), lines(&self.lines));
        }
        let at = self.lines.iter().position(|line| line.is_empty()).unwrap_or(self.lines.len());
        (lines(&self.lines[..at]), lines(self.lines.get(at + 1..).unwrap_or_default()))
    }
}

/// `ONE => TWO`, of which the second may be empty.
pub(crate) fn arrow(text: &str) -> Option<(&str, &str)> {
    text.split_once(" => ").or_else(|| Some((text.strip_suffix(" =>")?, "")))
}

/// The plays of a text, each with what it begins with.
pub(crate) fn plays(text: &str) -> Vec<Play<'_>> {
    let mut plays: Vec<Play<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("=== ") {
            plays.push(Play { title, items: Vec::new() });
        }
        let known = plays.len().saturating_sub(1);
        let (before, play) = plays.split_at_mut(known);
        let Some(play) = play.first_mut().filter(|_| !line.starts_with("=== ")) else { continue };
        if let Some(title) = line.strip_prefix("! like ") {
            let base = before.iter().find(|play| play.title == title).expect(title);
            let setting = base.items.iter().take_while(|item| item.sign != ">");
            play.items.extend(setting.cloned());
        } else if let Some(item) = Item::of(at, line) {
            play.items.push(item);
        } else if let Some(item) = play.items.last_mut().filter(|_| !line.starts_with("# ")) {
            match line.strip_prefix("< ").or((line == "<").then_some("")) {
                Some(said) if item.sign == ">" => item.said.push(said),
                _ => item.lines.push(line),
            }
            if item.said.is_empty() {
                item.said_at = at + 1;
            }
        }
    }
    plays
}

/// Whether a text is what is expected, where `...` is anything.
fn is_like(text: &str, expected: &str) -> bool {
    let mut parts = expected.split("...").map(str::trim);
    let Some(mut rest) = text.trim().strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Whether an answer is as the play has it.
fn is_right(item: &Item<'_>, said: &Said) -> bool {
    item.verdict == said.verdict
        && (item.said.is_empty() || is_like(&said.text, &item.said.join("\n")))
}

/// Plays in a place of its own.
pub(crate) fn play<'a>(play: &'a Play<'a>) -> Vec<(&'a Item<'a>, Said)> {
    let said = play.with(&mut Player::new());
    if std::env::var_os("MK_PLAY").is_some() {
        for (item, said) in &said {
            eprintln!("{} | {} {}: {} {}", play.title, item.does, item.of, said.verdict, said.text);
        }
    }
    said
}

/// Plays that were chosen.
pub(crate) fn chosen<'a, 'b>(plays: &'b [Play<'a>]) -> Vec<&'b Play<'a>> {
    let part = std::env::var("MK_PLAY").unwrap_or_default();
    plays.iter().filter(|play| play.title.contains(&part)).collect()
}

/// Plays all of a file of the repository, and compares what is said.
#[track_caller]
pub(crate) fn check(file: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap();
    let plays = plays(&text);
    let played: Vec<_> = chosen(&plays).into_par_iter().map(|one| (one.title, play(one))).collect();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (mut report, mut wrong) = (String::new(), 0);
    for (title, said) in played.into_iter().rev() {
        for (item, said) in said.into_iter().rev().filter(|(item, said)| !is_right(item, said)) {
            let Item { at, verdict, does, of, said_at, .. } = item;
            wrong += 1;
            let (expected, told) = (item.said.join("\n    "), said.text.replace('\n', "\n    "));
            writeln!(
                report,
                "{title}, line {}: {does} {of}\n  expected {verdict}\n    {expected}\n  but {}\n    {told}",
                at + 1,
                said.verdict
            )
            .unwrap();
            let new = said.text.lines().map(|line| format!("< {line}").trim_end().to_owned());
            if !item.said.is_empty() {
                lines.splice(said_at..&(said_at + item.said.len()), new);
            }
            format!("> {} {does} {of}", said.verdict).trim_end().clone_into(&mut lines[*at]);
        }
    }
    if wrong > 0 && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    } else {
        assert_eq!(wrong, 0, "{file}:\n{report}\n`UPDATE_EXPECT=1` writes what came");
    }
}

#[test]
fn dots_are_anything() {
    for (text, expected, is) in [
        ("a b", "a b", true),
        ("a b", "a", false),
        ("a b", "a ...", true),
        ("a b c", "... b ...", true),
        ("a b c", "... c ... b ...", false),
        ("a b", "... a", false),
        ("", "...", true),
    ] {
        assert_eq!(is_like(text, expected), is, "{text} {expected}");
    }
}
