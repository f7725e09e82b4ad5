//! The hits of a search.

use jiff::Timestamp;

use super::layout::Page;
use super::record::{gist, headline, provenance};
use super::{EMPTY_BASE, records};
use crate::app::search::{Answer, HitReport};
use crate::text::{clean, clip};

/// How hits are shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct HitStyle {
    /// Whole records with ISO times instead of three lines each.
    pub verbose: bool,
    /// Also why each hit ranks where it does.
    pub explain: bool,
}

/// The answer to a question.
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

fn one(hit: &HitReport, style: HitStyle, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if !style.verbose {
        headline(&mut page, 1, &hit.finding);
        gist(&mut page, 2, &hit.finding.content);
        provenance(&mut page, 2, &hit.finding, now);
    }
    if style.explain {
        page.labelled(2, "Matched", &hit.snippet);
        page.labelled(2, "Score", &format!("{:.2} ({})", hit.score, hit.why.join("; ")));
    }
    let text = page.into_text();
    if style.verbose { records(std::slice::from_ref(&hit.finding), width) + &text } else { text }
}

/// ` for "words"`, nothing where no words were given.
fn about(query: &str, room: usize) -> String {
    let query = clip(&clean(query), room.max(20));
    if query.is_empty() { String::new() } else { format!(" for `{query}`") }
}

fn remark(matched: &str) -> Option<&'static str> {
    match matched {
        "any_word" => Some("No finding has all of these words; these have some of them."),
        "prefix" => Some("No finding has these words; these have words that begin like them."),
        _ => None,
    }
}

fn nothing(page: &mut Page, answer: &Answer) {
    let about = about(&answer.query, page.room(1).saturating_sub(20));
    if answer.empty_base {
        page.line(1, &format!("No findings yet{about}."));
        page.hint(EMPTY_BASE);
    } else if answer.total > 0 {
        page.line(1, &format!("{} findings{about}, none shown.", answer.total));
    } else {
        page.line(1, &format!("Nothing found{about}."));
        page.hint(
            "Try fewer or other words, without filters; `mk find <problem>` and `mk failed \
             <keyword>` look elsewhere too.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn plain(style: HitStyle, width: usize) -> String {
        let text = hits(&sample::answer(), style, width, sample::now());
        sample::plain(&text, width)
    }

    #[test]
    fn three_lines_each() {
        insta::assert_snapshot!(plain(HitStyle::default(), 60), @"");
        insta::assert_snapshot!(plain(HitStyle::default(), 100), @"");
    }

    #[test]
    fn explained() {
        let style = HitStyle { explain: true, verbose: false };
        insta::assert_snapshot!(plain(style, 60), @"");
    }

    #[test]
    fn whole_records() {
        let style = HitStyle { explain: false, verbose: true };
        insta::assert_snapshot!(plain(style, 60), @"");
        insta::assert_snapshot!(plain(style, 100), @"");
    }

    #[test]
    fn nothing_found() {
        let mut answer = sample::answer();
        answer.hits.clear();
        answer.total = 0;
        let text = |answer: &Answer| {
            sample::plain(&hits(answer, HitStyle::default(), 60, sample::now()), 60)
        };
        insta::assert_snapshot!(text(&answer), @"");
        answer.empty_base = true;
        insta::assert_snapshot!(text(&answer), @"");
    }
}
