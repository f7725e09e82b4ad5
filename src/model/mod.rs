//! Plain records that all layers share. No IO, no clock, no SQL.

mod detail;
pub mod domain;
mod edit;
mod finding;
mod guard;
mod kind;
mod names;
mod problem;
mod queue;
mod rename;
mod report;
mod run;

pub use detail::{
    Decision, Detail, FactDetail, LessonDetail, LessonWords, PlaybookDetail, Said, words_of,
};
pub use edit::{Edit, Hunk, Replacement};
pub(crate) use finding::split_tags;
pub use finding::{
    CONTRADICTION_TAG, Draft, Finding, MAIN_TAG, SKETCH_TAG, Source, claim, clip_claim,
};
pub use guard::{GuardEntry, LiftRecord, LockRecord};
pub use kind::{
    Confidence, Domain, Evidence, FactCategory, FactOrigin, FactScope, FactTier, JobKind, JobState,
    Kind, LessonPattern, Outcome, ProblemStatus, RunSource, Status, UnknownWord, headline,
};
pub use names::{
    KnownProblems, approach_of, display_name, is_bare_slot, problem_key, same_problem, slot_of,
    stem_key, word_key,
};
pub use problem::{Few, Gist, Problem, ProblemDraft, ProblemName, Strategy, StrategyDraft};
pub use queue::{NearMiss, QueueCache};
pub use rename::Rename;
pub use report::{Counts, Knowledge, Put, Reject, Report};
pub use run::{Proved, Run, RunDraft, RunEvidence, Spared};
