//! What belongs to the guard itself, and so to the person (its configuration, its hooks, its records), and what is
//! answered to an edit or a command that changes it, or did.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::edit::Texts;
use super::known::{self, Known};
use super::project_files::{on_disk, real};
use super::session::{Session, Stamp};
use crate::app::App;
use crate::files;
use crate::guard::{self, Effect, Finding, Level, Reading, Rule};
use crate::hook::{Event, Reply};
use crate::model::GuardEntry;
use crate::shell::quoted;
use crate::text::{clean, clip};

/// What of ours a path is; `None` for everything else. The path may be relative, go through links, and
/// need not exist.
pub fn own(app: &App, path: &Path) -> Option<&'static str> {
    let path = real(&app.here().join(path));
    if path.components().any(|part| part.as_os_str() == ".math-forge") {
        return Some(match path.file_name().and_then(|name| name.to_str()) {
            Some("config.toml") => "the guard's configuration for this project",
            _ => "math-forge's folder in this project",
        });
    }
    let fits = |(place, is_folder, _): &(PathBuf, bool, &str)| {
        let place = real(place);
        path == place || (*is_folder && path.starts_with(place))
    };
    places(app).into_iter().find(fits).map(|(.., what)| what)
}

/// The path that a command names: `~` and `$HOME` are the home folder.
pub(crate) fn named(app: &App, folder: Option<&Path>, name: &str) -> PathBuf {
    let in_home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| name.strip_prefix(start));
    match in_home.zip(app.environment.path("HOME")) {
        Some((rest, home)) => home.join(rest),
        None => folder.unwrap_or_else(|| app.here()).join(name),
    }
}

/// The places that are ours, whether each is a folder with everything below it, and what it is.
fn places(app: &App) -> Vec<(PathBuf, bool, &'static str)> {
    let mut places = fixed(app);
    if let Some(database) = app.database.path() {
        let database = app.here().join(database);
        let parts = ["", "-wal", "-shm", "-journal"].map(|end| files::beside(&database, end));
        places.extend(parts.map(|part| (part, false, "the knowledge database")));
    }
    places.push((app.paths.state_dir.clone(), true, "math-forge's log and state"));
    places.push((app.paths.data_dir.clone(), true, "math-forge's data folder"));
    places
}

/// Those that nothing of ours writes in a session.
fn fixed(app: &App) -> Vec<(PathBuf, bool, &'static str)> {
    let mut places = vec![(app.paths.config_file.clone(), false, "the guard's configuration")];
    let root = app.environment.path("CLAUDE_PLUGIN_ROOT").filter(|root| !is_worked_on(app, root));
    if let Some(root) = root {
        let parts = ["hooks", ".claude-plugin", "bin", "target/release"];
        places.extend(parts.map(|part| (root.join(part), true, "the math-forge plugin")));
    }
    let named =
        app.environment.path("MK_BIN").into_iter().chain(app.environment.executable.clone());
    let programs = installed(app).chain(named.filter(|path| !is_worked_on(app, path)));
    places.extend(programs.map(|path| (path, false, "the program mk")));
    places
}

fn installed(app: &App) -> impl Iterator<Item = PathBuf> {
    let home = app.environment.path("HOME").into_iter();
    home.flat_map(|home| [".local/bin/mk", ".cargo/bin/mk"].map(|name| home.join(name)))
}

/// Whether a file of ours lies in the project because the project is math-forge itself: somebody works
/// on it. A Lean project that holds the plugin is guarded.
fn is_worked_on(app: &App, path: &Path) -> bool {
    !app.project.is_lean && real(path).starts_with(&app.project.root)
}

fn is_settings(path: &Path) -> bool {
    // Some systems do not tell capitals apart.
    let part = |name: Option<&std::ffi::OsStr>| {
        name.and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase()
    };
    part(path.parent().and_then(Path::file_name)) == ".claude"
        && part(path.file_name()).starts_with("settings")
        && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
}

