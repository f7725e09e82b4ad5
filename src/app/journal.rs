//! The journal: proposals and decisions about them, in `seed.json` under git. It may lie in the person's own
//! repository: it commits that one file, runs no hook, pushes nowhere, and waits while the person is at work.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::App;
use super::git::Repository;
use crate::files;
use crate::learn::seed;
use crate::model::{Finding, Status};
use crate::text::hash;

const PATIENCE: Duration = Duration::from_secs(3);

/// The configured file, else the one in the data folder, if it exists.
pub fn place(app: &App) -> Option<PathBuf> {
    let own = own_folder(app).join("seed.json");
    let seed =
        app.config.seed.clone().or_else(|| own.parent()?.join(".git").exists().then_some(own))?;
    // A link is followed: replaced by a file it would be one no more.
    Some(fs::canonicalize(&seed).unwrap_or(seed))
}

fn own_folder(app: &App) -> PathBuf {
    app.paths.data_dir.join("journal")
}

/// Makes a journal: a repository with an empty seed in it. What is there already stays.
pub fn create(folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)
        .with_context(|| format!("could not create `{}`", folder.display()))?;
    let seed = folder.join("seed.json");
    let git = match around(folder) {
        Some(git) => git,
        None => Repository::create(folder)?,
    };
    if !seed.exists() {
        write_whole(&seed, &seed::update("", &[])?.text)?;
    }
    if git.resolve("HEAD").is_none() || is_dirty(&git, &seed)? {
        commit(&git, &seed, "Begin the journal")?;
    }
    Ok(seed)
}

pub fn create_own(app: &App) -> anyhow::Result<PathBuf> {
    create(&own_folder(app))
}

/// Why it has to wait for another time, if so; nothing is lost.
pub fn append(app: &mut App) -> anyhow::Result<Option<String>> {
    let Some(seed) = place(app) else { return Ok(None) };
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let rows = store.to_journal()?;
    if rows.is_empty() {
        return Ok(None);
    }
    if seed.parent().is_none_or(|folder| around(folder).is_none()) {
        bail!("`{}` is not in a git repository: run `mk init` to make a journal", seed.display());
    }
    let entries: Vec<seed::Entry> = rows.iter().filter_map(entry).collect();
    let deferred = rewrite(app, &seed, |text| {
        let new = seed::update(text, &entries)?;
        let message = message(&new);
        Ok((new.text, message))
    })?;
    if deferred.is_none() {
        app.write(|writer| rows.iter().try_for_each(|row| writer.journaled(row)))?;
    }
    Ok(deferred)
}

/// How many went. Earlier versions stay in git's history.
pub fn forget(
    app: &App,
    unwanted: impl Fn(&serde_json::Value) -> bool,
    dry_run: bool,
) -> anyhow::Result<usize> {
    let Some(seed) = place(app).filter(|seed| seed.exists()) else { return Ok(0) };
    let (_, gone) = seed::remove(&read(&seed)?, &unwanted)
        .map_err(|error| anyhow::anyhow!("the journal `{}`: {error}", seed.display()))?;
    if gone == 0 || dry_run {
        return Ok(gone);
    }
    let mut went = gone;
    let reason = rewrite(app, &seed, |text| {
        let (left, gone) = seed::remove(text, &unwanted)?;
        went = gone;
        Ok((left, format!("Learn: forgot {gone} proposals")))
    })?;
    match reason {
        Some(reason) => bail!("the journal cannot be changed now: {reason}"),
        None => Ok(went),
    }
}

/// Writes and commits a new text of the journal with a message; the reason where that has to wait.
fn rewrite(
    app: &App,
    seed: &Path,
    new: impl FnOnce(&str) -> anyhow::Result<(String, String)>,
) -> anyhow::Result<Option<String>> {
    let Some(_lock) = files::lock(&app.paths.state_dir.join("journal.lock"), PATIENCE)? else {
        return Ok(Some("another process is writing the journal".to_owned()));
    };
    let git = seed.parent().and_then(around);
    let mark = app.paths.state_dir.join("journal.written");
    if let Some(git) = &git
        && let Some(reason) = obstacle(git, seed, &mark)?
    {
        return Ok(Some(reason));
    }
    let text = read(seed)?;
    let (new, message) =
        new(&text).map_err(|error| anyhow::anyhow!("the journal `{}`: {error}", seed.display()))?;
    let was_there = seed.exists();
    if new != text {
        files::replace(&mark, hash(&new, 32).as_bytes())?;
        write_whole(seed, &new)?;
    }
    if let Some(git) = git
        && is_dirty(&git, seed)?
        && let Err(refused) = commit(&git, seed, &message)
    {
        if was_there {
            write_whole(seed, &text)?;
        } else {
            fs::remove_file(seed)?;
        }
        files::replace(&mark, hash(&text, 32).as_bytes())?;
        return Ok(Some(refused.root_cause().to_string()));
    }
    fs::remove_file(&mark).ok();
    Ok(None)
}

