//! What happened in the session, in our words.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Edit, Hunk, Replacement};
use crate::text::mend_json;
use crate::text::tolerant_json::Object;

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

/// Parameters that name the file, by its path or as an address.
const FILES: [&str; 5] = ["file_path", "path", "file", "filename", "uri"];

impl ServerUse {
    /// Whether it may write files: by its name, for a server says nothing else of its tools.
    pub fn may_write(&self) -> bool {
        let name = self.tool.rsplit("__").next().unwrap_or_default().to_ascii_lowercase();
        WRITING.iter().any(|word| name.contains(word))
    }

    /// The file that it was asked about; the path of an address of a file.
    pub fn file(&self) -> Option<&str> {
        FILES.iter().find_map(|name| self.parameter(name)).map(without_scheme)
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
    /// What stands on a hook's standard input, or `None` where its name is not known; `name` is for
    /// a client that says none.
    ///
    /// # Errors
    /// Where the bytes are no JSON object, and not blank.
    pub fn read(input: &[u8], name: Option<&str>) -> Result<Option<Self>, serde_json::Error> {
        let mended;
        let said = match serde_json::from_slice(input) {
            Ok(said) => said,
            Err(_) if input.trim_ascii().is_empty() => Object::default(),
            // A byte that is no text in one string is no reason to look at nothing.
            Err(error) => {
                mended = mend_json(input);
                serde_json::from_slice(&mended).map_err(|_| error)?
            }
        };
        Ok(Self::of(&said, name))
    }

    fn of(said: &Object<'_>, name: Option<&str>) -> Option<Self> {
        let name = said.text("hook_event_name").or(name.map(Cow::Borrowed))?.into_owned();
        let occasion = match name.as_str() {
            "SessionStart" => Occasion::SessionStart(match said.text("source").as_deref() {
                Some("startup") => StartSource::Startup,
                Some("resume") => StartSource::Resume,
                Some("clear") => StartSource::Clear,
                Some("compact") => StartSource::Compact,
                _ => StartSource::Other,
            }),
            "PreToolUse" => Occasion::PreToolUse(tool(said)),
            "PostToolUse" => Occasion::PostToolUse(tool(said)),
            "PostToolUseFailure" => Occasion::PostToolUseFailure(tool(said)),
            "UserPromptSubmit" => Occasion::UserPromptSubmit { prompt: said.string("prompt") },
            "PreCompact" => Occasion::PreCompact,
            "SessionEnd" => Occasion::SessionEnd,
            "SubagentStart" => Occasion::SubagentStart { kind: said.string("agent_type") },
            "Stop" => Occasion::Stop { again: said.flag("stop_hook_active") },
            _ => return None,
        };
        let text = |name: &str| said.text(name).map(Cow::into_owned);
        let path = |name: &str| text(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let mode = said.text("permission_mode");
        Some(Self {
            session: said.string("session_id"),
            cwd: path("cwd"),
            tool_use: said.string("tool_use_id"),
            agent: text("agent_id"),
            name,
            tool: text("tool_name"),
            attended: !matches!(mode.as_deref(), Some("bypassPermissions" | "auto" | "dontAsk")),
            transcript: path("transcript_path"),
            occasion,
        })
    }
}

fn tool(said: &Object<'_>) -> Tool {
    let (input, response) = (said.object("tool_input"), said.object("tool_response"));
    let name = said.string("tool_name");
    let duration_ms = said.number("duration_ms");
    let tool = match name.as_str() {
        "Bash" => input.text("command").map(|command| Tool::Bash {
            command: command.into_owned(),
            duration_ms,
            background: input.flag("run_in_background"),
            printed: [said.text("error"), response.text("stdout"), response.text("stderr")]
                .into_iter()
                .flatten()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n"),
            interrupted: response.flag("interrupted") || said.flag("is_interrupt"),
        }),
        "Write" | "Edit" | "MultiEdit" => input.text("file_path").map(|path| {
            let edit = match name.as_str() {
                "Write" => input.text("content").map(written),
                "Edit" => replacement(&input).map(|one| Edit::Replace(vec![one])),
                _ => replacements(&input),
            };
            let created = response.is("type", "create").then_some(Cow::Borrowed(""));
            let mut patch = Hunk::of(&response);
            patch.retain(|hunk| hunk.old_start > 0);
            Tool::File(Box::new(FileUse {
                path: PathBuf::from(&*path),
                edit,
                original: response.text("originalFile").or(created).map(Cow::into_owned),
                patch,
            }))
        }),
        "Read" => input.text("file_path").map(|path| Tool::Read { path: PathBuf::from(&*path) }),
        "Agent" | "Task" => {
            let told = [input.text("description"), input.text("prompt")];
            let task = told.into_iter().flatten().collect::<Vec<_>>().join("\n");
            let kind = input.string("subagent_type");
            (!task.is_empty()).then_some(Tool::Agent { kind, task })
        }
        name if name.starts_with("mcp__") => Some(Tool::Server(Box::new(ServerUse {
            tool: name.to_owned(),
            said: said.text("error").unwrap_or_else(|| said.said("tool_response")).into_owned(),
            interrupted: said.flag("is_interrupt"),
            duration_ms,
            ..ServerUse::asked(&input)
        }))),
        _ => None,
    };
    tool.unwrap_or(Tool::Other)
}

/// Parameters of tools of servers that say on what they work and what is asked for.
const ABOUT: &str =
    "file_path path file filename uri code declaration_name severity start_line end_line";

/// What some servers call the path.
const PATH: [&str; 4] = ["path", "relative_path", "pathInProject", "source"];

fn any_of<'a>(input: &Object<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| input.text(name))
}

fn without_scheme(file: &str) -> &str {
    file.strip_prefix("file://").unwrap_or(file)
}

impl ServerUse {
    fn asked(input: &Object<'_>) -> Self {
        let value = |name: &str| match name {
            "path" => any_of(input, &PATH),
            "start_line" | "end_line" => {
                input.number::<u64>(name).map(|line| Cow::Owned(line.to_string()))
            }
            _ => input.text(name),
        };
        let given = |name: &str| Some((name.to_owned(), value(name)?.into_owned()));
        let files = FILES.iter().chain(&["destination"]).filter_map(|name| value(name));
        Self {
            input: ABOUT.split(' ').filter_map(given).collect(),
            command: input.text("command").map(Cow::into_owned),
            names: files.map(|name| without_scheme(&name).to_owned()).collect(),
            edit: server_edit(input),
            ..Self::default()
        }
    }
}

/// The edit that a server is asked for, in the words of the common ones. A replacement in another
/// mode (by a pattern, of a symbol) is looked at when it is made; `append` keeps what stands there.
fn server_edit(input: &Object<'_>) -> Option<FileUse> {
    let path = input.text("file_path").or_else(|| any_of(input, &PATH))?;
    let is_other_mode = input.text("mode").is_some_and(|mode| mode != "rewrite");
    if input.flag("dryRun") || is_other_mode {
        return None;
    }
    let edit = match input.text("content") {
        Some(text) => written(text),
        None if input.list("edits").is_empty() => Edit::Replace(vec![replacement(input)?]),
        None => replacements(input)?,
    };
    Some(FileUse { path: PathBuf::from(&*path), edit: Some(edit), ..FileUse::default() })
}

fn written(text: Cow<'_, str>) -> Edit {
    Edit::Write { content: text.into_owned() }
}

/// Those of `MultiEdit`, which older clients have, and of servers.
fn replacements(input: &Object<'_>) -> Option<Edit> {
    input.objects("edits").iter().map(replacement).collect::<Option<_>>().map(Edit::Replace)
}

fn replacement(input: &Object<'_>) -> Option<Replacement> {
    let old = any_of(input, &["old_string", "oldText", "old_text"])?.into_owned();
    let new = any_of(input, &["new_string", "newText", "new_text"])?.into_owned();
    Some(Replacement { old, new, all: input.flag("replace_all") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occasion(json: &str) -> Option<Occasion> {
        Event::read(json.as_bytes(), None).expect(json).map(|event| event.occasion)
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

    #[test]
    fn what_a_client_may_send() {
        for (json, name, session) in [
            (r#"{"hook_event_name":"Stop","session_id":"s"}"#, Some("Stop"), "s"),
            (r#" {"hook_event_name":"Stop","session_id":7} "#, Some("Stop"), ""),
            (r#"{"hook_event_name":null,"session_id":"s"}"#, Some("PreCompact"), "s"),
            (r#"{"hook_event_name":{"a":[1]}}"#, Some("PreCompact"), ""),
            ("{}", Some("PreCompact"), ""),
            (" ", Some("PreCompact"), ""),
            (
                r#"{"hook_event_name":"Stop","a":"\ud835","session_id":"\ud835"}"#,
                Some("Stop"),
                "\u{fffd}",
            ),
            (r#"{"hook_event_name":"Later"}"#, None, ""),
        ] {
            let event = Event::read(json.as_bytes(), Some("PreCompact")).expect(json);
            assert_eq!(event.as_ref().map(|event| event.name.as_str()), name, "{json}");
            assert_eq!(event.map(|event| event.session).unwrap_or_default(), session, "{json}");
        }
        for bytes in [&b"null"[..], b"[]", b"[\"Stop\"]", b"{", b"{} {}", b"\xff\xfe"] {
            assert!(Event::read(bytes, None).is_err(), "{bytes:?}");
        }
        let event = Event::read(b"{\"hook_event_name\":\"Stop\",\"x\":\"\xff\"}", None).unwrap();
        assert!(event.is_some(), "bytes that are no UTF-8 stand in one string");
    }
}
