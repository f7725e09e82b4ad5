//! What is being worked at: the client's list of tasks where there is one, else the person's prompts.

use serde::{Deserialize, Serialize};

use super::words;
use crate::learn::transcript::{ToolCall, ToolResult};

/// Calls further apart than this are not attempts at one aim, unless they belong to one task.
const NEAR: u64 = 12;

/// The aim under which a call was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Aim {
    pub(super) task: Option<String>,
    /// Which prompt of the person, from 0.
    pub(super) prompt: u64,
    /// Which call of the conversation, from 0.
    pub(super) number: u64,
}

impl Aim {
    /// Whether a later call may be an attempt at the same.
    pub(super) fn includes(&self, later: &Self) -> bool {
        match (&self.task, &later.task) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.prompt == later.prompt && later.number - self.number <= NEAR,
            _ => false,
        }
    }
}

/// Something that happened to the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlanEvent {
    /// A task was given up.
    Dropped(String),
    Done(String),
}

/// The plan as the client's tools tell it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Plan {
    prompt: u64,
    number: u64,
    task: Option<String>,
    todos: Vec<String>,
    /// New words of the task in progress: it goes on under the name that it had first.
    renamed: Option<String>,
    /// Line of the last change of the plan itself, and what was new in it.
    changed: Option<(u64, String)>,
}

impl Plan {
    pub(super) fn next(&mut self) -> Aim {
        self.number += 1;
        Aim { task: self.task.clone(), prompt: self.prompt, number: self.number }
    }

    /// The person said something.
    pub(super) fn prompted(&mut self) {
        self.prompt += 1;
    }

    /// Whether attempts without a task belong to an aim that is over.
    pub(super) fn is_over(&self, aim: &Aim) -> bool {
        aim.task.is_none() && aim.prompt != self.prompt
    }

    /// The change of the plan after a line, if there was one: what was new in it.
    pub(super) fn changed_after(&self, line: u64) -> Option<&str> {
        self.changed.as_ref().filter(|(at, _)| *at > line).map(|(_, what)| what.as_str())
    }

    /// Reads a call of the tools that plan; `None` where it is none of them.
    pub(super) fn read(&mut self, call: &ToolCall, result: &ToolResult) -> Option<Vec<PlanEvent>> {
        let planning = ["TaskCreate", "TaskUpdate", "TodoWrite", "EnterPlanMode", "ExitPlanMode"];
        if !planning.contains(&call.name.as_str()) {
            return None;
        }
        if result.is_error {
            return Some(Vec::new());
        }
        Some(match call.name.as_str() {
            "TaskCreate" => {
                let subject = call.parameter("subject").unwrap_or_default();
                self.changed = Some((call.line, words::general(subject)));
                Vec::new()
            }
            "TaskUpdate" => self.task_updated(call),
            "TodoWrite" => self.todos_written(call),
            _ => {
                self.changed = Some((call.line, String::new()));
                Vec::new()
            }
        })
    }

    fn task_updated(&mut self, call: &ToolCall) -> Vec<PlanEvent> {
        let Some(task) = call.parameter("taskId") else { return Vec::new() };
        if let Some(subject) = call.parameter("subject") {
            self.changed = Some((call.line, words::general(subject)));
        }
        match call.parameter("status") {
            Some("in_progress") => {
                self.task = Some(task.to_owned());
                Vec::new()
            }
            Some("completed") => {
                self.leave(task);
                vec![PlanEvent::Done(task.to_owned())]
            }
            Some("deleted" | "cancelled") => {
                self.leave(task);
                vec![PlanEvent::Dropped(task.to_owned())]
            }
            _ => Vec::new(),
        }
    }

    fn leave(&mut self, task: &str) {
        if self.task.as_deref() == Some(task) {
            self.task = None;
        }
    }

    /// The whole list is written each time: tasks are known by their words.
    fn todos_written(&mut self, call: &ToolCall) -> Vec<PlanEvent> {
        let todos = call.parameter("todos").and_then(|todos| serde_json::from_str(todos).ok());
        let todos: Vec<Todo> = todos.unwrap_or_default();
        let words: Vec<String> = todos.iter().map(|todo| todo.content.clone()).collect();
        let is_new = |content: &String| !self.todos.contains(content);
        if let Some(new) =
            words.iter().find(|content| is_new(content)).filter(|_| !self.todos.is_empty())
        {
            self.changed = Some((call.line, words::general(new)));
        }
        let is = |status: &str| todos.iter().find(|todo| todo.status == status);
        let current = is("in_progress").map(|todo| todo.content.clone());
        let before = self.renamed.clone().or_else(|| self.task.clone());
        let goes_on = before.as_ref().is_some_and(|before| !words.contains(before))
            && current.as_ref().is_some_and(is_new);
        let mut events = Vec::new();
        for gone in self.todos.iter().filter(|content| !words.contains(content)) {
            if !(goes_on && Some(gone) == before.as_ref()) {
                events.push(PlanEvent::Dropped(self.first_words(gone)));
            }
        }
        for todo in todos.iter().filter(|todo| todo.status == "completed") {
            events.push(PlanEvent::Done(self.first_words(&todo.content)));
        }
        if goes_on {
            self.renamed = current;
        } else if current != before {
            self.renamed = None;
            self.task = current;
        }
        self.todos = words;
        events
    }

    fn first_words(&self, content: &str) -> String {
        match &self.task {
            Some(task) if self.renamed.as_deref() == Some(content) => task.clone(),
            _ => content.to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct Todo {
    #[serde(default)]
    content: String,
    #[serde(default)]
    status: String,
}
