//! The guard at work: hooks on edits, on commands and at the end of a turn, and the person's word on it.
//!
//! A change is a file before and after. It comes on one of two roads, is judged by one function, and is answered by the
//! road on which it came:
//!
//! | | the client's edits | commands, tools of servers, the end of a turn |
//! |---|---|---|
//! | gathered in | `edit`: the edit's own two texts, before it is written and after | `commands`: which files were written; `past`: what they were |
//! | judged in | `change` | `change` |
//! | answered in | `edit`: a refusal, a question or a remark | `written_files`: what is lost, and how it is brought back |
//!
//! On the way, `known` has the configuration, what a person lifted, locked or agreed to, and the log; `failing` has the
//! errors that Lean reported; `renamed_lemmas` what packages call something now; `project_files` reads and searches the
//! project. Of a session `snapshot` records the beginning, `session` keeps texts and events.
//!
//! Beside Lean files, `protected_paths` answers to what changes the guard itself, and `permission` to calls of `mk`.

pub mod commands;
pub mod edit;
pub mod failing;
pub mod known;
pub mod permission;
pub mod protected_paths;
pub mod renamed_lemmas;
pub mod session;
pub mod snapshot;

mod change;
mod past;
pub(crate) mod project_files;
mod written_files;
