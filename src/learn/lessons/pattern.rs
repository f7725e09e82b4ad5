//! How a call that worked relates to one that failed before, and what that teaches.

use std::collections::BTreeMap;

use super::attempt::{Call, Role, same_target};
use super::fault::{Fault, FaultKind};
use super::{Lesson, Pattern, words};

/// What a call that worked is to one that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    /// The same tool on the same thing, in a way that is not general.
    Alike,
    /// The same tool on the same thing with other options: these worked.
    Options(Vec<String>),
    /// What was missing is replaced: how, in words.
    Replaced(String),
    /// Another tool for the same purpose on the same thing.
    OtherTool,
}

/// Calls further apart are no replacement for a missing program.
const NEAR: u64 = 6;

/// How a later call that worked relates to a failed one; `None` where it is about something else.
/// `distance` counts the calls between them.
pub(super) fn relation(
    failed: &Call,
    fault: &Fault,
    worked: &Call,
    distance: u64,
) -> Option<Relation> {
    if failed.key == worked.key {
        return Some(Relation::Same);
    }
    if let FaultKind::Missing(name) = &fault.kind {
        let how = replaced(failed, name, worked).filter(|_| distance <= NEAR);
        return how.map(Relation::Replaced);
    }
    if failed.tool == worked.tool && failed.family == worked.family {
        if !is_same_matter(&failed.matter, &worked.matter) {
            return None;
        }
        let ways = ways(&failed.args, &worked.args);
        return Some(if ways.is_empty() { Relation::Alike } else { Relation::Options(ways) });
    }
    is_other_tool(failed, worked).then_some(Relation::OtherTool)
}

/// How the later call does without what was missing.
fn replaced(failed: &Call, name: &str, worked: &Call) -> Option<String> {
    let program = worked.command.split(' ').next().unwrap_or_default();
    let runs_it = |call: &Call| call.family.split(' ').any(|word| word == name);
    let ran_missing = runs_it(failed);
    if ran_missing {
        let by_path = program.contains('/') && program.ends_with(&format!("/{name}"));
        // Who searched for a word is not served by a look at the same folder.
        let shared = match failed.role {
            Role::Search => shares_words(failed, worked),
            _ => shares_matter(failed, worked) || failed.shares_target(worked),
        };
        return match worked.role {
            _ if by_path => Some("calling it by its full path".to_owned()),
            _ if !shared || runs_it(worked) => None,
            _ if is_purpose_shared(failed, worked) => Some(format!("`{}`", worked.name())),
            _ => None,
        };
    }
    let still_named = worked.key.contains(name);
    let alike = failed.shares_target(worked) || failed.family == worked.family;
    let runs = worked.tool == "Bash" && matches!(worked.role, Role::Run | Role::Read);
    if still_named || !alike || !runs {
        return None;
    }
    if failed.family == worked.family {
        Some(format!("doing it without `{name}`"))
    } else {
        Some(format!("`{}`", worked.name()))
    }
}

/// A script can do what any program did for the same file.
fn is_purpose_shared(one: &Call, two: &Call) -> bool {
    let looks = |role| matches!(role, Role::Read | Role::Search);
    let by_script = two.role == Role::Run && !two.checks_lean && one.shares_target(two);
    one.role == two.role || (looks(one.role) && looks(two.role)) || by_script
}

/// At least half of what is worked on is shared.
fn is_same_matter(one: &[String], two: &[String]) -> bool {
    let shared = one.iter().filter(|a| two.iter().any(|b| same_target(a, b))).count();
    let most = one.len().max(two.len());
    most == 0 || (shared > 0 && shared * 2 >= most)
}

/// What the arguments of a call that worked have and those of a failed one have not, and the other way round,
/// in words: as far as it is general, and belongs to no single task.
fn ways(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let mut ways = Vec::new();
    for (name, value) in after {
        match before.get(name) {
            None => ways.push(format!("with `{}`", with_value(name, value))),
            Some(old) if old != value => ways.extend(changed(name, old, value)),
            Some(_) => {}
        }
    }
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    ways.extend(gone.map(|name| format!("without `{name}`")));
    ways
}

fn with_value(name: &str, value: &str) -> String {
    if is_plain(value) && value.parse::<f64>().is_err() && name.starts_with('-') {
        format!("{name}={value}")
    } else if is_plain(value) && value.parse::<f64>().is_err() {
        format!("{name}: {value}")
    } else {
        name.to_owned()
    }
}

fn changed(name: &str, old: &str, new: &str) -> Option<String> {
    if let (Ok(old), Ok(new)) = (old.parse::<f64>(), new.parse::<f64>()) {
        let word = if new < old { "smaller" } else { "larger" };
        return Some(format!("with a {word} `{name}`"));
    }
    (is_plain(old) && is_plain(new)).then(|| format!("with `{name}` = `{new}`, not `{old}`"))
}

/// A word that means the same anywhere: `true`, `content`, `force`.
fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !value.is_empty() && value.len() <= 24 && value.chars().all(plain)
}

/// Whether at least half of what the one with less works on is shared, to the letter.
fn shares_matter(one: &Call, two: &Call) -> bool {
    let long = |word: &&String| word.chars().count() >= 3;
    let shared = one.matter.iter().filter(long).filter(|word| two.matter.contains(word)).count();
    shared > 0 && shared * 2 >= one.matter.len().min(two.matter.len())
}

