//! Programs that a repository's configuration names: git runs them for whoever asks it, and a clone or an
//! agent may have written them. None runs for `mk`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::env::TestEnv;
use crate::git::git;

/// Every key of `git help --config` (git 2.47) whose value is a program, a command, or a folder of programs, with `x`
/// for a name; and keys that lead to one (`include.path` is asked for on its own).
const KEYS: &[&str] = &[
    "alias.rev-parse",
    "alias.log",
    "bitmapPseudoMerge.x.pattern",
    "browser.x.cmd",
    "browser.x.path",
    "completion.commands",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "credential.https://example.org.helper",
    "diff.external",
    "diff.tool",
    "diff.guitool",
    "diff.x.command",
    "diff.x.textconv",
    "difftool.x.cmd",
    "difftool.x.path",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "filter.a=b.clean",
    "filter.a=b.process",
    "filter.x y.z.clean",
    "format.pretty",
    "gc.recentObjectsHook",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "gpg.x509.program",
    "guitool.x.cmd",
    "help.browser",
    "imap.tunnel",
    "instaweb.browser",
    "instaweb.httpd",
    "instaweb.modulePath",
    "interactive.diffFilter",
    "man.x.cmd",
    "man.x.path",
    "merge.guitool",
    "merge.tool",
    "merge.x.driver",
    "mergetool.x.cmd",
    "mergetool.x.path",
    "pager.log",
    "pager.diff",
    "pager.status",
    "receive.fsck.skipList",
    "remote.origin.proxy",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "sendemail.ccCmd",
    "sendemail.headerCmd",
    "sendemail.sendmailCmd",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "submodule.x.update",
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
    "web.browser",
];

/// What makes git want some of them.
const SWITCHES: &[(&str, &str)] = &[
    ("commit.gpgSign", "true"),
    ("core.safecrlf", "true"),
    ("core.untrackedCache", "true"),
    ("diff.trustExitCode", "true"),
    ("extensions.partialClone", "origin"),
    ("filter.x.required", "true"),
    ("gc.auto", "1"),
    ("gc.autoDetach", "false"),
    ("gpg.format", "ssh"),
    ("log.showSignature", "true"),
    ("maintenance.auto", "true"),
    ("protocol.allow", "always"),
    ("protocol.ext.allow", "always"),
    ("remote.origin.promisor", "true"),
    ("status.submoduleSummary", "true"),
    ("diff.submodule", "diff"),
];

const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
];

struct Trap {
    env: TestEnv,
}

impl Trap {
    /// A repository in which every program leaves a mark, with changes that git would ask them about.
    fn new() -> Self {
        let trap = Self { env: TestEnv::new() };
        let env = &trap.env;
        crate::git::init(env);
        env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
        env.write("M.lean", "theorem a : 1 = 1 := rfl\n");
        env.write("N.lean", "theorem b : 2 = 2 := rfl\n");
        env.write("seed.json", "{}\n");
        crate::git::commit(env);
        trap.module();
        env.write("Sub/S.lean", "theorem s : 3 = 3 := by rfl\n");
        env.write(
            ".gitattributes",
            "*.lean filter=x diff=x merge=x\n*.json filter=a=b diff=x\nN.lean filter=\"x y.z\"\n",
        );
        let repository = env.project().join(".git");
        trap.arm(&repository);
        trap.arm(&env.project().join("Sub/.git"));
        // The same length, a moment later: git has to look into it.
        env.write("M.lean", "theorem a : 1 = 1 := eq.\n");
        env.write("New.lean", "theorem c : 3 = 3 := rfl\n");
        trap
    }

