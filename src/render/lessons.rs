//! Lessons: what failed in sessions, and what then worked.

use jiff::Timestamp;

use super::layout::Page;
use super::time::ago;
use crate::app::learn::lessons::LessonsReport;
use crate::store::StoredLesson;
use crate::text::clean;

pub fn lessons(report: &LessonsReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if report.lessons.is_empty() {
        page.nothing(
            "No lessons.",
            "They are taken from sessions in which something failed and then worked. `mk extract \
             <transcript.jsonl>` reads one by hand.",
        );
        return page.into_text();
    }
    page.listing("Lessons", report.lessons.len(), report.total);
    for (at, lesson) in report.lessons.iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        page.numbered(lesson.id, &lesson.title, "");
        page.parts(2, facts(lesson, now));
    }
    page.into_text()
}

pub fn lesson(lesson: &StoredLesson, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    page.numbered(lesson.id, &lesson.title, "");
    page.rule();
    page.parts(1, facts(lesson, now));
    page.blank();
    page.paragraph(1, &lesson.description);
    page.blank();
    page.labelled(1, "Known again by", lesson.signature.as_deref().unwrap_or_default());
    page.labelled(1, "Project", lesson.project.as_deref().unwrap_or_default());
    let line = lesson.line.map_or_else(String::new, |line| format!(", line {line}"));
    if let Some(session) = &lesson.session {
        page.labelled(1, "Seen in session", &format!("{session}{line}"));
    }
    if let Some(before) = &lesson.before {
        let by = format!("{}, confidence {:.2}", before.model, before.confidence);
        page.labelled(1, "Put in words by", &by);
        page.blank();
        page.line(1, "Before that:");
        page.paragraph(2, &before.title);
        page.paragraph(2, &before.what_failed);
        page.paragraph(2, &before.what_worked);
    }
    page.into_text()
}

fn facts(lesson: &StoredLesson, now: Timestamp) -> Vec<String> {
    let words = |text: &str| clean(text).replace('_', " ");
    let mut parts = vec![words(&lesson.pattern)];
    parts.extend(lesson.tool.as_deref().map(clean));
    parts.extend(lesson.reason.as_deref().map(words));
    parts.push(format!("helped {}", times(lesson.worked)));
    if lesson.recurred > 0 {
        parts.push(format!("came back {}", times(lesson.recurred)));
    }
    parts.extend(lesson.confidence.map(|confidence| format!("confidence {confidence:.2}")));
    parts.extend(lesson.created_at.as_deref().map(|at| ago(at, now)));
    parts
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    fn sample_lesson() -> StoredLesson {
        StoredLesson {
            id: 12,
            title: "Unknown constant `Nat.pow_tow`: replacing `Nat.pow_tow` by `Nat.pow_two`".to_owned(),
            pattern: "lean_fix".to_owned(),
            tool: Some("lean".to_owned()),
            reason: Some("api".to_owned()),
            signature: Some("unknown-identifier Nat.pow_tow".to_owned()),
            description: "While checking Lean code.\nLean says: Unknown constant `Nat.pow_tow`.\n- rw [Nat.pow_tow]\n+ rw [Nat.pow_two]".to_owned(),
            worked: 2,
            recurred: 1,
            confidence: Some(0.9),
            session: Some("s-1".to_owned()),
            line: Some(40),
            created_at: Some("2026-01-01 00:00:00".to_owned()),
            ..StoredLesson::default()
        }
    }

    #[test]
    fn a_list_and_one() {
        let at: Timestamp = "2026-01-03T00:00:00Z".parse().unwrap();
        let report = LessonsReport { total: 3, lessons: vec![sample_lesson()] };
        assert_eq!(
            sample::plain(&lessons(&report, 60, at), 60),
            "  Lessons (1 of 3)\n  ---\n  #12 Unknown constant `Nat.pow_tow`: replacing `Nat.pow_to…\n    \
             lean fix | lean | api | helped twice | came back once\n    confidence 0.90 | 2d ago\n"
        );
        assert_eq!(
            sample::plain(&lesson(&sample_lesson(), 80, at), 80),
            "  #12 Unknown constant `Nat.pow_tow`: replacing `Nat.pow_tow` by `Nat.pow_two`\n  ---\n  \
             lean fix | lean | api | helped twice | came back once | confidence 0.90\n  2d ago\n\n  \
             While checking Lean code.\n  Lean says: Unknown constant `Nat.pow_tow`.\n  \
             - rw [Nat.pow_tow]\n  + rw [Nat.pow_two]\n\n  \
             Known again by: unknown-identifier Nat.pow_tow\n  Seen in session: s-1, line 40\n"
        );
        let none = lessons(&LessonsReport::default(), 80, at);
        assert!(sample::plain(&none, 80).starts_with("  No lessons.\n"), "{none}");
    }
}
