//! One conversation, the main one or a subagent's: what failed and is not yet answered.

use serde::{Deserialize, Serialize};

use super::aim::{Aim, Plan, PlanEvent};
use super::attempt::{self, Call};
use super::change::changes;
use super::checks::Checks;
use super::fault::{Fault, FaultKind, Outcome};
use super::pattern::{Facts, Relation, relation, says};
use super::shell::Writes;
use super::{Evidence, Lesson, Pattern, Step, words};
use crate::learn::transcript::ToolResult;

/// Failures without an answer, and steps in between, that are remembered.
const MOST_PENDING: usize = 30;
const MOST_STEPS: usize = 60;

/// Failures that make something a dead end.
const DEAD_END: usize = 3;

/// What a conversation has come to so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Stream {
    plan: Plan,
    pending: Vec<Failure>,
    steps: Vec<Between>,
    checks: Checks,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Failure {
    call: Call,
    fault: Fault,
    aim: Aim,
}

/// Something that may be why the same call works later.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Between {
    step: Step,
    seen: u64,
    /// Files that it wrote; `None`: nobody knows.
    wrote: Option<Vec<String>>,
    /// What it installed: the command in words, and all of its words.
    installed: Option<(String, String)>,
    /// What came into a file, if that was seen: it may do without a library.
    text: Option<String>,
}

impl Stream {
    /// The person said something: attempts without a task are over.
    pub(super) fn prompted(&mut self) -> Vec<Lesson> {
        self.plan.prompted();
        let plan = &self.plan;
        let (over, pending) =
            std::mem::take(&mut self.pending).into_iter().partition(|one| plan.is_over(&one.aim));
        self.pending = pending;
        self.dead_ends(&over, 0.6)
    }

    /// A result came back.
    pub(super) fn returned(&mut self, result: &ToolResult, line: u64) -> Vec<Lesson> {
        let Some(raw) = result.call.as_deref() else { return Vec::new() };
        if let Some(events) = self.plan.read(raw, result) {
            return events.into_iter().flat_map(|event| self.planned(&event)).collect();
        }
        let Some(call) = Call::read(raw, line) else { return Vec::new() };
        let aim = self.plan.next();
        let outcome = attempt::outcome(&call, result, raw);
        let mut lessons = Vec::new();
        if call.checks_lean {
            // What was done before the check in the same command.
            self.checks.wrote(&attempt::written(raw));
        }
        if outcome != Outcome::Void && call.checks_lean {
            lessons = self.checks.checked(&call, &result.text, result.is_error);
        }
        match outcome {
            Outcome::Void => {}
            Outcome::Failed(fault) => {
                self.note(&call, result, false);
                self.pending.push(Failure { call, fault, aim });
                if self.pending.len() > MOST_PENDING {
                    self.pending.remove(0);
                }
            }
            Outcome::Worked => {
                lessons.extend(self.worked(&call, &aim));
                self.note(&call, result, true);
            }
        }
        lessons
    }

    fn planned(&mut self, event: &PlanEvent) -> Vec<Lesson> {
        match event {
            PlanEvent::Done(task) => {
                self.pending.retain(|one| one.aim.task.as_ref() != Some(task));
                Vec::new()
            }
            PlanEvent::Dropped(task) => {
                let of_task = |one: &&Failure| one.aim.task.as_ref() == Some(task);
                let over: Vec<Failure> = self.pending.iter().filter(of_task).cloned().collect();
                self.dead_ends(&over, 0.75)
            }
        }
    }

    /// Remembers what may have changed the world.
    fn note(&mut self, call: &Call, result: &ToolResult, worked: bool) {
        let Some(raw) = result.call.as_deref() else { return };
        let written = attempt::written(raw);
        let step = Step { tool_use_id: call.id.clone(), line: call.line };
        let is_edit = call.role == attempt::Role::Write && call.tool != "Bash";
        let mut text = None;
        if is_edit && worked {
            let changed = changes(raw, result);
            text = Some(changed.iter().map(|one| one.new.as_str()).collect::<Vec<_>>().join("\n"));
            if let Some(path) = call.targets.first() {
                self.checks.edited(path, step.clone(), changed);
            }
        } else if call.tool == "Bash" && !call.checks_lean {
            self.checks.ran(call, &written, worked);
        }
        let installed = (worked && call.role == attempt::Role::Install)
            .then(|| (words::general(&call.command), call.command.clone()));
        let wrote = match written {
            Writes::Files(files) if worked || !is_edit => Some(files),
            Writes::Nothing | Writes::Files(_) => Some(Vec::new()),
            Writes::Anything => None,
        };
        if installed.is_none() && wrote.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        self.steps.push(Between { step, seen: call.seen, wrote, installed, text });
        if self.steps.len() > MOST_STEPS {
            self.steps.remove(0);
        }
    }

