//! Answers one call of a hook. Errors are logged, never said: a session goes on.

use std::path::Path;

use super::guard::commands::{self, Ended};
use super::guard::permission::{self, ReadCall};
use super::guard::session::Session;
use super::guard::{edit, failing, snapshot};
use super::inject::start::joined;
use super::{App, begun, inject, learn, session_env};
use crate::capture::{self, Trigger};
use crate::files;
use crate::hook::{Event, Occasion, Reply, ServerUse, StartSource, Tool};
use crate::lean::Outline;
use crate::lean::diagnostics::{Looked, looked};

/// `read` reads calls of `mk` in commands.
pub fn answer(app: &mut App, event: &Event, read: ReadCall) -> Reply {
    match &event.occasion {
        Occasion::SessionStart(source) => session_start(app, event, *source),
        Occasion::PreToolUse(Tool::Bash { command, .. }) => {
            permission::before(app, event, command, read).unwrap_or_default()
        }
        Occasion::PreToolUse(Tool::File(file)) => edit::before(app, event, file),
        Occasion::PreToolUse(Tool::Server(used)) => before_server(app, event, used, read),
        Occasion::PreToolUse(Tool::Agent { kind, task }) => {
            inject::keep_task(app, event, kind, task);
            Reply::Silence
        }
        Occasion::PostToolUse(tool) => {
            notice(app, tool);
            match tool {
                Tool::File(file) => {
                    let (reply, outline) = edit::after(app, event, file);
                    commands::edited(app, event, file, outline.is_some());
                    with_file(app, event, &file.path, outline, reply)
                }
                Tool::Read { path } => with_file(app, event, path, None, Reply::Silence),
                Tool::Bash { command, .. } => {
                    let recorded = permission::record(app, event, command, read);
                    let guarded = match after_command(app, event, tool) {
                        Reply::Silence => recorded.unwrap_or_default(),
                        lost => lost,
                    };
                    with_lessons(app, event, guarded)
                }
                Tool::Server(used) => after_server(app, event, used),
                Tool::Agent { .. } | Tool::Other => Reply::Silence,
            }
        }
        Occasion::PreCompact => {
            app.try_to("learn", |app| learn::work::compacting(app, event));
            Reply::Hint(app.config.learn_compact_hint.clone())
        }
        Occasion::SessionEnd => {
            app.try_to("learn", |app| learn::work::ended(app, event));
            Reply::Silence
        }
        Occasion::PostToolUseFailure(Tool::Server(used)) => after_server(app, event, used),
        Occasion::PostToolUseFailure(tool) => {
            let guarded = after_command(app, event, tool);
            with_lessons(app, event, guarded)
        }
        Occasion::Stop { again } => commands::stop(app, event, *again),
        Occasion::UserPromptSubmit { prompt } => {
            let known = inject::beside_prompt(app, event, prompt);
            let lines = known.into_iter().chain(learn::ended_by(app, event, prompt));
            note(lines.reduce(|known, ask| format!("{known}\n{ask}")))
        }
        Occasion::SubagentStart { kind } => note(inject::for_subagent(app, event, kind)),
        Occasion::PreToolUse(Tool::Read { .. } | Tool::Other) => Reply::Silence,
    }
}

fn note(text: Option<String>) -> Reply {
    text.map_or(Reply::Silence, Reply::Note)
}

/// Adds what is known about the file's declarations, unless the edit was refused.
fn with_file(
    app: &mut App,
    event: &Event,
    path: &Path,
    outline: Option<Outline>,
    guarded: Reply,
) -> Reply {
    let (Reply::Silence | Reply::Note(_)) = guarded else { return guarded };
    beside(guarded, inject::beside_file(app, event, path, outline))
}

/// Adds what is known about the errors that were printed.
fn with_lessons(app: &mut App, event: &Event, guarded: Reply) -> Reply {
    let (Reply::Silence | Reply::Note(_) | Reply::Block { .. }) = guarded else { return guarded };
    beside(guarded, learn::learn_note(app, event))
}

fn beside(guarded: Reply, known: Option<String>) -> Reply {
    match (guarded, known) {
        (Reply::Silence, known) => note(known),
        (Reply::Note(text), Some(known)) => Reply::Note(format!("{text}\n{known}")),
        (Reply::Block { reason }, Some(known)) => {
            Reply::Block { reason: format!("{reason}\n\n{known}") }
        }
        (guarded, _) => guarded,
    }
}

fn after_command(app: &mut App, event: &Event, tool: &Tool) -> Reply {
    let Tool::Bash { command, duration_ms, background, printed, .. } = tool else {
        return Reply::Silence;
    };
    failing::note(app, event, printed, None);
    let (duration_ms, background) = (*duration_ms, *background);
    commands::after(app, event, Ended { command, duration_ms, background })
}

/// A server's tool that runs a command or edits a file is asked about like one of the client's own.
fn before_server(app: &mut App, event: &Event, used: &ServerUse, read: ReadCall) -> Reply {
    if !used.may_write() {
        return Reply::Silence;
    }
    match (&used.command, &used.edit) {
        (Some(command), _) => permission::before(app, event, command, read).unwrap_or_default(),
        (None, Some(file)) => edit::before(app, event, file),
        (None, None) => Reply::Silence,
    }
}

