//! The settings as a table.

use super::layout::{Column, Page};
use super::theme::{Tone, paint};
use crate::app::settings::{ConfigReport, Files};
use crate::text::clean;

/// Pages of at least this width explain each setting.
const EXPLAINED: usize = 100;

/// Every setting, its value and where that comes from; then what is wrong.
pub fn config(report: &ConfigReport, width: usize) -> String {
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

pub fn config_files(report: &Files, width: usize) -> String {
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

    use super::super::tests as sample;
    use super::*;
    use crate::app::guard::settings::words;

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