/// What of the guard's own a command changed after all, by whatever spelling: files that were changed
/// at this time (nanoseconds since 1970) or later.
pub(super) fn changed_since(app: &App, time: i64) -> Vec<(PathBuf, &'static str)> {
    let roots = [Some(app.project.root.clone()), app.environment.path("HOME")];
    let mut found = Vec::new();
    let is_new = |path: &Path| {
        std::fs::symlink_metadata(path).is_ok_and(|meta| Stamp::of(&meta).changed >= time)
    };
    for root in roots.into_iter().flatten() {
        for name in ["settings.json", "settings.local.json"] {
            let path = root.join(".claude").join(name);
            let text = is_new(&path).then(|| on_disk(&path).unwrap_or_default());
            let what = text.and_then(|text| settings_edit("", &text));
            // An entry for math-forge may have stood there before.
            found.extend(what.filter(|what| *what != OURS).map(|what| (path, what)));
        }
    }
    let project = app.project.root.join(".math-forge/config.toml");
    let places = fixed(app).into_iter().chain([(
        project,
        false,
        "the guard's configuration for this project",
    )]);
    for (place, is_folder, what) in places {
        let files = if is_folder { files::entries(&place) } else { vec![place] };
        found.extend(files.into_iter().filter(|path| is_new(path)).map(|path| (path, what)));
    }
    found
}

/// Options of Lean that close goals without proof or switch off the kernel.
const DEBUG_OPTIONS: [&str; 2] = ["debug.skipKernelTC", "debug.byAsSorry"];

/// What [`settings_edit`] says where an entry for math-forge changed.
const OURS: &str = "an entry for math-forge";

/// Variables that decide what the guard is and where it looks.
const VARIABLES: [&str; 4] = ["MK_GUARD", "MK_HOME", "MK_BIN", "MATH_FORGE_DB"];

/// What an edit of Claude Code's settings does to the guard; `None` where it leaves it alone. A file
/// that is not there is empty.
fn settings_edit(before: &str, after: &str) -> Option<&'static str> {
    // A word may be written with `\u0041` in it.
    let plain = |text: &str| {
        let value: Option<Value> = serde_json::from_str(text).ok();
        value.map_or_else(|| text.to_owned(), |value| value.to_string())
    };
    let (before, after) = (&*plain(before), &*plain(after));
    let more = |word: &str| after.matches(word).count() > before.matches(word).count();
    if more("PermissionRequest") {
        return Some("a hook that answers the questions to the person");
    }
    // How often hooks are switched off in a text.
    let truth = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.matches("\"disableAllHooks\":true").count()
    };
    if more("disableAllHooks")
        || (before.contains("disableAllHooks") && truth(before) != truth(after))
    {
        return Some("a setting that switches all hooks off");
    }
    if VARIABLES.iter().any(|name| more(name)) {
        return Some("a variable that moves math-forge or switches it off");
    }
    if ours(before) != ours(after) {
        return Some(OURS);
    }
    None
}

/// Everything in a file of settings that names math-forge; where it is no JSON, the name as often as it
/// stands there.
fn ours(text: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return text.matches("math-forge").map(str::to_owned).collect();
    };
    let mut found = Vec::new();
    let mut open = vec![(String::new(), &value)];
    while let Some((name, value)) = open.pop() {
        match value {
            Value::Object(fields) => {
                open.extend(fields.iter().map(|(key, value)| (format!("{name}/{key}"), value)));
            }
            Value::Array(items) => {
                open.extend(items.iter().map(|value| (format!("{name}/"), value)));
            }
            value => {
                let leaf = format!("{name} {value}");
                found.extend(leaf.contains("math-forge").then_some(leaf));
            }
        }
    }
    found.sort();
    found
}

/// What of ours a command plainly changes: the path as far as it names one, and what that is.
pub(super) fn changed_by(
    app: &App,
    folder: Option<&Path>,
    command: &str,
) -> Option<(Option<PathBuf>, &'static str)> {
    let reading = guard::reading(command);
    if reading.removes_plugin {
        return Some((None, "the math-forge plugin"));
    }
    let paths = reading.written.into_iter().map(|name| named(app, folder, &name));
    let paths: Vec<PathBuf> = paths.collect();
    if let Some((path, what)) = paths.iter().find_map(|path| Some((path, own(app, path)?))) {
        return Some((Some(path.clone()), what));
    }
    let settings = paths.into_iter().find(|path| is_settings(path));
    // The text of the command stands for what is written: what it names is new there.
    settings.and_then(|settings| Some((Some(settings), settings_edit("", command)?)))
}

