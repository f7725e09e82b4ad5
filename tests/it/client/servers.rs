//! A language server's tool in the real client: its errors are Lean's word, as those of a command are.

use std::fs;
use std::path::Path;

use math_forge::app::App;
use math_forge::hosts::{self, Host, Setup};
use math_forge::paths::Environment;
use serde_json::{Value, json};

use super::api::{Api, Turn};
use super::guarded::{Guarded, PROMPT, PROOF, SUMS, wait_until};
use super::terminal::Terminal;

/// A server (MCP on stdio) with one tool, which says what is wrong with `Sums.lean`: the first place of
/// `Nat.add_com`, a name that Lean does not know.
const SERVER: &str = r#"#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*)
    version=$(printf '%s\n' "$line" | sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
    result='"capabilities":{"tools":{}},"serverInfo":{"name":"lean-lsp","version":"1"}'
    result="{\"protocolVersion\":\"$version\",$result}"
    ;;
  *'"method":"tools/list"'*)
    result='{"tools":[{"name":"lean_diagnostic_messages","description":"diagnostics",
      "inputSchema":{"type":"object","properties":{"file_path":{"type":"string"}}},
      "outputSchema":{"type":"object","properties":{"items":{"type":"array"}}}}]}'
    ;;
  *'"method":"tools/call"'*)
    at=$(awk '/Nat.add_com / { print NR; exit }' Sums.lean)
    item='"severity":"error","message":"Unknown identifier `Nat.add_com`","column":48'
    found='{"success":true,"items":[]}'
    [ -z "$at" ] || found="{\"success\":false,\"items\":[{$item,\"line\":$at}]}"
    result="{\"content\":[{\"type\":\"text\",\"text\":\"see the structure\"}],\"structuredContent\":$found}"
    ;;
  *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result" | tr '\n' ' '
  echo
done
"#;

const CHECK: &str = "mcp__lean-lsp__lean_diagnostic_messages";

const LAST: &str = "  rw [Nat.add_assoc]\n";

/// A theorem that is proved with a name that Lean does not know, and with the right one.
const WRONG: &str = "\ntheorem add_one (a : Nat) : a + 1 = 1 + a := Nat.add_com a 1\n";
const RIGHT: &str = "\ntheorem add_one (a : Nat) : a + 1 = 1 + a := Nat.add_comm a 1\n";

/// Another one, and the same given up.
const AGAIN: &str = "\ntheorem add_two (a : Nat) : a + 2 = 2 + a := Nat.add_com a 2\n";
const OPEN: &str = "\ntheorem add_two (a : Nat) : a + 2 = 2 + a := sorry\n";

fn check(guarded: &Guarded) -> Turn {
    Turn::Use(CHECK, json!({"file_path": guarded.file()}))
}

/// A session with the server, in which its tool needs no leave.
fn run(guarded: &Guarded, script: Vec<Turn>) -> Api {
    let servers = json!({"lean-lsp": {"command": "lean-lsp", "args": []}});
    run_with(guarded, script, (&servers, CHECK), &[PROMPT])
}

/// The same with these servers and tools.
fn run_with(
    guarded: &Guarded,
    script: Vec<Turn>,
    (servers, allowed): (&Value, &str),
    prompts: &[&str],
) -> Api {
    let api = Api::start(script);
    guarded.0.converse(&api, prompts, &options(guarded, servers, allowed));
    api
}

/// The answer to a first prompt, by which the servers have started: the client does not wait for them, and
/// may take their tools up with the next prompt only.
fn connected() -> Turn {
    Turn::decide(|_| {
        std::thread::sleep(std::time::Duration::from_secs(6));
        Turn::Say(CONNECTED)
    })
}

const CONNECTED: &str = "Now they run.";

/// Options for a session with these servers.
fn options(guarded: &Guarded, servers: &Value, allowed: &str) -> Vec<String> {
    let file = guarded.0.folder().join("servers.json");
    fs::write(&file, json!({"mcpServers": servers}).to_string()).expect("written");
    let mut options = super::plugin().to_vec();
    let more = ["--permission-mode", "acceptEdits", "--allowedTools", allowed, "--mcp-config"];
    options.extend(more.map(str::to_owned));
    options.push(file.to_string_lossy().into_owned());
    options
}

