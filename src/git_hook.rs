//! A git hook that looks at the Lean files of each commit, beside the hooks that are there already.
//!
//! It is a block of shell behind the first line of `pre-commit`, between two marks. It stands first,
//! not last, because the end of a script decides its exit code: what was there stays as it was.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use crate::app::App;
use crate::app::git::{Hooks, Repository};
use crate::files;
use crate::guard::audit::Selection;
use crate::project::Project;
use crate::shell::quoted;
use crate::text::{clean, clean_block};
use crate::ui::{Exit, Out, UsageError, person};

const BEGIN: &str = "# >>> math-forge";
const END: &str = "# <<< math-forge";
const SHELL: &str = "#!/bin/sh\n";

#[derive(Debug, Serialize)]
pub struct Report {
    pub hook: String,
    pub state: State,
    /// Why nothing was done, where a person has to do it.
    pub reason: Option<String>,
    /// The lines that the person may add, and where.
    pub advice: Option<Advice>,
}

#[derive(Debug, Serialize)]
pub struct Advice {
    pub file: String,
    pub lines: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Created,
    Added,
    Updated,
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

/// Nothing that is there is changed but by this block; without `deny` it is taken out.
pub fn change(app: &App, deny: Option<&str>) -> anyhow::Result<Report> {
    let start = app.environment.current_dir.as_deref().unwrap_or(&app.project.start);
    let project = Project::find(start);
    let repository = Repository::at(&project.root)
        .with_context(|| format!("`{}` is not in a git repository", project.start.display()))?;
    let hooks = repository.hooks()?;
    let file = hooks.folder.join("pre-commit");
    let (done, advice) = match deny.map(|deny| (deny, framework(&project.root, deny))) {
        None => (remove(&file)?, None),
        Some((_, Some((reason, advice)))) => (Err(reason), Some(advice)),
        Some((deny, None)) => {
            let binary = app.environment.executable.as_deref();
            let block = block(deny, binary.filter(|_| !is_in_work_tree(&project.root, &hooks)));
            let done = install(&file, &hooks, &block)?;
            (done, Some(Advice { file: shown(&file), lines: block }))
        }
    };
    Ok(Report {
        hook: shown(&file),
        state: done.as_ref().copied().unwrap_or(State::ByHand),
        advice: advice.filter(|_| done.is_err()),
        reason: done.err(),
    })
}

/// What was done, or why a person has to do it.
type Done = Result<State, String>;

const BROKEN: &str = "one of the marks of the block is missing";

fn install(file: &Path, hooks: &Hooks, block: &str) -> anyhow::Result<Done> {
    let by_hand = |reason: &str| Ok(Err(reason.to_owned()));
    if hooks.shared {
        return by_hand("git reads the hooks of all repositories from there");
    }
    let unread = || format!("could not read `{}`", shown(file));
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            write(file, &format!("{SHELL}{block}"))?;
            fs::set_permissions(file, fs::Permissions::from_mode(0o755))
                .with_context(|| format!("could not write `{}`", shown(file)))?;
            return Ok(Ok(State::Created));
        }
        Err(error) => return Err(error).with_context(unread),
    };
    if metadata.is_symlink() {
        return by_hand("it is a link to another file");
    }
    let text = files::read(file, files::SMALL).with_context(unread)?;
    let Some(text) = String::from_utf8(text).ok().filter(|text| is_shell(text)) else {
        return by_hand("it is not a shell script");
    };
    if metadata.permissions().mode() & 0o111 == 0 {
        return by_hand("it is not executable: git does not run it");
    }
    let (new, state) = match parts(&text) {
        Parts::None => (with_block(&text, block), State::Added),
        Parts::Block { before, own, .. } if own == block && before.lines().count() == 1 => {
            return Ok(Ok(State::Unchanged));
        }
        Parts::Block { before, after, .. } => {
            (with_block(&format!("{before}{after}"), block), State::Updated)
        }
        Parts::Broken => return by_hand(BROKEN),
    };
    write(file, &new)?;
    Ok(Ok(state))
}

fn remove(file: &Path) -> anyhow::Result<Done> {
    let text = files::read(file, files::SMALL).unwrap_or_default();
    match parts(&String::from_utf8(text).unwrap_or_default()) {
        Parts::None => return Ok(Ok(State::Absent)),
        Parts::Broken => return Ok(Err(BROKEN.to_owned())),
        Parts::Block { before: SHELL, after: "", .. } => {
            fs::remove_file(file).with_context(|| format!("could not delete `{}`", shown(file)))?;
        }
        Parts::Block { before, after, .. } => write(file, &format!("{before}{after}"))?,
    }
    Ok(Ok(State::Removed))
}

/// A tool that writes the hooks of this repository itself: what it does not know, it overwrites.
fn framework(root: &Path, deny: &str) -> Option<(String, Advice)> {
    let config = root.join(".pre-commit-config.yaml");
    let husky = root.join(".husky");
    let (tool, file, lines) = if config.is_file() {
        ("pre-commit", config, entry(deny))
    } else if husky.is_dir() {
        let line = format!("mk audit --staged --deny {}\n", quoted(deny));
        ("husky", husky.join("pre-commit"), line)
    } else {
        return None;
    };
    let reason = format!("{tool} manages the hooks of this repository");
    Some((reason, Advice { file: shown(&file), lines }))
}

