//! Accepting inside a session: the client's dialog shows what is to be accepted, and the person's yes
//! there counts.

use super::decide::{Accept, By, Decision, accept, default_kind};
use super::find;
use crate::app::App;
use crate::model::ProposalRecord;
use crate::text::{clean, clip};

/// More than this nobody reads in a dialog.
const MOST: usize = 5;
/// Columns of a text in the dialog. A longer one is decided about at a terminal.
const SHOWN: usize = 600;

/// What a command asks to accept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Ids of proposals, or the beginnings of them.
    pub ids: Vec<String>,
    pub accept: Accept,
}

/// What the dialog shows for `mk review accept ...`: the very text that is to be accepted. `None` where
/// something is named that does not wait, or more than can be read in a dialog: then nothing may be
/// asked.
pub fn question(app: &mut App, asked: &Asked) -> Option<String> {
    let waiting = waiting(app, asked)?;
    let mut lines =
        vec!["math-forge: keeping this as knowledge is the person's decision.".to_owned()];
    for proposal in &waiting {
        let kind = asked.accept.kind.unwrap_or_else(|| default_kind(&proposal.kind));
        let who = match proposal.role.as_str() {
            "" => "somebody",
            "model" => "a language model",
            role => role,
        };
        let content = clean(&proposal.content);
        lines.push(format!("{}, as {kind}, said by {who}: \"{content}\"", proposal.id));
        if let Some(other) = &asked.accept.content {
            lines.push(format!("To be kept in other words: \"{}\"", clean(other)));
        }
        if let Some(title) = &asked.accept.title {
            lines.push(format!("Under the title: \"{}\"", clip(&clean(title), 120)));
        }
    }
    lines.push("Without the person's yes nothing is kept.".to_owned());
    Some(lines.join("\n"))
}

/// Accepts what the person agreed to in the dialog; what to say of it.
///
/// # Errors
/// When something is named that does not wait; then nothing is stored.
pub fn decide_from_dialog(app: &mut App, asked: &Asked) -> anyhow::Result<String> {
    if waiting(app, asked).is_none() {
        for id in &asked.ids {
            find(app, id)?;
        }
        anyhow::bail!("not all of these wait for a decision: `mk review list` shows what does");
    }
    let mut kept = Vec::new();
    for id in &asked.ids {
        let Decision { kind, finding, .. } = accept(app, id, &asked.accept, By::Dialog)?;
        let kind = kind.map_or("finding", |kind| kind.as_str());
        kept.push(format!("{kind} #{}", finding.unwrap_or_default()));
    }
    Ok(format!("math-forge: the person agreed; it is kept as {}.", kept.join(", ")))
}

/// The proposals, where all of them wait and can be shown whole.
fn waiting(app: &mut App, asked: &Asked) -> Option<Vec<ProposalRecord>> {
    let rewords = asked.accept.content.is_some() || asked.accept.title.is_some();
    let fits = asked.accept.content.as_ref().is_none_or(|text| crate::text::width(text) <= SHOWN);
    let count = asked.ids.len();
    if !((1..=MOST).contains(&count) && fits && (count == 1 || !rewords)) {
        return None;
    }
    let mut waiting: Vec<ProposalRecord> = Vec::new();
    for id in &asked.ids {
        let proposal = find(app, id).ok()?;
        let fits = crate::text::width(&proposal.content) <= SHOWN;
        let twice = waiting.iter().any(|other| other.id == proposal.id);
        if proposal.status != "pending" || !fits || twice {
            return None;
        }
        waiting.push(proposal);
    }
    Some(waiting)
}
