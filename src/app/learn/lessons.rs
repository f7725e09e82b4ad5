//! `mk lessons`: what sessions taught, to look at and to drop.

use anyhow::bail;
use serde::Serialize;

use crate::app::App;
use crate::learn::lessons::Pattern;
use crate::store::{LessonFilter, StoredLesson};
use crate::text::{clean, clip};

/// Lessons, this project's first, then those that helped most.
#[derive(Debug, Default, Serialize)]
pub struct LessonsReport {
    pub total: u64,
    /// The first of them.
    pub lessons: Vec<StoredLesson>,
}

pub fn list(
    app: &mut App,
    tool: Option<&str>,
    pattern: Option<&str>,
    limit: usize,
) -> anyhow::Result<LessonsReport> {
    let pattern = pattern.map(parse).transpose()?.map(|pattern| pattern.as_str().to_owned());
    let tool = tool.map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty());
    let project = app.project_identity();
    let filter = LessonFilter { tool, pattern, limit };
    let (lessons, total) = app.store()?.lessons(&filter, project.as_deref())?;
    Ok(LessonsReport { total, lessons })
}

/// One lesson, by its number (`12`, `#12`), with the words that it had before where a model gave it
/// others.
pub fn show(app: &mut App, id: &str) -> anyhow::Result<StoredLesson> {
    let number = number(id)?;
    let store = app.store()?;
    match store.lesson(number)? {
        Some(lesson) => Ok(StoredLesson { before: store.words_before(number)?, ..lesson }),
        None => bail!("there is no lesson #{number}"),
    }
}

/// Drops a lesson for good: learnt again, it is not stored again. Returns what it was.
pub fn drop(app: &mut App, id: &str) -> anyhow::Result<StoredLesson> {
    let lesson = show(app, id)?;
    let now = app.now;
    app.store()?.write(now, |writer| writer.drop_lesson(lesson.id))?;
    Ok(lesson)
}

fn number(id: &str) -> anyhow::Result<i64> {
    let text = id.trim();
    let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() else {
        bail!("`{}` is no number of a lesson: `mk lessons` lists them", shown(text));
    };
    Ok(number)
}

fn parse(word: &str) -> anyhow::Result<Pattern> {
    let plain = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let Some(pattern) = Pattern::ALL.into_iter().find(|pattern| pattern.as_str() == plain) else {
        let known: Vec<&str> = Pattern::ALL.iter().map(|pattern| pattern.as_str()).collect();
        bail!("`{}` is no pattern of lessons: use {}", shown(word), known.join(", "));
    };
    Ok(pattern)
}

fn shown(word: &str) -> String {
    clip(&clean(word), 40)
}
