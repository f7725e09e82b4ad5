//! Projects as their files show them.

use super::remote::name as remote_name;
use super::*;

#[test]
fn remotes_have_one_name() {
    for (url, expected) in [
        ("git@github.com:user/repo.git", "github.com/user/repo"),
        ("https://github.com/user/repo.git", "github.com/user/repo"),
        ("https://token:x@github.com/user/repo/", "github.com/user/repo"),
        ("ssh://git@host:22/a/b", "host/a/b"),
        ("ssh://git@ssh.github.com:443/User/Repo.git", "github.com/user/repo"),
        ("ssh://host:2222/a/b", "host:2222/a/b"),
        ("git+ssh://git@GitHub.com/user/repo", "github.com/user/repo"),
        ("host:a/B.git", "host/a/B"),
        ("git://host:9418/~me/r.git/", "host/~me/r"),
        ("/srv/git/repo.git", "/srv/git/repo"),
        ("file:///srv/git/repo/.git", "/srv/git/repo"),
        ("./up.git", "/no/such/./up"),
    ] {
        let name = remote_name(url, Path::new("/no/such"));
        assert_eq!(name.as_deref(), Some(expected), "{url}");
    }
    for url in ["", "https://", "//share/x", "host:", "file://", "https://host/"] {
        assert_eq!(remote_name(url, Path::new("/no/such")), None, "{url}");
    }
}

#[test]
fn linked_work_trees_are_one_project() {
    let dir = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(dir.path()).unwrap();
    let main = base.join("main");
    fs::create_dir_all(main.join(".git/worktrees/wt")).unwrap();
    fs::write(main.join(".git/worktrees/wt/commondir"), "../..\n").unwrap();
    let linked = base.join("linked");
    fs::create_dir_all(linked.join("deep")).unwrap();
    let pointer = format!("gitdir: {}\n", main.join(".git/worktrees/wt").display());
    fs::write(linked.join(".git"), pointer).unwrap();
    let claimed = Project::find(&linked);
    assert_eq!(
        (&claimed.main_root, &claimed.place),
        (&linked, &linked),
        "the repository is silent"
    );
    let back = linked.join(".git").display().to_string();
    fs::write(main.join(".git/worktrees/wt/gitdir"), back + "\n").unwrap();
    fs::write(linked.join("lean-toolchain"), "leanprover/lean4:v4.24.0").unwrap();
    let (one, two) = (Project::find(&main), Project::find(&linked.join("deep")));
    assert_eq!(two.root, linked);
    assert_eq!(two.main_root, main);
    assert_eq!(two.place, main);
    assert_eq!(one.identity, two.identity);
    assert!(two.is_lean && !one.is_lean);

    fs::write(main.join(".git/config"), "[core]\n[remote \"origin\"]\n\turl = git@h:u/r.git\n")
        .unwrap();
    assert_eq!(Project::find(&linked).identity, "h/u/r");
}

#[test]
fn a_plain_folder_is_a_project_too() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project::find(dir.path());
    assert_eq!(project.root, fs::canonicalize(dir.path()).unwrap());
    assert!(!project.is_lean);
    let file = project.root.join("sub").join("slot 1%.lean");
    assert_eq!(project.stable_path(&file), "sub/slot 1%.lean");
    assert_eq!(project.stable_path(Path::new("/elsewhere/x.lean")), "/elsewhere/x.lean");
    let new = project.root.join("sub/../new.lean");
    fs::create_dir(project.root.join("sub")).unwrap();
    assert_eq!(project.stable_path(&new), "new.lean");
}

#[test]
fn the_first_remote_makes_the_identity() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    let config = |text: &str| {
        fs::write(root.join(".git/config"), text).unwrap();
        Project::find(&root)
    };
    let fork = "[remote \"upstream\"]\nurl = https://github.com/Them/P\n\
                [Remote \"origin\"] # mine\n\tURL = git@github.com:me/P.git\n";
    let project = config(fork);
    assert_eq!(project.identity, "github.com/me/p");
    assert_eq!(project.remotes, ["github.com/me/p", "github.com/them/p"]);
    let project = config("[remote \"a\"]\nurl = https://h/x\n[remote \"b\"]\nurl = https://h/y\n");
    assert_eq!(project.identity, "h/x");
    let project = config("[remote \"origin\"]\n\tpushurl = https://h/x\n[core]\n");
    assert_eq!(project.identity, root.to_string_lossy());
}

#[test]
fn a_folder_keeps_its_mark_when_it_is_moved() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    fs::create_dir(&one).unwrap();
    fs::write(one.join("lakefile.toml"), "name = \"pq\"\n[[lean_lib]]\nname = \"X\"\n").unwrap();
    let before = Project::find(&one);
    let mark = before.mark();
    assert_eq!(before.package().as_deref(), Some("pq"));
    fs::rename(&one, &two).unwrap();
    fs::create_dir(&one).unwrap();
    let after = Project::find(&two);
    assert_eq!(after.mark(), mark);
    assert_ne!(Project::find(&one).mark(), after.mark());
    for (lean, expected) in [
        ("import Lake\npackage «a b» where\n", Some("«a")),
        ("package foo {\n", Some("foo")),
        ("-- package\n", None),
    ] {
        fs::write(one.join("lakefile.lean"), lean).unwrap();
        let found = Project::find(&one).package();
        assert_eq!(found.as_deref(), expected.map(|name| name.trim_matches('«')), "{lean}");
    }
}
