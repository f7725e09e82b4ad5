//! What only a person decides, and how it is refused to scripts and to the agent.

use crate::env::TestEnv;

#[test]
fn a_persons_decisions_are_no_scripts_and_no_agents() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    env.write("M.lean", "theorem foo : 1 = 1 := rfl\n");
    env.mk(&["note", "insight", "push_cast has to come before omega"]).success();
    env.mk(&["lock", "foo"]).success();
    let listed = env.mk(&["review", "list", "--json"]).json();
    let id = listed["findings"][0]["uid"].as_str().unwrap();
    let elsewhere = "outside of Claude Code";
    for (line, what, agent) in [
        ("trust", "trusting a project", elsewhere),
        (
            "allow foo --rule proof-lost",
            "lifting a rule",
            "In a Claude Code session the client's dialog lifts a rule",
        ),
        ("lock foo --remove", "removing a lock", elsewhere),
        ("config set brief.budget 100", "changing the configuration", elsewhere),
        ("init --git-hook", "changing what git does before a commit", elsewhere),
        ("init --journal notes", "choosing the journal's folder", elsewhere),
        ("facts set a.b c", "setting a fact", "Nothing is "),
        ("review accept ID", "confirming findings", "Nothing is decided by this command itself"),
        ("review reject ID", "dropping findings", "Nothing is decided by this command itself"),
        ("confirm ID", "confirming findings", "Nothing is "),
        ("review undo ID", "", elsewhere),
        ("review", "", elsewhere),
    ] {
        let line = line.replace("ID", id);
        let words: Vec<&str> = line.split(' ').collect();
        let message = env.mk(&words).failure(1);
        assert!(message.contains(&format!("{what} is a person's decision")), "{line}: {message}");
        let mut command = env.command();
        let output = env.finish(command.args(&words).env("CLAUDECODE", "1"));
        assert_eq!(output.code, i32::from(agent == elsewhere), "{line}");
        let said = output.stdout + &output.stderr;
        assert!(said.contains(agent), "{line}: {said}");
    }
    assert_eq!(env.mk(&["review", "list", "--json"]).json()["pending"], 1);
    assert!(env.mk(&["lock", "--list"]).success().contains("foo"));
    assert_eq!(env.mk(&["trust", "--remove"]).success(), "$PROJECT was not trusted\n");
}
