//! Model servers that follow a script, and some that misbehave below HTTP.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tiny_http::{Header, Request, Response, Server};

/// What the scripted server does with one request.
#[derive(Clone)]
pub(crate) enum Script {
    /// Answers with this status and body.
    Say(u16, String),
    /// Sends the client to this address.
    Redirect(String),
    /// Waits, then answers.
    Wait(Duration, String),
    /// Says nothing, and keeps the line open.
    Nothing,
}

/// A server on loopback that follows a script; the last line of it is for all further requests.
pub(crate) struct Scripted {
    server: Arc<Server>,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    keys: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    /// Follows the script from the first request on.
    pub(crate) fn start(script: Vec<Script>) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let keys = Arc::new(Mutex::new(Vec::new()));
        let (listening, record) = (Arc::clone(&server), Arc::clone(&asked));
        let seen_keys = Arc::clone(&keys);
        let thread = std::thread::spawn(move || {
            let mut open: Vec<Request> = Vec::new();
            for (number, mut request) in listening.incoming_requests().enumerate() {
                let mut body = String::new();
                request.as_reader().read_to_string(&mut body).unwrap();
                let body = serde_json::from_str(&body).unwrap_or(Value::Null);
                let headers =
                    request.headers().iter().filter(|one| one.field.equiv("authorization"));
                seen_keys.lock().unwrap().extend(headers.map(|one| one.value.to_string()));
                record.lock().unwrap().push((request.url().to_owned(), body));
                let line = number.min(script.len() - 1);
                let (status, body, header) = match script[line].clone() {
                    Script::Say(status, body) => (status, body, ("Content-Type", "x/y".to_owned())),
                    Script::Redirect(to) => (307, String::new(), ("Location", to)),
                    Script::Wait(time, body) => {
                        std::thread::sleep(time);
                        (200, body, ("Content-Type", "x/y".to_owned()))
                    }
                    Script::Nothing => {
                        open.push(request);
                        continue;
                    }
                };
                let header = Header::from_bytes(header.0, header.1).unwrap();
                let response = Response::from_string(body).with_status_code(status);
                request.respond(response.with_header(header)).ok();
            }
        });
        Self { server, asked, keys, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.server.server_addr().to_ip().unwrap())
    }

    /// What stood in the headers for a key.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }

    /// The last message of each request.
    pub(crate) fn texts(&self) -> Vec<String> {
        let last = |(_, body): &(String, Value)| {
            let turns = body["messages"].as_array().cloned().unwrap_or_default();
            turns.last().and_then(|turn| turn["content"].as_str()).unwrap_or_default().to_owned()
        };
        self.asked.lock().unwrap().iter().map(last).collect()
    }

    /// What was asked, in order.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// What Ollama says when its model said this.
pub(crate) fn ollama(content: &str) -> Value {
    json!({
        "model": "qwen3:8b", "created_at": "2026-01-01T00:00:00Z",
        "message": { "role": "assistant", "content": content },
        "done": true, "done_reason": "stop", "prompt_eval_count": 30, "eval_count": 7,
    })
}

/// The same from a server of OpenAI's protocol.
pub(crate) fn openai(content: &str) -> Value {
    json!({
        "id": "1", "object": "chat.completion",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": content },
        }],
        "usage": { "prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37 },
    })
}

pub(crate) fn say(value: &Value) -> Script {
    Script::Say(200, value.to_string())
}

/// A listener that treats every connection with `behave`, in threads that end with their connection.
pub(crate) fn raw(behave: fn(TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(4).flatten() {
            std::thread::spawn(move || behave(stream));
        }
    });
    url
}

/// Reads until nothing came for so long.
pub(crate) fn swallow(stream: &mut TcpStream, quiet: Duration) {
    stream.set_read_timeout(Some(quiet)).unwrap();
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

/// Reads a request and answers with these bytes, again and again.
pub(crate) fn answer(mut stream: TcpStream, bytes: &[u8], times: usize, pause: Duration) {
    swallow(&mut stream, Duration::from_millis(200));
    for _ in 0..times {
        if stream.write_all(bytes).is_err() {
            return;
        }
        std::thread::sleep(pause);
    }
}

pub(crate) fn hangs(mut stream: TcpStream) {
    swallow(&mut stream, Duration::from_secs(10));
}

pub(crate) fn trickles(mut stream: TcpStream) {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").ok();
    answer(stream, b" ", 80, Duration::from_millis(100));
}

pub(crate) fn breaks_off(stream: TcpStream) {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"message\"";
    answer(stream, half, 1, Duration::ZERO);
}

pub(crate) fn closes(stream: TcpStream) {
    answer(stream, b"", 1, Duration::ZERO);
}

pub(crate) fn speaks_no_http(stream: TcpStream) {
    answer(stream, b"220 mail ready\r\n250 go ahead\r\n\r\n", 1, Duration::ZERO);
}

pub(crate) fn sends_ten_megabytes(mut stream: TcpStream) {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n").ok();
    answer(stream, &[b' '; 10_000], 1000, Duration::ZERO);
}

/// A reply with facts, each a group, key, value and quotation, and a summary with these topics.
pub(crate) fn facts(facts: &[[&str; 4]], topics: &[&str]) -> String {
    let mut reply = json!({
        "people": [], "projects": [], "preferences": [], "decisions": [], "lessons": [],
        "environment": [], "tools": [], "tasks": [],
        "session_summary": {
            "decisions": [], "open_questions": [], "action_items": [], "topics": topics,
        },
    });
    for [group, key, value, quote] in facts {
        let fact = json!({
            "key": key, "quote": quote, "value": value, "scope": "project", "lasts": "always",
            "percent": 90,
        });
        reply[group].as_array_mut().unwrap().push(fact);
    }
    reply.to_string()
}

/// What both protocols say when a model said this about a text of some length.
pub(crate) fn answer_of(openai_protocol: bool, content: &str) -> Script {
    let mut body = if openai_protocol { openai(content) } else { ollama(content) };
    body["prompt_eval_count"] = json!(1500);
    body["eval_count"] = json!(200);
    body["usage"] = json!({ "prompt_tokens": 1500, "completion_tokens": 200 });
    say(&body)
}
