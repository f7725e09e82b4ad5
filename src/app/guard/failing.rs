//! What commands told of errors in proofs, kept for the session: a proof that was written in it and
//! does not compile may make way for a gap.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::project_files;
use super::session::{Kept, Session, key};
use crate::app::App;
use crate::files;
use crate::guard::{Baseline, Failing, Finding, Level, Policy, Rule};
use crate::hook::Event;
use crate::lean::Comparison;
use crate::lean::diagnostics::{Diagnostic, diagnostics};

const MOST_FILES: usize = 20;

const LONGEST: u64 = 1024 * 1024;

pub(super) const WAY: &str = "\nThis proof was written in this session: if it does not compile, let a \
    command show the error (`lake env lean FILE`, `lake build`); then `sorry` may replace it.";

/// Notes the errors of Lean in what a command printed or a tool said; `asked` is the file that a tool
/// was asked about, which its messages need not name.
pub fn note(app: &App, event: &Event, output: &str, asked: Option<&str>) {
    let asked = asked.filter(|file| file.contains(".lean"));
    let names_file = asked.is_some() || output.contains(".lean");
    let Some(session) = Session::guarded(app, event).filter(|_| names_file) else { return };
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
        if let Ok(text) = project_files::on_disk(&path) {
            add(&session, &path, &Failing::at(&text, &lines));
        }
    }
}

const BROKEN: &str = "broken";

/// The proofs of a file in which Lean reported an error.
pub(super) fn broken(session: &Session, path: &Path) -> Failing {
    let lines = files::text(&session.folder.join(BROKEN).join(key(path)), LONGEST);
    lines.map(|lines| Failing::read(&lines)).unwrap_or_default()
}

pub(super) fn takes_proof(finding: &Finding) -> bool {
    let takes = matches!(finding.rule, Rule::ProofLost | Rule::SearchLeft | Rule::ProgressLost);
    takes && finding.level > Level::Warn
}

/// Leaves a remark of a proof that goes and that Lean has not seen: it is younger than what Lean saw last.
pub(super) fn soften(
    findings: &mut [Finding],
    session: &Session,
    path: &Path,
    comparison: &Comparison<'_>,
    policy: &Policy,
) {
    if !findings.iter().any(takes_proof) {
        return;
    }
    let seen = session.text(Kept::Seen, path);
    let seen = seen.map_or_else(Baseline::default, |text| Baseline::of(&text));
    let (none, beginning) = (Failing::default(), &policy.baseline);
    for finding in findings.iter_mut().filter(|one| takes_proof(one)) {
        let name = finding.declaration.as_deref().unwrap_or_default();
        if beginning.is_kept(name, comparison, &none)
            && seen.is_kept(name, comparison, &policy.failing)
        {
            finding.level = Level::Warn;
            finding.detail.push_str("; Lean has not seen that proof");
        }
    }
}

fn add(session: &Session, path: &Path, failing: &Failing) {
    let record = session.folder.join(BROKEN).join(key(path));
    if !failing.is_empty()
        && let Err(error) = files::append(&record, failing.lines())
    {
        session.complain(&format!("{}: errors in it were not kept: {error}", path.display()));
    }
}
