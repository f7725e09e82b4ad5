//! What `mk --help` says, of every command there is: those that help names, and those that it hides.

use std::fs;

use super::stage::{Stage, words};
use super::{Recording, repository};
use crate::env::TestEnv;

/// The commands below one, as its help lists them.
fn listed(env: &TestEnv, command: &str) -> Vec<String> {
    let help = env.mk(&words(&format!("{command} --help"))).stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?;
        (!name.starts_with(' ')).then(|| name.split(' ').next().unwrap_or_default().to_owned())
    });
    names.filter(|name| name != "help").collect()
}

/// The rows of `commands!`: help does not list those that are hidden.
fn variants() -> Vec<String> {
    let source = fs::read_to_string(repository().join("src/cli/mod.rs")).unwrap();
    let (_, body) = source.split_once("\ncommands! {\n").expect("the list of commands");
    let lines = body.lines().take_while(|line| *line != "}").map(str::trim);
    let names = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    let kebab = |name: &str| {
        let mut word = String::new();
        for c in name.chars().take_while(|c| c.is_alphanumeric()) {
            if c.is_uppercase() && !word.is_empty() {
                word.push('-');
            }
            word.push(c.to_ascii_lowercase());
        }
        word
    };
    names.map(kebab).chain(["hook".to_owned()]).collect()
}

/// Every command and subcommand, without `mk`.
pub(super) fn tree() -> Vec<String> {
    let env = TestEnv::new();
    let mut open = variants();
    let unknown: Vec<String> =
        crate::command_line::commands(&env).into_iter().filter(|c| !open.contains(c)).collect();
    assert_eq!(unknown, Vec::<String>::new(), "commands that `commands!` does not have");
    open.reverse();
    let mut tree = Vec::new();
    while let Some(command) = open.pop() {
        let inner = listed(&env, &command);
        open.extend(inner.iter().rev().map(|name| format!("{command} {name}")));
        if command == "jobs" {
            open.push("jobs work".to_owned());
        }
        tree.push(command);
    }
    tree
}

pub(super) fn recorded() -> Vec<Recording> {
    let stage = Stage::bare();
    for line in ["", "help", "--help", "-h", "--version", "help search", "help no-such", "no-such"]
    {
        stage.mk(line);
    }
    for command in tree() {
        stage.mk(&format!("{command} --help"));
    }
    stage.done()
}