/// Whether the hook may be committed: then it names no file of this machine.
fn is_in_work_tree(root: &Path, hooks: &Hooks) -> bool {
    let folder = fs::canonicalize(&hooks.folder).unwrap_or_else(|_| hooks.folder.clone());
    folder.strip_prefix(root).is_ok_and(|inside| !inside.starts_with(".git"))
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    files::replace(file, text.as_bytes())
        .with_context(|| format!("could not write `{}`", shown(file)))
}

fn block(deny: &str, binary: Option<&Path>) -> String {
    let binary = binary.and_then(Path::to_str).filter(|path| !path.contains('\n'));
    let first = binary.map_or_else(|| "$HOME/.local/bin/mk".to_owned(), quoted);
    let deny = quoted(deny);
    format!(
        "{BEGIN}
# Checks the Lean files of this commit; `mk init --git-hook --remove` removes it.
(
    mk={first}
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
{END}
"
    )
}

fn entry(deny: &str) -> String {
    format!(
        "  - repo: local
    hooks:
      - id: mk-audit
        name: mk audit
        entry: mk audit --staged --deny {}
        language: system
        files: \\.lean$
        pass_filenames: false
",
        quoted(deny)
    )
}

enum Parts<'a> {
    None,
    Block { before: &'a str, own: &'a str, after: &'a str },
    Broken,
}

fn parts(text: &str) -> Parts<'_> {
    let mark = |wanted: &str| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            (line.trim_end() == wanted).then_some((start, at))
        })
    };
    match (mark(BEGIN), mark(END)) {
        (None, None) => Parts::None,
        (Some((start, _)), Some((_, end))) if start < end => {
            let get = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
            let (before, own, after) = (get(0..start), get(start..end), get(end..text.len()));
            Parts::Block { before, own, after }
        }
        _ => Parts::Broken,
    }
}

fn with_block(text: &str, block: &str) -> String {
    let end = text.find('\n').map_or(text.len(), |end| end + 1);
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let line_end = if first.ends_with('\n') { "" } else { "\n" };
    format!("{first}{line_end}{block}{rest}")
}

/// Whether a script's first line names a shell that reads the block.
fn is_shell(text: &str) -> bool {
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        return false;
    };
    let names = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut programs = names.filter(|name| *name != "env" && !name.starts_with('-'));
    programs
        .next()
        .is_some_and(|name| matches!(name, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh"))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn view(report: &Report) -> String {
    let hook = clean(&report.hook);
    let told = match report.state {
        State::Created => format!("Created `{hook}`: Lean files are checked before each commit"),
        State::Added => format!("Added to `{hook}`: Lean files are checked before each commit"),
        State::Updated => format!("Updated `{hook}`"),
        State::Unchanged => format!("Nothing to do: `{hook}` already has it"),
        State::Removed => format!("Removed from `{hook}`"),
        State::Absent => format!("Nothing to do: `{hook}` does not have it"),
        State::ByHand => {
            let reason = report.reason.as_deref().unwrap_or_default();
            format!("Nothing was changed in `{hook}`: {}", clean(reason))
        }
    };
    let mut text = told + "\n";
    if let Some(advice) = &report.advice {
        let (file, lines) = (clean(&advice.file), clean_block(&advice.lines));
        write!(text, "To do it by hand, add this to `{file}`:\n\n{}\n", lines.trim_end()).ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_goes_behind_the_first_line_and_leaves_no_trace() {
        let block = block("error", Some(Path::new("/opt/a b's/mk")));
        assert!(block.contains("\n    mk=\"/opt/a b's/mk\"\n"), "{block}");
        for text in [
            "#!/bin/sh\n",
            "#!/usr/bin/env -S bash -e\n\nset -u\nexec other \"$@\"\n",
            "#!/bin/sh\nexit",
        ] {
            let with = with_block(text, &block);
            assert!(with.starts_with(text.lines().next().unwrap()), "{with}");
            let Parts::Block { before, own, after } = parts(&with) else { panic!("{with}") };
            assert_eq!((format!("{before}{after}").as_str(), own), (text, block.as_str()));
        }
        assert!(matches!(parts("#!/bin/sh\n# >>> math-forge\n"), Parts::Broken));
        assert!(matches!(parts("# <<< math-forge\n# >>> math-forge\n"), Parts::Broken));
        assert!(matches!(parts("echo '# >>> math-forge'\n"), Parts::None));
    }

    #[test]
    fn shells_are_known_by_their_first_line() {
        for (text, expected) in [
            ("#!/bin/sh\n", true),
            ("#! /usr/bin/env bash\n", true),
            ("#!/usr/bin/env -S zsh -e\n", true),
            ("#!/usr/bin/env python3\n", false),
            ("#!/usr/bin/fish\n", false),
            ("#!\n", false),
            ("echo no first line\n", false),
            ("", false),
        ] {
            assert_eq!(is_shell(text), expected, "{text}");
        }
    }
}
