//! `mk config`: what is set, where it comes from, and setting it.

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::env::at_terminal;

fn setting(env: &TestEnv, key: &str) -> Value {
    let mut entry = env.mk(&["config", "get", key, "--json"]).json();
    entry.as_object_mut().unwrap().retain(|name, _| name == "value" || name == "source");
    entry
}

#[test]
fn settings_say_where_they_come_from() {
    let env = TestEnv::new();
    env.write(
        ".math-forge/config.toml",
        "[guard]\nenabled = false\n[guard.levels]\nproof-lost = \"off\"\naxiom_added = \"deny\"\nprof_lost = \"off\"\n",
    );
    for (key, expected) in [
        ("brief.budget", json!({"value": 300, "source": "default"})),
        ("guard.enabled", json!({"value": true, "source": "default"})),
        ("guard.levels.proof-lost", json!({"value": "deny", "source": "default"})),
        ("guard.levels.AXIOM_ADDED", json!({"value": "deny", "source": "project"})),
        ("tracking.path", json!({"value": null, "source": "default"})),
    ] {
        assert_eq!(setting(&env, key), expected, "{key}");
    }
    let report = env.mk(&["config", "--json"]).json();
    let problems: Vec<&str> =
        report["problems"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
    assert_eq!(
        problems,
        [
            "`$PROJECT/.math-forge/config.toml`, line 2: it sets `guard.enabled`, which only your own \
             configuration may: ignored",
            "`$PROJECT/.math-forge/config.toml`, line 4: it sets `guard.levels.proof-lost` to `off`, \
             which is looser than `deny`; a project may only be stricter: ignored",
            "`$PROJECT/.math-forge/config.toml`, line 6: there is no rule `prof_lost` (do you mean \
             `proof-lost`?): ignored",
        ]
    );
    assert!(env.mk(&["config"]).success().contains("What is wrong"));
    assert!(env.mk(&["doctor"]).success().contains("(do you mean `proof-lost`?)"));
    assert!(env.mk(&["config", "path"]).success().contains("$PROJECT/.math-forge/config.toml"));
    assert_eq!(env.mk(&["config", "get", "results.globs"]).success().lines().count(), 3);
    assert_eq!(
        env.mk(&["config", "get", "brief.budjet"]).failure(1),
        "mk: unknown key `brief.budjet` (do you mean `brief.budget`?)\n"
    );
    let mut off = env.command();
    off.args(["config", "get", "guard.enabled"]).env("MK_GUARD", "off");
    assert_eq!(env.finish(&mut off).success(), "false\n");
}

#[test]
fn a_set_key_leaves_comments_and_order() {
    let env = TestEnv::new();
    let file = env.home().join(".config/math-forge/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# mine\n[brief]\nbudget = 200 # enough\n").unwrap();
    let set = |key: &str, value: &str, typed: &str| {
        at_terminal(&env, &["config", "set", key, value], typed)
    };
    let Some(said) = set("guard.levels.axiom_added", "ask", "guard.levels.axiom-added") else {
        return;
    };
    assert!(said.contains("written to $HOME/.config/math-forge/config.toml"), "{said}");
    set("brief.budget", "100", "brief.budget").unwrap();
    let said = set("brief.budget", "900", "no").unwrap();
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "# mine\n[brief]\nbudget = 100 # enough\n\n[guard.levels]\naxiom-added = \"ask\"\n"
    );
    let said = at_terminal(
        &env,
        &["config", "set", "--project", "guard.levels.axiom-added", "warn"],
        "guard.levels.axiom-added",
    );
    assert!(said.unwrap().contains("it is still `ask`, from user"));
    let own = at_terminal(&env, &["config", "set", "--project", "guard.enabled", "false"], "x");
    assert!(own.unwrap().contains("a project may not set `guard.enabled`"));
}
