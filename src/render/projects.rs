//! Projects with their names and folders.

use jiff::Timestamp;

use super::layout::{Column, Page};
use super::time::ago;
use crate::app::projects::{Merged, ProjectView, ProjectsReport, is_there};
use crate::text::clean;

pub fn list(report: &ProjectsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.projects.is_empty() {
        page.paragraph(1, "No project is known yet.");
        page.hint("A project is noted when a session begins in it, or by `mk projects` there.");
        return page.into_text();
    }
    let rows = report.projects.iter().map(|one| row(one, now));
    let columns = [
        Column::text("PROJECT", 24),
        Column::number("FINDINGS"),
        Column::number("FOLDERS"),
        Column::number("NAMES"),
        Column::text("LAST SEEN", 0),
    ];
    page.table(1, &columns, rows);
    page.hint(
        "`mk projects show NAME` has folders and names; `*` is the project around this folder.",
    );
    page.into_text()
}

fn row(one: &ProjectView, now: Timestamp) -> Vec<String> {
    let mark = if one.current { " *" } else { "" };
    vec![
        format!("{}{mark}", one.identity),
        one.findings.to_string(),
        one.places.len().to_string(),
        (one.aliases.len() + 1).to_string(),
        one.last_seen.as_deref().map_or_else(|| "-".to_owned(), |at| ago(at, now)),
    ]
}

pub fn one(project: &ProjectView, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    page.heading(&project.identity, None);
    page.labelled(1, "findings", &project.findings.to_string());
    for place in &project.places {
        let gone = if is_there(place) { "" } else { ", gone" };
        let package = place.package.as_ref().map_or_else(String::new, |p| format!(", package {p}"));
        let seen = ago(&place.last_seen, now);
        page.labelled(1, "folder", &format!("{}{package}, seen {seen}{gone}", place.place));
        for remote in &place.remotes {
            page.labelled(2, "remote", remote);
        }
    }
    for alias in &project.aliases {
        let how = if alias.origin == "person" { "merged by you" } else { "found" };
        page.labelled(1, "name", &format!("{} ({how})", alias.alias));
    }
    for other in &project.maybe_same {
        let text = format!("{} ({}, {} findings)", other.identity, other.why, other.findings);
        page.labelled(1, "the same?", &text);
    }
    if !project.maybe_same.is_empty() {
        page.hint("`mk projects merge FROM INTO` makes one project of two.");
    }
    page.into_text()
}

/// What a merge or a split did or would do.
pub fn merged(merged: &Merged, apart: bool) -> String {
    let (from, into) = (clean(&merged.from), clean(&merged.into));
    let findings = merged.findings;
    let text = match (apart, merged.dry_run) {
        (false, true) => format!("would become another name of `{into}`"),
        (false, false) => format!("is another name of `{into}` now"),
        (true, true) => format!("would be a project of its own again, apart from `{into}`"),
        (true, false) => format!("is a project of its own again, apart from `{into}`"),
    };
    format!("`{from}` {text} (findings: {findings})\n")
}
