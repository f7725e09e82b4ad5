//! `mk why`: what a session was told, where, and why.

use anyhow::bail;
use serde::Serialize;

use crate::app::App;
use crate::store::Injection;
use crate::text::{clean, clip};

/// What a session was told.
#[derive(Debug, Default, Serialize)]
pub struct WhyReport {
    /// The session; empty where none was told anything yet.
    pub session: String,
    pub tokens: u64,
    /// What was said, in order.
    pub injections: Vec<Told>,
}

/// Something that was said.
#[derive(Debug, Serialize)]
pub struct Told {
    #[serde(flatten)]
    pub row: Injection,
    /// The finding's title today; `None` where there is none.
    pub title: Option<String>,
}

/// What a session was told: the one that is named (its beginning is enough), else the one in which this
/// command runs, else the latest of this project, else the latest of all.
pub fn run(app: &mut App, session: Option<&str>) -> anyhow::Result<WhyReport> {
    let current = app.environment.text("CLAUDE_CODE_SESSION_ID").map(str::to_owned);
    let project = app.project_identity();
    let store = app.store()?;
    let session = match (session.map(str::trim), current) {
        (Some(prefix), _) => {
            let known = store.injected_sessions_like(prefix)?;
            match known.as_slice() {
                _ if prefix.is_empty() => bail!("the id of a session is not empty"),
                [one] => one.clone(),
                [] => bail!("the ledger knows no session `{}`", clip(&clean(prefix), 60)),
                more => bail!("more than one session begins so: {}", clean(&more.join(", "))),
            }
        }
        (None, Some(current)) => current,
        (None, None) => {
            let here = store.latest_injected(project.as_deref())?;
            let latest = here.map_or_else(|| store.latest_injected(None), |id| Ok(Some(id)))?;
            latest.unwrap_or_default()
        }
    };
    let mut report = WhyReport { session, ..WhyReport::default() };
    for row in store.injections(&report.session)? {
        let finding = row.finding.map(|id| store.finding(id)).transpose()?.flatten();
        report.tokens += row.tokens * row.times;
        report.injections.push(Told { row, title: finding.map(|finding| finding.content.title) });
    }
    Ok(report)
}
