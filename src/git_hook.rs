//! A git hook that looks at the Lean files of each commit (`mk init --git-hook`). Only a `pre-commit` that is wholly
//! ours is written or removed; beside another one a person adds the lines by hand.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use anyhow::Context as _;

use crate::app::App;
use crate::app::git::Repository;
use crate::files;
use crate::guard::audit::Selection;
use crate::hosts::{self, Changed, State};
use crate::project::Project;
use crate::shell::quoted;
use crate::ui::{Exit, Out, UsageError, person};

const BEGIN: &str = "#!/bin/sh\n# >>> math-forge\n";
const END: &str = "# <<< math-forge\n";

/// Installs the hook of the repository around the current folder, brings it up to date, or with `remove`
/// takes it out. `deny` says what makes a commit fail, as `mk audit --deny` takes it.
pub(crate) fn run(
    app: &App,
    out: &mut Out,
    deny: Option<&str>,
    remove: bool,
) -> anyhow::Result<Exit> {
    let deny = deny.unwrap_or("error");
    let is_empty = deny.parse::<Selection>().map(|rules| rules.0.is_empty());
    if is_empty.map_err(UsageError)? {
        return Err(UsageError("--deny names no rule".to_owned()).into());
    }
    person::require(app, "changing what git does before a commit")?;
    hosts::told(out, vec![change(app, (!remove).then_some(deny))?], false)
}

/// Without `deny` the hook is taken out.
pub fn change(app: &App, deny: Option<&str>) -> anyhow::Result<Changed> {
    let project = Project::find(app.here());
    let repository = Repository::at(&project.root)
        .with_context(|| format!("`{}` is not in a git repository", project.start.display()))?;
    let (folder, is_shared) = repository.hooks()?;
    let file = folder.join("pre-commit");
    let failed = || format!("could not write `{}`", file.display());
    let is_there = fs::symlink_metadata(&file).is_ok();
    let is_file = fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file());
    let text = files::text(&file, files::SMALL).unwrap_or_default();
    let is_ours = is_file && text.starts_with(BEGIN) && text.ends_with(END);
    let state = match deny.map(script) {
        None if is_ours => {
            fs::remove_file(&file).with_context(failed)?;
            State::Removed
        }
        None if text.contains("audit --staged") => State::Taken,
        None => State::Absent,
        Some(script) if is_ours && script == text => State::Unchanged,
        // Of a folder that git reads for all repositories this one has no business to change anything.
        Some(script) if !is_shared && (is_ours || !is_there) => {
            files::replace(&file, script.as_bytes()).with_context(failed)?;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&file, mode).with_context(failed)?;
            State::Written
        }
        Some(_) => State::Taken,
    };
    let entry = deny.map(body).filter(|_| state == State::Taken);
    Ok(Changed { file: file.display().to_string(), state, entry })
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
