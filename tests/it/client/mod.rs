//! The plugin in the real client, which talks to a scripted API.

mod api;
mod decisions;
mod guard;
mod guarded;
mod heard;
mod inject;
mod kernel;
mod learning;
mod modes;
mod roads;
mod servers;
mod session;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use api::{Api, Turn};
use session::Home;

/// The words that every briefing starts with.
const BRIEFING: &str = "[math-forge] Session briefing";

/// The repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Options that load the plugin from the repository, in default permission mode.
fn plugin() -> [String; 2] {
    ["--plugin-dir".to_owned(), root().to_str().expect("a path in Unicode").to_owned()]
}

/// All that the model was told in a request, beside its tools.
fn told(request: &Value) -> String {
    format!("{}{}", request["system"], request["messages"])
}

/// The result of the last tool in the last request: whether it is an error, and its text.
fn last_result(api: &Api) -> (bool, String) {
    let asked = api.asked();
    let messages = asked.last().expect("a request")["messages"].clone();
    let result = messages
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default())
        .rfind(|block| block["type"] == "tool_result")
        .expect("a result of a tool");
    (result["is_error"] == true, result["content"].to_string())
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_briefing_stands_in_the_first_request() {
    let home = Home::new();
    let api = Api::start(vec![Turn::Say("Hello.")]);
    assert_eq!(home.ask(&api, "hello", &plugin()), "Hello.\n");
    let first = told(&api.asked()[0]);
    assert_eq!(first.matches(BRIEFING).count(), 1, "{first}");
    for part in ["math-forge:investigate", "math-forge:problem-research", "math-forge:math-forge"] {
        assert!(first.contains(part), "the agent is not told of {part}: {first}");
    }
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_briefing_stands_there_again_after_a_compaction() {
    let home = Home::new();
    let api = Api::start(vec![
        Turn::bash("true"),
        Turn::bash("echo"),
        Turn::Say("One."),
        Turn::Say("<summary>What was done.</summary>"),
        Turn::Say("Two."),
    ]);
    home.converse(&api, &["hello", "/compact", "go on"], &plugin());
    let asked = api.asked();
    let last = told(asked.last().expect("requests"));
    assert!(last.contains("What was done.") && last.contains("go on"), "{last}");
    assert!(!last.contains("hello"), "it was compacted: {last}");
    assert_eq!(last.matches(BRIEFING).count(), 1, "{last}");
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn mk_is_a_bare_command_and_reading_needs_no_leave() {
    let home = Home::new();
    let mut extract = home.command(Path::new(env!("CARGO_BIN_EXE_mk")));
    extract.arg("extract").arg(root().join("data/examples"));
    assert!(session::run(extract).status.success());

    let api = Api::start(vec![Turn::bash("mk search \"odd squares\"")]);
    home.ask(&api, "search", &plugin());
    let (failed, text) = last_result(&api);
    assert!(!failed && text.contains("odd_sq_add_odd_sq_not_sq"), "{text}");
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn reading_needs_no_leave_however_it_is_joined() {
    let home = Home::new();
    home.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    home.write("slot7_demo_9_result.lean", "theorem a : 1 + 1 = 2 := by\n  norm_num\n");
    let commands = [
        // The skill's own recipe.
        "mk search \"odd squares\"\nmk find \"erdos_850\"\nmk failed \"prime factors\"",
        "mk extract slot7_demo_9_result.lean",
        "mk stats && mk brief; echo ---; mk facts",
        "cd . && mk search one --json | jq -r '.query' | head -3",
        "mk lessons 2>&1 | grep -v x | sort -u | uniq -c | cut -c1-40 | tr a b | wc -l",
        "mk jobs; mk config; mk projects; mk queue",
        "mk lock a",
    ];
    for mode in ["default", "acceptEdits", "auto"] {
        let api = Api::start(commands.iter().map(|command| Turn::bash(command)).collect());
        let options = [&plugin()[..], &["--permission-mode".to_owned(), mode.to_owned()]].concat();
        home.ask(&api, "look it up", &options);
        for (number, command) in commands.iter().enumerate() {
            let heard = api.heard(number);
            assert!(!heard.failed, "{mode}: {command}: {heard:?}");
        }
    }
    let refused = [
        "mk search a; ./mk search a",
        "mk search x; touch seen",
        "mk stats > seen",
        "mk stats | tee seen",
        "mk stats | sort -o seen",
        "mk extract /etc/hostname",
        "MATH_FORGE_DB=seen mk stats",
        "mk stats; mk add insight --title x",
        "mk stats $(touch seen)",
        "mk trust; mk stats",
        "mk config set guard.enabled false",
    ];
    let api = Api::start(refused.iter().map(|command| Turn::bash(command)).collect());
    home.ask(&api, "do it", &plugin());
    for (number, command) in refused.iter().enumerate() {
        let heard = api.heard(number);
        assert!(heard.failed, "{command} was let through: {heard:?}");
    }
    assert!(!home.project().join("seen").exists());
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_result_file_that_the_agent_writes_is_captured() {
    let home = Home::new();
    fs::write(home.project().join("lean-toolchain"), "leanprover/lean4:v4.24.0").expect("written");
    let path = home.project().join("slot7_demo_9_result.lean");
    let content = "theorem one_add_one (n : ℕ) : 1 + n = n + 1 := by\n  omega\n";
    let api = Api::start(vec![Turn::write(&path, content)]);
    let mut options = plugin().to_vec();
    options.extend(["--allowedTools".to_owned(), "Write".to_owned()]);
    home.ask(&api, "write it", &options);
    assert!(path.is_file(), "{:?}", last_result(&api));
    let patience = Instant::now();
    loop {
        let mut find = home.command(Path::new(env!("CARGO_BIN_EXE_mk")));
        find.args(["search", "one_add_one"]);
        let found = session::run(find).stdout;
        if String::from_utf8_lossy(&found).contains("one_add_one (theorem)") {
            break;
        }
        assert!(patience.elapsed() < Duration::from_secs(20), "it was not captured");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn an_install_from_a_git_marketplace_works_in_an_empty_home() {
    let home = Home::new();
    let source = tracked_copy(&home);
    let url = "https://math-forge.invalid/math-forge.git";
    let instead = format!("url.{}.insteadOf", source.display());
    let git = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", instead.as_str()),
        ("GIT_CONFIG_VALUE_0", url),
    ];
    home.claude_alone(&["plugin", "marketplace", "add", url], &git);
    home.claude_alone(&["plugin", "install", "math-forge@math-forge"], &git);
    let cache = home.home().join(".claude/plugins/cache");
    assert!(cache.is_dir(), "a copy of the tracked files");

    // Nothing is built yet: the session is told how.
    let api = Api::start(vec![Turn::Say("Hello.")]);
    home.ask_installed(&api, "hello");
    let first = told(&api.asked()[0]);
    assert!(first.contains("math-forge is not built yet"), "{first}");

    // install.sh puts the binary here.
    let bin = home.home().join(".local/bin");
    fs::create_dir_all(&bin).expect("a folder");
    fs::copy(env!("CARGO_BIN_EXE_mk"), bin.join("mk")).expect("a copy");
    let api = Api::start(vec![Turn::bash("mk stats")]);
    home.ask_installed(&api, "hello");
    let first = told(&api.asked()[0]);
    assert_eq!(first.matches(BRIEFING).count(), 1, "{first}");
    let (failed, text) = last_result(&api);
    assert!(!failed, "{text}");
}

/// A git repository with the files that are tracked here, as they are now.
fn tracked_copy(home: &Home) -> PathBuf {
    let copy = home.folder().join("marketplace");
    let script = "set -e; cd \"$1\"; git ls-files -z > \"$2.list\"; mkdir \"$2\"; \
        tar --null -T \"$2.list\" -cf - | tar -xf - -C \"$2\"; cd \"$2\"; git init -q; git add -A; \
        git -c user.name=mk -c user.email=mk@localhost commit -qm copy";
    let mut command = home.command(Path::new("/bin/sh"));
    command.args(["-c", script, "sh"]).arg(root()).arg(&copy).env("GIT_CEILING_DIRECTORIES", "");
    session::success(&session::run(command));
    copy
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_manifests_are_valid_for_the_client() {
    let home = Home::new();
    for path in [root(), root().join(".claude-plugin/plugin.json")] {
        let path = path.to_str().expect("a path in Unicode");
        home.claude_alone(&["plugin", "validate", "--strict", path], &[]);
    }
}
