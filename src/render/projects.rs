//! Projects with their names and folders.

use jiff::Timestamp;

use super::layout::Page;
use super::time::ago;
use crate::app::projects::{ProjectView, ProjectsReport, is_there};

pub fn list(report: &ProjectsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.projects.is_empty() {
        let hint = "A project is noted when a session begins in it, or by `mk projects` there.";
        page.nothing("No project is known yet.", hint);
    }
    for project in &report.projects {
        one(&mut page, project, now);
    }
    page.into_text()
}

fn one(page: &mut Page, project: &ProjectView, now: Timestamp) {
    page.heading(&project.identity, None);
    let seen = project.last_seen.as_deref().map(|at| format!(", seen {}", ago(at, now)));
    let here = if project.current { ", around this folder" } else { "" };
    let about = format!("{}{}{here}", project.findings, seen.unwrap_or_default());
    page.labelled(2, "findings", &about);
    for place in &project.places {
        let gone = if is_there(place) { "" } else { " (gone)" };
        let package = place.package.as_ref().map_or_else(String::new, |p| format!(", package {p}"));
        page.labelled(2, "folder", &format!("{}{gone}{package}", place.place));
    }
    for name in &project.names {
        page.labelled(2, "name", name);
    }
}
