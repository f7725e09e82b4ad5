//! What failed and what is false.

use jiff::Timestamp;

use super::EMPTY_BASE;
use super::layout::Page;
use super::record::{Within, gist, headline, provenance};
use super::theme::{Tone, badge, paint};
use super::time::ago;
use crate::app::failed::FailedReport;
use crate::model::{Draft, Kind};
use crate::text::{clean, clip};
use crate::tracking::FalseLemma;

/// Failures and false lemmas, those of the knowledge base first.
pub fn failed(report: &FailedReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let about = report
        .keyword
        .as_deref()
        .map_or_else(String::new, |word| format!(" for `{}`", clip(&clean(word), width / 2)));
    if report.findings.is_empty() && report.false_lemmas.is_empty() {
        page.paragraph(1, &format!("No failed approaches and no false lemmas{about}."));
        if report.empty_base {
            page.hint(EMPTY_BASE);
        }
    } else {
        page.line(1, &format!("Failed approaches and false lemmas{about}"));
        page.rule();
    }
    let mut between = false;
    for finding in &report.findings {
        if between {
            page.blank();
        }
        headline(&mut page, 1, finding);
        reasons(&mut page, &finding.content);
        provenance(&mut page, 2, finding, Within::default(), now);
        between = true;
    }
    for one in &report.false_lemmas {
        if between {
            page.blank();
        }
        lemma(&mut page, 1, one, now);
        between = true;
    }
    for note in &report.notes {
        page.blank();
        page.hint(&format!("Not looked at: {}", clean(note)));
    }
    page.into_text()
}

fn reasons(page: &mut Page, content: &Draft) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let name = text(&content.theorem_name);
    if !content.title.contains(&name) {
        page.labelled(2, "Name", &name);
    }
    gist(page, 2, content);
    page.labelled(2, "Avoid", &text(&content.avoid_pattern));
    page.labelled(2, "Instead", &text(&content.correct_approach));
}

/// A false lemma of the tracking database.
pub(super) fn lemma(page: &mut Page, depth: usize, lemma: &FalseLemma, now: Timestamp) {
    let mark = Kind::FalseLemma.badge();
    let name = clip(&clean(&lemma.name), page.room(depth).saturating_sub(mark.len() + 1));
    page.line(depth, &format!("{} {}", badge(mark), paint(Tone::Heading, &name)));
    for (label, text) in [
        ("Claim", &lemma.english),
        ("Why", &lemma.why_false),
        ("Counterexample", &lemma.counterexample),
        ("Avoid", &lemma.avoid_pattern),
        ("Instead", &lemma.correct_approach),
    ] {
        page.labelled(depth + 1, label, text.as_deref().unwrap_or_default());
    }
    let origin = [
        lemma.slot.map(|slot| format!("Slot: {slot}")),
        lemma.problem.as_deref().map(|problem| format!("Problem: {}", clean(problem))),
        lemma.evidence_level.as_deref().map(|level| format!("Evidence: {}", clean(level))),
        lemma.found_at.as_deref().map(|at| ago(at, now)),
        Some("tracking.db".to_owned()),
    ];
    page.parts(depth + 1, origin.into_iter().flatten().collect());
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

        [FALSE] row_sum_even
          Claim: Every row has an even number of bridges.
          Why: The boundary rows lose one bridge each.
          Counterexample: n = 3, the middle row
          Slot: 598 | Problem: bridges_12 | Evidence: computation
          7d ago | tracking.db
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

        [FALSE] row_sum_even
          Claim: Every row has an even number of bridges.
          Why: The boundary rows lose one bridge each.
          Counterexample: n = 3, the middle row
          Slot: 598 | Problem: bridges_12 | Evidence: computation | 7d ago | tracking.db
        ");
    }

    #[test]
    fn none() {
        let report = FailedReport {
            keyword: Some("pigeon".to_owned()),
            findings: Vec::new(),
            false_lemmas: Vec::new(),
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
