//! The text view of names that moved.

use std::fmt::Write as _;

use crate::app::renames::{Answer, Hit, Table, successors};
use crate::text::{clean, one_line, plural};

/// What was read and how much was found.
pub fn table(table: &Table) -> String {
    let mut out = String::new();
    if table.packages.is_empty() {
        return "no packages here: nothing to read (`lake update` fetches them)\n".to_owned();
    }
    for package in &table.packages {
        let revision = package.revision.as_deref().unwrap_or("no revision");
        let revision = revision.get(..revision.len().min(12)).unwrap_or(revision);
        writeln!(
            out,
            "{} ({revision}): {}, {} in {}",
            clean(&package.name),
            plural(package.renames, "rename"),
            plural(package.names, "name"),
            plural(package.files, "file")
        )
        .ok();
    }
    writeln!(out, "{} in all", plural(table.renames.len(), "rename")).ok();
    for (kind, count) in successors(table) {
        writeln!(out, "  {count:>6} {kind}").ok();
    }
    out
}

/// What is known about a name.
pub fn answer(answer: &Answer, table: &Table) -> String {
    let name = clean(&answer.name);
    if answer.found.is_empty() {
        let (renames, packages) = (table.renames.len(), table.packages.len());
        let (renames, packages) = (plural(renames, "rename"), plural(packages, "package"));
        return format!("{name}: not among the {renames} of {packages}\n");
    }
    let mut out = String::new();
    for hit in &answer.found {
        out.push_str(&entry(hit));
    }
    if answer.total > answer.found.len() {
        let more = answer.total - answer.found.len();
        writeln!(out, "and {more} more that end in {name}").ok();
    }
    out
}

fn entry(hit: &Hit) -> String {
    let rename = &hit.rename;
    let mut out = clean(&rename.old);
    match (&rename.new, &hit.today) {
        (Some(new), Some(today)) => {
            write!(out, " is {} now (first {})", clean(today), clean(new)).ok();
        }
        (Some(new), None) => {
            write!(out, " is {} now", clean(new)).ok();
        }
        (None, _) => out.push_str(" is deprecated, with no new name"),
    }
    let since = rename.since.as_deref().map(|date| format!("since {}, ", clean(date)));
    let guessed = if rename.exact { "" } else { ", partly guessed" };
    let (file, line) = (clean(&rename.file), rename.line);
    let package = clean(&rename.package);
    writeln!(out, " ({}{package}, {file}:{line}{guessed})", since.unwrap_or_default()).ok();
    if let Some(message) = &rename.message {
        writeln!(out, "  {}", one_line(&clean(message))).ok();
    }
    out
}
