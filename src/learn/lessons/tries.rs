//! One conversation, the main one or a subagent's: what failed and is not yet answered, and what is learnt
//! when something worked.

use serde::{Deserialize, Serialize};

use super::difference::{Difference, difference};
use super::ledger::Ledger;
use super::{Lesson, Pattern, keep_last};
use crate::learn::events::{
    Act, Call, Fault, FaultKind, Outcome, Role, Writes, general, same_target, shortened,
};
use crate::learn::orders::foreign;
use crate::learn::transcript::{ToolCall, ToolResult};
use crate::text::{capitalised, listed};

const MOST_PENDING: usize = 30;
const MOST_STEPS: usize = 60;

const MOST_TEXT: usize = 600;

const DEAD_END: usize = 3;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tries {
    plan: Plan,
    pending: Vec<Failure>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Failure {
    call: Call,
    fault: Fault,
    aim: Aim,
    /// What it printed, without what is local: it may name the command that helps.
    text: String,
}

/// Something between a failure and a success that may be why.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Step {
    line: u64,
    seen: u64,
    /// `None` where that is not known.
    wrote: Option<Vec<String>>,
    /// What came into a file, if that was seen: it may do without a library.
    text: Option<String>,
    /// An installation that worked, or what a message said to run.
    command: Option<String>,
    installs: bool,
}

impl Tries {
    pub(super) fn prompted(&mut self, ledger: &Ledger) -> Vec<Lesson> {
        self.plan.prompt += 1;
        let now = self.plan.prompt;
        let is_over = |one: &mut Failure| one.aim.task.is_none() && one.aim.prompt != now;
        let over: Vec<Failure> = self.pending.extract_if(.., is_over).collect();
        self.dead_ends(over.iter(), 0.6, ledger)
    }

