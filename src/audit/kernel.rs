//! What Lean said when `mk verify` asked about the audited files, and where their text shows something else.

use serde::Serialize;

use super::sources::{Looked, Source};
use crate::app::App;
use crate::app::lean_files::{self, Unreadable};
use crate::guard::audit::Hit;
use crate::guard::{Group, Rule, Severity};
use crate::model::{KernelVerdict, verdict_of};
use crate::store::{KernelCheck, KernelFile};
use crate::text::{clip, one_line};
use crate::verify;

#[derive(Debug, Default, Serialize)]
pub(super) struct Said {
    /// Files that Lean was asked about as they are now.
    pub(super) files: usize,
    pub(super) theorems: usize,
    pub(super) verified: usize,
    pub(super) accepted: usize,
    /// Those that it was not asked about, or that changed since.
    pub(super) not_asked: Vec<String>,
}

/// Adds to each file's hits what Lean said and its text does not show.
pub(super) fn join(
    app: &mut App,
    sources: &[Source],
    looked: &mut [Option<Result<Looked, Unreadable>>],
) -> anyhow::Result<Said> {
    verify::state::refresh(app);
    let project = app.project_identity();
    let allowed = app.config.guard_allow_axioms.clone();
    let mut said = Said::default();
    for (source, looked) in sources.iter().zip(looked) {
        let Some(Ok(looked)) = looked else { continue };
        let file = app.project.stable_path(&source.path);
        let of = app.store()?.kernel_file(project.as_deref(), &file)?;
        let Some(of) = of.filter(|of| of.stale.is_none()) else {
            said.not_asked.push(source.shown.clone());
            continue;
        };
        let checks = app.store()?.kernel_checks(project.as_deref(), &file)?;
        said.files += 1;
        let theorems: Vec<&KernelCheck> =
            checks.iter().filter(|one| verify::is_theorem(&one.kind)).collect();
        said.theorems += theorems.len();
        let accepted = theorems.iter().filter(|one| one.verdict == KernelVerdict::Accepted).count();
        *(if of.replayed { &mut said.verified } else { &mut said.accepted }) += accepted;
        let text = lean_files::text(&source.path).unwrap_or_default();
        let hits = &mut looked.audit.hits;
        let more = differences(&of, &checks, hits, &allowed);
        hits.extend(more.into_iter().map(|hit| Hit { excerpt: line(&text, hit.line), ..hit }));
    }
    Ok(said)
}

fn line(text: &str, number: usize) -> String {
    let line = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
    clip(line.trim(), 200)
}

/// Where Lean and the text do not agree.
fn differences(
    of: &KernelFile,
    checks: &[KernelCheck],
    hits: &[Hit],
    allowed: &[String],
) -> Vec<Hit> {
    let hit = |rule, line: u64, name: Option<&str>, what: String| Hit {
        rule,
        line: usize::try_from(line).unwrap_or(usize::MAX),
        column: 0,
        length: 1,
        declaration: name.map(str::to_owned),
        what,
        excerpt: String::new(),
        past: None,
    };
    if let Some(problem) = &of.problem {
        return vec![hit(Rule::KernelRefused, 1, None, one_line(problem))];
    }
    let shows = |name: &str, group| {
        let mut own = hits.iter().filter(|it| it.declaration.as_deref() == Some(name));
        own.find(|it| it.rule == Rule::RestsOn || (it.rule.group() == group && is_grave(it.rule)))
    };
    let difference = |one: &KernelCheck| {
        let name = one.name.as_str();
        let is_silent = |group| shows(name, group).is_none();
        let (rule, what) = match one.verdict {
            KernelVerdict::Open if one.complete && is_silent(Group::Gaps) => {
                let what = "for Lean it rests on `sorry`, which its text does not show";
                (Rule::KernelGap, what.to_owned())
            }
            KernelVerdict::Axioms if one.kind != "axiom" && is_silent(Group::Trust) => {
                let (_, axioms) = verdict_of(&one.axioms, allowed);
                (Rule::KernelTrust, format!("for Lean it relies on {}", axioms.join(", ")))
            }
            KernelVerdict::Compiler if is_silent(Group::Trust) => {
                (Rule::KernelTrust, "for Lean it trusts the compiler".to_owned())
            }
            KernelVerdict::Unknown if one.kind == verify::LEFT_OUT => {
                (Rule::KernelRefused, "its text has this theorem, Lean does not".to_owned())
            }
            KernelVerdict::Accepted => {
                let gap = shows(name, Group::Gaps)?;
                (Rule::KernelAccepts, format!("Lean accepts it, and its text shows `{}`", gap.rule))
            }
            _ => return None,
        };
        Some(hit(rule, one.line, Some(name), what))
    };
    checks.iter().filter_map(difference).collect()
}

fn is_grave(rule: Rule) -> bool {
    rule.severity() > Severity::Note
}
