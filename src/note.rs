//! `mk note`: what the agent, or a person, notes on purpose: a proposal, and nothing more until a person confirms it.

use anyhow::ensure;
use serde::Serialize;

use crate::app::App;
use crate::app::learn::proposals::{self, Origin};
use crate::learn::signals::{MIN_LENGTH, Proposal, Source};
use crate::model::{Finding, Kind, problem_key};
use crate::store::ListFilter;
use crate::text::{clean, scrub};
use crate::ui::{Exit, Out};

/// Notes of one session at most: what has more to say is no note.
const MOST: usize = 20;

/// Characters of a note, and of its reason, at most.
const LONGEST: usize = 400;

const RULE: &str = "note";

/// Note a decision, a dead end, a gotcha or a preference: it waits until a person confirms it
///
/// A note is a proposal, so a session may make it without asking. A person keeps or drops it with
/// `mk review`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk note decision \"colourings are functions into Fin k, not partitions\"
  mk note dead-end \"compactness for the infinite case\" --problem erdos_12 --because \"the family is not closed\"
  mk note gotcha \"`lake exe cache get` needs the toolchain of the lakefile\"
  mk note preference \"ask before a lemma is renamed\"")]
pub struct Args {
    /// decision, dead-end, gotcha, preference or insight
    #[arg(value_parser = kind_of)]
    pub kind: Kind,
    /// What to remember, in a sentence
    pub text: String,
    /// The problem that it is about, for example `erdos_850`
    #[arg(long, value_name = "ID")]
    pub problem: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub because: Option<String>,
}

fn kind_of(word: &str) -> Result<Kind, String> {
    let name = word.to_lowercase().replace(['_', ' '], "-");
    match name.as_str() {
        "dead-end" | "deadend" | "failure" => Ok(Kind::Failure),
        "gotcha" | "lesson" => Ok(Kind::Lesson),
        "decision" => Ok(Kind::Decision),
        "preference" => Ok(Kind::Preference),
        "insight" => Ok(Kind::Insight),
        _ => Err("use decision, dead-end, gotcha, preference or insight".to_owned()),
    }
}

#[derive(Debug, Serialize)]
pub struct Noted {
    /// It waits now; otherwise the same was proposed before, or is known.
    pub added: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

impl Args {
    pub fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let noted = note(app, &self)?;
        out.answer(&noted, |_| match &noted.finding {
            Some(finding) if noted.added => {
                let what = clean(&finding.content.description);
                format!("Noted {}: {what}\nIt waits for a person: mk review\n", finding.label())
            }
            Some(finding) => format!("Noted before: {}\n", finding.label()),
            None => "Already known: nothing was noted\n".to_owned(),
        })
    }
}

pub fn note(app: &mut App, args: &Args) -> anyhow::Result<Noted> {
    let plain = |text: &str| clean(&scrub(text));
    let text = plain(&args.text);
    let because = args.because.as_deref().map(plain).filter(|text| !text.is_empty());
    ensure!(text.chars().count() >= MIN_LENGTH, "the note is too short: say it in a sentence");
    for part in [Some(&text), because.as_ref()].into_iter().flatten() {
        let length = part.chars().count();
        let most = format!("a note or its reason has at most {LONGEST} characters");
        ensure!(length <= LONGEST, "{most}, and this has {length}: shorten it");
    }
    let content = match &because {
        Some(why) => format!("{}, because {why}", text.trim_end_matches(['.', ' '])),
        None => text,
    };
    let role = if app.environment.inside_client() { "agent" } else { "person" };
    let session = app.environment.text("CLAUDE_CODE_SESSION_ID").unwrap_or_default().to_owned();
    let source =
        Source { session: session.clone(), extracted_at: app.now.to_string(), ..Source::default() };
    let proposal = Proposal::noted(args.kind, content, RULE, role, &source);
    let project = app.project_identity();
    let origin = Origin { project: project.as_deref(), most: 1, ..Origin::default() };
    let mut draft = proposals::draft(&proposal, origin);
    draft.problem = args.problem.as_deref().map(problem_key);
    draft.why_failed = because.filter(|_| args.kind == Kind::Failure);
    if role == "agent" {
        let proposed = ListFilter { proposed: true, ..ListFilter::default() };
        let (all, _) = app.store()?.list(&proposed, None)?;
        let is_own = |one: &&Finding| {
            let is_note = one.content.said().is_some_and(|said| said.rule == RULE);
            is_note && one.content.source.session.as_deref().unwrap_or_default() == session
        };
        ensure!(
            all.iter().filter(is_own).count() < MOST,
            "this session has noted {MOST} things, which is the limit: the person decides about them \
             with `mk review`"
        );
    }
    let added = app.write(|writer| writer.propose(&proposal.id, &draft))?;
    let finding = app.store()?.findings_by_uid(&proposal.id)?.into_iter().next();
    Ok(Noted { added, finding })
}
