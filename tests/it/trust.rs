//! `mk trust`: a person's decision.

use crate::env::TestEnv;

#[test]
fn trust_is_refused_to_scripts_and_to_the_agent() {
    let env = TestEnv::new();
    let message = env.mk(&["trust"]).failure(1);
    assert_eq!(
        message,
        "mk: trusting a project is a person's decision: run it in a terminal, not from a script\n"
    );
    let mut command = env.command();
    command.arg("trust").env("CLAUDECODE", "1");
    let message = env.finish(&mut command).failure(1);
    assert!(message.contains("outside of Claude Code"), "{message}");
    assert_eq!(env.mk(&["trust", "--remove"]).success(), "$PROJECT was not trusted\n");
}
