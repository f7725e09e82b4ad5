//! `mk mcp`, asked by a client of our own: lines of JSON-RPC through pipes, as hosts speak with it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::git;

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    /// A server that was greeted.
    fn start(env: &TestEnv, options: &[&str]) -> Self {
        let mut client = Self::silent(env, options);
        let hello = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "tests", "version": "1" }
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "math-forge", "{hello}");
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn silent(env: &TestEnv, options: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_mk"))
            .arg("mcp")
            .args(options)
            .env_clear()
            .env("HOME", env.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TZ", "UTC")
            .current_dir(env.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap());
        Self { server, input, output, asked: 0 }
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The whole answer to a request.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method });
        if !parameters.is_null() {
            request["params"] = parameters;
        }
        self.send(&request.to_string());
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// The text of an answer that is no error.
    fn said(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result["structuredContent"], value);
        text.to_owned()
    }

    /// The sentence of an answer that is an error.
    fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The client goes; how the server ended, and what it said on stderr.
    fn leave(mut self) -> (i32, String) {
        drop(self.input.take());
        let code = self.server.wait().unwrap().code().unwrap_or(-1);
        let mut said = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (code, said)
    }
}

const MAIN: &str = "theorem two : 1 + 1 = 2 := rfl\n\ntheorem three : 1 + 2 = 3 := by\n  sorry\n";

/// A Lean project with a finding of its own, and one of another project.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"sums\"\n");
    env.write("Main.lean", MAIN);
    env.write("Old.lean", MAIN.replace("by\n  sorry", "rfl"));
    let add = |title: &str| {
        let made =
            env.mk(&["add", "insight", "--title", title, "--description", "a bound on parity"]);
        assert_eq!(made.code, 0, "{}", made.stderr);
    };
    fs::rename(env.project(), env.home().join("kept")).unwrap();
    fs::create_dir(env.project()).unwrap();
    env.write("lakefile.toml", "name = \"elsewhere\"\n");
    git::init(&env);
    git::git(&env, &["remote", "add", "origin", "https://example.org/elsewhere.git"]);
    add("parity elsewhere");
    fs::remove_dir_all(env.project()).unwrap();
    fs::rename(env.home().join("kept"), env.project()).unwrap();
    add("parity here");
    env
}

#[test]
fn tools_answer_what_the_commands_print() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    let tools = client.ask("tools/list", Value::Null)["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut tried = Vec::new();
    for (tool, arguments, line) in [
        ("search", json!({ "words": "parity", "limit": 3 }), "search parity -n 3 --project"),
        ("find", json!({ "problem": "erdos_850" }), "find erdos_850"),
        ("failed", json!({ "keyword": "parity" }), "failed parity"),
        ("strategies", json!({}), "strategies"),
        ("show", json!({ "ids": ["2"] }), "show 2"),
        ("brief", json!({ "budget": 200 }), "brief --budget 200"),
        ("outline", json!({ "files": ["Main.lean"], "gaps": true }), "outline --gaps Main.lean"),
        ("diff", json!({ "old": "Old.lean", "new": "Main.lean" }), "diff Old.lean Main.lean"),
        (
            "audit",
            json!({ "paths": ["Main.lean"], "deny": ["gaps"] }),
            "audit Main.lean --deny gaps",
        ),
        ("next", json!({ "limit": 3 }), "next -n 3"),
        ("premises", json!({ "words": "two" }), "premises two"),
        ("verify", json!({ "words": "Main.lean" }), "verify --known Main.lean"),
    ] {
        let said = client.said(tool, &arguments);
        let words: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        let printed = env.mk(&words).stdout.replace("$PROJECT", &env.project().to_string_lossy());
        assert_eq!(said, printed, "{line}");
        tried.push(tool);
    }
    let noted =
        client.said("note", &json!({ "kind": "decision", "text": "bounds are strict here" }));
    assert!(noted.contains("\"added\": true"), "{noted}");
    let waiting = env.mk(&["review", "list", "--json"]).stdout;
    assert!(waiting.contains("bounds are strict here"), "it waits for a person: {waiting}");
    tried.push("note");
    assert_eq!(tried.len(), names.len(), "{names:?}");
    assert!(names.iter().all(|name| tried.contains(name)), "{names:?}");
    assert_eq!(client.leave(), (0, String::new()));
}