    /// What the calls that failed before teach, now that this one worked.
    fn worked(&mut self, call: &Call, aim: &Aim) -> Vec<Lesson> {
        let mut related: Vec<(usize, Relation)> = Vec::new();
        for (at, failure) in self.pending.iter().enumerate() {
            let distance = aim.number.saturating_sub(failure.aim.number);
            let replanned = self.plan.changed_after(failure.call.seen).is_some();
            let of_aim = failure.aim.includes(aim) || replanned && failure.aim.prompt == aim.prompt;
            if !of_aim || !call.follows(&failure.call) {
                continue;
            }
            let relation = relation(&failure.call, &failure.fault, call, distance);
            // Across tasks only the same check says that a new plan worked.
            let found = relation.filter(|relation| {
                failure.aim.includes(aim) || matches!(relation, Relation::Same | Relation::Alike)
            });
            related.extend(found.map(|relation| (at, relation)));
        }
        let lesson = related.last().and_then(|last| self.taught(call, &related, last));
        let resolved: Vec<usize> = related.iter().map(|(at, _)| *at).collect();
        let mut at = 0;
        self.pending.retain(|_| {
            at += 1;
            !resolved.contains(&(at - 1))
        });
        lesson.into_iter().collect()
    }

    fn taught(
        &self,
        call: &Call,
        related: &[(usize, Relation)],
        (last, relation): &(usize, Relation),
    ) -> Option<Lesson> {
        let failure = self.pending.get(*last)?;
        let alike: Vec<&Failure> = related
            .iter()
            .filter_map(|(at, _)| self.pending.get(*at))
            .filter(|one| one.call.family == failure.call.family)
            .collect();
        let facts = Facts {
            failed: &failure.call,
            fault: &failure.fault,
            times: alike.len(),
            worked: call,
        };
        let between = self.between(failure, call);
        let rewritten = between.iter().any(|step| step.may_be_why(failure, call));
        let (lesson, changed) = match relation {
            Relation::Replaced(how) => (Some(facts.replaced(how)), Vec::new()),
            Relation::Same if matches!(failure.fault.kind, FaultKind::Missing(_)) => {
                Self::provided(&facts, &between)
            }
            _ if alike.len() > 1
                && let Some(plan) = self.plan.changed_after(alike[0].call.seen)
                && matches!(relation, Relation::Same | Relation::Alike | Relation::Options(_)) =>
            {
                (facts.other_plan(plan), between.iter().map(|one| one.step.clone()).collect())
            }
            Relation::Options(ways) if !rewritten => (facts.other_options(ways), Vec::new()),
            Relation::OtherTool if !rewritten => (facts.other_tool(), Vec::new()),
            _ => return None,
        };
        let mut lesson = lesson?;
        lesson.evidence = Evidence {
            failed: alike.iter().map(|one| step_of(&one.call)).collect(),
            changed,
            worked: vec![step_of(call)],
        };
        Some(lesson)
    }

    /// The same call works after something was installed, or after a file does without it.
    fn provided(facts: &Facts<'_>, between: &[&Between]) -> (Option<Lesson>, Vec<Step>) {
        let FaultKind::Missing(name) = &facts.fault.kind else { return (None, Vec::new()) };
        let installs = |step: &&&Between| {
            step.installed.as_ref().is_some_and(|(_, words)| words.contains(name.as_str()))
        };
        if let Some(step) = between.iter().rev().find(installs) {
            let words = step.installed.as_ref().map_or("", |(words, _)| words);
            let lesson = facts.replaced(&format!("installing it with `{words}`"));
            return (Some(lesson), vec![step.step.clone()]);
        }
        // A command's package may be called otherwise; a single installation must be the one.
        let mut installed = between.iter().filter(|step| step.installed.is_some());
        if let (Some(step), None) = (installed.next(), installed.next())
            && facts.fault.signature.starts_with("missing-command")
        {
            let words = step.installed.as_ref().map_or("", |(words, _)| words);
            let mut lesson = facts.replaced(&format!("installing it with `{words}`"));
            lesson.confidence = 0.8;
            return (Some(lesson), vec![step.step.clone()]);
        }
        let without = |step: &&&Between| {
            let target = step.wrote.as_ref().is_some_and(|files| {
                files
                    .iter()
                    .any(|file| facts.failed.targets.iter().any(|t| attempt::same_target(t, file)))
            });
            target && step.text.as_ref().is_some_and(|text| !text.contains(name.as_str()))
        };
        match between.iter().rev().find(without) {
            Some(step) => {
                let lesson = facts.replaced(&format!("a version without `{name}`"));
                (Some(lesson), vec![step.step.clone()])
            }
            None => (None, Vec::new()),
        }
    }

