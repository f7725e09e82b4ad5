//! Plain records that all layers share. No IO, no clock, no SQL.
//! A time that is a text is `YYYY-MM-DD HH:MM:SS` in UTC, here and in the database.

mod detail;
pub mod domain;
mod finding;
mod kernel;
mod kind;
mod known;
mod names;
mod problem;
mod records;
mod run;

pub use detail::{
    Decision, Detail, FactDetail, LessonDetail, LessonWords, PlaybookDetail, Said, words_of,
};
pub(crate) use finding::split_tags;
pub use finding::{
    ADVANCE_TAG, AXIOM_TAG, CASE_TAG, CONTRADICTION_TAG, Draft, FINISHED_BY, Finding, MAIN_TAG,
    MEANING, MINOR_TAG, NATIVE_TAG, OF_A_CASE, OLD_TAG, ON_FALSE_TAG, ON_GAP_TAG, REFUSED_FOR,
    REFUSED_TAG, RESTATED_TAG, SKETCH_TAG, STOPPED_TAG, Source, claim, clip_claim,
};
pub use kernel::{
    KernelDetail, REPLAY_REFUSES, USUAL_AXIOMS, is_of_native_decide, is_usual_axiom, verdict_of,
};
pub use kind::{
    Confidence, Domain, Evidence, FactCategory, FactOrigin, FactScope, FactTier, JobKind, JobState,
    KernelVerdict, Kind, LessonPattern, Outcome, ProblemStatus, RunSource, Status, UnknownWord,
    headline,
};
pub use known::{KnownProblems, Named};
pub use names::{
    approach_of, display_name, id_key, is_bare_slot, is_named_as_step, last_part, problem_key,
    same_problem, slot_label, slot_of, stem_key, word_key,
};
pub use problem::{
    Few, Gist, IN_FLIGHT, MARKED_BY_MISTAKE, Problem, ProblemDraft, Strategy, StrategyDraft,
};
pub use records::{
    Counts, Edit, GuardEntry, Hunk, KernelCounts, Knowledge, LiftRecord, LockRecord, NAMES_READ,
    NearMiss, Put, QueueCache, Reject, Rename, Replacement, Report,
};
pub use run::{Proved, Run, RunEvidence, Spared};
