//! What happened in the session, in our words.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::wire::{Input, Wire};
use crate::model::{Edit, Hunk, Replacement};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Id of the session; empty where the client sent none.
    pub session: String,
    /// Current folder of the client's shell. It follows `cd`: the project is found through
    /// `CLAUDE_PROJECT_DIR` first.
    pub cwd: Option<PathBuf>,
    /// The client's id of the use of a tool; empty where the client sent none.
    pub tool_use: String,
    pub agent: Option<String>,
    /// What the client calls the event and the tool.
    pub name: String,
    pub tool: Option<String>,
    /// Whether a person is at hand to answer a dialog. Where permissions are skipped or decided by
    /// the client itself, one would stop a night's work. Under `-p` the client refuses.
    pub attended: bool,
    /// The session's transcript. It lags behind during a turn.
    pub transcript: Option<PathBuf>,
    pub occasion: Occasion,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    SessionStart(StartSource),
    PreToolUse(Tool),
    PostToolUse(Tool),
    /// A tool has failed; a command that ends with another code than 0 comes here too.
    PostToolUseFailure(Tool),
    /// A prompt was sent, by a person or by a schedule.
    UserPromptSubmit {
        prompt: String,
    },
    /// The conversation is about to be compacted. Nothing can be injected here.
    PreCompact,
    /// The session is over. There is a second and a half for all hooks together.
    SessionEnd,
    SubagentStart {
        /// Its type; empty where the client does not say it.
        kind: String,
    },
    Stop {
        /// A hook has made this turn go on already.
        again: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartSource {
    Startup,
    Resume,
    Clear,
    Compact,
    /// A word that this version does not know, or none.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    Bash {
        command: String,
        /// How long it ran, in milliseconds; known afterwards.
        duration_ms: Option<u64>,
        background: bool,
        /// What it printed, on both streams; after a failure behind the client's word for the exit
        /// code. Known afterwards.
        printed: String,
        interrupted: bool,
    },
    Server(Box<ServerUse>),
    File(Box<FileUse>),
    Read {
        path: PathBuf,
    },
    Agent {
        /// Its type; empty where none is named.
        kind: String,
        task: String,
    },
    /// Any other tool, or one of these without the field that matters.
    Other,
}

/// The use of a tool of a server, as far as it may have looked at Lean code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerUse {
    /// Name of the tool, `mcp__SERVER__TOOL`.
    pub tool: String,
    /// The parameters that say on what it worked and what was asked for.
    pub input: Vec<(String, String)>,
    pub said: String,
    pub interrupted: bool,
    /// A command that it is asked to run.
    pub command: Option<String>,
    /// The files that it names, as it names them.
    pub names: Vec<String>,
    /// What it is asked to write, where that is certain.
    pub edit: Option<FileUse>,
    /// How long it ran, in milliseconds; known afterwards.
    pub duration_ms: Option<u64>,
}

/// Words in the names of tools that may write files or run commands; `hooks/hooks.json` has them too.
const WRITING: [&str; 19] = [
    "write", "edit", "replace", "insert", "create", "delete", "remove", "move", "rename", "patch",
    "apply", "update", "save", "append", "command", "exec", "process", "shell", "terminal",
];

impl ServerUse {
    /// Whether it may write files: by its name, for a server says nothing else of its tools.
    pub fn may_write(&self) -> bool {
        let name = self.tool.rsplit("__").next().unwrap_or_default().to_ascii_lowercase();
        WRITING.iter().any(|word| name.contains(word))
    }

    /// The file that it was asked about; the path of an address of a file.
    pub fn file(&self) -> Option<&str> {
        let names = ["file_path", "path", "file", "filename", "uri"];
        let file = names.iter().find_map(|name| self.parameter(name))?;
        Some(file.strip_prefix("file://").unwrap_or(file))
    }

