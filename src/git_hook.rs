//! A git hook that looks at the Lean files of each commit (`mk init --git-hook`). Only a `pre-commit` that is wholly
//! ours is written or removed; beside another one a person adds the lines by hand.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use anyhow::Context as _;
use serde::Serialize;

use crate::app::App;
use crate::app::git::Repository;
use crate::files;
use crate::guard::audit::Selection;
use crate::project::Project;
use crate::shell::quoted;
use crate::text::{clean, clean_block};
use crate::ui::{Exit, Out, UsageError, person};

const BEGIN: &str = "#!/bin/sh\n# >>> math-forge\n";
const END: &str = "# <<< math-forge\n";

#[derive(Debug, Serialize)]
pub struct Report {
    pub hook: String,
    pub state: State,
    /// The lines that the person may add, where another hook is there.
    pub lines: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Installed,
    Unchanged,
    Removed,
    Absent,
    ByHand,
}

/// Installs the hook of the repository around the current folder, brings it up to date, or with `remove`
/// takes it out. `deny` says what makes a commit fail, as `mk audit --deny` takes it.
pub(crate) fn run(
    app: &App,
    out: &mut Out,
    deny: Option<&str>,
    remove: bool,
) -> anyhow::Result<Exit> {
    let deny = deny.unwrap_or("error");
    let is_empty = deny.parse::<Selection>().map(|rules| rules.is_empty());
    if is_empty.map_err(|error| UsageError(error.to_string()))? {
        return Err(UsageError("--deny names no rule".to_owned()).into());
    }
    person::require(app, "changing what git does before a commit")?;
    let report = change(app, (!remove).then_some(deny))?;
    out.answer(&report, |_| view(&report))?;
    Ok(if report.state == State::ByHand { Exit::Failed } else { Exit::Done })
}

/// Without `deny` the hook is taken out.
pub fn change(app: &App, deny: Option<&str>) -> anyhow::Result<Report> {
    let start = app.environment.current_dir.as_deref().unwrap_or(&app.project.start);
    let project = Project::find(start);
    let repository = Repository::at(&project.root)
        .with_context(|| format!("`{}` is not in a git repository", project.start.display()))?;
    let hooks = repository.hooks()?;
    let file = hooks.folder.join("pre-commit");
    let hook = file.display().to_string();
    let failed = || format!("could not write `{hook}`");
    let is_there = fs::symlink_metadata(&file).is_ok();
    let is_file = fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file());
    let text = files::text(&file, files::SMALL).unwrap_or_default();
    let is_ours = is_file && text.starts_with(BEGIN) && text.ends_with(END);
    let state = match deny.map(script) {
        None if is_ours => {
            fs::remove_file(&file).with_context(failed)?;
            State::Removed
        }
        None if text.contains("audit --staged") => State::ByHand,
        None => State::Absent,
        Some(script) if is_ours && script == text => State::Unchanged,
        // Of a folder that git reads for all repositories this one has no business to change anything.
        Some(script) if !hooks.shared && (is_ours || !is_there) => {
            files::replace(&file, script.as_bytes()).with_context(failed)?;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&file, mode).with_context(failed)?;
            State::Installed
        }
        Some(_) => State::ByHand,
    };
    let lines = deny.map(body).filter(|_| state == State::ByHand);
    Ok(Report { hook, state, lines })
}

fn script(deny: &str) -> String {
    format!(
        "{BEGIN}# Checks the Lean files of this commit; `mk init --git-hook --remove` removes it.\n{}{END}",
        body(deny)
    )
}

/// It names no file of this machine: the hook may be committed.
fn body(deny: &str) -> String {
    let deny = quoted(deny);
    format!(
        "(
    mk=$HOME/.local/bin/mk
    if ! [ -x \"$mk\" ]; then
        mk=$(command -v mk) || mk=
        case $(\"${{mk:-false}}\" --version 2>/dev/null) in
            'mk '[0-9]*) ;;
            *) mk= ;;
        esac
    fi
    if [ -z \"$mk\" ]; then
        echo 'math-forge: mk was not found, so the Lean files of this commit were not checked' >&2
    elif ! git diff --cached --quiet --no-ext-diff -- '*.lean'; then
        \"$mk\" audit --staged --deny {deny} || [ $? -ne 1 ] || exit 1
    fi
) || exit 1
"
    )
}

fn view(report: &Report) -> String {
    let hook = clean(&report.hook);
    match (report.state, &report.lines) {
        (State::Installed, _) => {
            format!("Wrote `{hook}`: Lean files are checked before each commit\n")
        }
        (State::Unchanged, _) => format!("Nothing to do: `{hook}` already has it\n"),
        (State::Removed, _) => format!("Removed `{hook}`\n"),
        (State::Absent, _) => format!("Nothing to do: `{hook}` does not have it\n"),
        (State::ByHand, None) => format!("`{hook}` has more in it: remove the lines by hand\n"),
        (State::ByHand, Some(lines)) => format!(
            "Nothing was changed: `{hook}` is there already, or belongs to all repositories. To do it by hand, \
             add this to it:\n\n{}\n",
            clean_block(lines).trim_end()
        ),
    }
}