/// What an edit does to what is the guard's own, or to Lean's options for every file of the project.
pub(super) fn changed_by_edit(
    app: &App,
    path: &Path,
    texts: impl Fn() -> Option<Texts>,
) -> Option<(Rule, String)> {
    let settings = || {
        let texts = is_settings(path).then(&texts).flatten()?;
        settings_edit(&texts.before, &texts.after)
    };
    if let Some(what) = own(app, path).or_else(settings) {
        return Some((Rule::PolicyChanged, what.to_owned()));
    }
    let texts = path.ends_with("lakefile.toml").then(texts).flatten()?;
    let is_new = |one: &&&str| texts.after.contains(**one) && !texts.before.contains(**one);
    let option = DEBUG_OPTIONS.iter().find(is_new)?;
    Some((Rule::TrustAdded, format!("`{option}`: a debugging option for every file")))
}

pub(super) fn before_command(app: &mut App, event: &Event, command: &str) -> Option<Reply> {
    let (path, what) = changed_by(app, event.cwd.as_deref(), command)?;
    let level = known::policy(app, event).level(Rule::PolicyChanged);
    if !known::is_on(app) || level < Level::Ask {
        return None;
    }
    let file = path.as_deref().map(|path| app.project.stable_path(path));
    let detail = format!("a command changes {what}: {}", clip(&clean(command), 200));
    let mut finding = Finding::of_file(Rule::PolicyChanged, level, &detail);
    let mut passed = Vec::new();
    let known = Known::load(app, event);
    if file.as_deref().is_some_and(|file| known.excuse(event, file, &mut finding, &mut passed)) {
        known::log(app, event, passed);
        return None;
    }
    let entry = GuardEntry { file: file.clone(), ..known::entry(&finding, "") };
    known::log(app, event, vec![entry]);
    let reason = refusal(what, file.as_deref(), level);
    Some(if level == Level::Ask { Reply::ask(reason) } else { Reply::Deny { reason } })
}

fn refusal(what: &str, file: Option<&str>, level: Level) -> String {
    let named = file.map_or_else(String::new, |file| format!(" (`{}`)", clean(file)));
    let refused = match level {
        Level::Ask => "math-forge: this command needs the person's agreement",
        _ => "math-forge refused this command; it did not run",
    };
    let leave = file.filter(|_| level != Level::Ask).map_or_else(String::new, |file| {
        let file = quoted(&clean(file));
        format!(
            ";\n  - if it must be done: `mk allow {file} --rule policy-changed --once --reason \"...\"` \
             asks the person; then run it again"
        )
    });
    format!(
        "{refused}.\n[policy-changed] it would change {what}{named}. Reading it is fine.\n\
         What you can do:\n  - leave it to the person, and say what you need and why{leave}."
    )
}

/// Uses up a lift under which a command changed what is the guard's own.
pub(super) fn after_command(app: &mut App, event: &Event, command: &str) {
    if changed_by(app, event.cwd.as_deref(), command).is_none() {
        return;
    }
    let known = Known::load(app, event);
    let let_pass = known.before(event, |row| row.lift.is_some()).into_iter();
    let lifts: Vec<i64> = let_pass.filter_map(|row| row.lift).collect();
    known::write(app, event, Vec::new(), &lifts);
}

