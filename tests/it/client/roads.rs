//! x

use serde_json::json;

use super::api::{Api, Turn};
use super::guarded::{Guarded, PROMPT, leave};
use super::terminal::Terminal;

fn dump(guarded: &Guarded, name: &str) {
    let mut command = guarded.0.command(std::path::Path::new("/bin/sh"));
    command.args(["-c", &format!("cat $HOME/.claude/projects/*/*.jsonl > /tmp/helpers/review_{name}.jsonl")]);
    super::session::run(command);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn explore_reject() {
    let guarded = Guarded::new();
    let api = Api::start(vec![Turn::bash("touch seen"), Turn::Say("All right.")]);
    let options = [super::plugin().to_vec(), ["--permission-mode", "default"].map(str::to_owned).to_vec()].concat();
    let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options);
    terminal.wait_for("Do you want to proceed?");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\u{1b}[A");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\t");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("never touch files by hand, use the editor");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\r");
    std::thread::sleep(std::time::Duration::from_secs(5));
    println!("{}", terminal.screen());
    terminal.press("/exit\r");
    terminal.ended();
    dump(&guarded, "reject");
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn explore_ask() {
    let guarded = Guarded::new();
    let question = json!({"questions": [{"question": "Which norm do we use for the bound?", "header": "Norm", "multiSelect": false,
        "options": [{"label": "sup norm", "description": "the largest"}, {"label": "L2 norm", "description": "squares"}]}]});
    let api = Api::start(vec![Turn::Use("AskUserQuestion", question), Turn::Say("All right.")]);
    let options = [super::plugin().to_vec(), ["--permission-mode", "default"].map(str::to_owned).to_vec()].concat();
    let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options);
    terminal.wait_for("Which norm do we use");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\r");
    std::thread::sleep(std::time::Duration::from_secs(5));
    println!("{}", terminal.screen());
    terminal.press("/exit\r");
    terminal.ended();
    dump(&guarded, "ask");
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn explore_back() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let old = "  rw [Nat.add_comm (a + b) c]\n";
    let back = file.clone();
    let script = vec![
        Turn::read(&file),
        Turn::edit(&file, old, "  rw [add_comm (a + b) c]\n"),
        Turn::decide(move |_| {
            Turn::Say("I renamed it.")
        }),
        Turn::Say("All right."),
    ];
    let api = Api::start(script);
    let options = leave();
    let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options);
    terminal.wait_for("I renamed it.");
    std::thread::sleep(std::time::Duration::from_secs(2));
    std::fs::write(&back, super::guarded::SUMS).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("go on");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\r");
    terminal.wait_for("All right.");
    terminal.press("/exit");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("\r");
    terminal.ended();
    dump(&guarded, "back");
}