    /// The steps after a failure was seen and before a later call.
    fn between(&self, failure: &Failure, call: &Call) -> Vec<&Between> {
        let inside = |one: &&Between| one.step.line > failure.call.seen && one.seen < call.line;
        self.steps.iter().filter(inside).collect()
    }

    /// What stayed a failure though it was tried in several ways.
    fn dead_ends(&self, over: &[Failure], confidence: f64) -> Vec<Lesson> {
        let mut families: Vec<&str> = Vec::new();
        for one in over {
            if !families.contains(&one.call.family.as_str()) {
                families.push(&one.call.family);
            }
        }
        let of_family = |family: &&str| -> Vec<&Failure> {
            over.iter().filter(|one| one.call.family == **family && one.teaches()).collect()
        };
        families.iter().filter_map(|family| self.dead_end(&of_family(family), confidence)).collect()
    }

    fn dead_end(&self, failures: &[&Failure], confidence: f64) -> Option<Lesson> {
        let (first, last) = (failures.first()?, failures.last()?);
        let mut ways: Vec<String> = self.checks.tried(&last.fault.signature);
        let replanned = self.plan.changed_after(first.call.seen).is_some();
        if ways.is_empty() {
            let words = |one: &&Failure| words::general(one.call.key.trim_start_matches("Bash "));
            ways = failures
                .iter()
                .map(|one| format!("`{}`", words::shortened(&words(one), 60)))
                .collect();
            ways.sort();
            ways.dedup();
        }
        if failures.len() < DEAD_END || (ways.len() < 2 && !replanned) {
            return None;
        }
        let better = if replanned || ways.len() >= DEAD_END { 0.1 } else { 0.0 };
        ways.truncate(DEAD_END);
        let name = last.call.name();
        let (times, context) = (failures.len(), last.call.role.doing());
        Some(Lesson {
            title: format!("`{name}` failed {times} times and was given up"),
            what_failed: format!(
                "`{name}` failed {times} times, at last with: {}.",
                says(&last.fault)
            ),
            what_worked: format!("Nothing helped; tried: {}.", words::list(&ways)),
            evidence: Evidence {
                failed: failures.iter().map(|one| step_of(&one.call)).collect(),
                ..Evidence::default()
            },
            ..Lesson::new(Pattern::StillFailing, &last.fault, name, context, confidence + better)
        })
    }
}

impl Between {
    /// Whether what it wrote may be why a later call worked where an earlier one failed.
    fn may_be_why(&self, failure: &Failure, worked: &Call) -> bool {
        let Some(files) = &self.wrote else { return true };
        let is_target = |file: &String| {
            let mut targets = failure.call.targets.iter().chain(&worked.targets);
            targets.any(|target| attempt::same_target(target, file))
        };
        // A run may read any file; what it says about its own options is not in any.
        let reads = matches!(worked.role, attempt::Role::Run | attempt::Role::Install)
            && !matches!(failure.fault.kind, FaultKind::Usage | FaultKind::Limit);
        let is_document =
            |file: &String| matches!(file.rsplit_once('.'), Some((_, "md" | "txt" | "tex")));
        files.iter().any(|file| is_target(file) || (reads && !is_document(file)))
    }
}

impl Failure {
    /// Whether its kind says something about the tool and not about a guess or the network.
    fn teaches(&self) -> bool {
        !matches!(
            self.fault.kind,
            FaultKind::NoSuchFile | FaultKind::Mechanical | FaultKind::Transient
        )
    }
}

fn step_of(call: &Call) -> Step {
    Step { tool_use_id: call.id.clone(), line: call.line }
}
