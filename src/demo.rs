//! `mk demo`: a small Lean project that stays, with a prover's results and a knowledge base of its own.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::app::App;
use crate::extract::{self, read::Given};
use crate::text::{clean, plural};
use crate::ui::{Exit, Out};
use crate::{files, init, queue};

/// Make a small project to try everything on
///
/// A Lean file with two proofs and an open one, three result files of a prover, and a knowledge database
/// that belongs to this project alone. To remove it, delete its folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk demo
  mk demo ~/try-math-forge")]
pub(crate) struct Args {
    /// The folder to make
    #[arg(value_name = "FOLDER", default_value = "math-forge-demo")]
    folder: PathBuf,
}

/// What is in the project: path and content.
const FILES: [(&str, &str); 6] = [
    ("lean-toolchain", include_str!("../data/demo/lean-toolchain")),
    ("lakefile.toml", include_str!("../data/demo/lakefile.toml")),
    ("Demo.lean", include_str!("../data/demo/Demo.lean")),
    (
        "submissions/slot101_demo_1_odd_squares_result.lean",
        include_str!("../data/examples/slot101_demo_1_odd_squares_result.lean"),
    ),
    (
        "submissions/slot102_demo_2_cube_sums_result.lean",
        include_str!("../data/examples/slot102_demo_2_cube_sums_result.lean"),
    ),
    (
        "submissions/slot103_demo_3_euler_polynomial_result.lean",
        include_str!("../data/examples/slot103_demo_3_euler_polynomial_result.lean"),
    ),
];

const QUEUE: &str = include_str!("../data/examples/queue.json");

/// What to try, with what it shows.
const TRY: [(&str, &str); 7] = [
    ("mk", "the current state"),
    ("mk find slot102", "what came back from the prover, and what is missing"),
    ("mk search \"odd squares\"", "results by words"),
    ("mk failed", "what is known to be false"),
    ("mk outline Demo.lean", "the declarations of a file, and its gap"),
    ("mk audit", "what is not proved here"),
    ("claude", "ask it to replace the proof of `isEven_add` by `sorry`: the guard refuses"),
];

#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    findings: u64,
    commands: Vec<&'static str>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let folder = std::path::absolute(&self.folder)?;
        let findings = make(app, &folder)?;
        let commands = TRY.map(|(command, _)| command).to_vec();
        let folder = folder.display().to_string();
        let report = Report { folder, findings, commands };
        out.answer(&report, |_| view(&report))
    }
}

/// How many findings it begins with.
fn make(app: &App, folder: &Path) -> anyhow::Result<u64> {
    if folder.exists() {
        bail!("`{}` already exists: name another folder", folder.display());
    }
    // It would be a part of that project, and the database that project's.
    let around = app.elsewhere(folder.parent().unwrap_or(folder));
    if around.is_in_project() {
        let root = around.project.root.display();
        bail!("`{}` is inside the project `{root}`: name a folder outside of it", folder.display());
    }
    fs::create_dir_all(folder.join("submissions"))
        .with_context(|| format!("could not create `{}`", folder.display()))?;
    for (path, content) in FILES {
        let path = folder.join(path);
        files::replace(&path, content.as_bytes())
            .with_context(|| format!("could not write `{}`", path.display()))?;
    }
    let mut there = app.elsewhere(folder);
    init::own_database(&mut there)?;
    let words = [folder.join("submissions")];
    extract::extract(&mut there, &words, &Given::default(), false, &|_, _| {})?;
    queue::set(&mut there, QUEUE)?;
    Ok(there.store()?.stats()?.findings.total)
}

fn view(report: &Report) -> String {
    let findings = plural(report.findings, "finding");
    let folder = clean(&report.folder);
    let mut text =
        format!("Made {folder}: a Lean project with {findings} of its own. Try there:\n\n");
    for (command, what) in TRY {
        writeln!(text, "  {command:<28}{what}").ok();
    }
    text + "\nTo remove it, delete the folder.\n"
}
