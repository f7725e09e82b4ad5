//! `mk lessons`: what sessions taught.

use anyhow::bail;

use crate::app::App;
use crate::app::review::Listing;
use crate::learn::lessons::Pattern;
use crate::text::{clean, clip};

/// Lessons of a tool or a pattern, this project's first, then those that helped most.
///
/// # Errors
/// For a word that is no pattern, else what the store says.
pub fn list(
    app: &mut App,
    tool: Option<&str>,
    pattern: Option<&str>,
    limit: usize,
) -> anyhow::Result<Listing> {
    let pattern = pattern.map(parse).transpose()?;
    let tool = tool.map(|tool| tool.trim().to_lowercase()).filter(|tool| !tool.is_empty());
    let project = app.project_identity();
    let mut findings = app.store()?.lessons(project.as_deref(), usize::MAX)?;
    findings.retain(|finding| {
        let Some(lesson) = finding.content.lesson() else { return false };
        let own = lesson.tool_name.as_deref().unwrap_or_default().to_lowercase();
        let is_of = |tool: &String| {
            own.strip_prefix(tool.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        tool.as_ref().is_none_or(is_of) && pattern.is_none_or(|one| one.as_str() == lesson.pattern)
    });
    let total = findings.len() as u64;
    findings.truncate(limit);
    Ok(Listing { total, findings })
}

fn parse(word: &str) -> anyhow::Result<Pattern> {
    let plain = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let Some(pattern) = Pattern::ALL.into_iter().find(|pattern| pattern.as_str() == plain) else {
        let known: Vec<&str> = Pattern::ALL.iter().map(|pattern| pattern.as_str()).collect();
        let word = clip(&clean(word), 40);
        bail!("`{word}` is no pattern of lessons: use {}", known.join(", "));
    };
    Ok(pattern)
}
