//! `mk premises`: what the project's own packages have, searched offline by words, names, patterns and goals.
//!
//! `mk index` reads each revision of a package once into a file of its own; a question opens these files and reads
//! anew what has changed in the project since.

mod additive;
mod ask;
mod index;
mod near;
mod packages;
mod pattern;
mod rank;
mod read;

use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;

use crate::app::App;
use crate::app::packages::Package;
use crate::files;
use crate::text::{clean, plural};
use crate::ui::layout::{Column, Page};
use crate::ui::progress::Progress as Bar;
use crate::ui::{Exit, Out};

pub(crate) use ask::Args;
pub(crate) use index::Segment;
pub(crate) use near::{Stated, nearest, stated};
pub(crate) use packages::Own;
pub(crate) use read::Old;

/// Index the packages of the project for `mk premises`
///
/// Reads Lean's own sources, the packages below `.lake/packages` and the project's library. Each revision of a
/// package is read once for all projects; sessions do this in the background.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk index
  mk index --again     reads everything anew")]
pub(crate) struct IndexArgs {
    /// Read packages again that are indexed already
    #[arg(long)]
    again: bool,
}

#[derive(Debug, Serialize)]
struct Indexing {
    packages: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    package: String,
    revision: Option<String>,
    /// `None` where the index was there.
    files: Option<usize>,
    declarations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl IndexArgs {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let bar = Bar::new("reading packages", out.watched);
        let done = make(app, self.again, PATIENCE, &bar)?;
        drop(bar);
        let done = done.context("another process is indexing; try again in a minute")?;
        out.answer(&done, |width| view(&done, width))?;
        let is_whole = done.packages.iter().all(|row| row.trouble.is_none());
        Ok(if is_whole { Exit::Done } else { Exit::Failed })
    }
}

/// For another process that is at it, after which there is nothing left to do.
const PATIENCE: Duration = Duration::from_mins(2);

/// Makes what is missing; `None` where another process makes one of them for longer than this. A package that cannot be
/// read is left out, and said.
fn make(app: &App, again: bool, patience: Duration, bar: &Bar) -> anyhow::Result<Option<Indexing>> {
    let all = packages::of_project(app);
    let mut rows = Vec::new();
    for one in &all {
        // Others may read other packages meanwhile.
        let Some(_lock) = files::lock(&app.paths.state_dir.join(one.lock()), patience)? else {
            return Ok(None);
        };
        let is_there = !again && one.is_current()?;
        let make = || one.make(&|done, total| bar.show(done, total));
        let made = (!is_there).then(make).transpose();
        let trouble = made.as_ref().err().map(|error| format!("{error:#}"));
        if let Some(trouble) = &trouble {
            app.log.line(app.now, "premises", trouble);
        }
        let made = made.unwrap_or_default();
        rows.push(Row {
            package: one.package.name.clone(),
            revision: one.package.revision.clone(),
            files: made.map(|(files, _)| files),
            declarations: made.map(|(_, premises)| premises),
            trouble,
        });
    }
    packages::collect(app, &all);
    Ok(Some(Indexing { packages: rows }))
}

/// The packages of the project that are indexed, but not its own library.
pub(crate) fn kept(app: &App) -> Vec<(Package, Segment)> {
    let packages = packages::of_project(app).into_iter();
    let others = packages.filter(|one| one.package.folder != app.project.root);
    others.filter_map(|one| one.kept().map(|kept| (one.package, kept))).collect()
}

/// The same, all of them indexed first.
pub(crate) fn made(app: &App, bar: &Bar) -> anyhow::Result<Vec<(Package, Segment)>> {
    if packages::of_project(app).iter().any(|one| one.kept().is_none()) {
        make(app, false, PATIENCE, bar)?;
    }
    Ok(kept(app))
}

/// Makes what is missing, in the background of a session.
pub(crate) fn keep(app: &App) -> anyhow::Result<()> {
    make(app, false, Duration::ZERO, &Bar::new("reading packages", false)).map(drop)
}

fn view(done: &Indexing, width: usize) -> String {
    let mut page = Page::new(width);
    if done.packages.is_empty() {
        page.nothing(
            "No packages here.",
            "`mk index` reads the packages of a Lake project: run it inside one, after `lake update`.",
        );
        return page.into_text();
    }
    let columns =
        [Column::text("PACKAGE", 12), Column::text("REVISION", 0), Column::text("INDEX", 20)];
    let rows = done.packages.iter().map(|row| {
        let revision =
            row.revision.as_deref().map_or("files as they are", |one| one.get(..10).unwrap_or(one));
        if let Some(trouble) = &row.trouble {
            return vec![clean(&row.package), clean(revision), clean(trouble)];
        }
        let index = match (row.declarations, row.files) {
            (Some(declarations), Some(files)) => {
                format!("{} from {}", plural(declarations, "declaration"), plural(files, "file"))
            }
            _ => "up to date".to_owned(),
        };
        vec![clean(&row.package), clean(revision), index]
    });
    page.table(1, &columns, rows);
    page.into_text()
}
