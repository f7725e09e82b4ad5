//! The hits of a search.

use jiff::Timestamp;

use crate::app::search::Answer;
use crate::store::{Hit, Stage};
use crate::text::{clean, clip};
use crate::ui::EMPTY_BASE;
use crate::ui::layout::Page;
use crate::ui::record::whole;
use crate::ui::record::{Within, gist, headline, provenance};

/// How hits are shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct HitStyle {
    /// Whole records with ISO times instead of three lines each.
    pub verbose: bool,
    /// Also why each hit ranks where it does.
    pub explain: bool,
}

pub fn hits(answer: &Answer, style: HitStyle, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if answer.hits.is_empty() {
        nothing(&mut page, answer);
        return page.into_text();
    }
    let shown = answer.hits.len();
    let counted = match answer.total {
        1 => "1 finding".to_owned(),
        total if total > shown as u64 => format!("{shown} of {total} findings"),
        total => format!("{total} findings"),
    };
    let about = about(&answer.query, width.saturating_sub(30));
    page.line(1, &format!("{counted}{about}"));
    if let Some(remark) = remark(answer.matched) {
        page.hint(remark);
    }
    page.rule();
    let mut text = page.into_text();
    for (i, hit) in answer.hits.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        text += &one(hit, style, width, now);
    }
    let mut page = Page::new(width);
    page.rule();
    if !style.verbose {
        page.hint("Whole records: `mk show <id>`, or `--verbose`.");
    }
    text + &page.into_text()
}

fn one(hit: &Hit, style: HitStyle, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if !style.verbose {
        headline(&mut page, 1, &hit.finding);
        gist(&mut page, 2, &hit.finding.content);
        provenance(&mut page, 2, &hit.finding.content, Within::default(), now);
    }
    if style.explain {
        page.labelled(2, "Matched", &hit.snippet);
        let why =
            if hit.why.is_empty() { String::new() } else { format!(": {}", hit.why.join("; ")) };
        page.labelled(2, "Score", &format!("{:.2}{why}", hit.score));
    }
    let text = page.into_text();
    if style.verbose { whole(&hit.finding, width) + &text } else { text }
}

/// ` for "words"`, nothing where no words were given.
fn about(query: &str, room: usize) -> String {
    let query = clip(&clean(query), room.max(20));
    if query.is_empty() { String::new() } else { format!(" for `{query}`") }
}

fn remark(matched: Stage) -> Option<&'static str> {
    match matched {
        Stage::AnyWord => Some("No finding has all of these words; these have some of them."),
        Stage::Prefix => Some("No finding has these words; these have words that begin like them."),
        _ => None,
    }
}

