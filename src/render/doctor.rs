//! What `mk doctor` says.

use super::layout::Page;
use super::theme::{Tone, paint};
use crate::app::doctor::DoctorReport;
use crate::store::Health;
use crate::text::{clean, plural};

/// The report, one mark and one line for each thing that was looked at.
pub fn doctor(report: &DoctorReport, width: usize) -> String {
    let mut page = Page::new(width);
    for check in &report.checks {
        let (mark, tone) = match check.health {
            Health::Good => ("✓", Tone::Good),
            Health::Warning => ("!", Tone::Caution),
            Health::Bad => ("✗", Tone::Bad),
        };
        let line = format!("{} {:<17} {}", paint(tone, mark), check.name, clean(&check.detail));
        page.line(1, &line);
    }
    let count = |health| report.checks.iter().filter(|check| check.health == health).count();
    let warnings = match count(Health::Warning) {
        0 => String::new(),
        n => format!(", {}", plural(n, "warning")),
    };
    page.blank();
    page.line(
        1,
        &match count(Health::Bad) {
            0 => format!("Nothing has to be repaired{warnings}."),
            1 => format!("1 thing has to be repaired{warnings}."),
            n => format!("{n} things have to be repaired{warnings}."),
        },
    );
    page.into_text()
}
