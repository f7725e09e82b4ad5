//! `mk status`, and a bare `mk`: where things stand, and the next step; as a line, for a prompt.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::app::inject::start;
use crate::brief::Situation;
use crate::briefing;
use crate::text::{clean, clip, plural};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out};

#[derive(Debug, Default, Serialize)]
struct Overview {
    version: &'static str,
    project: Option<String>,
    /// `None` before `mk init`.
    database: Option<String>,
    guard: bool,
    findings: u64,
    /// By status.
    problems: BTreeMap<String, u64>,
    /// `None` where no prover's work is known.
    in_flight: Option<u64>,
    ready_to_fetch: Vec<String>,
    proposals: u64,
    /// What cannot be read, a sentence each.
    troubles: Vec<String>,
    next: String,
}

/// Show the current state and the next step, as `mk` alone does
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk status
  mk status --line          # one line, for a shell's prompt; empty outside of Lean projects
  mk init --status-line     # Claude Code shows that line

`--line` takes what Claude Code tells a status line on stdin.")]
pub(super) struct Args {
    /// One line: the problem at hand, gaps, what is in flight, what waits for you
    #[arg(long)]
    line: bool,
}

impl Args {
    pub(super) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if !self.line {
            return run(app, out);
        }
        if let Some(folder) = told_folder() {
            *app = app.elsewhere(&folder);
        }
        // Beside a session there is always another line soon.
        app.wait_at_most(Duration::ZERO);
        let line = line(app);
        out.answer(&line, |_| line.text())
    }
}

/// Of what the client says of a session.
const MOST_TOLD: u64 = 256 << 10;

/// How long the client has to say it. A pipe may stay open, and say nothing.
const PATIENCE: Duration = Duration::from_millis(20);

