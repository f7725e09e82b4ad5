//! What the agent, or a person, notes on purpose: a proposal, and nothing more until a person confirms it.

use anyhow::ensure;
use serde::Serialize;

use super::App;
use super::review::{self, Origin};
use crate::learn::signals::{MIN_LENGTH, Proposal, Source};
use crate::model::{Finding, Kind, problem_key};
use crate::store::ListFilter;
use crate::text::{clean, scrub};

/// Notes of one session at most: what has more to say is no note.
const MOST: usize = 20;

/// Characters of a note, and of its reason, at most.
const LONGEST: usize = 400;

/// The rule that such a proposal names.
const RULE: &str = "note";

#[derive(Debug)]
pub struct Note {
    pub kind: Kind,
    pub text: String,
    pub problem: Option<String>,
    pub because: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Noted {
    /// It waits now; otherwise the same was proposed before, or is known.
    pub added: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

/// Stores a note as a proposal.
pub fn note(app: &mut App, note: &Note) -> anyhow::Result<Noted> {
    let plain = |text: &str| clean(&scrub(text));
    let text = plain(&note.text);
    let because = note.because.as_deref().map(plain).filter(|text| !text.is_empty());
    ensure!(text.chars().count() >= MIN_LENGTH, "the note is too short: say it in a sentence");
    for part in [Some(&text), because.as_ref()].into_iter().flatten() {
        let length = part.chars().count();
        let text = "characters are the most of a note or its reason";
        ensure!(length <= LONGEST, "{LONGEST} {text}, and this has {length}: say it shorter");
    }
    let content = match &because {
        Some(why) => format!("{}, because {why}", text.trim_end_matches(['.', ' '])),
        None => text,
    };
    let role = if app.environment.inside_client() { "agent" } else { "person" };
    let session = app.environment.text("CLAUDE_CODE_SESSION_ID").unwrap_or_default().to_owned();
    let source =
        Source { session: session.clone(), extracted_at: app.now.to_string(), ..Source::default() };
    let proposal = Proposal::noted(note.kind, content, RULE, role, &source);
    let (project, now) = (app.project_identity(), app.now);
    let origin = Origin { project: project.as_deref(), most: 1, ..Origin::default() };
    let mut draft = review::draft(&proposal, origin);
    draft.problem = note.problem.as_deref().map(problem_key);
    draft.why_failed = because.filter(|_| note.kind == Kind::Failure);
    let store = app.store()?;
    if role == "agent" {
        let proposed = ListFilter { proposed: true, ..ListFilter::default() };
        let (all, _) = store.list(&proposed, None)?;
        let is_own = |one: &&Finding| {
            let is_note = one.content.said().is_some_and(|said| said.rule == RULE);
            is_note && one.content.source.session.as_deref().unwrap_or_default() == session
        };
        ensure!(
            all.iter().filter(is_own).count() < MOST,
            "this session has noted {MOST} things, which is the most: `mk review` is where the person decides \
             about them"
        );
    }
    let added = store.write(now, |writer| writer.propose(&proposal.id, &draft))?;
    let finding = store.findings_by_uid(&proposal.id)?.into_iter().next();
    Ok(Noted { added, finding })
}