    /// Whether it was handed the code itself, which stands in no file.
    pub fn is_handed_code(&self) -> bool {
        self.parameter("code").is_some()
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.input.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A file written whole or edited. What stands below `edit` is known afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileUse {
    pub path: PathBuf,
    /// What was asked for; `None` where the fields for it are missing.
    pub edit: Option<Edit>,
    /// The file before, with `\n` for line ends; empty for a new one.
    pub original: Option<String>,
    /// What was written, in place of what.
    pub patch: Vec<Hunk>,
}

impl Event {
    /// The event, or `None` where its name is not known.
    pub fn from_wire(wire: &Wire<'_>) -> Option<Self> {
        let occasion = match wire.event.as_deref()? {
            "SessionStart" => Occasion::SessionStart(source(wire.source.as_deref())),
            "PreToolUse" => Occasion::PreToolUse(tool(wire)),
            "PostToolUse" => Occasion::PostToolUse(tool(wire)),
            "PostToolUseFailure" => Occasion::PostToolUseFailure(tool(wire)),
            "UserPromptSubmit" => {
                let prompt = wire.prompt.as_deref().unwrap_or_default().to_owned();
                Occasion::UserPromptSubmit { prompt }
            }
            "PreCompact" => Occasion::PreCompact,
            "SessionEnd" => Occasion::SessionEnd,
            "SubagentStart" => {
                let kind = wire.agent_type.as_deref().unwrap_or_default().to_owned();
                Occasion::SubagentStart { kind }
            }
            "Stop" => Occasion::Stop { again: wire.stop_hook_active },
            _ => return None,
        };
        Some(Self {
            session: wire.session.as_deref().unwrap_or_default().to_owned(),
            cwd: wire.cwd.as_deref().filter(|path| !path.is_empty()).map(PathBuf::from),
            tool_use: wire.tool_use.as_deref().unwrap_or_default().to_owned(),
            agent: wire.agent.as_deref().map(str::to_owned),
            name: wire.event.as_deref().unwrap_or_default().to_owned(),
            tool: wire.tool.as_deref().map(str::to_owned),
            attended: !matches!(
                wire.permission_mode.as_deref(),
                Some("bypassPermissions" | "auto" | "dontAsk")
            ),
            transcript: wire.transcript.as_deref().filter(|p| !p.is_empty()).map(PathBuf::from),
            occasion,
        })
    }
}

fn source(word: Option<&str>) -> StartSource {
    match word {
        Some("startup") => StartSource::Startup,
        Some("resume") => StartSource::Resume,
        Some("clear") => StartSource::Clear,
        Some("compact") => StartSource::Compact,
        _ => StartSource::Other,
    }
}

fn tool(wire: &Wire<'_>) -> Tool {
    match wire.tool.as_deref() {
        Some("Bash") => wire.input.command.as_deref().map_or(Tool::Other, |command| Tool::Bash {
            command: command.to_owned(),
            duration_ms: wire.duration_ms,
            background: wire.input.run_in_background,
            printed: printed(wire),
            interrupted: wire.response.interrupted || wire.is_interrupt,
        }),
        Some(name @ ("Write" | "Edit" | "MultiEdit")) => {
            let path = wire.input.file_path.as_deref();
            path.map_or(Tool::Other, |path| Tool::File(Box::new(file_use(name, path, wire))))
        }
        Some("Read") => {
            let path = wire.input.file_path.as_deref();
            path.map_or(Tool::Other, |path| Tool::Read { path: PathBuf::from(path) })
        }
        Some("Agent" | "Task") => agent(wire).unwrap_or(Tool::Other),
        Some(name) if name.starts_with("mcp__") => Tool::Server(Box::new(server_use(name, wire))),
        _ => Tool::Other,
    }
}

fn server_use(tool: &str, wire: &Wire<'_>) -> ServerUse {
    let input = &wire.input;
    let texts = [
        ("file_path", &input.file_path),
        ("path", &input.path),
        ("file", &input.file),
        ("filename", &input.filename),
        ("uri", &input.uri),
        ("code", &input.code),
        ("declaration_name", &input.declaration_name),
        ("severity", &input.severity),
    ];
    let texts = texts.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let lines = [("start_line", input.start_line), ("end_line", input.end_line)];
    let lines = lines.into_iter().filter_map(|(name, line)| Some((name, line?.to_string())));
    let texts = texts.map(|(name, value)| (name, value.to_owned()));
    ServerUse {
        tool: tool.to_owned(),
        input: texts.chain(lines).map(|(name, value)| (name.to_owned(), value)).collect(),
        said: wire
            .error
            .as_deref()
            .or(wire.response.shown.as_deref())
            .unwrap_or_default()
            .to_owned(),
        interrupted: wire.is_interrupt,
        command: input.command.as_deref().map(str::to_owned),
        names: names(input),
        edit: server_edit(input),
        duration_ms: wire.duration_ms,
    }
}

fn names(input: &Input<'_>) -> Vec<String> {
    let all = [&input.file_path, &input.path, &input.file, &input.filename, &input.uri];
    let all = all.into_iter().chain([&input.destination]).filter_map(Option::as_deref);
    all.map(|name| name.strip_prefix("file://").unwrap_or(name).to_owned()).collect()
}

/// The edit that a server is asked for, in the words of the common ones. A replacement in another
/// mode (by a pattern, of a symbol) is looked at when it is made.
fn server_edit(input: &Input<'_>) -> Option<FileUse> {
    let path = input.file_path.as_deref().or(input.path.as_deref())?;
    if input.dry_run || input.mode.as_deref().is_some_and(|mode| mode != "rewrite") {
        return None;
    }
    let edit = match input.content.as_deref() {
        Some(text) => Edit::Write { content: text.to_owned() },
        None if input.edits.is_empty() => Edit::Replace(vec![replacement(input)?]),
        None => Edit::Replace(input.edits.iter().map(replacement).collect::<Option<_>>()?),
    };
    Some(FileUse { path: PathBuf::from(path), edit: Some(edit), ..FileUse::default() })
}

fn agent(wire: &Wire<'_>) -> Option<Tool> {
    let told = [wire.input.description.as_deref(), wire.input.prompt.as_deref()];
    let task = told.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let kind = wire.input.subagent_type.as_deref().unwrap_or_default().to_owned();
    (!task.is_empty()).then_some(Tool::Agent { kind, task })
}

fn printed(wire: &Wire<'_>) -> String {
    let (out, err) = (wire.response.stdout.as_deref(), wire.response.stderr.as_deref());
    let texts = [wire.error.as_deref(), out, err].into_iter().flatten();
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn file_use(tool: &str, path: &str, wire: &Wire<'_>) -> FileUse {
    let (input, response) = (&wire.input, &wire.response);
    let edit = match tool {
        "Write" => input.content.as_deref().map(|text| Edit::Write { content: text.to_owned() }),
        "Edit" => replacement(input).map(|one| Edit::Replace(vec![one])),
        _ => input.edits.iter().map(replacement).collect::<Option<_>>().map(Edit::Replace),
    };
    let original = response.original.as_deref();
    let created = response.kind.as_deref() == Some("create");
    FileUse {
        path: PathBuf::from(path),
        edit,
        original: original.or(created.then_some("")).map(str::to_owned),
        patch: response.patch.iter().filter(|hunk| hunk.old_start > 0).cloned().collect(),
    }
}

fn replacement(input: &Input<'_>) -> Option<Replacement> {
    let (old, new) = (input.old_string.as_deref()?, input.new_string.as_deref()?);
    Some(Replacement { old: old.to_owned(), new: new.to_owned(), all: input.replace_all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occasion(json: &str) -> Option<Occasion> {
        Event::from_wire(&Wire::parse(json.as_bytes()).expect(json)).map(|event| event.occasion)
    }

    #[test]
    fn events_by_name() {
        let file = || {
            let path = PathBuf::from("/p/A.lean");
            Tool::File(Box::new(FileUse { path, ..FileUse::default() }))
        };
        let bash = bash("mk stats", "", false);
        for (json, expected) in [
            (
                r#"{"hook_event_name":"SessionStart","source":"compact"}"#,
                Some(Occasion::SessionStart(StartSource::Compact)),
            ),
            (
                r#"{"hook_event_name":"SessionStart","source":"fork"}"#,
                Some(Occasion::SessionStart(StartSource::Other)),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"mk stats"}}"#,
                Some(Occasion::PreToolUse(bash)),
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/p/A.lean"}}"#,
                Some(Occasion::PostToolUse(file())),
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/A.lean"}}"#,
                Some(Occasion::PostToolUse(file())),
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":3}}"#,
                Some(Occasion::PostToolUse(Tool::Other)),
            ),
            (
                r#"{"hook_event_name":"PostToolUseFailure","tool_name":"NotebookEdit"}"#,
                Some(Occasion::PostToolUseFailure(Tool::Other)),
            ),
            (r#"{"hook_event_name":"SessionEnd","reason":"other"}"#, Some(Occasion::SessionEnd)),
            (
                r#"{"hook_event_name":"Stop","stop_hook_active":true}"#,
                Some(Occasion::Stop { again: true }),
            ),
            (r#"{"hook_event_name":"WorktreeCreate"}"#, None),
            (r#"{"hook_event_name":"session-start"}"#, None),
            (r#"{"source":"startup"}"#, None),
        ] {
            assert_eq!(occasion(json), expected, "{json}");
        }
    }

    #[test]
    fn what_may_be_told_something() {
        for (json, expected) in [
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/A.lean"}}"#,
                Some(Occasion::PostToolUse(Tool::Read { path: PathBuf::from("/p/A.lean") })),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{"description":"d","prompt":"p","subagent_type":"x:y"}}"#,
                Some(Occasion::PreToolUse(Tool::Agent { kind: "x:y".into(), task: "d\np".into() })),
            ),
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{"subagent_type":"x"}}"#,
                Some(Occasion::PreToolUse(Tool::Other)),
            ),
            (
                r#"{"hook_event_name":"UserPromptSubmit","prompt":"go on"}"#,
                Some(Occasion::UserPromptSubmit { prompt: "go on".into() }),
            ),
            (
                r#"{"hook_event_name":"SubagentStart","agent_type":"Explore","agent_id":"a"}"#,
                Some(Occasion::SubagentStart { kind: "Explore".into() }),
            ),
        ] {
            assert_eq!(occasion(json), expected, "{json}");
        }
    }

    fn bash(command: &str, printed: &str, interrupted: bool) -> Tool {
        Tool::Bash {
            command: command.to_owned(),
            duration_ms: None,
            background: false,
            printed: printed.to_owned(),
            interrupted,
        }
    }

    #[test]
    fn what_commands_printed() {
        let of = |fields: &str| {
            let json = format!(
                r#"{{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"c"}},{fields}}}"#
            );
            occasion(&json)
        };
        for (fields, expected, interrupted) in [
            (r#""tool_response":{"stdout":"a","stderr":"b"}"#, "a\nb", false),
            (r#""tool_response":{"stdout":"","stderr":"b","interrupted":true}"#, "b", true),
            (r#""tool_response":"a text""#, "", false),
            (r#""error":"Exit code 1\nx","is_interrupt":false"#, "Exit code 1\nx", false),
            (r#""error":"","is_interrupt":true"#, "", true),
        ] {
            let tool = bash("c", expected, interrupted);
            assert_eq!(of(fields), Some(Occasion::PostToolUse(tool)), "{fields}");
        }
    }

    fn file(json: &str) -> FileUse {
        match occasion(json) {
            Some(Occasion::PostToolUse(Tool::File(file))) => *file,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn edits_and_what_was_there_before() {
        let one = |old: &str, new: &str, all| Replacement { old: old.into(), new: new.into(), all };
        let written = file(
            r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/a.lean",
            "content":"x"},"tool_response":{"type":"create","originalFile":null}}"#,
        );
        assert_eq!(written.edit, Some(Edit::Write { content: "x".to_owned() }));
        assert_eq!(written.original.as_deref(), Some(""), "a new file was empty");
        let edited = file(
            r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/a.lean",
            "old_string":"a","new_string":"b","replace_all":true},"tool_response":{"originalFile":"a\n",
            "structuredPatch":[{"oldStart":1,"lines":["-a","+b"]},{"lines":["+no place"]}]}}"#,
        );
        assert_eq!(edited.edit, Some(Edit::Replace(vec![one("a", "b", true)])));
        assert_eq!(edited.original.as_deref(), Some("a\n"));
        let lines = vec!["-a".to_owned(), "+b".to_owned()];
        assert_eq!(edited.patch, [Hunk { old_start: 1, lines }]);
        let several = file(
            r#"{"hook_event_name":"PostToolUse","tool_name":"MultiEdit","tool_input":{"file_path":"/a.lean",
            "edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}}"#,
        );
        let both = vec![one("a", "b", false), one("c", "d", false)];
        assert_eq!(several.edit, Some(Edit::Replace(both)));
        assert_eq!(several.original, None);
        let half = file(
            r#"{"hook_event_name":"PostToolUse","tool_name":"MultiEdit","tool_input":{"file_path":"/a.lean",
            "edits":[{"old_string":"a","new_string":"b"},{"old_string":"c"}]}}"#,
        );
        assert_eq!(half.edit, None);
    }
}