/// The folder of the session that Claude Code tells a status line about, as JSON on stdin.
fn told_folder() -> Option<PathBuf> {
    if io::stdin().is_terminal() {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    // Left behind where nothing comes. It ends with the value, not with the input.
    std::thread::spawn(move || {
        let input = io::stdin().lock().take(MOST_TOLD);
        let told = serde_json::Deserializer::from_reader(input).into_iter::<Value>().next();
        sender.send(told.and_then(Result::ok))
    });
    let told = receiver.recv_timeout(PATIENCE).ok()??;
    let folder = ["/workspace/current_dir", "/workspace/project_dir", "/cwd"];
    let folder = folder.iter().find_map(|at| told.pointer(at)?.as_str());
    folder.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Line {
    problem: Option<String>,
    /// What results left open, as far as nothing proves it.
    gaps: u64,
    in_flight: u64,
    ready: u64,
    proposals: u64,
}

/// What is known without a look at the project's files, remembered while no database is written; nothing outside of
/// Lean projects, or where it cannot be read at once.
fn line(app: &mut App) -> Line {
    let folder = app.project.start.clone();
    let is_there = app.project.is_lean && app.database.path().is_some_and(Path::exists);
    let Some(memory) = is_there.then(|| start::of_folder(app, &folder, "line")).flatten() else {
        return Line::default();
    };
    if let Some(line) = memory.recall() {
        return line;
    }
    let (line, until) = counted(app, &folder);
    app.close();
    if until.is_some() {
        memory.keep(&line, until);
    }
    line
}

/// And until when it holds; `None` where something could not be read.
fn counted(app: &mut App, folder: &Path) -> (Line, Option<String>) {
    let Some(project) = app.project_identity() else { return Default::default() };
    let Ok(at_hand) = start::at_hand(app, folder, &project) else { return Default::default() };
    let Ok(Some(store)) = app.existing_store() else { return Default::default() };
    let gaps = store.open_gaps(&project).unwrap_or_default();
    let proposals = store.proposals_waiting(Some(&project)).unwrap_or_default();
    let (situation, until) = briefing::situation(app);
    let queue = situation.queue.unwrap_or_default();
    let line = Line {
        problem: at_hand.0.problems.into_iter().chain(at_hand.1).next(),
        gaps,
        in_flight: queue.in_flight,
        ready: queue.ready.len() as u64,
        proposals,
    };
    (line, until.filter(|_| situation.troubles.is_empty()))
}

impl Line {
    fn text(&self) -> String {
        let counted = [
            (self.gaps, "gap", ""),
            (self.in_flight, "", " in flight"),
            (self.ready, "", " ready"),
            (self.proposals, "proposal", " waiting"),
        ];
        let counted =
            counted.into_iter().filter(|(count, ..)| *count > 0).map(|(count, what, end)| {
                if what.is_empty() {
                    format!("{count}{end}")
                } else {
                    format!("{}{end}", plural(count, what))
                }
            });
        let problem = self.problem.as_deref().map(|id| clip(&clean(id), 40));
        let parts: Vec<String> = problem.into_iter().chain(counted).collect();
        if parts.is_empty() { String::new() } else { parts.join(" · ") + "\n" }
    }
}

pub(super) fn run(app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
    let overview = overview(app);
    out.answer(&overview, |width| view(&overview, width))
}

fn overview(app: &mut App) -> Overview {
    let project = app.is_in_project().then(|| app.project.root.display().to_string());
    let mut overview = Overview {
        version: env!("CARGO_PKG_VERSION"),
        project,
        guard: app.config.guard_enabled,
        ..Overview::default()
    };
    let stats = match app.existing_store() {
        Ok(Some(store)) => store.stats(),
        Ok(None) => {
            let next = "`mk init` creates the database".to_owned();
            return Overview { next, ..overview };
        }
        Err(error) => Err(error),
    };
    let situation = match stats {
        Ok(stats) => {
            overview.database = Some(stats.database.path);
            overview.findings = stats.findings.total;
            overview.problems = stats.problems;
            overview.proposals = stats.proposals.get("pending").copied().unwrap_or_default();
            briefing::situation(app).0
        }
        Err(error) => Situation { troubles: vec![error.to_string()], ..Situation::default() },
    };
    let queue = situation.queue.as_ref();
    overview.in_flight = queue.map(|queue| queue.in_flight);
    let ready = queue.into_iter().flat_map(|queue| &queue.ready);
    overview.ready_to_fetch = ready.map(|one| one.label.clone()).collect();
    overview.next = next(&overview, &situation);
    overview.troubles = situation.troubles;
    overview
}

fn next(overview: &Overview, situation: &Situation) -> String {
    if !situation.troubles.is_empty() {
        return "`mk doctor` says what is wrong".to_owned();
    }
    if let Some(label) = overview.ready_to_fetch.first() {
        return format!("fetch the result of {label}, then `mk extract` its file");
    }
    if overview.findings == 0 && overview.proposals == 0 {
        return "`mk extract FOLDER` reads result files, `mk import FILE` a tracking database"
            .to_owned();
    }
    match (&situation.near_miss, &situation.gap) {
        (Some(near), _) => format!("{} is nearly proved: `mk find {0}`", near.item.label),
        (None, Some((gap, why))) => format!("close the gap {gap}: {why} (`mk next`)"),
        (None, None) if overview.proposals > 0 => {
            "`mk review` shows what waits for your decision".to_owned()
        }
        (None, None) => "`mk brief` shows what a session is told when it starts".to_owned(),
    }
}

/// Those with partial results, or on which the prover works, are open too.
fn problems(counts: &BTreeMap<String, u64>) -> String {
    let count = |status: &str| counts.get(status).copied().unwrap_or_default();
    let (partial, running) = (count("partial"), count("in_flight"));
    let among = [(partial, "with partial results"), (running, "in flight")];
    let among = among.into_iter().filter(|(count, _)| *count > 0);
    let among: Vec<String> = among.map(|(count, words)| format!("{count} {words}")).collect();
    let among = if among.is_empty() { String::new() } else { format!(" ({})", among.join(", ")) };
    let open = Some(count("open") + partial + running).filter(|open| *open > 0);
    let open = open.map(|open| format!("{open} open{among}"));
    let others = counts
        .iter()
        .filter(|(status, _)| !["open", "partial", "in_flight"].contains(&status.as_str()));
    let others = others.map(|(status, count)| format!("{count} {status}"));
    open.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

fn view(overview: &Overview, width: usize) -> String {
    let mut page = Page::new(width);
    page.line(1, &paint(Tone::Heading, &format!("math-forge {}", overview.version)));
    page.rule();
    let missing = "none here; math-forge keeps to what you ask it";
    page.labelled(1, "Project", overview.project.as_deref().unwrap_or(missing));
    page.labelled(1, "Database", overview.database.as_deref().unwrap_or("none yet"));
    if overview.database.is_some() {
        page.labelled(1, "Knowledge", &plural(overview.findings, "finding"));
        page.labelled(1, "Problems", &problems(&overview.problems));
    }
    if let Some(in_flight) = overview.in_flight {
        let ready = &overview.ready_to_fetch;
        let named =
            if ready.is_empty() { String::new() } else { format!(": {}", ready.join(", ")) };
        let line = format!("{in_flight} in flight, {} ready to fetch{named}", ready.len());
        page.labelled(1, "Prover", &line);
    }
    page.labelled(1, "Guard", if overview.guard { "on" } else { "off" });
    if overview.proposals > 0 {
        page.labelled(1, "To decide", &plural(overview.proposals, "proposal"));
    }
    for trouble in &overview.troubles {
        page.paragraph(1, trouble);
    }
    page.blank();
    page.paragraph(1, &format!("Next: {}.", overview.next));
    page.hint("`mk --help` lists the commands.");
    page.into_text()
}
