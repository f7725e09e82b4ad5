//! `mk find`: everything about one problem, from the knowledge base and the tracking database.

use serde::Serialize;

use super::{App, import};
use crate::failed::not_imported;
use crate::learn::prover::uuid_in;
use crate::model::{Draft, Finding, problem_key, slot_of};
use crate::store::{ProblemView, Store};
use crate::tracking::{ProblemTrail, Submission};

/// What is known about the problems that a name fits.
#[derive(Debug, Serialize)]
pub struct FindReport {
    /// The name as it was asked for.
    pub query: String,
    /// The problem of exactly that name, else those whose id contains it.
    pub problems: Vec<ProblemView>,
    /// Findings of that name, where no problem has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Finding>,
    /// What the tracking database says beyond that to be false or to have failed: it was not imported yet.
    pub not_imported: Vec<Draft>,
    /// The newest submissions of the tracking database.
    pub submissions: Vec<Submission>,
    pub submissions_total: u64,
    /// Sources that could not be read, a sentence each.
    pub notes: Vec<String>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// Collects everything about a problem. The id is accepted in any spelling.
pub fn run(app: &mut App, name: &str) -> anyhow::Result<FindReport> {
    let of_uuid = match uuid_in(name) {
        Some(uuid) => app.store()?.slot_of(&uuid)?,
        None => None,
    };
    let name = &of_uuid.map_or_else(|| name.to_owned(), |slot| format!("slot{slot}"));
    let key = problem_key(name);
    let is_imported = import::is_done(app);
    let trail = app
        .tracking()
        .and_then(|tracking| tracking.map(|tracking| tracking.problem(&key)).transpose());
    let (trail, notes) = match trail {
        Ok(trail) => (trail.unwrap_or_default(), Vec::new()),
        Err(error) => (ProblemTrail::default(), vec![error.to_string()]),
    };
    let alias = trail.problem.clone();
    let store = app.store()?;
    let problems: Vec<ProblemView> = match slot_of(name) {
        Some(slot) => {
            let view = store.slot_view(slot)?;
            Vec::from_iter(
                (!view.findings.is_empty() || !trail.submissions.is_empty()).then_some(view),
            )
        }
        None => store.problem_views(alias.as_deref().unwrap_or(&key))?,
    };
    let named = if problems.is_empty() && slot_of(name).is_none() {
        called(store, name)?
    } else {
        Vec::new()
    };
    let empty_base = problems.is_empty() && store.is_empty()?;
    let findings: Vec<Finding> =
        problems.iter().flat_map(|problem| &problem.findings).chain(&named).cloned().collect();
    Ok(FindReport {
        query: name.to_owned(),
        not_imported: if is_imported { Vec::new() } else { not_imported(trail.refused, &findings) },
        submissions_total: trail.submissions_total,
        submissions: trail.submissions,
        problems,
        named,
        notes,
        empty_base,
    })
}

/// Findings about declarations of this name, whole or its last part.
pub(crate) fn called(store: &Store, name: &str) -> anyhow::Result<Vec<Finding>> {
    let name = name.trim();
    let mut found = store.about_declarations(&[name.to_owned()])?;
    // The index knows words by their stems: `bounds` finds `bound`.
    found.retain(|finding| {
        let whole = finding.content.theorem_name.as_deref().unwrap_or_default();
        let head = whole.strip_suffix(name);
        head.is_some_and(|head| head.is_empty() || head.ends_with('.'))
    });
    Ok(found)
}
