//! The journal of proposals under git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::Timestamp;
use math_forge::app::App;
use math_forge::app::journal;
use math_forge::paths::Environment;
use math_forge::store::Store;
use math_forge::text::hash;
use rusqlite::Connection;
use serde_json::{Value, json};

struct Desk {
    folder: tempfile::TempDir,
    app: App,
}

fn now() -> Timestamp {
    "2026-01-02T03:04:05Z".parse().unwrap()
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let environment = Environment::of(&[("MK_HOME", home.to_str().unwrap())]);
        let app = App::new(environment, now(), None, None).unwrap();
        drop(Store::open(app.database.path().unwrap()).unwrap());
        Self { folder, app }
    }

    fn with_journal() -> Self {
        let desk = Self::new();
        journal::create_own(&desk.app).unwrap();
        desk
    }

    fn journal(&self) -> PathBuf {
        self.app.paths.data_dir.join("journal")
    }

    fn propose(&self, id: &str, content: &str) {
        let connection = Connection::open(self.app.database.path().unwrap()).unwrap();
        let said = json!({"said": {"type": "insight", "content": content, "source": "s",
            "extracted_at": "2026-01-01 10:00:00"}});
        connection
            .execute(
                "INSERT INTO findings (finding_type, title, description, uid, status, detail)
                 VALUES ('insight', ?2, ?2, ?1, 'proposed', ?3)",
                [id, content, &said.to_string()],
            )
            .unwrap();
    }

    fn decide(&self, id: &str, status: &str) {
        let connection = Connection::open(self.app.database.path().unwrap()).unwrap();
        let (status, by) = match status {
            "accepted" => ("confirmed", "terminal"),
            "rejected" => ("dropped", "terminal"),
            "expired" => ("dropped", "expiry"),
            _ => ("proposed", "terminal"),
        };
        connection
            .execute(
                "UPDATE findings SET status = ?2, detail = json_set(detail, '$.decision',
                 json_object('at', '2026-01-02 11:00:00', 'by', ?3)) WHERE uid = ?1",
                [id, status, by],
            )
            .unwrap();
    }

    /// Why it has to wait.
    fn append(&mut self) -> Option<String> {
        journal::append(&mut self.app).unwrap()
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=p", "-c", "user.email=p@example.org"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn subjects(folder: &Path) -> Vec<String> {
    git(folder, &["log", "--format=%s"]).lines().map(str::to_owned).collect()
}

fn statuses(seed: &Path) -> Vec<(String, String)> {
    let seed: Value = serde_json::from_str(&fs::read_to_string(seed).unwrap()).unwrap();
    let proposals = seed["state"]["proposals"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    proposals.map(|p| (text(&p["id"]), text(&p["status"]))).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn proposals_and_decisions_are_committed() {
    let mut desk = Desk::with_journal();
    assert_eq!(desk.append(), None);
    desk.propose("a", "omega closes it");
    desk.propose("b", "OMEGA closes it");
    desk.propose("c", "simp loops here");
    assert_eq!(desk.append(), None);
    assert_eq!(desk.append(), None, "once is enough");
    desk.decide("a", "accepted");
    assert_eq!(desk.append(), None);
    desk.decide("c", "rejected");
    desk.propose("d", "new");
    assert_eq!(desk.append(), None);
    let folder = desk.journal();
    assert_eq!(
        subjects(&folder),
        [
            "Learn: extracted 1 proposals",
            "Learn: decided 1 proposals",
            "Learn: extracted 2 proposals",
            "Begin the journal"
        ]
    );
    let expected = pairs(&[("a", "accepted"), ("c", "rejected"), ("d", "pending")]);
    assert_eq!(statuses(&folder.join("seed.json")), expected);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert!(git(&folder, &["log", "-1", "--format=%an %ae"]).starts_with("math-forge "));
}

#[test]
fn without_a_journal_nothing_is_written() {
    let mut desk = Desk::new();
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    assert!(!desk.journal().exists());
    journal::create_own(&desk.app).unwrap();
    journal::create_own(&desk.app).unwrap();
    assert_eq!(subjects(&desk.journal()), ["Begin the journal"]);
    assert_eq!(desk.append(), None, "what came before is not lost");
}

/// A repository of the person's, with a seed in it that has more than proposals.
fn own_repository(desk: &mut Desk) -> PathBuf {
    let folder = desk.folder.path().join("mine");
    fs::create_dir_all(folder.join("deep")).unwrap();
    git(&folder, &["init", "-q"]);
    let seed = folder.join("deep/seed.json");
    fs::write(&seed, "{\n  \"version\": 1.0,\n  \"state\": {\n    \"mood\": [\"fine\"]\n  }\n}\n")
        .unwrap();
    fs::write(folder.join("work.txt"), "one\n").unwrap();
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "mine"]);
    desk.app.config.seed = Some(seed.clone());
    seed
}

