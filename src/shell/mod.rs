//! Shell commands as text: what runs, with which words, and which files it may write.
//!
//! One reader, for three questions: the guard asks what may have been written, the lessons what was
//! called, the permission rule whether everything is understood. No shell is imitated: what cannot be
//! known from the text is said to be unknown. A program of somebody's own, encoded text or a variable
//! get past every question.

mod lexer;
mod programs;

pub use programs::{
    Beyond, Options, Touch, git_command, is_interpreter, only_shows, options, runs_text, touch,
};

use lexer::Raw;

use crate::text::base_name;

/// Shells within shells that are read: `sh -c "sh -c ..."`.
const DEEPEST: usize = 3;

#[derive(Debug, Default)]
pub struct Script {
    /// Its simple commands, those of substitutions and of `sh -c '...'` too.
    pub commands: Vec<Simple>,
    /// It ends in the middle of something, or is too deep: there may be more in it.
    pub is_unfinished: bool,
    /// Every part of it means the same in every shell: no expansion, no group, no text for another
    /// program, nothing in the background.
    pub is_plain: bool,
    /// A part of it may go on after it has ended.
    pub goes_on: bool,
}

/// What stands between a simple command and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joint {
    /// Nothing, a new line or `;`.
    #[default]
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// It is the first one in a substitution or in a text that a shell runs.
    Inside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    In,
    Out,
    /// Joins two streams: `2>&1`.
    Copy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub way: Way,
    /// The file; of a copy the other stream.
    pub target: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// The words without quotes: the program first, without assignments and without programs that only
    /// say how it runs. A part that the shell puts in stands as in the text: `$x`, `$(ls)`.
    pub words: Vec<String>,
    /// Something stood before the program: an assignment, `env`, `timeout 5`.
    pub is_wrapped: bool,
    pub joint: Joint,
    pub redirections: Vec<Redirection>,
    /// Text on its standard input: here-documents and here-strings.
    pub input: Option<String>,
    /// More words come from elsewhere: `xargs`.
    pub is_open: bool,
}

impl Simple {
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The program without its folder.
    pub fn name(&self) -> &str {
        base_name(self.program())
    }

    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The program and its words, behind a `lake env` too.
    pub fn inner(&self) -> &[String] {
        match self.words.as_slice() {
            [lake, env, rest @ ..]
                if base_name(lake) == "lake" && env == "env" && !rest.is_empty() =>
            {
                rest.get(programs::peeled(rest).0..).unwrap_or_default()
            }
            words => words,
        }
    }

    /// Files that its redirections write.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        let out = self.redirections.iter().filter(|one| one.way == Way::Out);
        out.map(|one| one.target.as_str()).filter(|target| *target != "/dev/null")
    }
}

/// Reads a command line. Never fails.
pub fn read(text: &str) -> Script {
    read_at(text, 0)
}

fn read_at(text: &str, depth: usize) -> Script {
    let lexed = lexer::lex(text);
    let mut script = Script {
        commands: Vec::new(),
        is_unfinished: lexed.is_unfinished,
        is_plain: lexed.is_plain,
        goes_on: lexed.goes_on,
    };
    for raw in lexed.commands {
        let simple = simple(raw, &lexed.texts);
        let inner = (depth < DEEPEST).then(|| programs::shell_text(&simple)).flatten();
        let Some(inner) = inner.map(|text| read_at(&text, depth + 1)) else {
            script.is_unfinished |= depth >= DEEPEST && programs::shell_text(&simple).is_some();
            script.commands.push(simple);
            continue;
        };
        script.is_plain = false;
        script.is_unfinished |= inner.is_unfinished;
        script.goes_on |= inner.goes_on;
        let first = script.commands.len();
        script.commands.extend(inner.commands);
        if let Some(one) = script.commands.get_mut(first).filter(|one| one.joint != Joint::Inside) {
            one.joint = simple.joint;
        }
        // What the shell's own output goes to.
        if let Some(last) = script.commands.last_mut() {
            last.redirections.extend(simple.redirections);
        }
    }
    script
}

fn simple(raw: Raw, texts: &[String]) -> Simple {
    let (at, is_open) = programs::peeled(&raw.words);
    let mut words = raw.words;
    words.drain(..at);
    let texts: Vec<&str> =
        raw.texts.iter().filter_map(|number| texts.get(*number)).map(String::as_str).collect();
    Simple {
        words,
        is_wrapped: at > 0,
        joint: raw.joint,
        redirections: raw.redirections,
        input: (!texts.is_empty()).then(|| texts.join("\n")),
        is_open,
    }
}

pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+:@,«»".contains(c) || !c.is_ascii();
    match word {
        _ if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        _ if !word.is_empty() && !word.contains(['"', '$', '`', '\\', '!']) => {
            format!("\"{word}\"")
        }
        _ => String::from_utf8_lossy(&single_quoted(word.as_bytes())).into_owned(),
    }
}

/// Bytes in single quotes, as a shell reads them back one by one.
pub fn single_quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests;
