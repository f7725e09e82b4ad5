//! The one integration test binary: the command `mk` as its users run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests start processes, say what they skip, and fail by panicking"
)]

mod add;
mod asking;
mod asking_failures;
mod asking_folders;
mod audit;
mod audit_changes;
mod briefing;
mod client;
mod clocks;
mod command_line;
mod config;
mod corpus;
mod diff;
mod doctor;
mod documents;
mod env;
mod extract;
mod facts;
mod false_lemmas;
mod forget;
mod gc;
mod git;
mod git_hook;
mod git_programs;
mod guard_corpus;
mod guard_flows;
mod guard_hooks;
mod guard_log;
mod honest_edits;
mod honest_history;
mod hook_protocol;
mod hostile;
mod import;
mod init;
mod inject;
mod install;
mod jobs;
mod jobs_worker;
mod journal;
mod launcher;
mod lean_tokens;
mod lean_truth;
mod learning_hostile;
mod lessons;
mod lessons_advice;
mod lessons_false;
mod licences;
mod line;
mod llm;
mod lock;
mod mcp;
mod models;
mod net;
mod odd_files;
mod one_record;
mod outline;
mod person;
mod play;
mod playbooks;
mod plays;
mod premises;
mod privacy;
mod projects;
mod prompts;
mod properties;
mod reading;
mod renames;
mod renames_kept;
mod report;
mod review;
mod scripted;
mod sessions;
mod signals;
mod status;
mod store_findings;
mod store_guard;
mod store_open;
mod store_search;
mod submissions;
mod tidy;
mod tokens;
mod told;
mod tracking;
mod tracking_fixture;
mod two_projects;
mod verify;
