//! The configuration as people see and change it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Serialize;

use super::App;
use super::guard::known;
use crate::config::{self, Entry, Value};
use crate::files;

#[derive(Debug, Serialize)]
pub struct ConfigReport {
    pub settings: Vec<Entry>,
    /// What is wrong in the files or the environment, one sentence each.
    pub problems: Vec<String>,
    pub files: Files,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Files {
    pub user: PathBuf,
    pub user_exists: bool,
    pub project: PathBuf,
    pub project_exists: bool,
}

/// Every setting with its value and where that comes from.
pub fn report(app: &App) -> ConfigReport {
    ConfigReport {
        settings: app.config.entries(&known::words()),
        problems: app.config.problems.clone(),
        files: files(app),
    }
}

pub fn files(app: &App) -> Files {
    let (user, project) = (app.paths.config_file.clone(), app.project.config_file());
    Files { user_exists: user.is_file(), project_exists: project.is_file(), user, project }
}

/// One setting, in any spelling of its key that a file may have.
pub fn get(app: &App, key: &str) -> anyhow::Result<Entry> {
    let words = known::words();
    let key = config::key(key, &words).map_err(anyhow::Error::msg)?;
    let entry = app.config.entries(&words).into_iter().find(|entry| entry.key == key);
    entry.with_context(|| format!("unknown key `{key}`"))
}

#[derive(Debug, Serialize)]
pub struct Changed {
    pub key: String,
    pub value: Value,
    pub file: PathBuf,
    /// Why it does not count all the same, where something is stronger.
    pub remark: Option<String>,
}

/// What a change would write, checked but not written: for asking first.
pub fn check(app: &App, key: &str, value: &str, project: bool) -> anyhow::Result<config::Change> {
    let file = file(app, project);
    let text = text(&file)?;
    config::change(&text, key, value, project, &known::words())
        .map_err(|reason| anyhow::anyhow!("{reason}"))
}

/// Sets a key in the user's file, or in the project's. Comments and order of the file stay.
pub fn set(app: &App, key: &str, value: &str, project: bool) -> anyhow::Result<Changed> {
    let change = check(app, key, value, project)?;
    let file = file(app, project);
    files::replace(&file, change.text.as_bytes())
        .with_context(|| format!("could not write `{}`", file.display()))?;
    let words = known::words();
    let loaded = config::Config::load(
        &app.paths.config_file,
        &app.project.config_file(),
        &app.environment,
        &words,
    );
    let now = loaded.entries(&words).into_iter().find(|entry| entry.key == change.key);
    let adds = matches!(change.value, Value::Texts(_));
    let remark = now.filter(|entry| entry.value != change.value && !adds).map(|entry| {
        format!("it is `{}` all the same, from {}", entry.value.plain(", "), entry.source.as_str())
    });
    Ok(Changed { key: change.key, value: change.value, file, remark })
}

fn file(app: &App, project: bool) -> PathBuf {
    if project { app.project.config_file() } else { app.paths.config_file.clone() }
}

fn text(file: &Path) -> anyhow::Result<String> {
    match files::text(file, files::SMALL) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => bail!("could not read `{}`: {error}", file.display()),
    }
}
