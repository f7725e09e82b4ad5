//! `mk config`: the settings, where they come from, and setting them.

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::settings::{self, ConfigReport, Files};
use crate::text::clean;
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, person};

/// Show and change the configuration
///
/// The environment wins over the project's file, that over your own, that over built-in values. A
/// project's file can make the guard stricter, never looser.
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
    /// Every setting, its value and where that comes from
    List,
    /// One setting
    Get {
        /// Its key, such as `brief.budget`
        key: String,
    },
    /// Sets a key in your own file (by a person)
    Set {
        /// Its key, such as `guard.levels.proof-lost`
        key: String,
        /// Its value; texts of a list with commas between them
        value: String,
        /// In the project's file
        #[arg(long)]
        project: bool,
    },
    /// Where the files are
    Path {
        /// Only the project's file
        #[arg(long)]
        project: bool,
    },
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None | Some(Action::List | Action::Get { .. } | Action::Path { .. }) => Does::Reads,
            Some(Action::Set { .. }) => Does::Decides(PersonDecision::Terminal("mk config set")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action.unwrap_or(Action::List) {
            Action::List => {
                let report = settings::report(app);
                out.answer(&report, |width| config(&report, width))?;
            }
            Action::Get { key } => {
                let entry = settings::get(app, &key)?;
                out.answer(&entry, |_| format!("{}\n", entry.value.plain("\n")))?;
            }
            Action::Set { key, value, project } => {
                let change = settings::check(app, &key, &value, project)?;
                person::require(app, "changing the configuration")?;
                out.note(&format!("{} = {}", change.key, change.value));
                person::require_name(app, out, "changing the configuration", &change.key)?;
                let changed = settings::set(app, &key, &value, project)?;
                out.answer(&changed, |_| format!("written to {}\n", changed.file.display()))?;
                if let Some(remark) = &changed.remark {
                    out.note(&format!("mk: {}: {remark}", changed.key));
                }
            }
            Action::Path { project } => {
                let files = settings::files(app);
                if out.json {
                    out.object(&files)?;
                } else if project {
                    out.print(&format!("{}\n", files.project.display()))?;
                } else {
                    out.print(&config_files(&files, out.width))?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

/// Pages of at least this width explain each setting.
const EXPLAINED: usize = 100;

/// Every setting, its value and where that comes from; then what is wrong.
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
    files(&mut page, &report.files);
    if !report.problems.is_empty() {
        page.blank();
        page.line(1, &paint(Tone::Caution, "What is wrong"));
    }
    for problem in &report.problems {
        page.paragraph(2, problem);
    }
    page.into_text()
}

fn config_files(report: &Files, width: usize) -> String {
    let mut page = Page::new(width);
    files(&mut page, report);
    page.into_text()
}

fn files(page: &mut Page, files: &Files) {
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
    use std::path::PathBuf;

    use super::*;
    use crate::app::guard::known::words;
    use crate::ui::tests as sample;

    #[test]
    fn narrow_pages_leave_explanations_out() {
        let report = ConfigReport {
            settings: crate::config::Config::default().entries(&words()),
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
