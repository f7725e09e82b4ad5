//! What happened in the session, in our words.

use std::path::PathBuf;

use super::Wire;

/// Something that a hook was called for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Id of the session; empty where the client sent none.
    pub session: String,
    /// Current folder of the client's shell. It follows `cd`: the project is found through
    /// `CLAUDE_PROJECT_DIR` first.
    pub cwd: Option<PathBuf>,
    /// What happened.
    pub occasion: Occasion,
}

/// The occasions that the client tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// A session starts, goes on, or has just been compacted.
    SessionStart(StartSource),
    /// A tool is about to run.
    PreToolUse(Tool),
    /// A tool has run.
    PostToolUse(Tool),
    /// A tool has failed; a command that ends with another code than 0 comes here too.
    PostToolUseFailure(Tool),
    /// A prompt was sent, by a person or by a schedule.
    UserPromptSubmit,
    /// The conversation is about to be compacted. Nothing can be injected here.
    PreCompact,
    /// The session is over. There is a second and a half for all hooks together.
    SessionEnd,
    /// A subagent starts.
    SubagentStart,
    /// The turn is over.
    Stop,
}

/// What made a session start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// An earlier session goes on.
    Resume,
    /// The conversation was cleared.
    Clear,
    /// The conversation was compacted.
    Compact,
    /// A word that this version does not know, or none.
    Other,
}

/// A use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    /// A command line.
    Bash {
        /// As the model wrote it.
        command: String,
    },
    /// A file written whole or edited.
    File {
        /// Its absolute path.
        path: PathBuf,
    },
    /// Any other tool, or one of these without the field that matters.
    Other,
}

impl Event {
    /// The event, or `None` where its name is not known.
    pub fn from_wire(wire: &Wire<'_>) -> Option<Self> {
        let occasion = match wire.event.as_deref()? {
            "SessionStart" => Occasion::SessionStart(source(wire.source.as_deref())),
            "PreToolUse" => Occasion::PreToolUse(tool(wire)),
            "PostToolUse" => Occasion::PostToolUse(tool(wire)),
            "PostToolUseFailure" => Occasion::PostToolUseFailure(tool(wire)),
            "UserPromptSubmit" => Occasion::UserPromptSubmit,
            "PreCompact" => Occasion::PreCompact,
            "SessionEnd" => Occasion::SessionEnd,
            "SubagentStart" => Occasion::SubagentStart,
            "Stop" => Occasion::Stop,
            _ => return None,
        };
        Some(Self {
            session: wire.session.as_deref().unwrap_or_default().to_owned(),
            cwd: wire.cwd.as_deref().filter(|path| !path.is_empty()).map(PathBuf::from),
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
    let path = || wire.input.file_path.as_deref().map(PathBuf::from);
    match wire.tool.as_deref() {
        Some("Bash") => wire
            .input
            .command
            .as_deref()
            .map_or(Tool::Other, |command| Tool::Bash { command: command.to_owned() }),
        Some("Write" | "Edit" | "MultiEdit") => {
            path().map_or(Tool::Other, |path| Tool::File { path })
        }
        _ => Tool::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occasion(json: &str) -> Option<Occasion> {
        Event::from_wire(&Wire::parse(json.as_bytes()).expect(json)).map(|event| event.occasion)
    }

    #[test]
    fn events_by_name() {
        let file = Tool::File { path: PathBuf::from("/p/A.lean") };
        let bash = Tool::Bash { command: "mk stats".to_owned() };
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
                Some(Occasion::PostToolUse(file.clone())),
            ),
            (
                r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/A.lean"}}"#,
                Some(Occasion::PostToolUse(file)),
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
            (r#"{"hook_event_name":"WorktreeCreate"}"#, None),
            (r#"{"hook_event_name":"session-start"}"#, None),
            (r#"{"source":"startup"}"#, None),
        ] {
            assert_eq!(occasion(json), expected, "{json}");
        }
    }
}