#[test]
fn the_persons_own_repository_keeps_everything_else() {
    let mut desk = Desk::new();
    let seed = own_repository(&mut desk);
    let folder = desk.folder.path().join("mine");
    fs::write(folder.join("work.txt"), "two\n").unwrap();
    fs::write(folder.join("new.txt"), "x\n").unwrap();
    fs::write(folder.join("staged.txt"), "x\n").unwrap();
    git(&folder, &["add", "staged.txt"]);
    let hook = folder.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch \"$(git rev-parse --show-toplevel)/hook-ran\"\nexit 1\n")
        .unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    let text = fs::read_to_string(&seed).unwrap();
    assert!(text.contains("\"version\": 1.0") && text.contains("[\"fine\"]"), "{text}");
    let files = git(&folder, &["show", "--name-only", "--format=%s"]);
    assert_eq!(files, "Learn: extracted 1 proposals\n\ndeep/seed.json\n");
    let rest = "A  staged.txt\n M work.txt\n?? new.txt\n";
    assert_eq!(git(&folder, &["status", "--porcelain"]), rest);
    assert!(!folder.join("hook-ran").exists());
}

#[test]
fn it_waits_while_the_person_is_at_work() {
    type Act = fn(&Path, &Path);
    let cases: [(&str, Act, Act); 7] = [
        (
            "has changes that are not committed",
            |_, seed| fs::write(seed, "{\"state\": {}, \"mine\": 1}\n").unwrap(),
            |folder, _| {
                git(folder, &["commit", "-q", "-a", "-m", "done"]);
            },
        ),
        (
            "during a merge",
            |folder, _| {
                let head = git(folder, &["rev-parse", "HEAD"]);
                fs::write(folder.join(".git/MERGE_HEAD"), head).unwrap();
            },
            |folder, _| fs::remove_file(folder.join(".git/MERGE_HEAD")).unwrap(),
        ),
        (
            "during a cherry-pick",
            |folder, _| {
                let head = git(folder, &["rev-parse", "HEAD"]);
                fs::write(folder.join(".git/CHERRY_PICK_HEAD"), head).unwrap();
            },
            |folder, _| fs::remove_file(folder.join(".git/CHERRY_PICK_HEAD")).unwrap(),
        ),
        (
            "a revert is under way",
            |folder, _| {
                let head = git(folder, &["rev-parse", "HEAD"]);
                fs::write(folder.join(".git/REVERT_HEAD"), head).unwrap();
            },
            |folder, _| fs::remove_file(folder.join(".git/REVERT_HEAD")).unwrap(),
        ),
        (
            "a rebase is under way",
            |folder, _| fs::create_dir(folder.join(".git/rebase-apply")).unwrap(),
            |folder, _| fs::remove_dir(folder.join(".git/rebase-apply")).unwrap(),
        ),
        (
            "no branch is checked out",
            |folder, _| drop(git(folder, &["checkout", "-q", "--detach"])),
            |folder, _| drop(git(folder, &["checkout", "-q", "-"])),
        ),
        (
            "index.lock",
            |folder, _| fs::write(folder.join(".git/index.lock"), "").unwrap(),
            |folder, _| fs::remove_file(folder.join(".git/index.lock")).unwrap(),
        ),
    ];
    for (expected, begin, end) in cases {
        let mut desk = Desk::new();
        let seed = own_repository(&mut desk);
        let folder = desk.folder.path().join("mine");
        desk.propose("a", "omega closes it");
        begin(&folder, &seed);
        let before = fs::read(&seed).unwrap();
        let reason = desk.append().unwrap_or_default();
        assert!(reason.contains(expected), "{expected}: {reason}");
        assert_eq!(fs::read(&seed).unwrap(), before, "{expected}");
        assert_eq!(git(&folder, &["diff", "--cached", "--name-only"]), "", "{expected}");
        end(&folder, &seed);
        assert_eq!(desk.append(), None, "{expected}");
    }
}

