//! `mk note`: proposes something to be remembered.

use crate::app::App;
use crate::app::note::{Note, note};
use crate::model::Kind;
use crate::text::clean;
use crate::ui::{Exit, Out};

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
pub(crate) struct Args {
    /// decision, dead-end, gotcha, preference or insight
    #[arg(value_parser = kind_of)]
    kind: Kind,
    /// What is to be remembered, in a sentence
    text: String,
    /// The problem that it is about, for example `erdos_850`
    #[arg(long, value_name = "ID")]
    problem: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

/// What a note of this name becomes when it is kept.
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

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Self { kind, text, problem, because } = self;
        let noted = note(app, &Note { kind, text, problem, because })?;
        if out.json {
            out.object(&noted)?;
            return Ok(Exit::Done);
        }
        let line = match &noted.finding {
            Some(finding) if noted.added => {
                let what = clean(&finding.content.description);
                format!("Noted {}: {what}\nIt waits for a person: mk review\n", finding.label())
            }
            Some(finding) => format!("Noted before: {}\n", finding.label()),
            None => "Known already: nothing was noted\n".to_owned(),
        };
        out.print(&line)?;
        Ok(Exit::Done)
    }
}
