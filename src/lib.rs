//! math-forge: memory and guardrails for AI agents that prove theorems in Lean 4.
//!
//! The binary `mk` is a thin shell around this library. `ARCHITECTURE.md` has the map of the
//! modules and the rule of who may import whom; `tests/it/tidy.rs` enforces it.

pub mod allow;
pub mod app;
pub mod asker;
pub mod audit;
pub mod brief;
pub mod cli;
pub mod config;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod extract;
pub mod facts;
pub mod failed;
pub mod files;
pub mod find;
pub mod git_hook;
pub mod guard;
pub mod guard_log;
pub mod hook;
pub mod import;
pub mod init;
pub mod jobs;
pub mod lean;
pub mod learn;
pub mod llm;
pub mod lock;
pub mod log;
pub mod model;
pub mod note;
pub mod outline;
pub mod paths;
pub mod playbooks;
pub mod problem;
pub mod project;
pub mod projects;
pub mod queue;
pub mod renames;
pub mod render;
pub mod search;
pub mod shell;
pub mod store;
pub mod strategies;
pub mod text;
pub mod tracking;
pub mod trust;
pub mod ui;
pub mod why;
