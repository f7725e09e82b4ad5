//! `install.sh`, with a `cargo` that hands out the `mk` built for this test.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A home, a folder of programs that come first in PATH, and a folder to build in.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        for folder in [place.home(), place.programs(), place.project()] {
            fs::create_dir_all(folder).unwrap();
        }
        place.program(
            "cargo",
            &format!(
                "while [ \"$1\" != --target-dir ]; do shift; done\nmkdir -p \"$2/release\"\n\
                 cp '{}' \"$2/release/mk\"\n",
                env!("CARGO_BIN_EXE_mk")
            ),
        );
        place
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("empty home")
    }

    fn programs(&self) -> PathBuf {
        self.dir.path().join("programs")
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn mk(&self) -> PathBuf {
        self.home().join(".local/bin/mk")
    }

    fn data(&self) -> PathBuf {
        self.home().join(".local/share/math-forge")
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.programs().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh");
        let mut command = Command::new(script);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", format!("{}:/usr/bin:/bin", self.programs().display()))
            .env("CARGO_TARGET_DIR", self.dir.path().join("target"))
            .current_dir(self.project())
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

/// Completions and manual pages, below `share`.
const TEXTS: [&str; 5] = [
    "bash-completion/completions/mk",
    "zsh/site-functions/_mk",
    "fish/vendor_completions.d/mk.fish",
    "man/man1/mk.1",
    "man/man1/mk-search.1",
];

#[track_caller]
fn success(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}\n{complaint}", output.status);
    text
}

#[track_caller]
fn failure(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn it_installs_into_an_empty_home_and_shows_the_main_job() {
    let place = Place::new();
    for round in ["first", "second"] {
        let text = success(&place.run(&[]));
        assert!(text.contains("odd_sq_add_odd_sq_not_sq"), "{round}: {text}");
        assert!(text.contains("[math-forge]"), "{round}: {text}");
        assert!(text.contains("export PATH="), "{round}: {text}");
        assert!(place.data().join("knowledge.db").is_file());
        let entries = fs::read_dir(place.mk().parent().unwrap()).unwrap().count();
        assert_eq!(entries, 1, "nothing but mk in bin, {round}");
        for file in TEXTS {
            let text = fs::read_to_string(place.home().join(".local/share").join(file)).unwrap();
            assert!(text.contains("search"), "{file}, {round}");
        }
    }
    let mut stats = Command::new(place.mk());
    stats.env_clear().env("HOME", place.home()).current_dir(place.project());
    let stats = stats.args(["stats", "--json"]).output().unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["findings"]["total"], 0, "the examples went into a database of their own");
}

#[test]
fn what_was_installed_is_taken_away_and_the_knowledge_kept() {
    let place = Place::new();
    success(&place.run(&[]));
    let database = place.data().join("knowledge.db");
    let foreign = place.home().join(".local/share/man/man1/mk-other.1");
    fs::write(&foreign, "of another program").unwrap();
    success(&place.run(&["--uninstall"]));
    assert!(!place.mk().exists());
    assert!(foreign.exists());
    for file in TEXTS {
        assert!(!place.home().join(".local/share").join(file).exists(), "{file}");
    }
    assert!(database.is_file(), "knowledge stays");
    let (config, state) = (".config/math-forge", ".local/state/math-forge");
    for file in [format!("{config}/config.toml"), format!("{state}/mk.log")] {
        let file = place.home().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    success(&place.run(&["--uninstall", "--purge"]));
    assert!(!place.data().exists());
    assert!(!place.home().join(config).exists() && !place.home().join(state).exists());
    success(&place.run(&["--uninstall", "--purge"]));
}

#[test]
fn a_dry_run_changes_nothing_and_what_is_missing_is_said_before_the_build() {
    let place = Place::new();
    let text = success(&place.run(&["--dry-run"]));
    assert!(text.contains("Nothing was changed"), "{text}");
    assert_eq!(fs::read_dir(place.home()).unwrap().count(), 0);
    place.program("cargo", "echo built >&2\nexit 1\n");
    fs::create_dir_all(place.mk().parent().unwrap()).unwrap();
    fs::write(place.mk(), "#!/bin/sh\n").unwrap();
    let complaint = failure(&place.run(&[]), 1);
    assert!(
        complaint.contains("is another program") && !complaint.contains("built"),
        "{complaint}"
    );
}

/// A release at hand: `git` says that the clone is its tag, `curl` hands out what is in a folder.
fn release(place: &Place, sums: &str) -> PathBuf {
    let folder = place.dir.path().join("release");
    fs::create_dir_all(&folder).unwrap();
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let origin = "git@github.com:ada/math-forge.git";
    place.program(
        "git",
        &format!("case \"$*\" in *describe*) echo {tag} ;; *get-url*) echo {origin} ;; esac\n"),
    );
    let log = place.dir.path().join("urls");
    place.program(
        "curl",
        &format!(
            "while [ \"$1\" != -o ]; do shift; done\necho \"$3\" >> '{}'\ncp '{}'/\"${{3##*/}}\" \"$2\"\n",
            log.display(),
            folder.display()
        ),
    );
    place.program("uname", "case $1 in -sm) echo Linux x86_64 ;; *) echo Linux ;; esac\n");
    fs::write(folder.join("SHA256SUMS"), sums).unwrap();
    log
}

#[test]
fn a_release_that_is_ready_is_taken_and_its_checksum_compared() {
    let names = ["mk-x86_64-unknown-linux-gnu", "mk-x86_64-unknown-linux-musl"];
    let sum = |file: &Path| {
        let output = Command::new("sha256sum").arg(file).output().unwrap();
        String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
    };
    let place = Place::new();
    fs::remove_file(place.programs().join("cargo")).unwrap();
    let log = release(&place, "");
    let folder = place.dir.path().join("release");
    // The first is for another libc, and does not run here.
    fs::write(folder.join(names[0]), "no program").unwrap();
    fs::copy(env!("CARGO_BIN_EXE_mk"), folder.join(names[1])).unwrap();
    let sums = names.map(|name| format!("{}  {name}\n", sum(&folder.join(name)))).concat();
    fs::write(folder.join("SHA256SUMS"), &sums).unwrap();
    let text = success(&place.run(&["--no-plugin"]));
    assert!(text.contains("odd_sq_add_odd_sq_not_sq") && place.mk().is_file(), "{text}");
    let base =
        concat!("https://github.com/ada/math-forge/releases/download/v", env!("CARGO_PKG_VERSION"));
    let asked = ["SHA256SUMS", names[0], names[1]].map(|name| format!("{base}/{name}\n")).concat();
    assert_eq!(fs::read_to_string(&log).unwrap(), asked);
    assert!(success(&place.run(&["--dry-run"])).contains(base));

    fs::write(folder.join(names[0]), "something else").unwrap();
    fs::remove_file(place.mk()).unwrap();
    let complaint = failure(&place.run(&["--no-plugin"]), 1);
    assert!(complaint.contains("its checksum differs") && !place.mk().exists(), "{complaint}");
}

#[test]
fn without_a_release_it_is_built() {
    for (sums, arguments) in [("", &["--no-plugin"][..]), ("", &["--no-plugin", "--build"])] {
        let place = Place::new();
        let log = release(&place, sums);
        success(&place.run(arguments));
        assert!(place.mk().is_file());
        assert_eq!(log.exists(), arguments.len() == 1, "--build asks for nothing");
    }
}

#[test]
fn another_place() {
    let place = Place::new();
    success(&place.run(&["--prefix", "it's here", "--no-plugin"]));
    let bin = place.project().join("it's here/bin");
    assert!(bin.join("mk").is_file());
    assert!(!place.mk().exists());
    success(&place.run(&["--uninstall", "--prefix=it's here"]));
    assert!(!bin.join("mk").exists());
}

#[test]
fn another_mk_is_respected_and_named() {
    let place = Place::new();
    place.program("mk", "echo other");
    let mut command = place.command(&["--no-plugin"]);
    let bin = place.mk().parent().unwrap().to_owned();
    command
        .env("PATH", format!("{0}:{1}:/usr/bin:/bin", place.programs().display(), bin.display()));
    let output = command.output().unwrap();
    success(&output);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("another mk comes first in PATH"), "{complaint}");

    fs::write(place.mk(), "#!/bin/sh\necho other\n").unwrap();
    let complaint = failure(&place.run(&["--no-plugin"]), 1);
    assert!(complaint.contains("is another program"), "{complaint}");
    success(&place.run(&["--uninstall"]));
    assert!(place.mk().is_file(), "not ours to take away");
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    for (arguments, code, words) in [
        (&["--nonsense"][..], 2, "unknown argument: --nonsense"),
        (&["--prefix"], 2, "--prefix needs a folder"),
        (&["--purge"], 2, "--purge goes with --uninstall"),
    ] {
        let complaint = failure(&place.run(arguments), code);
        assert!(complaint.contains(words), "{complaint}");
    }
    assert!(success(&place.run(&["--help"])).starts_with("Usage:"));

    let complaint = failure(&place.command(&[]).env_remove("HOME").output().unwrap(), 1);
    assert!(complaint.contains("HOME is not set"), "{complaint}");
    fs::remove_file(place.programs().join("cargo")).unwrap();
    let complaint = failure(&place.run(&[]), 1);
    assert!(complaint.contains("found no cargo"), "{complaint}");
}

#[test]
fn the_plugin_is_registered_from_a_folder_without_the_build() {
    let place = Place::new();
    place.program("claude", "printf '%s\\n' \"$*\" >> \"$HOME/calls\"\n");
    success(&place.run(&[]));
    let staged = place.data().join("plugin");
    let calls = fs::read_to_string(place.home().join("calls")).unwrap();
    assert!(calls.contains(&format!("plugin marketplace add {}\n", staged.display())), "{calls}");
    assert!(calls.ends_with("plugin install math-forge@math-forge\n"), "{calls}");
    for part in ["bin/mk", "hooks/hooks.json", "skills/math-forge/SKILL.md", "agents"] {
        assert!(staged.join(part).exists(), "{part}");
    }
    assert!(!staged.join("target").exists() && !staged.join("src").exists());
    success(&place.run(&["--uninstall"]));
    assert!(!staged.exists());

    place.program("claude", "echo broken >&2; exit 1\n");
    let output = place.run(&[]);
    success(&output);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("/plugin marketplace add"), "by hand, then: {complaint}");
}
