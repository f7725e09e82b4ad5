//! What is allowed all the same: by arguments and configuration, and by lifts that are committed.

use crate::app::git::Repository;
use crate::guard::audit::{Allowance, Hit};
use crate::guard::{self, CommittedLift};

/// The file of lifts, below the project's root.
const FILE: &str = ".math-forge/lifts.toml";

/// What lets findings pass.
pub(super) struct Pardons<'a> {
    allow: &'a [Allowance],
    lifts: Vec<CommittedLift>,
}

/// What is said about a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pardon {
    /// Nothing: it counts.
    None,
    /// An argument or the configuration allows it.
    Allowed,
    /// A lift allows it, with this reason.
    Lifted(String),
}

impl<'a> Pardons<'a> {
    pub(super) fn of(allow: &'a [Allowance]) -> Self {
        Self { allow, lifts: Vec::new() }
    }

    /// Adds the lifts as `HEAD` has them, or as the index has them: what is not committed, or about
    /// to be, was seen by nobody else. Those that do not hold on this day (`YYYY-MM-DD`, in UTC) are
    /// returned as sentences.
    pub(super) fn read(
        &mut self,
        repository: &Repository,
        staged: bool,
        today: &str,
    ) -> Vec<String> {
        let revision = if staged { "" } else { "HEAD" };
        let Some(text) = repository.show(revision, FILE.as_ref()) else { return Vec::new() };
        let (lifts, problems) = guard::committed_lifts(&String::from_utf8_lossy(&text));
        let (ended, open): (Vec<_>, Vec<_>) =
            lifts.into_iter().partition(|lift| lift.is_over(today));
        self.lifts.extend(open);
        let ended = ended.iter().map(|lift| {
            let whose = lift.declaration.as_ref().or(lift.file.as_ref());
            let (whose, until) = (whose.map_or("", String::as_str), lift.until.as_deref());
            let until = until.unwrap_or_default();
            format!("the lift of {} for `{whose}` ended on {until}: it does not count", lift.rule)
        });
        problems.into_iter().chain(ended).map(|problem| format!("{FILE}: {problem}")).collect()
    }

    /// Whether and why a finding is allowed.
    pub(super) fn of_hit(&self, file: &str, hit: &Hit) -> Pardon {
        if self.allow.iter().any(|allowance| allowance.covers(file, hit)) {
            return Pardon::Allowed;
        }
        let lift = self.lifts.iter().find(|lift| lift.covers(file, hit));
        lift.map_or(Pardon::None, |lift| Pardon::Lifted(lift.reason.clone()))
    }
}