    /// A submodule with a configuration of its own.
    fn module(&self) {
        let folder = self.env.project().join("Sub");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("S.lean"), "theorem s : 3 = 3 := rfl\n").unwrap();
        fs::write(folder.join(".gitattributes"), "* filter=x\n").unwrap();
        let run = |arguments: &[&str]| {
            let output = crate::git::command(&self.env, &folder).args(arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}");
        };
        run(&["init", "-q", "-b", "main"]);
        run(&["add", "."]);
        run(&["commit", "-q", "-m", "s"]);
        git(&self.env, &["-c", "advice.addEmbeddedRepo=false", "add", "Sub"]);
        git(&self.env, &["commit", "-q", "-m", "module"]);
    }

    fn arm(&self, repository: &Path) {
        let file = repository.join("config");
        let set = |key: &str, value: &str| {
            let mut git = self.env.tool("git");
            git.args(["config", "--file"]).arg(&file).args([key, value]);
            self.env.finish(&mut git).success();
        };
        for key in KEYS {
            set(key, &self.program(key).to_string_lossy());
        }
        for (key, value) in SWITCHES {
            set(key, value);
        }
        set("remote.origin.url", "ext::sh -c true");
        for hook in HOOKS {
            let hook_file = repository.join("hooks").join(hook);
            fs::create_dir_all(hook_file.parent().unwrap()).unwrap();
            fs::copy(self.program(hook), &hook_file).unwrap();
        }
    }

    /// A program that leaves a mark with its name.
    fn program(&self, name: &str) -> PathBuf {
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = self.env.home().join("programs").join(plain);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let marks = self.env.home().join("marks");
        fs::write(&path, format!("#!/bin/sh\necho '{name}' >> '{}'\ncat\n", marks.display()))
            .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn marks(&self) -> String {
        fs::read_to_string(self.env.home().join("marks")).unwrap_or_default()
    }

    #[track_caller]
    fn mk(&self, arguments: &[&str]) {
        let output = self.env.mk(arguments);
        assert!(output.code <= 1, "{arguments:?}: {}{}", output.stdout, output.stderr);
        assert_eq!(self.marks(), "", "after mk {arguments:?}");
    }

    #[track_caller]
    fn hook(&self, event: &str) {
        let input = json!({
            "hook_event_name": event, "session_id": "s", "cwd": self.env.project(), "source": "startup",
            "transcript_path": self.env.home().join("t.jsonl"), "tool_name": "Bash", "tool_use_id": "t",
            "tool_input": {"command": "sed -i s/eq/rfl/ M.lean"}, "reason": "other",
        });
        self.env.mk_with_input(&["hook"], input.to_string()).success();
        assert_eq!(self.marks(), "", "after {event}");
    }
}

#[test]
fn no_program_of_a_repository_runs() {
    let trap = Trap::new();
    trap.mk(&["snapshot", "--session", "s"]);
    for event in ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] {
        trap.hook(event);
    }
    for arguments in [
        &["audit", "--base", "HEAD"][..],
        &["audit", "--base", "HEAD~1"],
        &["audit", "--staged"],
        &["audit", "."],
        &["diff", "HEAD:M.lean", "M.lean"],
        &["diff", ":M.lean", "M.lean"],
        &["capture"],
        &["learn"],
        &["projects"],
        &["doctor"],
        &["init"],
        &["brief"],
    ] {
        trap.mk(arguments);
    }
}

/// What git would have run, so that the silence above means something.
#[test]
fn the_traps_are_armed() {
    let trap = Trap::new();
    for arguments in [&["status", "--short"][..], &["add", "M.lean"], &["log", "-1", "-p"]] {
        let mut git = trap.env.tool("git");
        trap.env.finish(git.args(arguments)).code.to_string();
    }
    let marks = trap.marks();
    for key in ["core.fsmonitor", "filter.x.process"] {
        assert!(marks.lines().any(|mark| mark == key), "{key}: {marks}");
    }
}

/// A file of the configuration that never ends holds nobody up for long: the hooks go on without git.
#[test]
fn an_included_pipe_does_not_hold_up_hooks() {
    let env = TestEnv::new();
    crate::git::init(&env);
    env.write("M.lean", "theorem a : 1 = 1 := rfl\n");
    crate::git::commit(&env);
    let pipe = env.home().join("pipe");
    env.finish(env.tool("mkfifo").arg(&pipe)).success();
    git(&env, &["config", "include.path", &pipe.to_string_lossy()]);
    let begun = std::time::Instant::now();
    let input = json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": env.project()});
    env.mk_with_input(&["hook"], input.to_string()).success();
    assert!(begun.elapsed() < std::time::Duration::from_secs(3));
}
