//! `mk config`: the settings, where they come from, and setting them.

use std::path::PathBuf;

use anyhow::Context as _;
use serde::Serialize;

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::config::{self, Entry, Value};
use crate::files;
use crate::text::clean;
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, person};

/// Show and change the configuration
///
/// The environment overrides the project's file, which overrides your own, which overrides the
/// defaults. A project's file can make the guard stricter, never looser.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk config
  mk config get guard.levels.axiom-added
  mk config set guard.levels.axiom-added deny
  mk config set --project audit.deny gaps,axiom
  mk config path")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// One setting
    Get {
        /// Its key, such as `brief.budget`
        key: String,
    },
    /// Sets a key in your own file (by a person)
    Set {
        /// Its key, such as `guard.levels.proof-lost`
        key: String,
        /// Its value; a list is separated by commas
        value: String,
        /// In the project's file
        #[arg(long)]
        project: bool,
    },
    /// Where the files are
    Path,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::Get { .. } | Action::Path) => Does::Reads,
            Some(Action::Set { .. }) => Does::Decides(PersonDecision::Terminal("mk config set")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action {
            None => {
                let report = report(app);
                out.answer(&report, |width| config(&report, width))?;
            }
            Some(Action::Get { key }) => {
                let entry = get(app, &key)?;
                out.answer(&entry, |_| format!("{}\n", entry.value.plain("\n")))?;
            }
            Some(Action::Set { key, value, project }) => {
                let change = check(app, &key, &value, project)?;
                person::require(app, "changing the configuration")?;
                out.note(&format!("{} = {}", change.key, change.value));
                person::require_name(app, out, "changing the configuration", &change.key)?;
                let changed = set(app, &key, &value, project)?;
                out.answer(&changed, |_| format!("written to {}\n", changed.file.display()))?;
                if let Some(remark) = &changed.remark {
                    out.note(&format!("mk: {}: {remark}", changed.key));
                }
            }
            Some(Action::Path) => {
                let files = files(app);
                out.answer(&files, |width| {
                    let mut page = Page::new(width);
                    list_files(&mut page, &files);
                    page.into_text()
                })?;
            }
        }
        Ok(Exit::Done)
    }
}

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

pub fn report(app: &App) -> ConfigReport {
    ConfigReport {
        settings: app.config.entries(),
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
    let key = config::key(key).map_err(anyhow::Error::msg)?;
    let entry = app.config.entries().into_iter().find(|entry| entry.key == key);
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
    let text = files::text_or_empty(&file, files::SMALL)
        .with_context(|| format!("could not read `{}`", file.display()))?;
    config::change(&text, key, value, project).map_err(anyhow::Error::msg)
}

/// Sets a key in the user's file, or in the project's. Comments and order of the file stay.
pub fn set(app: &App, key: &str, value: &str, project: bool) -> anyhow::Result<Changed> {
    let change = check(app, key, value, project)?;
    let file = file(app, project);
    files::replace(&file, change.text.as_bytes())
        .with_context(|| format!("could not write `{}`", file.display()))?;
    let (user, own) = (&app.paths.config_file, app.project.config_file());
    let loaded = config::Config::load(user, &own, &app.environment);
    let now = loaded.entries().into_iter().find(|entry| entry.key == change.key);
    let adds = matches!(change.value, Value::Texts(_));
    let remark = now.filter(|entry| entry.value != change.value && !adds).map(|entry| {
        format!("it is still `{}`, from {}", entry.value.plain(", "), entry.source.as_str())
    });
    Ok(Changed { key: change.key, value: change.value, file, remark })
}

fn file(app: &App, project: bool) -> PathBuf {
    if project { app.project.config_file() } else { app.paths.config_file.clone() }
}

/// Pages of at least this width explain each setting.
const EXPLAINED: usize = 100;

fn config(report: &ConfigReport, width: usize) -> String {
    let mut page = Page::new(width);
    let mut columns =
        vec![Column::text("KEY", 0), Column::text("VALUE", 12), Column::text("FROM", 0)];
    // On a narrow page the explanations would be cut after a word or two.
    if width >= EXPLAINED {
        columns.push(Column::text("", 10));
    }
    let rows: Vec<Vec<String>> = report
        .settings
        .iter()
        .map(|entry| {
            let value = entry.value.plain(", ");
            let value = if value.is_empty() { "-".to_owned() } else { value };
            let from = entry.source.as_str().to_owned();
            let mut row = vec![entry.key.clone(), value, from, entry.help.to_owned()];
            row.truncate(columns.len());
            row
        })
        .collect();
    page.table(1, &columns, rows);
    page.blank();
    list_files(&mut page, &report.files);
    if !report.problems.is_empty() {
        page.blank();
        page.line(1, &paint(Tone::Caution, "What is wrong"));
    }
    for problem in &report.problems {
        page.paragraph(2, problem);
    }
    page.into_text()
}

fn list_files(page: &mut Page, files: &Files) {
    let shown = |exists: bool| if exists { "" } else { " (not there)" };
    for (name, path, exists) in [
        ("user", &files.user, files.user_exists),
        ("project", &files.project, files.project_exists),
    ] {
        let path = clean(&path.display().to_string());
        page.line(1, &format!("{name:<8} {path}{}", paint(Tone::Faint, shown(exists))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    #[test]
    fn narrow_pages_leave_explanations_out() {
        let report = ConfigReport {
            settings: crate::config::Config::default().entries(),
            problems: vec!["MK_GUARD: `x` is neither `true` nor `false`: ignored".to_owned()],
            files: Files {
                user: PathBuf::from("/home/me/config.toml"),
                user_exists: true,
                project: PathBuf::from("/p/config.toml"),
                project_exists: false,
            },
        };
        for columns in [60, 100] {
            let text = sample::plain(&config(&report, columns), columns);
            assert_eq!(text.contains("tokens of the briefing"), columns == 100, "{text}");
            for line in ["guard.levels.proof-lost", "/p/config.toml (not there)", "What is wrong"] {
                assert!(text.contains(line), "{text}");
            }
        }
    }
}
