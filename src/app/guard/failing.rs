//! What commands told of proofs, kept for the session: one that was written in it and does not compile
//! may make way for a gap; where no check of it was seen, that is only noted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::past::{Bases, Past};
use super::session::{Session, key};
use super::{known, texts};
use crate::app::App;
use crate::files;
use crate::guard::{Checked, Finding, Level, Rule};
use crate::hook::Event;
use crate::lean::diagnostics::{Diagnostic, diagnostics};
use crate::learn::events::Act;

const MOST_FILES: usize = 20;

const LONGEST: u64 = 1024 * 1024;

pub(super) const WAY: &str = "\nThis proof is of this session: if it does not compile, let Lean say so in a \
    command (`lake env lean FILE`, `lake build`), and it may make way for `sorry`.";

/// Notes the errors of Lean in what a command printed or a tool said; `asked` is the file that a tool
/// was asked about, which its messages need not name.
pub fn note(app: &App, event: &Event, output: &str, asked: Option<&str>) {
    let asked = asked.filter(|file| file.contains(".lean"));
    if (asked.is_none() && !output.contains(".lean")) || !known::is_on(app) {
        return;
    }
    let Some(session) = Session::of(app, &event.session) else { return };
    let mut lines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for message in diagnostics(output).into_iter().filter(Diagnostic::is_error) {
        let line = message.line.and_then(|line| usize::try_from(line).ok());
        let file = message.file.or_else(|| asked.map(str::to_owned));
        if let (Some(file), Some(line)) = (file, line) {
            lines.entry(file).or_default().push(line);
        }
    }
    // A message names a file from the folder of the command or of the project.
    let folders: Vec<&PathBuf> = event.cwd.iter().chain([&app.project.root]).collect();
    for (file, lines) in lines.into_iter().take(MOST_FILES) {
        let path = folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file());
        let Some(path) = path else { continue };
        let broken = texts::on_disk(&path).map(|text| Checked::at(&text, &lines));
        let Some(broken) = broken.ok().filter(|broken| !broken.is_empty()) else { continue };
        let line = serde_json::to_string(&broken).unwrap_or_default() + "\n";
        if let Err(error) = files::append(&record(&session, &path), line) {
            session.complain(&format!("{}: its errors were not kept: {error}", path.display()));
        }
    }
}

/// Notes the proofs that a check found to be well, in the files that this session wrote.
pub fn checked(
    app: &App,
    event: &Event,
    (tool, input): (&str, Vec<(String, String)>),
    output: &str,
) {
    let session = Session::of(app, &event.session).filter(|_| known::is_on(app));
    let act = Act::printed(tool, input, output.to_owned(), false);
    let (Some(session), Some((act, _))) = (session, act.filter(|(act, _)| act.is_clean_check()))
    else {
        return;
    };
    let windows = session.events().windows.into_iter().rev();
    let files: BTreeSet<PathBuf> =
        windows.filter_map(|window| window.file).take(MOST_FILES).collect();
    for path in files.iter().filter(|path| act.covers(&path.to_string_lossy(), "")) {
        let proofs = texts::on_disk(path).map(|text| Checked::all(&text)).unwrap_or_default();
        let line = serde_json::to_string(&proofs).unwrap_or_default() + "\n";
        if let Err(error) = files::append(&built(&session, path), line) {
            session.complain(&format!("{}: its check was not kept: {error}", path.display()));
        }
    }
}

/// Makes a note of what takes a proof of this session away of which no check was seen; `before` is the text
/// of the file as it is.
pub(super) fn spare(
    past: &Past,
    (path, bases): (&Path, &Bases),
    before: &str,
    findings: &mut [Finding],
) {
    let Some(first) = past.proved_at_start(path, bases) else { return };
    let built = kept(&built(&past.session, path));
    for finding in findings.iter_mut().filter(|one| takes_proof(one)) {
        let name = finding.declaration.as_deref().unwrap_or_default();
        if first.is_young(name, before) && !built.names(name, finding.lost.as_deref()) {
            finding.level = Level::Warn;
            finding.detail.push_str("; no check of that proof was seen in this session");
        }
    }
}

pub(super) fn takes_proof(finding: &Finding) -> bool {
    matches!(finding.rule, Rule::ProofLost | Rule::SearchLeft) && finding.level > Level::Warn
}

pub(super) fn noted(session: &Session, path: &Path) -> Checked {
    kept(&record(session, path))
}

fn kept(file: &Path) -> Checked {
    let lines = files::text(file, LONGEST).unwrap_or_default();
    let mut all = Checked::default();
    lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .for_each(|one| all.extend(one));
    all
}

fn built(session: &Session, path: &Path) -> PathBuf {
    session.folder.join("built").join(key(path))
}

fn record(session: &Session, path: &Path) -> PathBuf {
    session.folder.join("broken").join(key(path))
}
