//! `mk hook [EVENT]`: answers Claude Code. JSON on stdin; one JSON object or nothing on stdout
//! (before a compaction one line of words, if the person wants that).
//!
//! Always ends with 0, whatever the arguments, the input or the state of the machine: the client
//! reads 2 as "block", and an older binary must stay silent about events that it does not know.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use super::call;
use crate::app::{App, answer};
use crate::hook::{Event, Reply};
use crate::paths::Environment;

/// The client sent 6 MB for an edit of a file of 2 MB; what is longer than this is not answered.
const INPUT_LIMIT: u64 = 64 * 1024 * 1024;

/// How long a hook waits for a locked database; the client gives it three to five seconds in all.
const LOCK_PATIENCE: Duration = Duration::from_millis(600);

/// What the person is told where nobody can say what the client asked.
const NOT_READ: &str = "math-forge could not read the hook's input, so nothing was checked; `mk doctor` \
    names the log with the cause.";

/// A call of `mk hook`. Read by hand, because clap answers a wrong command line with 2.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// The event by its name in kebab case; stdin decides where it names one too.
    event: Option<String>,
    db: Option<PathBuf>,
    tracking: Option<PathBuf>,
}

impl Call {
    /// The call in the arguments of this process, the program's name first; `None` where they are
    /// another command. What is not known is passed over.
    pub(crate) fn parse(arguments: &[OsString]) -> Option<Self> {
        let mut call = Self::default();
        let mut is_hook = false;
        let mut words = arguments.iter().skip(1);
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(PathBuf::from(value))),
                None => (text.as_ref(), None),
            };
            let mut file = || value.clone().or_else(|| words.next().map(PathBuf::from));
            match name {
                "--db" => call.db = file(),
                "--tracking" => call.tracking = file(),
                _ if name.starts_with('-') => {}
                _ if !is_hook && name != "hook" => return None,
                _ if !is_hook => is_hook = true,
                _ => call.event = call.event.or_else(|| Some(text.into_owned())),
            }
        }
        is_hook.then_some(call)
    }

    /// Reads stdin and answers. Every error and every panic ends here, in the log.
    pub(crate) fn run(&self, environment: Environment, now: Timestamp) {
        let (db, tracking) = (self.db.as_deref(), self.tracking.as_deref());
        panic::catch_unwind(AssertUnwindSafe(|| {
            if let Ok(mut app) = App::new(environment, now, db, tracking) {
                app.wait_at_most(LOCK_PATIENCE);
                let log = app.log.clone();
                panic::set_hook(Box::new(move |panic| log.line(now, "hook", &panic.to_string())));
                if let Err(error) = self.answer(&mut app) {
                    app.log.line(now, "hook", &format!("{error:#}"));
                }
            }
        }))
        .ok();
    }

    fn answer(&self, app: &mut App) -> anyhow::Result<()> {
        let printed = self.printed(app).unwrap_or_else(|error| {
            app.log.line(app.now, "hook", &format!("the input could not be read: {error:#}"));
            Reply::Tell(NOT_READ.to_owned()).printed("")
        });
        if let Some(text) = printed {
            let mut stdout = io::stdout().lock();
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.write_all(b"\n"))?;
            stdout.flush()?;
        }
        Ok(())
    }

    /// The answer; an error where the input is no JSON object, or too long.
    fn printed(&self, app: &mut App) -> anyhow::Result<Option<String>> {
        let name = self.event.as_deref().map(wire_name);
        let event = Event::read(&read_input()?, name.as_deref())?;
        Ok(event.and_then(|event| answer::answer(app, &event, call::read).printed(&event.name)))
    }
}

/// All of stdin; nothing where a person sits at it.
fn read_input() -> anyhow::Result<Vec<u8>> {
    let stdin = io::stdin();
    let mut input = Vec::new();
    if !stdin.is_terminal() {
        stdin.lock().take(INPUT_LIMIT + 1).read_to_end(&mut input)?;
    }
    anyhow::ensure!(input.len() as u64 <= INPUT_LIMIT, "stdin is longer than {INPUT_LIMIT} bytes");
    Ok(input)
}

/// `session-start` as the client writes it: `SessionStart`.
fn wire_name(kebab: &str) -> String {
    kebab
        .split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Call> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Call::parse(&words)
    }

    #[test]
    fn calls_are_recognised_whatever_stands_beside() {
        let call = |event: Option<&str>, db: Option<&str>, tracking: Option<&str>| {
            Some(Call {
                event: event.map(str::to_owned),
                db: db.map(PathBuf::from),
                tracking: tracking.map(PathBuf::from),
            })
        };
        for (line, expected) in [
            ("mk hook", call(None, None, None)),
            ("mk hook session-start", call(Some("session-start"), None, None)),
            ("mk hook nonsense --foo more", call(Some("nonsense"), None, None)),
            ("mk --unknown hook", call(None, None, None)),
            ("mk --db a.db hook stop", call(Some("stop"), Some("a.db"), None)),
            ("mk hook --db=a.db --tracking t.db", call(None, Some("a.db"), Some("t.db"))),
            ("mk hook --db", call(None, None, None)),
            ("mk", None),
            ("mk --db hook", None),
            ("mk search hook", None),
            ("mk --db a.db search hook", None),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn names_in_kebab_case() {
        for (kebab, name) in [
            ("session-start", "SessionStart"),
            ("post-tool-use-failure", "PostToolUseFailure"),
            ("stop", "Stop"),
            ("-x-", "X"),
            ("", ""),
        ] {
            assert_eq!(wire_name(kebab), name);
        }
    }
}
