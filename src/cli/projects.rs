//! `mk projects`: which folders and names are one project, and a person's word about it.

use jiff::Timestamp;

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::projects::{self, ProjectView, ProjectsReport, is_there};
use crate::ui::layout::Page;
use crate::ui::time::ago;
use crate::ui::{Exit, Out, person};

/// List projects with their folders, names and findings, and say which of them are one
///
/// Work trees, clones, copies and moved folders of a project are found to be one by themselves; forks
/// and renamed remotes are not. What is one project is found together and ranked as one. Trust, settings,
/// lifts and locks stay with each folder. Merging and splitting is for a person at a terminal.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk projects
  mk projects merge github.com/me/old-name .
  mk projects split github.com/me/old-name       undoes it")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists projects, as `mk projects` alone does
    List,
    /// Makes one project another name of a second; a person's decision
    Merge {
        /// The project that becomes another name, as it is listed; `.` for the one around this folder
        from: String,
        /// The project that it belongs to
        into: String,
    },
    /// Makes another name a project of its own again; a person's decision
    Split {
        /// The name, whole
        name: String,
    },
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List) => Does::Reads,
            Some(_) => Does::Decides(PersonDecision::Terminal("mk projects merge")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let (name, into, said) = match self.action {
            None | Some(Action::List) => {
                let report = projects::list(app)?;
                out.answer(&report, |width| list(&report, width, app.now))?;
                return Ok(Exit::Done);
            }
            Some(Action::Merge { from, into }) => {
                let (from, into) = (projects::named(app, &from)?, projects::named(app, &into)?);
                let said = format!("`{from}` is another name of `{into}` now");
                (from, into, said)
            }
            Some(Action::Split { name }) => {
                if projects::named(app, &name)? == name {
                    let name = crate::text::clean(&name);
                    anyhow::bail!(
                        "`{name}` is no other name of a project: `mk projects` lists them"
                    );
                }
                let said = format!("`{name}` is a project of its own");
                (name.clone(), name, said)
            }
        };
        person::require_name(app, out, "merging and splitting projects", &name)?;
        projects::decide(app, &name, &into)?;
        out.print(&(said + "\n"))?;
        Ok(Exit::Done)
    }
}

fn list(report: &ProjectsReport, width: usize, now: Timestamp) -> String {
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