#[test]
fn what_is_wrong_is_said() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    for (tool, arguments, expected) in [
        ("search", json!({}), "search needs words"),
        ("search", json!({ "wrds": "x" }), "do you mean `words`?"),
        ("search", json!({ "words": { "a": 1 } }), "`words` has to be a text"),
        ("search", json!({ "words": "x", "limit": 0 }), "0 is not in 1..=10000"),
        ("search", json!({ "words": "x", "since": "--all" }), "--all"),
        ("search", json!({ "words": "x".repeat(70_000) }), "more than 64 KB"),
        ("search", json!({ "words": "x", "project": "other" }), "no argument `project`"),
        ("find", json!({}), "required"),
        ("show", json!({ "ids": ["999999"] }), "nothing is stored under `999999`"),
        ("show", json!({ "ids": ["1"] }), "`1` is of another project"),
        ("outline", json!({ "files": ["/etc"] }), "outside of this project"),
        ("outline", json!({ "files": ["../x.lean"] }), "outside of this project"),
        ("premises", json!({ "at": "/etc/passwd:1" }), "outside of this project"),
        ("audit", json!({ "sarif": true }), "no argument `sarif`"),
        ("audit", json!({ "deny": ["nonsense"] }), "nonsense"),
        ("verify", json!({ "build": true }), "no argument `build`"),
        ("note", json!({ "kind": "decision", "text": "x" }), "too short"),
        ("note", json!({ "kind": "theorem", "text": "all is proved" }), "use decision"),
    ] {
        let said = client.refused(tool, &arguments);
        assert!(said.contains(expected), "{tool} {arguments}: {said}");
    }
    let code = |answer: Value| answer["error"]["code"].as_i64();
    assert_eq!(code(client.ask("tools/call", json!({ "name": "confirm" }))), Some(-32602));
    assert_eq!(code(client.ask("resources/read", json!({ "uri": "file:///x" }))), Some(-32002));
    assert_eq!(code(client.ask("prompts/get", json!({ "name": "x" }))), Some(-32602));
    assert_eq!(code(client.ask("nonsense", json!({}))), Some(-32601));
    client.said("search", &json!({ "words": "-- --all \u{202e}<system>" }));
}

#[test]
fn an_answer_too_long_as_json_is_the_page() {
    let env = project();
    let finding = |at: usize| {
        let why = "x ".repeat(800);
        format!(
            r#"{{"kind":"failure","title":"road {at}","why_failed":"{why}","problem":"kurepa"}}"#
        )
    };
    let all: Vec<String> = (0..250).map(finding).collect();
    let file = env.write("../all.jsonl", all.join("\n"));
    drop(env.mk(&["add", "--jsonl", file.to_str().unwrap()]).success());
    let theorem = |at: usize| format!("theorem t{at} : {} := by\n  sorry\n", "1 = 1 ∧ ".repeat(20));
    env.write("Long.lean", (0..2_000).map(theorem).collect::<String>());
    let mut client = Client::start(&env, &[]);
    for (tool, arguments, shown) in [
        ("find", json!({ "problem": "kurepa" }), "FAILED APPROACHES (250)"),
        ("outline", json!({ "files": ["Long.lean"] }), "t1999"),
        ("audit", json!({ "paths": ["Long.lean"], "deny": ["gaps"] }), "t1"),
    ] {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let said = |at: usize| result["content"][at]["text"].as_str().unwrap_or_default();
        assert!(said(0).starts_with("As JSON this answer is too long"), "{tool}: {}", said(0));
        let is_plain = !said(1).contains('\u{1b}');
        assert!(is_plain && said(1).contains(shown), "{tool}: {}", said(1));
        assert!(result["structuredContent"].is_null());
    }
}

#[test]
fn the_briefing_is_a_resource_and_a_prompt() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    let printed = env.mk(&["brief"]).stdout;
    let listed = client.ask("resources/list", Value::Null);
    let uri = listed["result"]["resources"][0]["uri"].clone();
    let read = client.ask("resources/read", json!({ "uri": uri }));
    assert_eq!(read["result"]["contents"][0]["text"], printed);
    let listed = client.ask("prompts/list", Value::Null);
    let name = listed["result"]["prompts"][0]["name"].clone();
    let prompt = client.ask("prompts/get", json!({ "name": name }));
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], printed);
}

#[test]
fn other_projects_are_asked_about_only_where_they_are_open() {
    let env = project();
    let found = |client: &mut Client| client.said("search", &json!({ "words": "parity" }));
    let mut here = Client::start(&env, &[]);
    let said = found(&mut here);
    assert!(said.contains("parity here") && !said.contains("elsewhere"), "{said}");
    let mut all = Client::start(&env, &["--all-projects"]);
    let said = found(&mut all);
    assert!(said.contains("parity here") && said.contains("parity elsewhere"), "{said}");
    all.said("show", &json!({ "ids": ["1", "2"] }));
    all.said("search", &json!({ "words": "parity", "project": "example.org/elsewhere" }));
    fs::remove_file(env.project().join("lakefile.toml")).unwrap();
    let said = here.refused("search", &json!({ "words": "parity" }));
    assert!(said.contains("this folder is not a project"), "{said}");
}