fn around(folder: &Path) -> Option<Repository> {
    Repository::around(folder).map(Repository::by_itself)
}

fn message(updated: &seed::Updated) -> String {
    match (updated.added, updated.decided) {
        // Written by a process that ended before it could commit.
        (0, 0) => format!("Learn: extracted {} proposals", updated.skipped),
        (0, decided) => format!("Learn: decided {decided} proposals"),
        (added, 0) => format!("Learn: extracted {added} proposals"),
        (added, decided) => {
            format!("Learn: extracted {added} proposals\n\nDecided {decided} proposals.")
        }
    }
}

fn entry(row: &Finding) -> Option<seed::Entry> {
    let content = &row.content;
    let said = content.said()?;
    let decided = content.decision().filter(|_| content.status != Status::Proposed);
    Some(seed::Entry {
        id: row.uid.clone(),
        kind: said.kind.clone(),
        becomes: content.kind.to_string(),
        content: said.content.clone(),
        source: content.source.session.clone().unwrap_or_else(|| said.source.clone()),
        extracted_at: iso(&said.extracted_at),
        status: content.proposal_status()?.to_owned(),
        decided_at: decided.map(|decision| iso(&decision.at)),
    })
}

/// `YYYY-MM-DD HH:MM:SS` in UTC as ISO 8601; anything else stays as it is.
fn iso(time: &str) -> String {
    let candidate = format!("{}Z", time.replacen(' ', "T", 1));
    if candidate.parse::<Timestamp>().is_ok() { candidate } else { time.to_owned() }
}

/// What speaks against writing just now, and git does not refuse by itself: the person's own unfinished work.
fn obstacle(git: &Repository, seed: &Path, mark: &Path) -> anyhow::Result<Option<String>> {
    for (file, what) in
        [("REVERT_HEAD", "revert"), ("rebase-merge", "rebase"), ("rebase-apply", "rebase")]
    {
        if git.state_file(file).is_ok_and(|path| path.exists()) {
            return Ok(Some(format!("a {what} is under way in the journal's repository")));
        }
    }
    // A change of the journal that is not committed is the person's, unless it is what was written
    // here last and not committed any more.
    let ours = files::text(mark, files::SMALL).ok();
    let is_ours = ours.is_some() && read(seed).ok().map(|text| hash(&text, 32)) == ours;
    if git.is_detached() {
        return Ok(Some("no branch is checked out in the journal's repository".to_owned()));
    }
    if git.resolve("HEAD").is_some() && seed.exists() && !is_ours && is_dirty(git, seed)? {
        return Ok(Some(format!("`{}` has changes that are not committed", seed.display())));
    }
    Ok(None)
}

fn is_dirty(git: &Repository, seed: &Path) -> anyhow::Result<bool> {
    let path = seed.to_string_lossy();
    Ok(!git
        .run(["status", "--porcelain", "--ignored", "--ignore-submodules=all", "--", &path])?
        .is_empty())
}

fn commit(git: &Repository, seed: &Path, message: &str) -> anyhow::Result<()> {
    let path = seed.to_string_lossy();
    // Known to git, and no more, so that nothing is staged where the commit is refused.
    git.run(["add", "--intent-to-add", "--force", "--", &path])?;
    let quiet = ["commit", "--quiet", "--no-verify", "--message", message, "--only", "--", &path];
    git.run(quiet)
        .with_context(|| format!("the journal `{}` was not committed", seed.display()))?;
    Ok(())
}

fn read(seed: &Path) -> anyhow::Result<String> {
    files::text_or_empty(seed, files::LONG)
        .with_context(|| format!("could not read the journal `{}`", seed.display()))
}

fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    files::replace(path, text.as_bytes())
        .with_context(|| format!("could not write the journal `{}`", path.display()))
}
