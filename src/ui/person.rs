//! Whether a person is at the keyboard.

use std::io::{self, IsTerminal as _};

use anyhow::bail;
use serde::Serialize;

use super::{Exit, Out};
use crate::app::{App, ancestors};

/// Refuses what only a person may decide, when the agent or a script asks for it.
///
/// A fence against shortcuts, not a sandbox: somebody with the same user id can get around it.
pub(crate) fn require(app: &App, what: &str) -> anyhow::Result<()> {
    if is_beside_client(app) {
        bail!("{what} is a person's decision: run it in a terminal outside of Claude Code");
    }
    if !io::stdin().is_terminal() {
        bail!("{what} is a person's decision: run it in a terminal, not from a script");
    }
    Ok(())
}

/// Whether the client runs around this process, so that it reads what is printed.
pub(crate) fn is_beside_client(app: &App) -> bool {
    app.environment.inside_client() || ancestors::include_client()
}

/// Like [`require`]; the person also types a name again, so that nothing is decided by a slip.
pub(crate) fn require_name(app: &App, out: &mut Out, what: &str, name: &str) -> anyhow::Result<()> {
    require(app, what)?;
    out.note(&format!("Type {name} again to go on:"));
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    if line.trim() != name {
        bail!("that is not `{}`: nothing was changed", crate::text::clean(name));
    }
    Ok(())
}

#[derive(Serialize)]
struct Decided<T> {
    decided: Vec<T>,
    problems: Vec<String>,
}

/// Decides about each of these. What cannot be decided is said and does not hold up the rest. How it ends,
/// and whether anything was decided.
pub(crate) fn decide_each<T: Serialize>(
    out: &mut Out,
    words: &[String],
    view: impl Fn(&T) -> String,
    decide: impl FnMut(&String) -> anyhow::Result<T>,
) -> anyhow::Result<(Exit, bool)> {
    let (mut decided, mut problems) = (Vec::new(), Vec::new());
    for result in words.iter().map(decide) {
        match result {
            Ok(decision) => decided.push(decision),
            Err(error) => problems.push(error.to_string()),
        }
    }
    let report = Decided { decided, problems };
    out.answer(&report, |_| report.decided.iter().map(view).collect())?;
    for problem in &report.problems {
        out.note(&format!("mk: {problem}"));
    }
    let exit = if report.problems.is_empty() { Exit::Done } else { Exit::Failed };
    Ok((exit, !report.decided.is_empty()))
}

/// What is said in a session, where the command itself decides nothing: the client goes on to what the
/// person said.
pub(crate) fn in_session(out: &mut Out, verb: &str) -> anyhow::Result<Exit> {
    let text = format!(
        "Nothing is {verb} by this command itself: in a Claude Code session, it takes effect once you \
         agree in the client's dialog. Typed with `!`, it does nothing: use a terminal."
    );
    let report = Decided::<()> { decided: Vec::new(), problems: vec![text.clone()] };
    out.answer(&report, |_| text + "\n")
}
