//! Lessons as the database keeps them.

use crate::lean::diagnostics::Reason;
use crate::learn::events::Change;
use crate::learn::lessons::{Lesson, Told};
use crate::model::{Confidence, Draft, Evidence, Kind, LessonDetail, LessonWords, Source};
use crate::text::clip;

pub(crate) const TITLE_WIDTH: usize = 120;

fn shown(change: &Change) -> String {
    let old = change.old.lines().map(|line| format!("- {line}"));
    let new = change.new.lines().map(|line| format!("+ {line}"));
    old.chain(new).collect::<Vec<_>>().join("\n")
}

pub(crate) fn edit_lines(description: &str) -> impl Iterator<Item = &str> {
    description.lines().filter(|line| line.starts_with("- ") || line.starts_with("+ "))
}

const fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::MissingMathematics => "the step does not follow from what it was given",
        Reason::Api => "the library names it differently, or takes other arguments",
        Reason::Structure => "types or syntax do not fit together",
        Reason::Coercion => "a number or set appears where another kind is expected",
        Reason::Timeout => "a limit of time or steps was reached",
        Reason::Infrastructure => "the environment, not the proof",
    }
}

fn description(found: &Lesson) -> String {
    let tool = found.tool_name.as_deref().filter(|tool| !found.what_failed.contains(*tool));
    let with = tool.map(|tool| format!(", with `{tool}`")).unwrap_or_default();
    let mut lines = vec![format!("While {}{with}.", found.context), found.what_failed.clone()];
    lines.extend(found.reason.map(|reason| format!("Why: {}.", why(reason))));
    lines.push(found.what_worked.clone());
    lines.extend(found.fix.as_ref().map(shown));
    lines.push(format!("Confidence {:.2}, from the results of tools.", found.confidence));
    lines.join("\n")
}

/// Puts a model's sentences in place of the rules' lines; `None` where those are not lines of it.
pub(crate) fn reworded(description: &str, told: &Told<'_>, words: &LessonWords) -> Option<String> {
    let mut lines: Vec<&str> = description.lines().collect();
    let mut from = 0;
    for (old, new) in
        [(told.what_failed, &words.what_failed), (told.what_worked, &words.what_worked)]
    {
        let at = from + lines[from..].iter().position(|line| *line == old)?;
        lines[at] = new;
        from = at + 1;
    }
    Some(lines.join("\n"))
}

/// Its evidence is in tool results, so it needs no person's word, but it is only observed.
pub(super) fn lesson(found: &Lesson, session: Option<&str>, project: Option<&str>) -> Draft {
    let title = clip(&found.title, TITLE_WIDTH);
    let mut draft = Draft::new(Kind::Lesson, title, description(found));
    draft.project = project.map(str::to_owned);
    draft.source = Source {
        session: session.map(str::to_owned),
        line: i64::try_from(found.line).ok(),
        ..Source::default()
    };
    draft.why_failed = Some(found.what_failed.clone());
    draft.correct_approach = Some(found.what_worked.clone());
    draft.confidence = Confidence::Medium;
    draft.evidence = Evidence::Session;
    draft.tags = found.reason.iter().map(|reason| reason.as_str().to_owned()).collect();
    draft.identity = Some(format!("lesson/{}", found.identity()));
    let detail = LessonDetail {
        pattern: found.pattern.as_str().to_owned(),
        what_failed: found.what_failed.clone(),
        what_worked: found.what_worked.clone(),
        tool_name: found.tool_name.clone(),
        signature: found.signature.clone(),
        confidence: Some(found.confidence),
        ..LessonDetail::default()
    };
    draft.detail = Some(detail.into());
    draft
}
