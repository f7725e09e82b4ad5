//! Setting up what other programs read, for a person: `mk mcp` in an agent's settings, a passage in its instructions,
//! and the line of Claude Code (`mk init --mcp`, `--host`, `--status-line`). What is not ours stays as it is, byte for
//! byte; a file that cannot be changed safely is left alone, and the entry is printed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::app::App;
use crate::files;
use crate::shell::quoted;
use crate::text::{base_name, clean, clean_block};
use crate::ui::{Exit, Out, person};

/// Programs in which an agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Cursor,
}

/// An entry or a passage of ours in a file.
#[derive(Debug)]
enum Piece {
    /// A member of a JSON file, by the keys that lead to it.
    Json { path: &'static [&'static str], value: Value },
    /// Text between two lines that mark it.
    Block { begin: &'static str, end: &'static str, text: &'static str },
}

const NAME: &str = "math-forge";

/// TOML needs no quotes around the name.
const TOML: Piece = Piece::Block {
    begin: "# >>> math-forge\n",
    end: "# <<< math-forge\n",
    text: "[mcp_servers.math-forge]\ncommand = \"mk\"\nargs = [\"mcp\"]\n",
};

const INSTRUCTIONS: Piece = Piece::Block {
    begin: "<!-- >>> math-forge -->\n",
    end: "<!-- <<< math-forge -->\n",
    text: "\
## What is known of these proofs

math-forge keeps what was proved, refuted and tried here. Its tools are in the MCP server `math-forge`; `mk` answers the
same in a shell.

- Begin with `brief` (`mk brief`).
- Before you state a lemma or choose an approach, ask `search` and `failed`.
- Look names of Mathlib up with `premises`.
- A finished proof never becomes `sorry`, and a statement is not changed to make it provable. Before you commit, run
  `mk audit --staged`.
- Propose what later sessions should know with `note`; a person decides.
",
};