#[test]
fn a_database_that_is_replaced_is_opened_again() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    let total = |client: &mut Client| {
        let said: Value =
            serde_json::from_str(&client.said("search", &json!({ "words": "parity" }))).unwrap();
        said["total"].as_u64().unwrap()
    };
    assert_eq!(total(&mut client), 1);
    let database = env.database();
    let beside = |end: &str| database.with_file_name(format!("knowledge.db{end}"));
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(beside(end)).ok();
    }
    assert_eq!(total(&mut client), 0, "another one, and empty");
    let again = ["add", "insight", "--title", "parity again", "--description", "a bound on parity"];
    assert_eq!(env.mk(&again).code, 0);
    assert_eq!(total(&mut client), 1);
    fs::write(&database, "no database").unwrap();
    for end in ["-wal", "-shm"] {
        fs::remove_file(beside(end)).ok();
    }
    let result = client.call("search", &json!({ "words": "parity" }));
    assert!(result["content"][0]["text"].is_string(), "{result}");
    assert_eq!(client.leave().0, 0);
}

#[test]
fn what_others_write_is_seen_in_the_next_call() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    let found = |client: &mut Client| {
        let said = client.said("find", &json!({ "problem": "Kurepa's conjecture" }));
        let said: Value = serde_json::from_str(&said).unwrap();
        (said["problems"].as_array().unwrap().len(), said["submissions_total"].as_u64().unwrap())
    };
    assert_eq!((found(&mut client), found(&mut client)), ((0, 0), (0, 0)));
    let arguments = ["--title", "left factorials", "--description", "d", "--problem", "kurepa"];
    assert_eq!(env.mk(&[&["add", "insight"], &arguments[..]].concat()).code, 0);
    assert_eq!((found(&mut client), found(&mut client)), ((1, 0), (1, 0)));
    let tracking = env.write("submissions/tracking.db", "");
    let tracking = rusqlite::Connection::open(tracking).unwrap();
    let table = "CREATE TABLE submissions (id INTEGER PRIMARY KEY, filename TEXT, problem_id TEXT, status TEXT)";
    tracking.execute_batch(table).unwrap();
    for count in 1..4 {
        let row = "INSERT INTO submissions (filename, problem_id, status) VALUES ('a.lean', 'kurepa', 'failed')";
        tracking.execute_batch(row).unwrap();
        assert_eq!(found(&mut client), (1, count));
    }
}

#[test]
fn a_client_that_speaks_badly_does_no_harm() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    for line in ["", "nonsense", "{\"jsonrpc\":", "\u{0}\u{1}", "[[[[[[[[[["] {
        client.send(line);
    }
    client.said("search", &json!({ "words": "parity" }));
    for line in [
        "[]",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[1]}"#,
    ] {
        client.send(line);
        let mut answer = String::new();
        client.output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
    }
    client.said("search", &json!({ "words": "parity" }));
    // Half a message.
    client.input.as_mut().unwrap().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"meth").unwrap();
    assert_eq!(client.leave().0, 0);
    assert_eq!(Client::silent(&env, &[]).leave(), (0, String::new()), "nobody said a word");
}

#[test]
fn a_client_that_is_gone_is_not_waited_for() {
    let env = project();
    let Client { mut server, input, output, .. } = Client::start(&env, &[]);
    drop(output);
    let call = json!({ "name": "search", "arguments": { "words": "parity" } });
    let request = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call });
    let mut input = input.unwrap();
    writeln!(input, "{request}").unwrap();
    drop(input);
    let has_ended = |_| {
        std::thread::sleep(Duration::from_millis(50));
        server.try_wait().unwrap().is_some()
    };
    assert!((0..600).any(has_ended));
}

#[test]
fn a_message_without_end_ends_the_server() {
    let env = project();
    let mut client = Client::start(&env, &[]);
    let status = format!("/proc/{}/status", client.server.id());
    let piece = vec![b'x'; 1 << 20];
    let mut sent = 0;
    let mut most = 0;
    while sent < 100 && client.input.as_mut().unwrap().write_all(&piece).is_ok() {
        sent += 1;
        let status = fs::read_to_string(&status).unwrap_or_default();
        let size = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = size.and_then(|size| size.trim().split(' ').next()?.parse::<u64>().ok());
        most = most.max(size.unwrap_or_default());
    }
    assert!(sent < 100, "it read everything");
    assert!(most < 100_000, "{most} KB");
    let (code, said) = client.leave();
    assert_eq!(code, 1);
    assert!(said.contains("a message has more than 4 MB"), "{said}");
}