fn lessons(guarded: &Guarded) -> Value {
    let listed = guarded.0.mk(&["lessons", "--json"]);
    serde_json::from_str::<Value>(&listed).expect("an object")["total"].clone()
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn what_a_server_says_is_learnt_from_and_answered() {
    let guarded = Guarded::new();
    guarded.0.program("lean-lsp", SERVER);
    let file = guarded.file();
    let api = run(
        &guarded,
        vec![
            Turn::read(&file),
            Turn::edit(&file, LAST, &format!("{LAST}{WRONG}")),
            check(&guarded),
            Turn::edit(&file, WRONG, RIGHT),
            check(&guarded),
            Turn::Say("It compiles."),
        ],
    );
    let said = guarded.heard(&api, 2);
    assert!(said.text.contains("Unknown identifier `Nat.add_com`"), "{said:?}");
    assert!(said.said.is_empty(), "nothing is known of it yet: {said:?}");
    assert!(wait_until(|| lessons(&guarded) == 1), "nothing was learnt");

    let api = run(
        &guarded,
        vec![
            Turn::read(&file),
            Turn::edit(&file, LAST, &format!("{LAST}{AGAIN}")),
            check(&guarded),
            Turn::edit(&file, AGAIN, OPEN),
            Turn::Say("It stays open."),
        ],
    );
    let advice = "math-forge #1 (this error came up before; worked once): The error went away after replacing \
        `Nat.add_com` with `Nat.add_comm`.";
    guarded.heard(&api, 2).assert_said(&format!("PostToolUse:{CHECK}"), advice);
    assert!(!guarded.heard(&api, 3).failed, "Lean said that it does not compile");
    assert!(guarded.on_disk().contains(OPEN));
}

/// The servers that people give agents to write files with, as they are published.
#[test]
#[ignore = "needs Claude Code and two servers: .ci/run runs these"]
fn servers_that_write_files_are_guarded() {
    let programs = std::env::var_os("MK_MCP").expect("the folder of the servers' programs");
    let program = |name: &str| Path::new(&programs).join(name);
    let guarded = Guarded::new();
    let (file, open) = (guarded.file(), SUMS.replace(PROOF, "  sorry\n"));
    let golfed = |old: &str| SUMS.replace(PROOF, &PROOF.replace("rw", old));
    let servers = json!({
        "filesystem": {"command": program("mcp-server-filesystem"), "args": [guarded.0.project()]},
        "desktop-commander": {"command": program("desktop-commander"), "args": ["--no-onboarding"]},
    });
    let [whole, part] = ["mcp__filesystem__write_file", "mcp__filesystem__edit_file"];
    let [rewrite, block] =
        ["mcp__desktop-commander__write_file", "mcp__desktop-commander__edit_block"];
    let edit =
        |old: &str, new: &str| json!({"path": file, "edits": [{"oldText": old, "newText": new}]});
    let script = vec![
        connected(),
        Turn::Use(whole, json!({"path": file, "content": open})),
        Turn::Use(part, edit(PROOF, "  sorry\n")),
        Turn::Use(rewrite, json!({"path": file, "content": open, "mode": "rewrite"})),
        Turn::Use(
            block,
            json!({"file_path": file, "old_string": PROOF, "new_string": "  sorry\n"}),
        ),
        Turn::Use(part, edit("  rw [Nat.add_comm a b]\n", "  simp only [Nat.add_comm a b]\n")),
        Turn::Use(rewrite, json!({"path": file, "content": golfed("erw"), "mode": "rewrite"})),
        Turn::Say("Done."),
    ];
    let allowed = "mcp__filesystem,mcp__desktop-commander";
    let api = run_with(&guarded, script, (&servers, allowed), &["wait", PROMPT]);
    for number in 0..4 {
        let heard = guarded.heard(&api, number);
        assert!(heard.failed, "{number}: {heard:?}");
        assert!(heard.text.contains("[proof-lost] theorem `add_turn`"), "{number}: {heard:?}");
    }
    for number in 4..6 {
        let heard = guarded.heard(&api, number);
        assert!(!heard.failed && heard.said.is_empty(), "{number}: {heard:?}");
    }
    assert_eq!(guarded.on_disk(), golfed("erw"));
}

/// What `mk init --mcp` writes starts our server, and its tools answer.
#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_server_that_init_sets_up_answers() {
    let guarded = Guarded::new();
    let mk = env!("CARGO_BIN_EXE_mk");
    guarded.0.program("mk", &format!("#!/bin/sh\nexec '{mk}' \"$@\"\n"));
    let made = ["add", "insight", "--title", "parity of turns", "--description", "they alternate"];
    guarded.0.mk(&made);
    let home = guarded.0.home().join("elsewhere");
    let mut environment =
        Environment::of(&[("MK_HOME", home.to_str().expect("a path in Unicode"))]);
    environment.current_dir = Some(guarded.0.project());
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    let app = App::new(environment, now, None, None).expect("an app");
    hosts::change(&app, Setup::Host(Host::Claude), false, false).expect("written");
    let written = fs::read_to_string(guarded.0.project().join(".mcp.json")).expect("a file");
    let written: Value = serde_json::from_str(&written).expect("an object");
    let search = Turn::Use("mcp__math-forge__search", json!({"words": "parity"}));
    let script = vec![connected(), search, Turn::Say("Done.")];
    let servers = (&written["mcpServers"], "mcp__math-forge");
    let api = run_with(&guarded, script, servers, &["wait", PROMPT]);
    let (failed, text) = super::last_result(&api);
    assert!(!failed && text.contains("parity of turns"), "{text}");
}