    pub(super) fn returned(
        &mut self,
        result: &ToolResult,
        act: Option<&Act>,
        ledger: &Ledger,
    ) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        for (task, dropped) in self.plan.read(result) {
            let is_of = |one: &Failure| one.aim.task.as_ref() == Some(&task);
            if dropped {
                let failures = self.pending.iter().filter(|one| is_of(one));
                lessons.extend(self.dead_ends(failures, 0.75, ledger));
            } else {
                self.pending.retain(|one| !is_of(one));
            }
        }
        let Some(act) = act else { return lessons };
        self.plan.number += 1;
        let Plan { task, prompt, number, .. } = &self.plan;
        let aim = Aim { task: task.clone(), prompt: *prompt, number: *number };
        match &act.outcome {
            Outcome::Void => {}
            Outcome::Failed(fault) => {
                self.note(act, false);
                let text = shortened(&general(&result.text), MOST_TEXT);
                let failure = Failure { call: act.call.clone(), fault: fault.clone(), aim, text };
                keep_last(&mut self.pending, failure, MOST_PENDING);
            }
            Outcome::Worked => {
                lessons.extend(self.worked(&act.call, &aim));
                self.note(act, true);
            }
        }
        lessons
    }

    fn note(&mut self, act: &Act, worked: bool) {
        let Call { line, seen, role, command, .. } = &act.call;
        let installs = *role == Role::Install;
        let is_advised =
            || self.pending.iter().any(|one| advises(one, &general(command)).is_some());
        let wrote = match &act.writes {
            Writes::Files(files) if worked || !act.is_edit() => Some(files.clone()),
            Writes::Nothing | Writes::Files(_) => Some(Vec::new()),
            Writes::Anything => None,
        };
        let command = (worked && (installs || is_advised())).then(|| command.clone());
        if command.is_some() || wrote.as_ref().is_none_or(|wrote| !wrote.is_empty()) {
            let new = || act.changes.iter().map(|one| &*one.new).collect::<Vec<_>>().join("\n");
            let text = (worked && act.is_edit()).then(new);
            let step = Step { line: *line, seen: *seen, wrote, text, command, installs };
            keep_last(&mut self.steps, step, MOST_STEPS);
        }
    }

    fn worked(&mut self, call: &Call, aim: &Aim) -> Option<Lesson> {
        let mut last = None;
        let is_answered = |failure: &mut Failure| {
            // Who made a call before the other came back did not know of it.
            let may = call.line > failure.call.seen && failure.aim.includes(aim);
            let found = may.then(|| difference(&failure.call, &failure.fault, call)).flatten();
            let is_answered = found.is_some();
            last = found.or(last.take());
            is_answered
        };
        let answered: Vec<Failure> = self.pending.extract_if(.., is_answered).collect();
        self.taught(call, &answered, &last?)
    }

    fn taught(&self, call: &Call, failures: &[Failure], last: &Difference) -> Option<Lesson> {
        let failure = failures.last()?;
        if bypasses(&failure.call, call) {
            return None;
        }
        let (fault, kind) = (&failure.fault, &failure.fault.kind);
        let alike: Vec<&Failure> =
            failures.iter().filter(|one| one.call.family == failure.call.family).collect();
        let between: Vec<&Step> = self
            .steps
            .iter()
            .filter(|step| step.line > failure.call.seen && step.seen < call.line)
            .collect();
        let rewritten = between.iter().any(|step| step.may_be_why(failure, call));
        let new_plan = self.plan.changed_after(alike.first()?.call.seen);
        let new_plan = new_plan.filter(|_| alike.len() > 1 && *last != Difference::Tool);
        let name = failure.call.name();
        let told = match last {
            Difference::Replaced(how) => instead(failure, how, 0.9),
            Difference::Nothing if let FaultKind::Missing(missing) = kind => {
                let (how, confidence) = provided(failure, missing, &between)?;
                instead(failure, &how, confidence)
            }
            // Where something was rewritten too, that may be why.
            Difference::Nothing
                if !rewritten
                    && *kind != FaultKind::Lean
                    && let Some(command) = advised(failure, &between, call) =>
            {
                let title = format!("{}: run `{command}`", fault.says());
                let worked = format!("`{command}` made it work, as the message says.");
                (Pattern::MissingReplaced, 0.85, title, worked)
            }
            _ if let Some(plan) = new_plan => other_plan(failure, alike.len(), plan)?,
            Difference::Options(ways) if !rewritten => {
                let confidence = sure_of_options(fault, ways)?;
                let ways = listed(ways, "and");
                let worked = format!("The same call {ways} worked.");
                (Pattern::ParameterChange, confidence, format!("`{name}` {ways}"), worked)
            }
            Difference::Tool if !rewritten => {
                let confidence = match kind {
                    _ if !fault.is_of_tool() && *kind != FaultKind::Mechanical => return None,
                    FaultKind::Lean => return None,
                    FaultKind::Mechanical => 0.6,
                    _ => 0.75,
                };
                let often = match (alike.len() > 1, kind) {
                    (false, _) => 0.0,
                    (true, FaultKind::Mechanical) => 0.15,
                    (true, _) => 0.1,
                };
                let (other, doing) = (call.name(), failure.call.role.doing());
                let title = format!("`{other}` instead of `{name}` when {doing}");
                let worked = format!("`{other}` on the same thing worked.");
                (Pattern::ToolSwitch, confidence + often, title, worked)
            }
            _ => return None,
        };
        Some(failure.lesson(told, alike.len(), call.line))
    }

    fn dead_ends<'f>(
        &self,
        over: impl Iterator<Item = &'f Failure>,
        confidence: f64,
        ledger: &Ledger,
    ) -> Vec<Lesson> {
        let mut families: Vec<Vec<&Failure>> = Vec::new();
        for one in over.filter(|one| one.fault.is_of_tool()) {
            match families.iter_mut().find(|of| of[0].call.family == one.call.family) {
                Some(family) => family.push(one),
                None => families.push(vec![one]),
            }
        }
        families.iter().filter_map(|family| self.dead_end(family, confidence, ledger)).collect()
    }

    fn dead_end(&self, failures: &[&Failure], confidence: f64, ledger: &Ledger) -> Option<Lesson> {
        let (first, last) = (failures.first()?, failures.last()?);
        let mut ways: Vec<String> = ledger.tried(&last.fault.signature);
        let replanned = self.plan.changed_after(first.call.seen).is_some();
        if ways.is_empty() {
            let words = |one: &Failure| general(one.call.key.trim_start_matches("Bash "));
            ways = failures.iter().map(|one| format!("`{}`", shortened(&words(one), 60))).collect();
            ways.sort();
            ways.dedup();
        }
        if failures.len() < DEAD_END || (ways.len() < 2 && !replanned) {
            return None;
        }
        let better = if replanned || ways.len() >= DEAD_END { 0.1 } else { 0.0 };
        ways.truncate(DEAD_END);
        let (name, times) = (last.call.name(), failures.len());
        let title = format!("`{name}` failed {times} times and was given up");
        let tried = format!("Nothing helped; tried: {}.", listed(&ways, "and"));
        let told = (Pattern::StillFailing, confidence + better, title, tried);
        Some(last.lesson(told, times, last.call.line))
    }
}

type Told = (Pattern, f64, String, String);

fn instead(failure: &Failure, how: &str, confidence: f64) -> Told {
    let missing = match &failure.fault.kind {
        FaultKind::Missing(name) => name,
        _ => failure.call.name(),
    };
    let is_tool = how.starts_with('`');
    let title = format!("`{missing}` is not available: {}{how}", if is_tool { "use " } else { "" });
    let worked = if is_tool {
        format!("{how} did it instead.")
    } else {
        capitalised(&format!("{how} worked."))
    };
    (Pattern::MissingReplaced, confidence, title, worked)
}

