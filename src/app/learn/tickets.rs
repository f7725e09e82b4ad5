//! Tickets: what the end of a session leaves to be done, in a second and a half for all hooks. A
//! ticket is a small file; whoever works it off removes it.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::files;
use crate::hook::Event;

/// A transcript that is to be read to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub session: String,
    pub transcript: PathBuf,
    /// The project's folder, in which the work is to be done.
    pub folder: PathBuf,
    #[serde(skip)]
    pub file: PathBuf,
}

fn folder(app: &App) -> PathBuf {
    app.paths.state_dir.join("tickets")
}

/// Leaves a ticket for the transcript of an event; `false` where it names none.
pub fn leave(app: &App, event: &Event) -> anyhow::Result<bool> {
    let Some(transcript) = &event.transcript else { return Ok(false) };
    let name: String =
        event.session.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if name.is_empty() {
        return Ok(false);
    }
    let ticket = Ticket {
        session: event.session.clone(),
        transcript: transcript.clone(),
        folder: app.project.start.clone(),
        file: PathBuf::new(),
    };
    let path = folder(app).join(format!("{name}.json"));
    files::replace(&path, &serde_json::to_vec(&ticket)?)
        .with_context(|| format!("the ticket `{}` was not written", path.display()))?;
    Ok(true)
}

/// Whether any ticket waits.
pub fn any(app: &App) -> bool {
    !files::ending_in(&folder(app), "json").is_empty()
}

/// The tickets that wait. What is no ticket is removed.
pub fn all(app: &App) -> Vec<Ticket> {
    let mut tickets = Vec::new();
    for file in files::ending_in(&folder(app), "json") {
        let read = files::read(&file, files::SMALL).ok();
        match read.and_then(|bytes| serde_json::from_slice::<Ticket>(&bytes).ok()) {
            Some(ticket) => tickets.push(Ticket { file, ..ticket }),
            None => drop(fs::remove_file(&file)),
        }
    }
    tickets
}
