//! `mk hook session-start` beside `/bin/true` and the specification's shell script.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::place::Place;
use crate::timing::{Contender, installed, print, print_faster, race_with_pauses, shared};

const SCRIPT: &str = "the specification's script";

pub(crate) fn run() {
    let Some(shared) = shared() else { return };
    let mut place = Place::new();
    if !place.own(&shared) {
        return;
    }
    // Another session each time: what begins with one is begun each time.
    let event = place.event("SessionStart", "s", &json!({"source": "startup"}));
    let input = move |round: usize| {
        let mut event = event.clone();
        event["session_id"] = json!(format!("session-{round}"));
        event.to_string().into_bytes()
    };
    let start = |name: &str, command: Command| Contender::fed(name, command, input.clone());
    // What a session's start says is kept here until a database is written.
    let kept = place.home.join("math-forge/state/starts");
    // The first one begins work in the background, which writes.
    place.run(&["hook", "session-start"], &input(0));
    std::thread::sleep(Duration::from_secs(5));
    place.run(&["hook", "session-start"], &input(1));
    assert!(kept.is_dir(), "a start was kept in {}", kept.display());
    let mut first = start("mk, the first after a change", place.mk(&["hook", "session-start"]));
    let mut prepare = first.prepare;
    first.prepare = Box::new(move || {
        prepare();
        std::fs::remove_dir_all(&kept).ok();
    });
    let mut contenders = vec![
        Contender::process("/bin/true", Command::new("/bin/true"), None),
        start("mk hook session-start", place.mk(&["hook", "session-start"])),
        first,
        start("bin/mk hook", place.launcher(&["hook"])),
    ];
    let script = ("### hooks/scripts/context-loader.sh", "```bash\n");
    let schema = ("### knowledge.db (Complete SQL)", "```sql\n");
    if installed("sqlite3")
        && let Some(script) = place.listing(&shared, script, "context-loader.sh")
        && place.listing(&shared, schema, "data/schema.sql").is_some()
    {
        contenders.push(Contender::fed(SCRIPT, place.script(&script), input));
    }
    // A session start also begins work in the background; that is to be over before the next run.
    let times = race_with_pauses(contenders, 60, Duration::from_millis(400));
    print(&times);
    print_faster(&times, SCRIPT);
}