fn other_plan(failure: &Failure, times: usize, plan: &str) -> Option<Told> {
    if matches!(failure.fault.kind, FaultKind::Transient | FaultKind::Mechanical) {
        return None;
    }
    let plan = match shortened(plan, 100) {
        plan if plan.is_empty() => "a new plan".to_owned(),
        plan => format!("the plan \"{plan}\""),
    };
    let title = format!("`{}` failed {times} times: {plan} worked", failure.call.name());
    let confidence = if times > 2 { 0.8 } else { 0.75 };
    Some((Pattern::PlanChange, confidence, title, format!("{} worked.", capitalised(&plan))))
}

/// How the same call came to work after something was installed, or after a file does without it.
fn provided(failure: &Failure, missing: &str, between: &[&Step]) -> Option<(String, f64)> {
    let installs = between.iter().filter(|one| one.installs);
    let installs: Vec<&String> = installs.filter_map(|one| one.command.as_ref()).collect();
    let by = |words: &str| format!("installing it with `{}`", general(words));
    if let Some(named) = installs.iter().rfind(|words| words.contains(missing)) {
        return Some((by(named), 0.9));
    }
    // A command's package may be called otherwise; a single installation must be the one.
    if let [only] = installs.as_slice()
        && failure.fault.signature.starts_with("missing-command")
    {
        return Some((by(only), 0.8));
    }
    let without = |one: &&Step| {
        let mut wrote = one.wrote.iter().flatten();
        let targets = &failure.call.targets;
        wrote.any(|file| targets.iter().any(|target| same_target(target, file)))
            && one.text.as_ref().is_some_and(|text| !text.contains(missing))
    };
    between.iter().any(without).then(|| (format!("a version without `{missing}`"), 0.9))
}

/// The command, if the message of a failure names it.
fn advises(failure: &Failure, command: &str) -> Option<String> {
    // Text from outside may want something of its reader.
    let is_harmless = foreign(command).is_none() && !switches_off(command);
    let is_other = command.contains(' ') && *command != general(&failure.call.command);
    (is_harmless && is_other && failure.text.contains(command)).then(|| command.to_owned())
}

fn advised(failure: &Failure, between: &[&Step], call: &Call) -> Option<String> {
    let ran = between.iter().rev().filter_map(|one| one.command.as_ref());
    call.led_by.iter().chain(ran).find_map(|command| advises(failure, &general(command)))
}

/// Whether a call switches off what held the failed one back: that is no way on.
fn bypasses(failed: &Call, worked: &Call) -> bool {
    const SHORT: [(&str, &str); 5] =
        [("git commit", "-n"), ("git push", "-f"), ("git tag", "-f"), ("curl", "-k"), ("rm", "-f")];
    let mut came = worked.args.keys().filter(|option| !failed.args.contains_key(*option));
    came.any(|option| SHORT.contains(&(worked.name(), option.as_str())))
}

pub(super) fn switches_off(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["force", "skip", "ignore", "insecure", "unsafe", "bypass", "nodeps", "dangerously"];
    let drops = |option: &str| {
        let parts: Vec<&str> = option.split(|c: char| !c.is_alphanumeric()).collect();
        parts.iter().any(|part| WORDS.contains(part))
            || parts.windows(2).any(|two| {
                matches!(
                    two,
                    ["no", "verify" | "check" | "gpg" | "hooks" | "sandbox" | "ssl" | "validate"]
                        | ["break", "system"]
                        | ["trusted", "host"]
                        | ["legacy", "peer"]
                )
            })
    };
    let words = || text.split([' ', '`', '"', '\'', '(', ')', ',']);
    words().any(|word| word.starts_with("--") && drops(word)) || text.contains("core.hooksPath")
}

/// A failure that says nothing of how it was called may have been for something else.
fn sure_of_options(fault: &Fault, ways: &[String]) -> Option<f64> {
    let (most, confidence) = match fault.kind {
        FaultKind::Usage | FaultKind::Limit => (3, 0.85),
        FaultKind::Lean => return None,
        _ if !fault.is_of_tool() => return None,
        _ => (1, 0.75),
    };
    (1..=most).contains(&ways.len()).then_some(confidence)
}

impl Step {
    /// Whether what it wrote may be why a later call worked where an earlier one failed.
    fn may_be_why(&self, failure: &Failure, worked: &Call) -> bool {
        let Some(files) = &self.wrote else { return true };
        let is_target = |file: &String| {
            let mut targets = failure.call.targets.iter().chain(&worked.targets);
            targets.any(|target| same_target(target, file))
        };
        // A run may read any file; what it says about its own options is not in any.
        let reads = matches!(worked.role, Role::Run | Role::Install)
            && !matches!(failure.fault.kind, FaultKind::Usage | FaultKind::Limit);
        reads && !files.is_empty() || files.iter().any(is_target)
    }
}

