//! A scripted Messages API on loopback: answers the real client and records what it asked.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Response, Server};

/// What the model says in one turn.
pub(crate) enum Turn {
    /// Ends the turn with these words.
    Say(&'static str),
    /// Uses a tool of the client.
    Use(&'static str, Value),
    /// Decides when it is asked, from what the request tells it.
    Decide(Box<dyn FnOnce(&Value) -> Self + Send>),
}

impl Turn {
    /// Runs a command in the client's Bash tool.
    pub(crate) fn bash(command: &str) -> Self {
        Self::Use("Bash", json!({"command": command, "description": "scripted"}))
    }

    /// Reads a file, which the client wants to see before an edit.
    pub(crate) fn read(path: &Path) -> Self {
        Self::Use("Read", json!({"file_path": path}))
    }

    /// Writes a file.
    pub(crate) fn write(path: &Path, content: &str) -> Self {
        Self::Use("Write", json!({"file_path": path, "content": content}))
    }

    /// Replaces the only place where `old` stands.
    pub(crate) fn edit(path: &Path, old: &str, new: &str) -> Self {
        Self::Use("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
    }

    /// Replaces every place where `old` stands.
    pub(crate) fn edit_all(path: &Path, old: &str, new: &str) -> Self {
        let input = json!({
            "file_path": path, "old_string": old, "new_string": new, "replace_all": true,
        });
        Self::Use("Edit", input)
    }

    /// Starts a subagent and waits for it: the turns that follow are its own, up to the first
    /// that says something.
    pub(crate) fn delegate(prompt: &str) -> Self {
        let input = json!({
            "description": "scripted", "prompt": prompt, "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        Self::Use("Agent", input)
    }

    /// Decides when it is asked, from what the request tells it.
    pub(crate) fn decide(decide: impl FnOnce(&Value) -> Self + Send + 'static) -> Self {
        Self::Decide(Box::new(decide))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Say(text) => write!(f, "Say({text:?})"),
            Self::Use(name, input) => write!(f, "Use({name}, {input})"),
            Self::Decide(_) => f.write_str("Decide"),
        }
    }
}

/// The turns that are left, and how many tools were used so far.
struct Script {
    turns: std::vec::IntoIter<Turn>,
    uses: usize,
    /// The task of a subagent that has not said anything yet. At a terminal the client goes on beside it.
    task: Option<String>,
}

impl Script {
    /// The content and the stop reason of the answer to `request`.
    fn answer(&mut self, request: &Value) -> (Value, &'static str) {
        let offers_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let first = request["messages"][0].to_string();
        let is_its_turn = self.task.as_ref().is_none_or(|task| first.contains(task));
        let mut turn = if offers_tools && is_its_turn { self.turns.next() } else { None };
        while let Some(Turn::Decide(decide)) = turn {
            turn = Some(decide(request));
        }
        match turn {
            Some(Turn::Use(name, input)) => {
                let id = id_of_use(self.uses);
                self.uses += 1;
                if name == "Agent" {
                    self.task = input["prompt"].as_str().map(str::to_owned);
                }
                (json!({"type": "tool_use", "id": id, "name": name, "input": input}), "tool_use")
            }
            Some(Turn::Say(text)) => {
                self.task = None;
                (json!({"type": "text", "text": text}), "end_turn")
            }
            _ => (json!({"type": "text", "text": "Done."}), "end_turn"),
        }
    }
}

/// The id of the tool use that is `number` uses after the first of the script.
pub(super) fn id_of_use(number: usize) -> String {
    format!("toolu_{number:016}")
}

/// The server; it stops when it is dropped.
pub(crate) struct Api {
    server: Arc<Server>,
    asked: Arc<Mutex<Vec<Value>>>,
    thread: Option<JoinHandle<()>>,
}

impl Api {
    /// Serves `script`, one turn to each request that offers tools; then, and to any other
    /// request for a message, it says "Done.".
    pub(crate) fn start(script: Vec<Turn>) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on loopback"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (listening, record) = (Arc::clone(&server), Arc::clone(&asked));
        let thread = std::thread::spawn(move || {
            let mut script = Script { turns: script.into_iter(), uses: 0, task: None };
            for request in listening.incoming_requests() {
                answer(request, &mut script, &record);
            }
        });
        Self { server, asked, thread: Some(thread) }
    }

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub(crate) fn url(&self) -> String {
        let address = self.server.server_addr().to_ip().expect("an internet address");
        format!("http://{address}")
    }

    /// Every request for a message so far, as the client sent it.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().expect("the server did not panic").clone()
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn answer(mut request: tiny_http::Request, script: &mut Script, record: &Mutex<Vec<Value>>) {
    let path = request.url().split('?').next().unwrap_or("").to_owned();
    let mut body = Vec::new();
    request.as_reader().read_to_end(&mut body).ok();
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let (status, kind, text) = match (request.method(), path.as_str()) {
        (Method::Post, "/v1/messages") => {
            let (block, stop) = script.answer(&body);
            let streams = body["stream"] == true;
            let mut asked = record.lock().expect("no panic while recording");
            asked.push(body);
            let message = message(&block, stop, asked.len());
            if streams {
                (200, "text/event-stream", stream(&message))
            } else {
                (200, "application/json", message.to_string())
            }
        }
        (Method::Post, "/v1/messages/count_tokens") => {
            (200, "application/json", json!({"input_tokens": 100}).to_string())
        }
        _ => (404, "application/json", json!({"type": "error"}).to_string()),
    };
    let header = Header::from_bytes("content-type", kind).expect("a valid header");
    request.respond(Response::from_string(text).with_status_code(status).with_header(header)).ok();
}

/// The complete message of a turn; `number` makes the id, which the client tells messages by.
fn message(block: &Value, stop: &str, number: usize) -> Value {
    json!({
        "id": format!("msg_{number:016}"), "type": "message", "role": "assistant", "model": "scripted",
        "content": [block], "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    })
}

/// The same message as the events of a stream.
fn stream(message: &Value) -> String {
    let block = &message["content"][0];
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let (empty, delta) = if block["type"] == "text" {
        (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
    } else {
        let mut empty = block.clone();
        empty["input"] = json!({});
        let partial = block["input"].to_string();
        (empty, json!({"type": "input_json_delta", "partial_json": partial}))
    };
    let stop = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let events = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 10}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().fold(String::new(), |stream, event| {
        let name = event["type"].as_str().unwrap_or_default();
        stream + &format!("event: {name}\ndata: {event}\n\n")
    })
}