/// What a command did to the guard itself, by whatever spelling, or to what checks the proofs, in words.
pub(super) fn switched_off(
    app: &mut App,
    event: &Event,
    command: &str,
    reading: &Reading,
    since: i64,
) -> Option<String> {
    let writes = reading.effect == Effect::Writes || !reading.written.is_empty();
    let mut changed = if writes { changed_since(app, since) } else { Vec::new() };
    if !changed.is_empty() {
        let known = Known::load(app, event);
        let mut what = Finding::of_file(Rule::PolicyChanged, Level::Deny, "");
        let name = |path: &Path| app.project.stable_path(path);
        changed.retain(|(path, _)| !known.excuse(event, &name(path), &mut what, &mut Vec::new()));
    }
    let named = |word: &str| command.contains(word);
    let mut what = in_words(app, &changed);
    what.retain(|what| known::first_time(app, &event.session, what));
    let is_given = |option: &&str| writes && named(option) || named(&format!("-D{option}"));
    if what.is_empty() && DEBUG_OPTIONS.iter().any(is_given) {
        what.push("a Lean option that closes goals or switches off the kernel".to_owned());
    }
    if reading.moves_hooks {
        what.push("git's hooks, which may run the audit".to_owned());
    }
    if what.is_empty() {
        return None;
    }
    let rule = Finding::of_file(Rule::PolicyChanged, Level::Warn, &what.join("; "));
    known::log(app, event, vec![known::entry(&rule, "")]);
    Some(what.join(", "))
}

