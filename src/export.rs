//! `mk export`: all records as JSON lines.

use crate::app::App;
use crate::ui::{Exit, Out};

/// Print every record as a line of JSON, sorted by uid, without row numbers and storage times
///
/// Equal knowledge gives equal bytes, whatever the order it came in.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk export > knowledge.jsonl
  mk import knowledge.jsonl              reads them back, on any machine")]
pub(crate) struct Args {}

impl Args {
    #[expect(clippy::unused_self, reason = "as every command has it")]
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let store = app.store()?;
        for id in store.ids_by_uid()? {
            let Some(record) = store.exported(id)? else { continue };
            out.print(&(serde_json::to_string(&record)? + "\n"))?;
        }
        Ok(Exit::Done)
    }
}
