//! Whether a person is at the keyboard.

use std::io::{self, IsTerminal as _};

use anyhow::bail;

use crate::app::App;

/// Refuses what only a person may decide, when the agent or a script asks for it.
///
/// A fence against shortcuts, not a sandbox: somebody with the same user id can get around it.
///
/// # Errors
/// Says who may do it and where.
pub(crate) fn require(app: &App, what: &str) -> anyhow::Result<()> {
    if app.environment.inside_client() {
        bail!("{what} is a person's decision: run it in a terminal outside of Claude Code");
    }
    if !io::stdin().is_terminal() {
        bail!("{what} is a person's decision: run it in a terminal, not from a script");
    }
    Ok(())
}