/// What a statement rests on stays as it is, two files away too.
#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_lock_holds_through_three_files() {
    let guarded = Guarded::with("import Mid\n\ntheorem main (n : Nat) : Covers n := sorry\n");
    let base = "def limit (n : Nat) := n + n\n\ndef other := 3\n";
    guarded.0.write("Mid.lean", "import Base\n\ndef Covers (n : Nat) := limit n < 7\n");
    guarded.0.write("Base.lean", base);
    let said = guarded.0.mk(&["lock", "main"]);
    assert!(said.contains("Held with it: Covers, limit"), "{said}");
    let file = guarded.0.project().join("Base.lean");
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, "n + n", "n"),
        Turn::edit(&file, "3", "4"),
        Turn::bash("sed -i 's/n + n/n/' Base.lean"),
    ]);
    let refused = guarded.heard(&api, 1);
    assert!(
        refused.failed && refused.text.contains("`main` is locked and rests on it"),
        "{refused:?}"
    );
    assert!(!guarded.heard(&api, 2).failed, "`other` is not held");
    let written = guarded.heard(&api, 3);
    let told: Vec<&str> = written.said.iter().map(|said| said.words.as_str()).collect();
    assert!(told.join("\n").contains("`main` is locked and rests on it"), "{written:?}");
}

/// What `learn.compact_hint` says is an instruction to who summarises.
#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_summary_is_told_what_to_keep() {
    let guarded = Guarded::new();
    let hint = "Keep every statement that is open, word for word.";
    let folder = guarded.0.home().join(".config/math-forge");
    fs::create_dir_all(&folder).expect("made");
    let config = format!("[learn]\ncompact_hint = \"{hint}\"\n");
    fs::write(folder.join("config.toml"), config).expect("written");
    let script = vec![
        Turn::read(&guarded.file()),
        Turn::Say("Read."),
        Turn::Say("<summary>What was done.</summary>"),
        Turn::Say("Nothing is left."),
    ];
    let api = guarded.converse(script, &[PROMPT, "/compact", "what is left?"]);
    let told: Vec<String> = api.asked().iter().map(super::told).collect();
    let words = format!("Additional Instructions:\\n{hint}\\n");
    let with_hint: Vec<&String> = told.iter().filter(|told| told.contains(&words)).collect();
    let [summary] = with_hint.as_slice() else { panic!("{} requests have it", with_hint.len()) };
    assert!(!summary.contains("What was done."), "the request before the summary: {summary}");
    let last = told.last().expect("a request");
    assert!(last.contains("What was done.") && last.contains("what is left?"), "{last}");
}

/// The dialog about a server's tool shows why it asks, and the person's yes holds after it too.
#[test]
#[ignore = "needs Claude Code and a server: .ci/run runs these"]
fn a_yes_to_a_server_that_writes_holds() {
    let programs = std::env::var_os("MK_MCP").expect("the folder of the servers' programs");
    let program = Path::new(&programs).join("mcp-server-filesystem");
    let guarded = Guarded::new();
    let weak = SUMS.replace("add_swap (a b : Nat) :", "add_swap (a b : Nat) (h : a < b) :");
    let write = json!({"path": guarded.file(), "content": weak});
    let api = Api::start(vec![
        connected(),
        Turn::Use("mcp__filesystem__write_file", write),
        Turn::Say("It was weakened."),
    ]);
    let server = json!({"command": program, "args": [guarded.0.project()]});
    let options = options(&guarded, &json!({"filesystem": server}), "mcp__filesystem");
    let mut terminal = Terminal::start(&guarded.0, &api, "wait", &options);
    terminal.wait_for(CONNECTED);
    terminal.press(PROMPT);
    terminal.press("\r");
    terminal.wait_for("[statement-changed]");
    terminal.wait_for("Do you want to proceed?");
    let is_agreed = wait_until(|| {
        terminal.press("\r");
        guarded.on_disk() == weak
    });
    assert!(is_agreed, "{}", terminal.screen());
    terminal.wait_for("It was weakened.");
    guarded.assert_silent(&api, 0);
}
