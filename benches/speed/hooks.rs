//! `mk hook session-start` beside `/bin/true` and the specification's shell script.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::timing::{Contender, installed, mk, print, race_with_pauses, shared};

pub(crate) fn run() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let project = dir.path().join("project");
    fs::create_dir_all(project.join("submissions")).expect("a project");
    fs::write(project.join("lean-toolchain"), "leanprover/lean4:v4.24.0\n").expect("a toolchain");
    let tracking = project.join("submissions/tracking.db");
    let Some(shared) = shared() else { return };
    let made = Command::new("python3")
        .arg(shared.join("data/tracking/make_tracking.py"))
        .arg(&tracking)
        .output()
        .is_ok_and(|output| output.status.success());
    if !made {
        println!("  SKIPPED: could not make a tracking database (python3 is needed)");
        return;
    }
    let home = dir.path().join("home");
    let imported = with_home(mk(), &home, &project).args(["import", "--json"]).output();
    assert!(imported.is_ok_and(|output| output.status.success()), "the import works");

    let input = serde_json::json!({
        "session_id": "bench", "transcript_path": "/nonexistent", "cwd": project,
        "hook_event_name": "SessionStart", "source": "startup"
    });
    let input = Some(input.to_string().into_bytes());
    let mut hook = with_home(mk(), &home, &project);
    hook.args(["hook", "session-start"]);
    let mut contenders = vec![
        Contender::process("/bin/true", Command::new("/bin/true"), None),
        Contender::process("mk hook session-start", hook, input.clone()),
    ];
    if installed("sqlite3")
        && let Some(script) = specification_script(&shared, &project)
    {
        let mut command = Command::new("bash");
        command.arg(script).env("CLAUDE_PROJECT_DIR", &project).env("CLAUDE_PLUGIN_ROOT", &project);
        contenders.push(Contender::process("the specification's script", command, input));
    }
    // A session start also begins to look for new results; that is to be over before the next run.
    print(&race_with_pauses(contenders, 200, Duration::from_millis(30)));
}

fn with_home(mut command: Command, home: &Path, project: &Path) -> Command {
    command.env_remove("MATH_FORGE_DB").env("MK_HOME", home).env("CLAUDE_PROJECT_DIR", project);
    command
}

/// Takes the listing of the briefing script out of the specification, with its schema beside it.
fn specification_script(shared: &Path, project: &Path) -> Option<std::path::PathBuf> {
    let text = fs::read_to_string(shared.join("seeds/002_2408e1117a74b512.txt")).ok()?;
    let listing = |heading: &str, fence: &str| {
        let rest = &text[text.find(heading)?..];
        let rest = &rest[rest.find(fence)? + fence.len()..];
        Some(rest[..rest.find("\n```")?].to_owned())
    };
    let script = project.join("context-loader.sh");
    fs::write(&script, listing("### hooks/scripts/context-loader.sh", "```bash\n")?).ok()?;
    fs::create_dir_all(project.join("data")).ok()?;
    let schema = listing("### knowledge.db (Complete SQL)", "```sql\n")?;
    fs::write(project.join("data/schema.sql"), schema).ok()?;
    Some(script)
}