/// Whether a word is shared that is no target; the last of several says where a search looks.
fn shares_words(one: &Call, two: &Call) -> bool {
    let most = one.matter.len();
    let words = one.matter.iter().take(if most > 1 { most - 1 } else { most });
    let is_word = |word: &&String| !one.targets.iter().any(|target| target.contains(word.as_str()));
    words.filter(is_word).any(|word| two.matter.contains(word))
}

/// Whether the later call is another tool for the same purpose on the same thing.
fn is_other_tool(failed: &Call, worked: &Call) -> bool {
    if failed.name() == worked.name() {
        return false;
    }
    let looks = |role| matches!(role, Role::Read | Role::Search);
    let same_purpose = failed.role == worked.role && failed.role != Role::Install
        || (looks(failed.role) && looks(worked.role) && failed.shares_target(worked));
    if !same_purpose {
        return false;
    }
    let both_name_targets = !failed.targets.is_empty() && !worked.targets.is_empty();
    if both_name_targets { failed.shares_target(worked) } else { shares_matter(failed, worked) }
}

/// The facts that a lesson is made of.
pub(super) struct Facts<'a> {
    pub(super) failed: &'a Call,
    pub(super) fault: &'a Fault,
    pub(super) times: usize,
    pub(super) worked: &'a Call,
}

impl Facts<'_> {
    fn lesson(&self, pattern: Pattern, confidence: f64) -> Lesson {
        let (name, context) = (self.failed.name(), self.failed.role.doing());
        Lesson {
            what_failed: format!("`{name}` failed: {}.", says(self.fault)),
            ..Lesson::new(pattern, self.fault, name, context, confidence)
        }
    }

    /// Another tool did it.
    pub(super) fn other_tool(&self) -> Option<Lesson> {
        let (kind, often) = (&self.fault.kind, self.times > 1);
        let confidence = match kind {
            FaultKind::NoSuchFile | FaultKind::Transient | FaultKind::Lean => return None,
            FaultKind::Mechanical if often => 0.75,
            FaultKind::Mechanical => 0.6,
            _ if often => 0.85,
            _ => 0.75,
        };
        let (one, two) = (self.failed.name(), self.worked.name());
        let mut lesson = self.lesson(Pattern::ToolSwitch, confidence);
        lesson.title = format!("`{two}` instead of `{one}` when {}", lesson.context);
        lesson.what_worked = format!("`{two}` on the same thing worked.");
        Some(lesson)
    }

    pub(super) fn other_options(&self, ways: &[String]) -> Option<Lesson> {
        const MOST: usize = 3;
        let known: f64 = match self.fault.kind {
            FaultKind::NoSuchFile
            | FaultKind::Transient
            | FaultKind::Lean
            | FaultKind::Mechanical => return None,
            FaultKind::Usage | FaultKind::Limit => 0.85,
            _ => 0.75,
        };
        if ways.len() > MOST {
            return None;
        }
        let named = ways.iter().any(|way| is_named(way, &self.fault.says));
        let several = if ways.len() > 1 { 0.1 } else { 0.0 };
        let confidence = (known + if named { 0.05 } else { 0.0 } - several).min(0.95);
        let name = self.failed.name();
        let ways = words::list(ways);
        let mut lesson = self.lesson(Pattern::ParameterChange, confidence);
        lesson.title = format!("`{name}` {ways}");
        lesson.what_worked = format!("The same call {ways} worked.");
        Some(lesson)
    }

    /// Something else did what a missing program or library was for.
    pub(super) fn replaced(&self, how: &str) -> Lesson {
        let mut lesson = self.lesson(Pattern::MissingReplaced, 0.9);
        let missing = self.missing();
        let using = if how.starts_with('`') { "use " } else { "" };
        lesson.title = format!("`{missing}` is not available: {using}{how}");
        lesson.what_failed = format!("{}.", capital(&self.fault.says));
        lesson.what_worked = if how.starts_with('`') {
            format!("{how} did it instead.")
        } else {
            format!("{} worked.", capital(how))
        };
        lesson
    }

    pub(super) fn other_plan(&self, plan: &str) -> Option<Lesson> {
        if matches!(self.fault.kind, FaultKind::Transient | FaultKind::Mechanical) {
            return None;
        }
        let name = self.failed.name();
        let mut lesson = self.lesson(Pattern::PlanChange, if self.times > 2 { 0.8 } else { 0.75 });
        let plan = words::shortened(plan, 100);
        let plan =
            if plan.is_empty() { "a new plan".to_owned() } else { format!("the plan \"{plan}\"") };
        lesson.title = format!("`{name}` failed {} times: {plan} worked", self.times);
        lesson.what_failed =
            format!("`{name}` failed {} times, at last with: {}.", self.times, says(self.fault));
        lesson.what_worked = format!("{} worked.", capital(&plan));
        Some(lesson)
    }

    fn missing(&self) -> &str {
        match &self.fault.kind {
            FaultKind::Missing(name) => name,
            _ => self.failed.name(),
        }
    }
}

/// Whether the message names the option that was changed.
fn is_named(way: &str, says: &str) -> bool {
    let name = way.split('`').nth(1).unwrap_or_default();
    let name = name.split(['=', ':']).next().unwrap_or_default().trim_start_matches('-');
    name.len() > 1 && says.contains(name)
}

/// What the tool said, as the end of a sentence.
pub(super) fn says(fault: &Fault) -> String {
    let says = words::shortened(&fault.says, 160);
    let says = says.trim_end_matches(['.', ':', ' ']);
    if says.is_empty() { "it said nothing".to_owned() } else { says.to_owned() }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
