//! `mk lessons`: what sessions taught.

use crate::app::App;
use crate::app::review::Listing;
use crate::learn::lessons::Pattern;

/// Lessons of a tool or a pattern, this project's first, then those that helped most.
pub fn list(
    app: &mut App,
    tool: Option<&str>,
    pattern: Option<Pattern>,
    limit: usize,
) -> anyhow::Result<Listing> {
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
