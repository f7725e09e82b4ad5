//! What failed and what is false.

use jiff::Timestamp;

use super::EMPTY_BASE;
use super::layout::Page;
use super::record::{headline, provenance};
use super::theme::{Tone, badge, paint};
use crate::app::failed::{FailedReport, LemmaReport};
use crate::model::{Draft, Kind};
use crate::text::{clean, clip};

/// Failures and false lemmas, those of the knowledge base first.
pub fn failed(report: &FailedReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let about = report
        .keyword
        .as_deref()
        .map_or_else(String::new, |word| format!(" for `{}`", clip(&clean(word), width / 2)));
    if report.findings.is_empty() && report.false_lemmas.is_empty() {
        page.line(1, &format!("No failed approaches and no false lemmas{about}."));
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
        provenance(&mut page, 2, finding, now);
        between = true;
    }
    for one in &report.false_lemmas {
        if between {
            page.blank();
        }
        lemma(&mut page, 1, one);
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
    let why = text(&content.why_failed);
    page.labelled(2, "Why", if why.is_empty() { &content.description } else { &why });
    page.labelled(2, "Counterexample", &text(&content.counterexample));
    page.labelled(2, "Avoid", &text(&content.avoid_pattern));
    page.labelled(2, "Instead", &text(&content.correct_approach));
}

/// A false lemma of the tracking database.
pub(super) fn lemma(page: &mut Page, depth: usize, lemma: &LemmaReport) {
    let mark = Kind::FalseLemma.badge();
    let name = clip(&clean(&lemma.name), page.room(depth).saturating_sub(mark.len() + 1));
    page.line(depth, &format!("{} {}", badge(mark), paint(Tone::Heading, &name)));
    for (label, text) in [
        ("Claim", &lemma.statement),
        ("Why", &lemma.why_false),
        ("Counterexample", &lemma.counterexample),
        ("Avoid", &lemma.avoid_pattern),
        ("Instead", &lemma.correct_approach),
    ] {
        page.labelled(depth + 1, label, text.as_deref().unwrap_or_default());
    }
    let origin = [
        lemma.problem.as_deref().map(|problem| format!("Problem: {}", clean(problem))),
        lemma.evidence_level.as_deref().map(|level| format!("Evidence: {}", clean(level))),
        Some("tracking.db".to_owned()),
    ];
    let origin = origin.into_iter().flatten().collect::<Vec<_>>().join(" | ");
    let line = clip(&origin, page.room(depth + 1));
    page.line(depth + 1, &paint(Tone::Faint, &line));
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn both_sources() {
        let report = sample::failed();
        let text = |width| sample::plain(&failed(&report, width, sample::now()), width);
        insta::assert_snapshot!(text(60), @"");
        insta::assert_snapshot!(text(100), @"");
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
        insta::assert_snapshot!(text, @"");
    }
}