impl Failure {
    fn lesson(&self, told: Told, times: usize, line: u64) -> Lesson {
        let (pattern, confidence, title, what_worked) = told;
        let (name, says) = (self.call.name(), self.fault.says());
        let what_failed = match pattern {
            Pattern::MissingReplaced => format!("{}.", capitalised(&self.fault.says)),
            Pattern::PlanChange | Pattern::StillFailing => {
                format!("`{name}` failed {times} times, at last with: {says}.")
            }
            _ => format!("`{name}` failed: {says}."),
        };
        Lesson {
            pattern,
            title,
            context: self.call.role.doing().to_owned(),
            what_failed,
            what_worked,
            tool_name: Some(name.to_owned()),
            signature: Some(self.fault.signature.clone()),
            reason: self.fault.reason,
            confidence,
            line,
            fix: None,
        }
    }
}

/// Calls further apart than this are not attempts at one aim, unless they belong to one task.
const NEAR: u64 = 12;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Aim {
    task: Option<String>,
    prompt: u64,
    number: u64,
}

impl Aim {
    fn includes(&self, later: &Self) -> bool {
        match (&self.task, &later.task) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.prompt == later.prompt && later.number - self.number <= NEAR,
            _ => false,
        }
    }
}

/// A task that is over, and whether it was given up.
type Over = (String, bool);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Plan {
    prompt: u64,
    number: u64,
    task: Option<String>,
    todos: Vec<Todo>,
    changed: Option<(u64, String)>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Todo {
    content: String,
    status: String,
    /// Its first words: it goes on under them when it is put another way.
    task: String,
}

impl Plan {
    fn changed_after(&self, line: u64) -> Option<&str> {
        self.changed.as_ref().filter(|(at, _)| *at > line).map(|(_, what)| what.as_str())
    }

    fn read(&mut self, result: &ToolResult) -> Vec<Over> {
        let Some(call) = result.call.as_deref().filter(|_| !result.is_error) else {
            return Vec::new();
        };
        match call.name.as_str() {
            "TodoWrite" => return self.todos_written(call),
            "TaskCreate" | "TaskUpdate" => {
                if let Some(subject) = call.parameter("subject") {
                    self.changed = Some((call.line, general(subject)));
                }
            }
            "EnterPlanMode" | "ExitPlanMode" => self.changed = Some((call.line, String::new())),
            _ => {}
        }
        let task = call.parameter("taskId").filter(|_| call.name == "TaskUpdate");
        let Some(task) = task.map(str::to_owned) else { return Vec::new() };
        let dropped = match call.parameter("status") {
            Some("in_progress") => {
                self.task = Some(task);
                return Vec::new();
            }
            Some("completed") => false,
            Some("deleted" | "cancelled") => true,
            _ => return Vec::new(),
        };
        self.task.take_if(|current| *current == task);
        vec![(task, dropped)]
    }

    /// The whole list is written each time: tasks are known by their words.
    fn todos_written(&mut self, call: &ToolCall) -> Vec<Over> {
        let todos = call.parameter("todos").and_then(|todos| serde_json::from_str(todos).ok());
        let mut todos: Vec<Todo> = todos.unwrap_or_default();
        let before = std::mem::take(&mut self.todos);
        let is_kept = |old: &Todo| todos.iter().any(|todo| todo.content == old.content);
        // What was in progress and is gone goes on under the new words of what is in progress now.
        let current = |old: &&Todo| Some(&old.task) == self.task.as_ref() && !is_kept(old);
        let mut reworded = before.iter().find(current).map(|old| old.task.clone());
        let mut new = None;
        for todo in &mut todos {
            let known = before.iter().find(|old| old.content == todo.content);
            let goes_on = || reworded.take_if(|_| todo.status == "in_progress");
            let task = known.map(|old| old.task.clone());
            if task.is_none() {
                new = new.or(Some(general(&todo.content)));
            }
            todo.task = task.or_else(goes_on).unwrap_or_else(|| todo.content.clone());
        }
        if let Some(new) = new.filter(|_| !before.is_empty()) {
            self.changed = Some((call.line, new));
        }
        let is_left = |old: &&Todo| !todos.iter().any(|todo| todo.task == old.task);
        let dropped = before.iter().filter(is_left).map(|old| (old, true));
        let done = todos.iter().filter(|todo| todo.status == "completed").map(|todo| (todo, false));
        let over = dropped.chain(done);
        let over = over.map(|(todo, dropped)| (todo.task.clone(), dropped)).collect();
        let in_progress = todos.iter().find(|todo| todo.status == "in_progress");
        self.task = in_progress.map(|todo| todo.task.clone());
        self.todos = todos;
        over
    }
}
