//! What is allowed all the same: by arguments and configuration, and by lifts that are committed.

use crate::app::git::Repository;
use crate::guard::audit::{Allowance, Hit};
use crate::guard::{self, CommittedLift, Group, Rule};

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
        let over = |lift: &CommittedLift| lift.until.as_deref().is_some_and(|until| until < today);
        let (ended, open): (Vec<_>, Vec<_>) = lifts.into_iter().partition(over);
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
        let lift = self.lifts.iter().find(|lift| covers(lift, file, hit));
        lift.map_or(Pardon::None, |lift| Pardon::Lifted(lift.reason.clone()))
    }
}

fn covers(lift: &CommittedLift, file: &str, hit: &Hit) -> bool {
    let past = hit.past.as_ref().and_then(|past| past.name.as_ref());
    let mut names = hit.declaration.iter().chain(past);
    let declared = lift.declaration.as_ref().is_none_or(|own| names.any(|name| name == own));
    declared && lift.file.as_ref().is_none_or(|own| own == file) && lifts(&lift.rule, hit.rule)
}

/// Whether a lifted rule, of the audit or of the guard, lets findings of a rule pass: what it says
/// itself, and what cannot but follow, as the gap that stands where a proof was.
fn lifts(lifted: &str, rule: Rule) -> bool {
    let Some(lifted) = Rule::from_code(lifted) else { return false };
    let follows = match lifted {
        Rule::ProofLost | Rule::GapInCompleteFile => rule.group() == Group::Gaps,
        Rule::StatementChanged => rule == Rule::OpenStatementChanged,
        Rule::SearchLeft => rule == Rule::SearchTactic,
        Rule::AxiomAdded => rule == Rule::Axiom,
        Rule::TrustAdded => {
            !matches!(rule, Rule::Axiom | Rule::FalseLemma)
                && matches!(rule.group(), Group::Trust | Group::Meaning | Group::Checker)
        }
        _ => false,
    };
    lifted == rule || follows
}
