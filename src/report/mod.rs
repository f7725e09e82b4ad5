//! `mk report`: where everything stands, as one HTML file that needs no server and no network.

mod charts;
mod collect;
mod history;
mod page;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use crate::app::{App, background};
use crate::files;
use crate::text::{hash, in_bytes, plural, since};
use crate::ui::{Exit, Out};

/// Write a page that shows where the problems and the project stand
///
/// One HTML file without scripts from elsewhere: problems with their stories, gaps and theorems
/// over time, submissions, the gaps that unblock most, what the guard did, what sessions were told,
/// and proposals that wait. It is written into your data folder unless `-o` names a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk report --open
  mk report -o report.html --since 90d
  mk report --all-projects
  mk report --json        the same in JSON, with the path of the page

The history of large projects is read a part at a time: the page says how far it is, and the
next report goes on.")]
pub(crate) struct Args {
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Write it to this file
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tell only what happened since then: 90d, yesterday, 2026-01-31
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Problems, guard and sessions of all projects; gaps and history stay this project's
    #[arg(long)]
    all_projects: bool,
}

/// What was written where.
#[derive(Debug, Serialize)]
struct Written<'a> {
    path: &'a Path,
    bytes: usize,
    #[serde(flatten)]
    report: &'a collect::Report,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        crate::verify::state::refresh(app);
        let since = self.since.as_deref().map(|words| since(words, app.now)).transpose();
        let since = since.map_err(anyhow::Error::msg)?;
        let report = collect::report(app, since, self.all_projects);
        let html = page::html(&report, app.now);
        let path = self
            .output
            .map_or_else(|| usual_path(app, self.all_projects), |file| app.here().join(file));
        files::replace(&path, html.as_bytes())
            .with_context(|| format!("`{}` could not be written", path.display()))?;
        let written = Written { path: &path, bytes: html.len(), report: &report };
        out.answer(&written, |_| {
            let what = plural(report.problems.len() as u64, "problem");
            let size = in_bytes(html.len() as u64);
            format!(
                "{}\n  {what}, {}, {size}\n",
                path.display(),
                plural(report.next.open as u64, "gap")
            )
        })?;
        if self.open && !background::open(&path) {
            out.note("mk: no program opens pages here (xdg-open, open): open the file yourself");
        }
        Ok(Exit::Done)
    }
}

/// Outside of the repository: nothing is committed by mistake.
fn usual_path(app: &App, all: bool) -> PathBuf {
    let root = &app.project.root;
    let name = match root.file_name().filter(|_| !all && app.is_in_project()) {
        None => "all-projects".to_owned(),
        Some(name) => {
            let plain: String = name
                .to_string_lossy()
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
                .collect();
            format!("{plain}-{}", hash(root.as_os_str().as_encoded_bytes(), 3))
        }
    };
    folder(app).join(format!("{name}.html"))
}

/// Where pages are written that nobody gave another place.
pub(crate) fn folder(app: &App) -> PathBuf {
    app.paths.data_dir.join("reports")
}
