//! What is being worked at: the client's list of tasks where there is one, else the person's prompts.

use serde::{Deserialize, Serialize};

use crate::learn::events::general;
use crate::learn::transcript::{ToolCall, ToolResult};

/// Calls further apart than this are not attempts at one aim, unless they belong to one task.
const NEAR: u64 = 12;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Aim {
    pub(super) task: Option<String>,
    pub(super) prompt: u64,
    pub(super) number: u64,
}

impl Aim {
    pub(super) fn includes(&self, later: &Self) -> bool {
        match (&self.task, &later.task) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.prompt == later.prompt && later.number - self.number <= NEAR,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Over {
    pub(super) task: String,
    pub(super) dropped: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Plan {
    prompt: u64,
    number: u64,
    task: Option<String>,
    todos: Vec<Todo>,
    /// Line of the last change of the plan itself, and what was new in it.
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
    pub(super) fn next(&mut self) -> Aim {
        self.number += 1;
        Aim { task: self.task.clone(), prompt: self.prompt, number: self.number }
    }

    pub(super) fn prompted(&mut self) {
        self.prompt += 1;
    }

    pub(super) fn is_over(&self, aim: &Aim) -> bool {
        aim.task.is_none() && aim.prompt != self.prompt
    }

    pub(super) fn changed_after(&self, line: u64) -> Option<&str> {
        self.changed.as_ref().filter(|(at, _)| *at > line).map(|(_, what)| what.as_str())
    }

    pub(super) fn read(&mut self, result: &ToolResult) -> Vec<Over> {
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
        if call.name != "TaskUpdate" {
            return Vec::new();
        }
        let task = call.parameter("taskId").map(str::to_owned);
        let status = call.parameter("status").unwrap_or_default();
        let (Some(task), "in_progress") = (&task, status) else {
            let dropped = matches!(status, "deleted" | "cancelled");
            let over = task.filter(|_| dropped || status == "completed");
            self.task.take_if(|current| over.as_ref() == Some(current));
            return over.map(|task| Over { task, dropped }).into_iter().collect();
        };
        self.task = Some(task.clone());
        Vec::new()
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
        let over = over.map(|(todo, dropped)| Over { task: todo.task.clone(), dropped }).collect();
        let in_progress = todos.iter().find(|todo| todo.status == "in_progress");
        self.task = in_progress.map(|todo| todo.task.clone());
        self.todos = todos;
        over
    }
}
