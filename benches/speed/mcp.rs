//! The warm server: calls of its tools over 13,000 findings, a fifth of them about one problem, and over the packages of a
//! project (`MK_LEAN_PROJECT`), beside an empty request to it, and beside the same command as a process; and the line
//! for prompts beside `/bin/true`.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::place::Place;
use crate::timing::{Contender, mk, print, race};
use crate::{premises, search, timing};

const FINDINGS: usize = 13_000;
/// About which every fifth of them is.
const LARGE: &str = "erdos_1000";

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command, database: &Path) -> Self {
        command.arg("--db").arg(database).args(["mcp", "--all-projects"]);
        command.env_remove("CLAUDE_PROJECT_DIR").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("mk starts");
        let input = child.stdin.take().expect("stdin is piped");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut server = Self { child, input, output };
        server.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" }
            }),
        );
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert!(answer["result"]["isError"] != true, "{method} {parameters}: {answer}");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub(crate) fn run() {
    let temporary = tempfile::tempdir().expect("a folder");
    let database = temporary.path().join("k.db");
    let findings = search::generated(FINDINGS).enumerate().map(|(at, mut draft)| {
        if at % 5 == 0 {
            draft.problem = Some(LARGE.to_owned());
        }
        draft
    });
    drop(search::fill(&database, findings));
    let queries = search::queries();
    println!("  {FINDINGS} findings");
    let project = premises::project(temporary.path());
    let mut command = mk();
    command.env("MK_HOME", temporary.path().join("home"));
    command.current_dir(project.as_deref().unwrap_or(temporary.path()));
    let server = Rc::new(RefCell::new(Server::start(command, &database)));
    let asked = |name: &str, method: &'static str, all: Vec<Value>| {
        let server = Rc::clone(&server);
        let mut next = all.into_iter().cycle();
        Contender::new(name, move || {
            server.borrow_mut().ask(method, &next.next().unwrap_or_default());
        })
    };
    let called = |tool: &str, all: Vec<Value>| {
        let calls =
            all.into_iter().map(|arguments| json!({ "name": tool, "arguments": arguments }));
        asked(&format!("mk mcp: {tool}"), "tools/call", calls.collect())
    };
    let searches = queries.iter().map(|query| json!({ "words": query }));
    let problems =
        (1..40).filter(|at| at % 5 != 0).map(|at| json!({ "problem": format!("erdos_{at}") }));
    let findings = (1..40).map(|at| json!({ "ids": [(at * 300).to_string()] }));
    let mut process = mk();
    process.arg("--db").arg(&database).args(["search", &queries[0]]);
    let large = json!({ "problem": LARGE });
    let mut contenders = vec![
        asked("mk mcp: ping", "ping", vec![json!({})]),
        called("search", searches.collect()),
        called("find", problems.collect()),
        called("show", findings.collect()),
        Contender { name: format!("mk mcp: find {LARGE}"), ..called("find", vec![large]) },
        Contender::process("mk search, a process", process, None),
    ];
    for (what, questions) in [("words", premises::WORDS), ("patterns", premises::PATTERNS)] {
        if project.is_some() {
            let calls = questions.iter().map(|words| json!({ "words": words }));
            let mut call = called("premises", calls.collect());
            call.name = format!("{}, {what}", call.name);
            contenders.push(call);
        }
    }
    print(&race(contenders, 200));
    line();
}

fn line() {
    let place = Place::new();
    if let Some(shared) = timing::shared() {
        place.track(&shared);
    }
    let contenders = vec![
        Contender::process("/bin/true", Command::new("/bin/true"), None),
        Contender::process("mk status --line", place.mk(&["status", "--line"]), None),
    ];
    print(&race(contenders, 100));
}