fn nothing(page: &mut Page, answer: &Answer) {
    let about = about(&answer.query, page.room(1).saturating_sub(20));
    if answer.empty_base {
        page.paragraph(1, &format!("No findings yet{about}."));
        page.hint(EMPTY_BASE);
    } else if answer.total > 0 {
        page.paragraph(1, &format!("{} findings{about}, none shown.", answer.total));
    } else {
        page.paragraph(1, &format!("Nothing found{about}."));
        page.hint(
            "Try fewer or other words, without filters; `mk find <problem>` and `mk failed \
             <keyword>` look elsewhere too.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    fn plain(style: HitStyle, width: usize) -> String {
        let text = hits(&sample::answer(), style, width, sample::now());
        sample::plain(&text, width)
    }

    #[test]
    fn three_lines_each() {
        insta::assert_snapshot!(plain(HitStyle::default(), 60), @r"
        3 of 14 findings for `collinear row`
        No finding has all of these words; these have some of
        them.
        ---
        [PROVEN] Bridges.no_three_in_line (theorem)  #12
          … : S.card ≤ 2 * n
          Technique: pigeonhole on the columns
          Domain: Combinatorics | Slot: 614 | Problem: bridges_12
          by the prover | 3h ago

        [FAILED] Induction on the number of rows, with a titl…  #9
          Why: Removing a row may create a new collinear triple.…
          Slot: 609 | Problem: bridges_12 | on record | 2d ago

        [CLAIMED] ε_close (lemma) 漢字  #7
          ∀ ε > 0, ∃ δ > 0.
          Domain: Analysis | on record, not checked | 3mo ago
        ---
        Whole records: `mk show <id>`, or `--verbose`.
        ");
        insta::assert_snapshot!(plain(HitStyle::default(), 100), @r"
        3 of 14 findings for `collinear row`
        No finding has all of these words; these have some of them.
        ---
        [PROVEN] Bridges.no_three_in_line (theorem)  #12
          … : S.card ≤ 2 * n
          Technique: pigeonhole on the columns
          Domain: Combinatorics | Slot: 614 | Problem: bridges_12 | by the prover | 3h ago

        [FAILED] Induction on the number of rows, with a title so long that no page of any usual widt…  #9
          Why: Removing a row may create a new collinear triple. So the step is false.
          Slot: 609 | Problem: bridges_12 | on record | 2d ago

        [CLAIMED] ε_close (lemma) 漢字  #7
          ∀ ε > 0, ∃ δ > 0.
          Domain: Analysis | on record, not checked | 3mo ago
        ---
        Whole records: `mk show <id>`, or `--verbose`.
        ");
    }

    #[test]
    fn explained() {
        let style = HitStyle { explain: true, verbose: false };
        insta::assert_snapshot!(plain(style, 60), @r"
        3 of 14 findings for `collinear row`
        No finding has all of these words; these have some of
        them.
        ---
        [PROVEN] Bridges.no_three_in_line (theorem)  #12
          … : S.card ≤ 2 * n
          Technique: pigeonhole on the columns
          Domain: Combinatorics | Slot: 614 | Problem: bridges_12
          by the prover | 3h ago
          Matched: p ≠ q → ¬ Collinear p q
          Score: 9.25: statement has `collinear`

        [FAILED] Induction on the number of rows, with a titl…  #9
          Why: Removing a row may create a new collinear triple.…
          Slot: 609 | Problem: bridges_12 | on record | 2d ago
          Matched: Removing a row
          Score: 7.50: reason has `row`; this project

        [CLAIMED] ε_close (lemma) 漢字  #7
          ∀ ε > 0, ∃ δ > 0.
          Domain: Analysis | on record, not checked | 3mo ago
          Matched: ∀ ε > 0
          Score: 0.50
        ---
        Whole records: `mk show <id>`, or `--verbose`.
        ");
    }

    #[test]
    fn whole_records() {
        let style = HitStyle { explain: false, verbose: true };
        insta::assert_snapshot!(plain(style, 60), @r"
        3 of 14 findings for `collinear row`
        No finding has all of these words; these have some of
        them.
        ---
        [PROVEN] Bridges.no_three_in_line (theorem)  #12
        ---
        Kind        theorem
        Confidence  verified, by the prover
        Problem     bridges_12
        Domain      Combinatorics
        Name        Bridges.no_three_in_line
        Technique   pigeonhole on the columns
        Proof       23 lines
        Tags        combinatorics, grid
        Slot        614
        File        results/slot614_bridges_12_result.lean:41
        Toolchain   leanprover/lean4:v4.24.0
        Project     github.com/ada/bridges
        Happened    2026-02-01T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         8e000482ed8ba454056aaeb8f7a1d19b
        Statement
          theorem Bridges.no_three_in_line {n : ℕ} (hn : 2 ≤ n)
              (S : Finset (Fin n × Fin n)) (hS : ∀ p ∈ S, ∀ q ∈ S,
              p ≠ q → ¬ Collinear p q) :
              S.card ≤ 2 * n
        Description
          Proven theorem from slot614. It bounds the bridges of a
          finite planar board.

        [FAILED] Induction on the number of rows, with a titl…  #9
        ---
        Kind        failure
        Confidence  high, on record
        Problem     bridges_12
        Slot        609
        Happened    2026-01-30T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         7d6d0cee271fc5a5090e4db43afcaeaf
        Description
          The induction step needs a stronger hypothesis.
        Why it failed
          Removing a row may create a new collinear triple. So the
          step is false.
        Avoid
          induction without tracking the slopes

        [CLAIMED] ε_close (lemma) 漢字  #7
        ---
        Kind        theorem
        Confidence  medium, on record, not checked
        Domain      Analysis
        Happened    2025-11-01T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         3bdeefcff91f164287447c3c31986699
        Description
          ∀ ε > 0, ∃ δ > 0.
        ---
        ");
    }

    #[test]
    fn whole_records_on_a_wide_page() {
        let style = HitStyle { explain: false, verbose: true };
        insta::assert_snapshot!(plain(style, 100), @r"
        3 of 14 findings for `collinear row`
        No finding has all of these words; these have some of them.
        ---
        [PROVEN] Bridges.no_three_in_line (theorem)  #12
        ---
        Kind        theorem
        Confidence  verified, by the prover
        Problem     bridges_12
        Domain      Combinatorics
        Name        Bridges.no_three_in_line
        Technique   pigeonhole on the columns
        Proof       23 lines
        Tags        combinatorics, grid
        Slot        614
        File        results/slot614_bridges_12_result.lean:41
        Toolchain   leanprover/lean4:v4.24.0
        Project     github.com/ada/bridges
        Happened    2026-02-01T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         8e000482ed8ba454056aaeb8f7a1d19b
        Statement
          theorem Bridges.no_three_in_line {n : ℕ} (hn : 2 ≤ n)
              (S : Finset (Fin n × Fin n)) (hS : ∀ p ∈ S, ∀ q ∈ S, p ≠ q → ¬ Collinear p q) :
              S.card ≤ 2 * n
        Description
          Proven theorem from slot614. It bounds the bridges of a finite planar board.

        [FAILED] Induction on the number of rows, with a title so long that no page of any usual widt…  #9
        ---
        Kind        failure
        Confidence  high, on record
        Problem     bridges_12
        Slot        609
        Happened    2026-01-30T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         7d6d0cee271fc5a5090e4db43afcaeaf
        Description
          The induction step needs a stronger hypothesis.
        Why it failed
          Removing a row may create a new collinear triple. So the step is false.
        Avoid
          induction without tracking the slopes

        [CLAIMED] ε_close (lemma) 漢字  #7
        ---
        Kind        theorem
        Confidence  medium, on record, not checked
        Domain      Analysis
        Happened    2025-11-01T09:00:00Z
        Stored      2026-02-01T09:00:00Z
        Uid         3bdeefcff91f164287447c3c31986699
        Description
          ∀ ε > 0, ∃ δ > 0.
        ---
        ");
    }

    #[test]
    fn nothing_found() {
        let mut answer = sample::answer();
        answer.hits.clear();
        answer.total = 0;
        let text = |answer: &Answer| {
            sample::plain(&hits(answer, HitStyle::default(), 60, sample::now()), 60)
        };
        insta::assert_snapshot!(text(&answer), @r"
        Nothing found for `collinear row`.
        Try fewer or other words, without filters; `mk find
        <problem>` and `mk failed <keyword>` look elsewhere too.
        ");
        answer.empty_base = true;
        insta::assert_snapshot!(text(&answer), @r"
        No findings yet for `collinear row`.
        The knowledge base is empty. Fill it with `mk import
        <tracking.db>` or `mk extract <result.lean>...`; `mk init`
        does the first by itself when it finds a tracking.db.
        ");
    }
}