fn in_words(app: &App, changed: &[(PathBuf, &'static str)]) -> Vec<String> {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, what) in changed {
        files.entry(what).or_default().push(format!("`{}`", app.project.stable_path(path)));
    }
    files.into_iter().map(|(what, files)| format!("{what} ({})", files.join(", "))).collect()
}

/// What is said at the end of a turn where the guard is off and was on when the session began.
pub(super) fn is_off(app: &App, event: &Event, session: &Session) -> Reply {
    let start = session.start().filter(|start| start.when > 0);
    let changed = start.map(|start| changed_since(app, start.when));
    let what = in_words(app, &changed.unwrap_or_default()).join(", ");
    if what.is_empty() || !known::first_time(app, &event.session, "the guard is off") {
        return Reply::Silence;
    }
    Reply::Tell(format!(
        "math-forge: the guard is off, and was on when this session began; changed since: {what}."
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::paths::Environment;

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            for folder in ["p/.git", "p/.math-forge", "p/sub", "home/data", "plugin/hooks"] {
                fs::create_dir_all(dir.path().join(folder)).unwrap();
            }
            fs::write(dir.path().join("p/lean-toolchain"), "").unwrap();
            Self { dir }
        }

        fn path(&self, name: &str) -> PathBuf {
            fs::canonicalize(self.dir.path()).unwrap().join(name)
        }

        fn app(&self, plugin: &str) -> App {
            let text = |name: &str| self.path(name).to_string_lossy().into_owned();
            let (home, project, plugin, database) =
                (text("home"), text("p"), text(plugin), text("p/k.db"));
            let environment = Environment::of(&[
                ("HOME", home.as_str()),
                ("MK_HOME", &format!("{home}/data")),
                ("CLAUDE_PROJECT_DIR", &project),
                ("CLAUDE_PLUGIN_ROOT", &plugin),
                ("MATH_FORGE_DB", &database),
            ]);
            App::new(environment, jiff::Timestamp::UNIX_EPOCH, None, None).unwrap()
        }
    }

    #[test]
    fn what_is_ours() {
        let place = Place::new();
        let app = place.app("plugin");
        for (name, expected) in [
            ("p/.math-forge/config.toml", "the guard's configuration for this project"),
            ("p/.math-forge", "math-forge's folder in this project"),
            ("p/sub/../.math-forge/new/file", "math-forge's folder in this project"),
            ("p/not/there/../../.math-forge/x", "math-forge's folder in this project"),
            ("home/data/config.toml", "the guard's configuration"),
            ("home/data/trusted", "math-forge's data folder"),
            ("home/data/state/mk.log", "math-forge's log and state"),
            ("p/k.db", "the knowledge database"),
            ("p/k.db-wal", "the knowledge database"),
            ("plugin/hooks/hooks.json", "the math-forge plugin"),
            ("plugin/bin/mk", "the math-forge plugin"),
            ("home/.local/bin/mk", "the program mk"),
            ("p/Main.lean", ""),
            ("p/math-forge/notes.md", ""),
            ("p/.math-forge-notes", ""),
            ("p/k.db.txt", ""),
            ("p/hooks/hooks.json", ""),
            ("plugin/README.md", ""),
            ("home/.local/bin/other", ""),
            ("home", ""),
        ] {
            let what = own(&app, &place.path(name));
            assert_eq!(what.unwrap_or_default(), expected, "{name}");
        }
        assert!(own(&app, Path::new(".math-forge/config.toml")).is_some(), "relative");
    }

    #[test]
    fn who_works_on_math_forge_may() {
        let place = Place::new();
        fs::create_dir_all(place.path("p/hooks")).unwrap();
        assert!(
            own(&place.app("p"), &place.path("p/hooks/hooks.json")).is_some(),
            "a Lean project"
        );
        fs::remove_file(place.path("p/lean-toolchain")).unwrap();
        assert_eq!(own(&place.app("p"), &place.path("p/hooks/hooks.json")), None);
        assert!(own(&place.app("p"), &place.path("p/.math-forge/config.toml")).is_some());
        assert!(own(&place.app("plugin"), &place.path("plugin/hooks/hooks.json")).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_what_is_ours() {
        let place = Place::new();
        let app = place.app("plugin");
        std::os::unix::fs::symlink(".math-forge", place.path("p/cfg")).unwrap();
        std::os::unix::fs::symlink("../home/data", place.path("p/link")).unwrap();
        for name in ["p/cfg/config.toml", "p/cfg/new.toml", "p/link/trusted", "p/link/new/deep"] {
            assert!(own(&app, &place.path(name)).is_some(), "{name}");
        }
    }

    #[test]
    fn commands_that_change_what_is_ours() {
        let place = Place::new();
        let app = place.app("plugin");
        let folder = place.path("p/sub");
        for (command, expected) in [
            ("rm -rf ../.math-forge", true),
            ("rm ~/data/trusted", true),
            ("rm \"$HOME/data/trusted\"", true),
            ("echo x >> ~/data/config.toml", true),
            ("sed -i s/a/b/ ../.math-forge/config.toml", true),
            ("sqlite3 ../k.db 'DELETE FROM guard_log'", true),
            ("claude plugin disable math-forge", true),
            ("echo '{\"disableAllHooks\": true}' > ../.claude/settings.local.json", true),
            ("echo '{\"hooks\": {\"PermissionRequest\": []}}' | tee ~/.claude/settings.json", true),
            ("echo '{}' > ../.claude/settings.json", false),
            ("cat ../.math-forge/config.toml", false),
            ("ls ~/data", false),
            ("sqlite3 ../k.db 'SELECT * FROM guard_log'", false),
            ("echo math-forge > notes.md", false),
            ("cp ~/data/knowledge.db backup.db", false),
            ("rm -rf math-forge", false),
        ] {
            let found = changed_by(&app, Some(&folder), command);
            assert_eq!(found.is_some(), expected, "{command}: {found:?}");
        }
    }

    #[test]
    fn edits_of_settings() {
        let on = r#"{"enabledPlugins": {"math-forge@math-forge": true}, "model": "x"}"#;
        for (before, after, expected) in [
            ("", "{}", false),
            (on, r#"{"model": "y", "enabledPlugins": {"math-forge@math-forge": true}}"#, false),
            ("", r#"{"permissions": {"allow": ["Bash(lake *)"]}}"#, false),
            (on, r#"{"enabledPlugins": {"math-forge@math-forge": false}}"#, true),
            (on, "{}", true),
            (on, "{", true),
            ("{}", r#"{"enabledPlugins": {"math-forge@math-forge": false}}"#, true),
            ("{}", r#"{"hooks": {"PermissionRequest": [{}]}}"#, true),
            ("{}", r#"{"disableAllHooks": true}"#, true),
            (r#"{"disableAllHooks": false}"#, r#"{"disableAllHooks" : true}"#, true),
            ("{}", r#"{"env": {"MK_GUARD": "off"}}"#, true),
            (r#"{"env": {"MK_GUARD": "on"}}"#, r#"{"env": {}}"#, false),
        ] {
            assert_eq!(settings_edit(before, after).is_some(), expected, "{before} -> {after}");
        }
        assert!(is_settings(Path::new("/p/.claude/settings.local.json")));
        assert!(!is_settings(Path::new("/p/settings.json")));
        assert!(!is_settings(Path::new("/p/.claude/commands/settings.md")));
    }
}