#[test]
fn what_was_written_and_not_committed_is_taken_up_again() {
    let mut desk = Desk::with_journal();
    let folder = desk.journal();
    let seed = folder.join("seed.json");
    desk.propose("a", "omega closes it");
    fs::write(folder.join(".git/refs/heads/main.lock"), "").unwrap();
    let reason = desk.append().unwrap();
    assert!(reason.contains("main.lock"), "{reason}");
    assert_eq!(statuses(&seed), [], "what git refuses is taken back");
    fs::remove_file(folder.join(".git/refs/heads/main.lock")).unwrap();
    assert_eq!(desk.append(), None);
    // As if the process had ended between writing and committing.
    git(&folder, &["reset", "-q", "HEAD~1"]);
    let written = hash(fs::read_to_string(&seed).unwrap(), 32);
    fs::write(desk.app.paths.state_dir.join("journal.written"), written).unwrap();
    desk.propose("b", "more");
    assert_eq!(desk.append(), None);
    assert_eq!(subjects(&folder).len(), 2);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[test]
fn a_link_to_the_journal_stays_a_link() {
    let mut desk = Desk::new();
    let seed = own_repository(&mut desk);
    let link = desk.folder.path().join("link.json");
    std::os::unix::fs::symlink(&seed, &link).unwrap();
    desk.app.config.seed = Some(link.clone());
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(statuses(&seed), pairs(&[("a", "pending")]));
}

#[test]
fn the_persons_settings_of_git_neither_hold_it_up_nor_run() {
    let mut desk = Desk::new();
    own_repository(&mut desk);
    let folder = desk.folder.path().join("mine");
    for (name, value) in [
        ("core.autocrlf", "true"),
        ("core.safecrlf", "true"),
        ("commit.gpgSign", "true"),
        ("gpg.program", "/nowhere/gpg"),
        ("commit.template", "/nowhere/template"),
        ("core.editor", "/nowhere/editor"),
        ("core.fsmonitor", "/nowhere/monitor"),
        ("user.useConfigOnly", "true"),
    ] {
        git(&folder, &["config", name, value]);
    }
    for name in ["pre-commit", "commit-msg", "post-commit", "reference-transaction"] {
        let hook = folder.join(".git/hooks").join(name);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\ntouch '{}/ran'\nexit 1\n", folder.display())).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    assert!(!folder.join("ran").exists());
}

#[test]
fn a_broken_seed_is_left_alone() {
    let mut desk = Desk::with_journal();
    let seed = desk.journal().join("seed.json");
    fs::write(&seed, "{ broken").unwrap();
    git(&desk.journal(), &["commit", "-q", "-a", "-m", "broken"]);
    desk.propose("a", "omega closes it");
    let error = journal::append(&mut desk.app).unwrap_err().to_string();
    assert!(error.contains("it is not JSON"), "{error}");
    assert_eq!(fs::read_to_string(&seed).unwrap(), "{ broken");
}

#[test]
fn a_linked_work_tree_is_a_place_too() {
    let mut desk = Desk::new();
    own_repository(&mut desk);
    let folder = desk.folder.path().join("mine");
    let linked = desk.folder.path().join("linked");
    git(&folder, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    desk.app.config.seed = Some(linked.join("deep/seed.json"));
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    assert_eq!(subjects(&linked)[0], "Learn: extracted 1 proposals");
    assert_eq!(subjects(&folder)[0], "mine");
}

/// A repository of the person's whose configuration names programs: the commit of the journal runs none.
#[test]
fn the_commit_runs_no_program_of_the_repository() {
    let mut desk = Desk::new();
    let seed = own_repository(&mut desk);
    let repository = git(seed.parent().unwrap(), &["rev-parse", "--show-toplevel"]);
    let repository = PathBuf::from(repository.trim());
    let mark = desk.folder.path().join("mark");
    let program = desk.folder.path().join("program");
    fs::write(&program, format!("#!/bin/sh\necho \"$0\" >> '{}'\ncat\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let name = program.to_str().unwrap();
    for key in
        ["filter.x.clean", "filter.x.process", "core.editor", "gpg.program", "core.fsmonitor"]
    {
        git(&repository, &["config", key, name]);
    }
    for (key, value) in
        [("commit.gpgSign", "true"), ("filter.x.required", "true"), ("gc.auto", "1")]
    {
        git(&repository, &["config", key, value]);
    }
    fs::write(repository.join(".git/info/attributes"), "* filter=x\n").unwrap();
    for hook in
        ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"]
    {
        fs::create_dir_all(repository.join(".git/hooks")).unwrap();
        fs::copy(&program, repository.join(".git/hooks").join(hook)).unwrap();
    }
    desk.propose("a", "omega closes it");
    assert_eq!(desk.append(), None);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());
    assert_eq!(statuses(&seed), pairs(&[("a", "pending")]));
}