/// What a tool of a server said about Lean code counts like the output of a command; what it may have
/// written is looked at like what a command wrote.
fn after_server(app: &mut App, event: &Event, used: &ServerUse) -> Reply {
    let guarded = match &used.command {
        _ if !used.may_write() => Reply::Silence,
        Some(command) => {
            let ended = Ended { command, duration_ms: used.duration_ms, background: false };
            commands::after(app, event, ended)
        }
        None => commands::after_server(app, event, used),
    };
    if guarded != Reply::Silence {
        return guarded;
    }
    let Some(looked) = looked(&used.tool) else { return Reply::Silence };
    let file = used.file();
    if let Some(session) = Session::of(app, &event.session) {
        session.built();
    }
    if looked == Looked::Files && !used.is_handed_code() && !used.interrupted {
        failing::note(app, event, &used.said, file);
    }
    with_lessons(app, event, Reply::Silence)
}

fn session_start(app: &mut App, event: &Event, source: StartSource) -> Reply {
    app.try_to("hook", |app| session_env::export(app, event.cwd.as_deref()));
    let in_hand = match source {
        StartSource::Compact => learn::work::after_compaction(app, event),
        _ => String::new(),
    };
    let version = version_line(app).unwrap_or_default();
    let folder = event.cwd.clone().unwrap_or_else(|| app.project.start.clone());
    let start = inject::start::said(app, &folder, &in_hand, &version);
    if let Err(error) = begun::leave(app, event, source, start.project, start.rows) {
        app.log.line(app.now, "hook", &format!("the session was not counted: {error:#}"));
    }
    snapshot::begin_session(app, event, &folder);
    let is_new = matches!(source, StartSource::Startup | StartSource::Resume);
    let state = if is_new { start.person.as_str() } else { "" };
    let person = joined(&[&untrusted_line(app).unwrap_or_default(), state], "\n");
    Reply::Brief { text: joined(&[&start.text, &version], "\n"), person }
}

/// Once per database.
fn untrusted_line(app: &App) -> Option<String> {
    let path = app.untrusted.as_deref()?;
    let shown = crate::text::clean(&path.to_string_lossy());
    let record = app.paths.state_dir.join("named");
    let named = files::text(&record, files::SMALL).unwrap_or_default();
    if named.lines().any(|line| line == shown) {
        return None;
    }
    // Silence is better than the same sentence every time.
    files::append(&record, format!("{shown}\n")).ok()?;
    Some(format!(
        "math-forge: this project brings its own knowledge database, {shown}. It is not used \
         until you trust it: run `mk trust` in a terminal."
    ))
}

/// In the background, where a tool may have brought result files.
fn notice(app: &App, tool: &Tool) {
    match tool {
        Tool::File(file) => capture::notice(app, Trigger::Written(&file.path)),
        Tool::Bash { .. } => capture::notice(app, Trigger::Command),
        Tool::Server(_) | Tool::Read { .. } | Tool::Agent { .. } | Tool::Other => false,
    };
}

/// Where plugin and binary differ.
fn version_line(app: &App) -> Option<String> {
    let root = app.environment.path("CLAUDE_PLUGIN_ROOT")?;
    let text = files::read(&root.join(".claude-plugin").join("plugin.json"), files::SMALL).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let (plugin, binary) = (manifest["version"].as_str()?, env!("CARGO_PKG_VERSION"));
    (plugin != binary).then(|| {
        let plugin = crate::text::clip(&crate::text::clean(plugin), 40);
        format!(
            "The math-forge plugin is version {plugin}, its mk is {binary}: \
             run the plugin's install.sh again."
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::paths::Environment;

    fn app(variables: &[(&str, &str)]) -> App {
        let environment = Environment::of(variables);
        App::new(environment, jiff::Timestamp::UNIX_EPOCH, None, None).unwrap()
    }

    #[test]
    fn an_untrusted_database_is_named_once() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("p");
        fs::create_dir_all(project.join(".math-forge")).unwrap();
        fs::write(project.join(".math-forge/knowledge.db"), "").unwrap();
        let home = dir.path().join("home");
        let variables = [
            ("MK_HOME", home.to_str().unwrap()),
            ("CLAUDE_PROJECT_DIR", project.to_str().unwrap()),
        ];
        let line = untrusted_line(&app(&variables)).unwrap();
        assert!(line.contains("mk trust"), "{line}");
        assert_eq!(untrusted_line(&app(&variables)), None);
        assert_eq!(untrusted_line(&app(&[variables[0]])), None, "another project");
    }

    #[test]
    fn other_versions_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_str().unwrap();
        let app = app(&[("MK_HOME", root), ("CLAUDE_PLUGIN_ROOT", root)]);
        let manifest = dir.path().join(".claude-plugin/plugin.json");
        fs::create_dir(dir.path().join(".claude-plugin")).unwrap();
        for (json, expected) in [
            (format!(r#"{{"version":"{}"}}"#, env!("CARGO_PKG_VERSION")), None),
            (r#"{"version":"99.0.0"}"#.to_owned(), Some("99.0.0")),
            ("{".to_owned(), None),
        ] {
            fs::write(&manifest, json).unwrap();
            let line = version_line(&app);
            assert_eq!(line.is_some(), expected.is_some());
            assert!(line.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }
}