impl Host {
    /// The files that it reads in a project, and what stands in them.
    fn pieces(self) -> Vec<(&'static str, Piece)> {
        let value = json!({ "command": "mk", "args": ["mcp"] });
        let server = Piece::Json { path: &["mcpServers", NAME], value };
        let value = json!({ "type": "local", "command": ["mk", "mcp"], "enabled": true });
        let opencode = Piece::Json { path: &["mcp", NAME], value };
        match self {
            Self::Claude => vec![(".mcp.json", server)],
            Self::Codex => vec![(".codex/config.toml", TOML), ("AGENTS.md", INSTRUCTIONS)],
            Self::Gemini => vec![(".gemini/settings.json", server), ("GEMINI.md", INSTRUCTIONS)],
            Self::Opencode => vec![("opencode.json", opencode), ("AGENTS.md", INSTRUCTIONS)],
            Self::Cursor => vec![(".cursor/mcp.json", server), ("AGENTS.md", INSTRUCTIONS)],
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Setup {
    Host(Host),
    StatusLine,
}

#[derive(Debug, Serialize)]
struct Report {
    dry_run: bool,
    files: Vec<Changed>,
}

#[derive(Debug, Serialize)]
pub struct Changed {
    pub file: String,
    pub state: State,
    /// What a person may add by hand, or what a dry run would write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Written,
    Unchanged,
    Removed,
    Absent,
    /// What stands in that place is another's.
    Taken,
    /// It is not what it should be: it has comments, say, or ends in the middle.
    NotUnderstood,
}

pub(crate) fn run(
    app: &App,
    out: &mut Out,
    setup: Setup,
    remove: bool,
    dry_run: bool,
) -> anyhow::Result<Exit> {
    if !dry_run {
        person::require(app, "changing what another program reads")?;
    }
    told(out, change(app, setup, remove, dry_run)?, dry_run)
}

/// Says what became of files.
pub(crate) fn told(out: &mut Out, files: Vec<Changed>, dry_run: bool) -> anyhow::Result<Exit> {
    let report = Report { dry_run, files };
    out.answer(&report, |_| view(&report))?;
    let by_hand = |one: &Changed| matches!(one.state, State::Taken | State::NotUnderstood);
    Ok(if report.files.iter().any(by_hand) { Exit::Failed } else { Exit::Done })
}

/// Sets up, brings up to date or with `remove` takes out.
pub fn change(
    app: &App,
    setup: Setup,
    remove: bool,
    dry_run: bool,
) -> anyhow::Result<Vec<Changed>> {
    let pieces: Vec<(PathBuf, Piece)> = match setup {
        Setup::Host(host) => {
            let root = &app.project.root;
            host.pieces().into_iter().map(|(name, piece)| (root.join(name), piece)).collect()
        }
        Setup::StatusLine => vec![status_line(app)?],
    };
    let changed = pieces.into_iter().map(|(file, piece)| {
        let text = files::text_or_empty(&file, files::SMALL)
            .with_context(|| format!("could not read `{}`", file.display()))?;
        let (state, new) = piece.changed(&text, remove);
        if let Some(new) = new.filter(|_| !dry_run) {
            write(&file, &new).with_context(|| format!("could not write `{}`", file.display()))?;
        }
        let shows = dry_run && state == State::Written
            || !remove && matches!(state, State::Taken | State::NotUnderstood);
        let entry = shows.then(|| piece.shown());
        Ok(Changed { file: file.display().to_string(), state, entry })
    });
    changed.collect()
}

/// A file in which nothing is left goes, and so does its folder where nothing else is in it.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        fs::remove_file(file)?;
        file.parent().and_then(|folder| fs::remove_dir(folder).ok());
        return Ok(());
    }
    let is_new = !file.exists();
    files::replace(file, text.as_bytes())?;
    if is_new {
        // It may be read by others, as one that an editor makes.
        fs::set_permissions(file, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// In the person's own settings, of all projects.
fn status_line(app: &App) -> anyhow::Result<(PathBuf, Piece)> {
    let own = app.environment.path("HOME").map(|home| home.join(".claude"));
    let folder = app.environment.path("CLAUDE_CONFIG_DIR").or(own).context("HOME is not set")?;
    let link = app.paths.bin_dir().join("mk");
    let program = Some(link).filter(|link| link.exists()).or(app.environment.executable.clone());
    let program = program.map_or_else(|| "mk".to_owned(), |path| quoted(&path.to_string_lossy()));
    let value = json!({ "type": "command", "command": format!("{program} {LINE}") });
    Ok((folder.join("settings.json"), Piece::Json { path: &["statusLine"], value }))
}

const LINE: &str = "status --line";

impl Piece {
    /// What becomes of a file with this text; nothing where it stays.
    fn changed(&self, text: &str, remove: bool) -> (State, Option<String>) {
        let new = match self {
            Self::Json { path, value } => {
                let text = if text.trim().is_empty() { "{}\n" } else { text };
                let new = with_entry(text, path, (1, unit(text)), (!remove).then_some(value));
                new.map(|new| if remove && holds_nothing(&new) { String::new() } else { new })
            }
            Self::Block { begin, end, text: block } => {
                with_block(text, begin, end, (!remove).then_some(*block))
            }
        };
        match new {
            Err(state) => (state, None),
            Ok(new) if new == text || remove && text.is_empty() => {
                (if remove { State::Absent } else { State::Unchanged }, None)
            }
            Ok(new) if remove => (State::Removed, Some(new)),
            Ok(new) => (State::Written, Some(new)),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Json { path, value } => format!("{:#}\n", nested(path, value)),
            Self::Block { begin, end, text } => format!("{begin}{text}{end}"),
        }
    }
}

/// Whether an entry is one that `mk init` wrote, of this version or another.
fn is_ours(value: &Value) -> bool {
    let command = match &value["command"] {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        command => command.as_str().unwrap_or_default().to_owned(),
    };
    let program = command.split(' ').next().unwrap_or_default().trim_matches('\'');
    base_name(program) == "mk"
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A value under the keys that lead to it.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rfold(value.clone(), |inner, key| json!({ *key: inner }))
}

/// A JSON object with this entry, or without it. Only the entry is written; all else is as it was.
fn with_entry(
    text: &str,
    path: &[&str],
    (depth, unit): (usize, &str),
    value: Option<&Value>,
) -> Result<String, State> {
    let members = serde_json::from_str::<Members<'_>>(text).map_err(|_| State::NotUnderstood)?;
    let (key, rest) = path.split_first().ok_or(State::NotUnderstood)?;
    let Some(old) = members.get(*key) else {
        let Some(value) = value else { return Ok(text.to_owned()) };
        let entry = indented(&nested(rest, value), depth, unit);
        let entry = format!("{}\"{key}\": {entry}", unit.repeat(depth));
        return Ok(inserted(text, &entry, members.is_empty(), &unit.repeat(depth - 1)));
    };
    let start = old.get().as_ptr().addr() - text.as_ptr().addr();
    let (before, after) = (&text[..start], &text[start + old.get().len()..]);
    let new = if rest.is_empty() {
        let known: Value = serde_json::from_str(old.get()).map_err(|_| State::NotUnderstood)?;
        match value {
            Some(value) if known == *value => old.get().to_owned(),
            _ if !is_ours(&known) => return Err(State::Taken),
            Some(value) => indented(value, depth, unit),
            None => return Ok(removed(before, after, key)),
        }
    } else {
        with_entry(old.get(), rest, (depth + 1, unit), value)?
    };
    Ok(format!("{before}{new}{after}"))
}

/// What a level of the text is indented by.
fn unit(text: &str) -> &str {
    let line = text.lines().nth(1).unwrap_or_default();
    let blank = line.len() - line.trim_start().len();
    if blank == 0 || line.trim() == "}" { "  " } else { &line[..blank] }
}

fn indented(value: &Value, depth: usize, unit: &str) -> String {
    let text = format!("{value:#}");
    let line = |line: &str| {
        let inner = line.trim_start();
        let own = (line.len() - inner.len()) / 2;
        format!("{}{inner}", unit.repeat(own + depth))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

/// The entry comes first in the object.
fn inserted(text: &str, entry: &str, is_empty: bool, indent: &str) -> String {
    let (before, after) = text.split_once('{').unwrap_or_default();
    if is_empty {
        return format!("{before}{{\n{entry}\n{indent}{}", after.trim_start());
    }
    let gap = if after.starts_with(['\n', '\r']) { "" } else { "\n" };
    format!("{before}{{\n{entry},{gap}{after}")
}

/// Without the member whose value stood between these.
fn removed(before: &str, after: &str, key: &str) -> String {
    let begin = before.rfind(&format!("\"{key}\"")).unwrap_or(before.len());
    let (before, rest) = (before[..begin].trim_end(), after.trim_start());
    match (rest.strip_prefix(','), before.strip_suffix(',')) {
        (Some(rest), _) => format!("{before}{rest}"),
        (None, Some(before)) => format!("{before}{after}"),
        (None, None) => format!("{before}{rest}"),
    }
}

fn holds_nothing(text: &str) -> bool {
    let members: Option<serde_json::Map<String, Value>> = serde_json::from_str(text).ok();
    members.is_some_and(|all| all.values().all(|one| *one == json!({})))
}

/// A text with this passage between two marks, at its end where it is new, or without it.
fn with_block(text: &str, begin: &str, end: &str, block: Option<&str>) -> Result<String, State> {
    let parts = text.split_once(begin).map(|(before, rest)| (before, rest.split_once(end)));
    let (before, after) = match parts {
        Some((before, Some((_, after)))) => (before.to_owned(), after),
        Some((_, None)) => return Err(State::NotUnderstood),
        None if block.is_none() => return Ok(text.to_owned()),
        None if text.trim().is_empty() => (String::new(), ""),
        None => (format!("{}\n\n", text.trim_end_matches('\n')), ""),
    };
    let Some(block) = block else {
        let before = before.trim_end_matches('\n');
        let gap = if before.is_empty() { "" } else { "\n" };
        return Ok(format!("{before}{gap}{after}"));
    };
    let new = format!("{before}{begin}{block}{end}{after}");
    // In TOML a table may be there only once.
    if begin.starts_with('#') {
        let outside = format!("{before}{after}").parse::<toml::Table>();
        let outside = outside.map_err(|_| State::NotUnderstood)?;
        if outside.get("mcp_servers").is_some_and(|servers| servers.get(NAME).is_some()) {
            return Err(State::Taken);
        }
        new.parse::<toml::Table>().map_err(|_| State::NotUnderstood)?;
    }
    Ok(new)
}

fn view(report: &Report) -> String {
    let lines = report.files.iter().map(|one| {
        let file = clean(&one.file);
        let would = report.dry_run;
        let said = match one.state {
            State::Written if would => format!("Would write `{file}`"),
            State::Written => format!("Wrote `{file}`"),
            State::Removed if would => format!("Would take math-forge out of `{file}`"),
            State::Removed => format!("Took math-forge out of `{file}`"),
            State::Unchanged => format!("Nothing to do: `{file}` already has it"),
            State::Absent => format!("Nothing to do: `{file}` does not have it"),
            State::Taken => format!("Left alone: `{file}` has something else in that place, or is not this project's own"),
            State::NotUnderstood => {
                format!(
                    "Left alone: `{file}` cannot be changed safely (comments, or not well-formed)"
                )
            }
        };
        let entry = one.entry.as_deref().map(clean_block);
        entry.map_or_else(
            || format!("{said}\n"),
            |entry| format!("{said}:\n\n{}\n\n", entry.trim_end()),
        )
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Value {
        json!({ "command": "mk", "args": ["mcp"] })
    }

    fn set(text: &str, remove: bool) -> (State, Option<String>) {
        Piece::Json { path: &["mcpServers", NAME], value: server() }.changed(text, remove)
    }

    /// What was there stays to the byte, and comes back when the entry goes.
    #[test]
    fn an_entry_comes_and_goes() {
        for text in [
            "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
            "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"a\": {}, \"b\":  [1,2]\n\t}\n}",
            "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"z\":1}",
            "{\n  \"a\": 1\n}\n",
        ] {
            let (state, new) = set(text, false);
            let new = new.unwrap();
            assert_eq!(state, State::Written);
            let read: Value = serde_json::from_str(&new).unwrap();
            assert_eq!(read["mcpServers"][NAME], server(), "{new}");
            assert_eq!(set(&new, false), (State::Unchanged, None));
            let (state, back) = set(&new, true);
            assert_eq!(state, State::Removed);
            let back: Value = serde_json::from_str(&back.unwrap()).unwrap();
            let mut before: Value = serde_json::from_str(text).unwrap();
            if before["mcpServers"].is_null() {
                before["mcpServers"] = json!({});
            }
            assert_eq!(back, before);
        }
        let (_, new) = set("", false);
        assert_eq!(set(&new.unwrap(), true), (State::Removed, Some(String::new())));
    }

    #[test]
    fn what_is_not_ours_or_not_understood_stays() {
        for (text, expected) in [
            ("{\"mcpServers\": {\"math-forge\": {\"command\": \"node\"}}}", State::Taken),
            ("{\"mcpServers\": {\"math-forge\": 7}}", State::Taken),
            ("{\"mcpServers\": []}", State::NotUnderstood),
            ("{ // servers\n}", State::NotUnderstood),
            ("{\"mcpServers\": {", State::NotUnderstood),
            ("[]", State::NotUnderstood),
            ("\u{feff}{}", State::NotUnderstood),
        ] {
            assert_eq!(set(text, false), (expected, None), "{text}");
            let left = set(text, true);
            assert!(left.1.is_none(), "{text}: {left:?}");
        }
        let old = "{\"mcpServers\": {\"math-forge\": {\"command\": \"/opt/mk\", \"args\": []}}}";
        let (state, new) = set(old, false);
        assert_eq!((state, new.unwrap().contains("/opt")), (State::Written, false));
    }

    #[test]
    fn a_passage_comes_and_goes() {
        for (piece, text) in [
            (&INSTRUCTIONS, "# Rules\n\nBe kind.\n"),
            (&TOML, "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n"),
            (&TOML, ""),
        ] {
            let (state, new) = piece.changed(text, false);
            let new = new.unwrap();
            assert_eq!(state, State::Written);
            assert!(new.starts_with(text));
            assert_eq!(piece.changed(&new, false), (State::Unchanged, None));
            assert_eq!(piece.changed(&new, true), (State::Removed, Some(text.to_owned())));
            assert_eq!(piece.changed(text, true), (State::Absent, None));
        }
        for (text, expected) in [
            ("[mcp_servers.math-forge]\ncommand = \"z\"\n", State::Taken),
            ("[mcp_servers\n", State::NotUnderstood),
            ("mcp_servers = { a = 1 }\n", State::NotUnderstood),
            ("# >>> math-forge\n[a]\n", State::NotUnderstood),
        ] {
            assert_eq!(TOML.changed(text, false), (expected, None), "{text}");
        }
    }
}
