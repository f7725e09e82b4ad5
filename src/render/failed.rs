//! What failed and what is false.

use jiff::Timestamp;

use super::EMPTY_BASE;
use super::layout::Page;
use super::record::{Within, gist, provenance, titled};
use crate::app::failed::FailedReport;
use crate::model::Draft;
use crate::text::{clean, clip};

/// Failures and false lemmas, those of the knowledge base first.
pub fn failed(report: &FailedReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let about = report
        .keyword
        .as_deref()
        .map_or_else(String::new, |word| format!(" for `{}`", clip(&clean(word), width / 2)));
    if report.findings.is_empty() && report.not_imported.is_empty() {
        page.paragraph(1, &format!("No failed approaches and no false lemmas{about}."));
        if report.empty_base {
            page.hint(EMPTY_BASE);
        }
    } else {
        page.line(1, &format!("Failed approaches and false lemmas{about}"));
        page.rule();
    }
    let stored = report.findings.iter().map(|finding| (finding.label(), &finding.content));
    let others = report.not_imported.iter().map(|draft| (TRACKING.to_owned(), draft));
    for (at, (id, content)) in stored.chain(others).enumerate() {
        if at > 0 {
            page.blank();
        }
        refused(&mut page, 1, content, &id, now);
    }
    for note in &report.notes {
        page.blank();
        page.hint(&format!("Not looked at: {}", clean(note)));
    }
    page.into_text()
}

/// Stands for the number of what is in the tracking database only.
pub(super) const TRACKING: &str = "tracking.db";

/// What failed or is false, with why, and what to do instead.
pub(super) fn refused(page: &mut Page, depth: usize, content: &Draft, id: &str, now: Timestamp) {
    titled(page, depth, content, id);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let name = text(&content.theorem_name);
    if !content.title.contains(&name) {
        page.labelled(depth + 1, "Name", &name);
    }
    gist(page, depth + 1, content);
    page.labelled(depth + 1, "Avoid", &text(&content.avoid_pattern));
    page.labelled(depth + 1, "Instead", &text(&content.correct_approach));
    provenance(page, depth + 1, content, Within::default(), now);
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    #[test]
    fn both_sources() {
        let report = sample::failed();
        let text = |width| sample::plain(&failed(&report, width, sample::now()), width);
        insta::assert_snapshot!(text(60), @r"
        Failed approaches and false lemmas for `row`
        ---
        [FALSE] slope_injective  #10
          Counterexample: (1, 1) and (2, 2)
          Why: Two points on one line have one slope.
          Instead: use the slope together with the column
          Problem: bridges_12 | on record | 1d ago

        [FAILED] Induction on the number of rows, with a titl…  #9
          Why: Removing a row may create a new collinear triple.…
          Avoid: induction without tracking the slopes
          Slot: 609 | Problem: bridges_12 | on record | 2d ago

        [FALSE] row_sum_even  tracking.db
          Counterexample: n = 3, the middle row
          Why: The boundary rows lose one bridge each.
          Slot: 598 | Problem: bridges_12 | on record | 7d ago
        ");
        insta::assert_snapshot!(text(100), @r"
        Failed approaches and false lemmas for `row`
        ---
        [FALSE] slope_injective  #10
          Counterexample: (1, 1) and (2, 2)
          Why: Two points on one line have one slope.
          Instead: use the slope together with the column
          Problem: bridges_12 | on record | 1d ago

        [FAILED] Induction on the number of rows, with a title so long that no page of any usual widt…  #9
          Why: Removing a row may create a new collinear triple. So the step is false.
          Avoid: induction without tracking the slopes
          Slot: 609 | Problem: bridges_12 | on record | 2d ago

        [FALSE] row_sum_even  tracking.db
          Counterexample: n = 3, the middle row
          Why: The boundary rows lose one bridge each.
          Slot: 598 | Problem: bridges_12 | on record | 7d ago
        ");
    }

    #[test]
    fn none() {
        let report = FailedReport {
            keyword: Some("pigeon".to_owned()),
            findings: Vec::new(),
            not_imported: Vec::new(),
            notes: vec!["tracking.db is locked by another process".to_owned()],
            empty_base: true,
        };
        let text = sample::plain(&failed(&report, 60, sample::now()), 60);
        insta::assert_snapshot!(text, @r"
        No failed approaches and no false lemmas for `pigeon`.
        The knowledge base is empty. Fill it with `mk import
        <tracking.db>` or `mk extract <result.lean>...`; `mk init`
        does the first by itself when it finds a tracking.db.

        Not looked at: tracking.db is locked by another process
        ");
    }
}
