//! A call: what it is for, and what it works on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words;
use crate::lean::diagnostics::{EDITOR, Looked, looked};
use crate::learn::transcript::ToolCall;
use crate::shell::{self, Beyond, Joint, Simple};
use crate::text::base_name;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Read,
    Search,
    Write,
    Fetch,
    Install,
    #[default]
    Run,
}

impl Role {
    pub const fn doing(self) -> &'static str {
        match self {
            Self::Read => "reading a file",
            Self::Search => "searching",
            Self::Write => "changing a file",
            Self::Fetch => "fetching from the network",
            Self::Install => "installing",
            Self::Run => "running a command",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Call {
    pub line: u64,
    pub seen: u64,
    pub tool: String,
    pub role: Role,
    pub family: String,
    pub command: String,
    #[serde(default)]
    pub led_by: Vec<String>,
    pub args: BTreeMap<String, String>,
    pub matter: Vec<String>,
    pub targets: Vec<String>,
    pub key: String,
    pub checks_lean: bool,
    pub view: View,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    #[default]
    Whole,
    Lines(usize),
    /// The lines that say `error`: where none is shown there is none.
    Errors,
    Filtered,
}

/// Commands by which Lean looks at code.
const CHECKS: &[&str] =
    &["lake build", "lake env lean", "lake lean", "lake test", "lake lint", "lean"];

const REMARKS: &[&str] = &["description", "activeForm", "prompt", "dangerouslyDisableSandbox"];

const TARGETS: &[&str] = &["file_path", "notebook_path", "path", "file", "filename", "url", "uri"];

const ANCHORS: &[&str] = &["pattern", "query", "command", "code", "id", "name"];

const PARTS: &[&str] = &["start_line", "end_line", "declaration_name", "severity", "interactive"];

const CODE: &[&str] = &["code", "snippet", "snippets", "content", "source", "proof", "text"];

impl Call {
    pub fn read(call: &ToolCall, seen: u64) -> Option<(Self, Writes)> {
        let role = role_of_tool(&call.name)?;
        let (tool, family) = (call.name.clone(), call.name.clone());
        let blank = Self { line: call.line, seen, tool, role, family, ..Self::default() };
        Some(if call.name == "Bash" { blank.command(call) } else { blank.tool(call) })
    }

    fn tool(self, call: &ToolCall) -> (Self, Writes) {
        let told = || call.input.iter().filter(|(name, _)| !REMARKS.contains(&name.as_str()));
        let words: Vec<String> = told().map(|(name, value)| format!("{name}={value}")).collect();
        let anchors = told().filter(|(name, _)| {
            [TARGETS, ANCHORS].iter().any(|list| list.contains(&name.as_str()))
        });
        let given = |name: &&str| call.parameter(name).filter(|value| *value != "null");
        let targets: Vec<String> = TARGETS.iter().filter_map(given).map(str::to_owned).collect();
        // Of all files an editor knows only the open ones.
        let is_part = PARTS.iter().any(|name| given(name).is_some())
            || (call.name == EDITOR && targets.is_empty());
        let is_handed = CODE.iter().any(|name| given(name).is_some());
        let writes = match targets.first() {
            Some(path) if self.role == Role::Write => Writes::Files(vec![path.clone()]),
            _ => Writes::Nothing,
        };
        let read = Self {
            key: format!("{} {}", call.name, words.join(" ")),
            args: told().cloned().collect(),
            matter: anchors.map(|(_, value)| value.clone()).collect(),
            targets,
            checks_lean: looked(&call.name) == Some(Looked::Files) && !is_handed,
            view: if is_part { View::Filtered } else { View::Whole },
            ..self
        };
        (read, writes)
    }

    fn command(self, call: &ToolCall) -> (Self, Writes) {
        let command = call.parameter("command").unwrap_or_default();
        let mut stages = shell::read(command).commands;
        stages.retain(|one| !one.words.is_empty() || one.targets().next().is_some());
        let none = Simple::default();
        let main = stages.iter().rev().find(|stage| !is_around(stage));
        let main = main.or_else(|| stages.iter().find(|stage| !is_piped(stage))).unwrap_or(&none);
        let mut args = options(&main.words);
        let mut words = main.words.join(" ");
        // A larger limit is another parameter.
        if let Some(limit) = call.parameter("timeout") {
            args.insert("timeout".to_owned(), limit.to_owned());
            words = format!("{words} timeout={limit}");
        }
        let family = family(main);
        let is_target = |word: &&String| {
            !word.starts_with('-') && (word.contains("://") || words::is_path(word))
        };
        let matter = main.words.iter().skip(family.split(' ').count());
        let read = Self {
            role: role_of_program(main),
            key: if main.input.is_some() || main.words.is_empty() {
                command.to_owned()
            } else {
                format!("Bash {words}")
            },
            checks_lean: CHECKS.iter().any(|known| {
                family
                    .strip_prefix(known)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }),
            led_by: stages
                .iter()
                .take_while(|stage| !std::ptr::eq(*stage, main))
                .filter(|stage| !is_around(stage))
                .map(|stage| stage.words.join(" "))
                .collect(),
            command: main.words.join(" "),
            args,
            targets: main.words.iter().skip(1).filter(is_target).cloned().collect(),
            matter: matter.filter(|word| !word.starts_with('-')).cloned().collect(),
            family,
            view: view(&stages),
            ..self
        };
        (read, writes(&stages))
    }

    pub fn name(&self) -> &str {
        if self.tool == "Bash" && !self.family.is_empty() { &self.family } else { &self.tool }
    }

    pub fn shares_target(&self, other: &Self) -> bool {
        self.targets.iter().any(|one| other.targets.iter().any(|two| same_target(one, two)))
    }
}

fn options(words: &[String]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for option in words.iter().filter(|word| word.starts_with('-') && word.len() > 1) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        // `-3` is a number, and `-n5` an option with one.
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if name.trim_matches('-').is_empty() || name.contains([' ', '\n']) {
            continue;
        }
        // `-rn` is several options of one letter; longer words are options by themselves (`-name`).
        let letters = name.strip_prefix('-').unwrap_or_default();
        if (2..=3).contains(&letters.len()) && letters.chars().all(|c| c.is_ascii_alphabetic()) {
            found.extend(letters.chars().map(|letter| (format!("-{letter}"), String::new())));
        } else {
            found.insert(name.to_owned(), value.to_owned());
        }
    }
    found
}

/// Whether two paths may mean the same: the shorter one is the end of the other.
pub fn same_target(one: &str, two: &str) -> bool {
    fn parts(path: &str) -> impl Iterator<Item = &str> {
        let path = path.rsplit("://").next().unwrap_or(path);
        path.rsplit('/').filter(|part| !matches!(*part, "" | "." | "~"))
    }
    let mut pairs = parts(one).zip(parts(two)).peekable();
    pairs.peek().is_some() && pairs.all(|(one, two)| one == two)
}

pub fn is_same_file(one: &str, two: &str) -> bool {
    one == two || same_target(one, two)
}

pub fn is_lean(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "lean")
}

pub fn says_what_is_built(path: &str) -> bool {
    const NAMES: &[&str] =
        &["lakefile.lean", "lakefile.toml", "lake-manifest.json", "lean-toolchain"];
    NAMES.contains(&base_name(path))
}

fn role_of_tool(tool: &str) -> Option<Role> {
    let low = tool.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| low.contains(word));
    match tool {
        "Bash" => Some(Role::Run),
        "Read" | "NotebookRead" => Some(Role::Read),
        "Grep" | "Glob" | "LS" => Some(Role::Search),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => Some(Role::Write),
        "WebFetch" | "WebSearch" => Some(Role::Fetch),
        _ if !tool.starts_with("mcp__") => None,
        _ if looked(tool).is_some() => Some(Role::Run),
        _ if has(&["search", "find", "query"]) => Some(Role::Search),
        _ if has(&["read", "get_file", "show"]) => Some(Role::Read),
        _ if has(&["write", "edit", "patch"]) => Some(Role::Write),
        _ if has(&["fetch", "download", "url"]) => Some(Role::Fetch),
        _ => Some(Role::Run),
    }
}

fn role_of_program(stage: &Simple) -> Role {
    match stage.name() {
        _ if stage.targets().next().is_some() && stage.input.is_some() => Role::Write,
        "sed" | "perl"
            if shell::options(stage.arguments(), "e f i? in-place?").has(&["i", "in-place"]) =>
        {
            Role::Write
        }
        "tee" | "patch" | "cp" | "mv" => Role::Write,
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "sed" | "awk" | "wc" | "stat"
        | "file" | "pdftotext" | "jq" | "xxd" | "od" | "strings" | "nl" => Role::Read,
        "grep" | "rg" | "ag" | "ack" | "find" | "fd" | "fdfind" | "ls" | "locate" | "tree"
        | "which" | "type" | "whereis" => Role::Search,
        "curl" | "wget" | "http" | "aria2c" => Role::Fetch,
        "pip" | "pip3" | "apt" | "apt-get" | "brew" | "conda" | "elan" | "dnf" | "yum" | "apk"
        | "npm" | "cargo" | "uv"
            if ["install", "add", "toolchain", "update", "i"].iter().any(|word| {
                stage.words.get(1..3).unwrap_or_default().iter().any(|w| w == word)
            }) =>
        {
            Role::Install
        }
        _ => Role::Run,
    }
}

fn view(stages: &[Simple]) -> View {
    const MOST_BY_DEFAULT: usize = 10;
    let mut view = View::Whole;
    for stage in stages.iter().filter(|stage| is_piped(stage)) {
        let number = |word: &String| word.trim_start_matches(['-', 'n', '+']).parse().ok();
        match stage.name() {
            "cat" => {}
            "head" | "tail" if view != View::Filtered => {
                let count = stage.words.iter().skip(1).find_map(number);
                if view != View::Errors {
                    view = View::Lines(count.unwrap_or(MOST_BY_DEFAULT));
                }
            }
            "grep" | "egrep" | "rg" if view == View::Whole && shows_errors(stage) => {
                view = View::Errors;
            }
            "tee" if view == View::Whole => view = View::Lines(usize::MAX),
            _ => view = View::Filtered,
        }
    }
    let elsewhere = stages.iter().any(|stage| stage.targets().next().is_some());
    // What ran out of time had no time to say an error.
    let may_be_cut = view == View::Errors && stages.iter().any(|stage| stage.is_wrapped);
    if elsewhere || may_be_cut { View::Filtered } else { view }
}

/// `grep error`, `grep -E "error|sorry"`.
fn shows_errors(stage: &Simple) -> bool {
    const HIDES: &[&str] = &["v", "L", "w", "x", "f", "invert-match", "file"];
    let options = shell::options(stage.arguments(), "e f A B C m regexp file");
    let patterns: Vec<&str> =
        options.values(&["e", "regexp"]).chain(options.operands.iter().copied()).collect();
    let is_error = |one: &str| one.trim_end_matches(['\\', ':']).eq_ignore_ascii_case("error");
    let [pattern] = patterns.as_slice() else { return false };
    !options.has(HIDES) && pattern.split('|').any(is_error)
}

fn is_piped(stage: &Simple) -> bool {
    stage.joint == Joint::Pipe
}

fn family(stage: &Simple) -> String {
    let program = stage.name();
    let mut parts = vec![program];
    let mut rest = stage.arguments().iter().map(String::as_str);
    let depth = match program {
        "lake" | "npm" | "pnpm" | "yarn" | "docker" | "gh" | "uv" | "go" => 2,
        "git" | "cargo" | "pip" | "pip3" | "apt" | "apt-get" | "brew" | "elan" | "conda" | "mk"
        | "poetry" | "kubectl" => 1,
        "python" | "python3" => {
            return match (rest.next(), rest.next()) {
                (Some("-m"), Some(module)) => format!("{program} -m {module}"),
                _ => program.to_owned(),
            };
        }
        _ => 0,
    };
    while parts.len() <= depth {
        let Some(word) = rest.next() else { break };
        let second_counts = parts.len() == 1
            || matches!(parts.get(1), Some(&("env" | "exe" | "exec" | "run" | "pip" | "pr")));
        if word.starts_with('-') || !second_counts || !is_plain(word) {
            break;
        }
        parts.push(word);
    }
    parts.join(" ")
}

fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

const AROUND: &[&str] = &[
    "cd", "export", "source", ".", "set", "mkdir", "echo", "printf", "true", "sleep", "pushd",
    "popd", "unset", "ulimit", "date", "pwd", "exit", "rm", "touch", "for", "while", "if", "done",
    "fi", ":",
];

fn is_around(stage: &Simple) -> bool {
    is_piped(stage) || AROUND.contains(&stage.name())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    Files(Vec<String>),
    Anything,
}

fn writes(stages: &[Simple]) -> Writes {
    let mut files = Vec::new();
    for stage in stages {
        let touch = shell::touch(stage);
        if matches!(touch.beyond, Beyond::Git | Beyond::Text) {
            return Writes::Anything;
        }
        let changed = touch.files.into_iter().filter(|_| touch.beyond != Beyond::Around);
        files.extend(stage.targets().chain(changed).map(str::to_owned));
    }
    if files.is_empty() { Writes::Nothing } else { Writes::Files(files) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> (Call, Writes) {
        let input = vec![("command".to_owned(), command.to_owned())];
        let call = ToolCall { id: String::new(), name: "Bash".to_owned(), input, line: 0 };
        Call::read(&call, 0).unwrap()
    }

    #[test]
    fn what_a_command_is_about() {
        for (command, family, words) in [
            ("lake build", "lake build", "lake build"),
            ("cd /x && lake build Foo.Bar 2>&1 | tail -20", "lake build", "lake build Foo.Bar"),
            ("timeout 60 lake env lean A.lean", "lake env lean", "lake env lean A.lean"),
            ("~/.elan/bin/lake build", "lake build", "~/.elan/bin/lake build"),
            ("lake exe cache get", "lake exe cache", "lake exe cache get"),
            ("FOO=1 python3 -m pytest tests", "python3 -m pytest", "python3 -m pytest tests"),
            ("python3 <<'EOF'\nimport x\nEOF\necho done", "python3", "python3"),
            ("grep -rn 'a | b' src || true", "grep", "grep -rn a | b src"),
            ("rg \"x y\" .; echo $?", "rg", "rg x y ."),
            ("git -C x status", "git", "git -C x status"),
            ("git push \\\n  --force", "git push", "git push --force"),
            ("cat > A.lean << 'EOF'\ntheorem\nEOF", "cat", "cat"),
            ("# only a comment", "", ""),
            ("", "", ""),
            ("echo 'unclosed", "echo", "echo unclosed"),
        ] {
            let (call, _) = read(command);
            assert_eq!((call.family.as_str(), call.command.as_str()), (family, words), "{command}");
        }
    }

    #[test]
    fn what_of_a_command_is_shown() {
        for (command, expected) in [
            ("lake env lean A.lean | grep error", View::Errors),
            ("lake build 2>&1 | grep -E 'warning|error:' | head -5", View::Errors),
            ("lake build 2>&1 | rg -i Error", View::Errors),
            ("lake build 2>&1 | grep 'error\\|sorry'", View::Errors),
            ("lake build | grep -v error", View::Filtered),
            ("lake build | grep 'type error'", View::Filtered),
            ("lake build | grep error log.txt", View::Filtered),
            ("lake build | head -3 | grep error", View::Filtered),
            ("timeout 60 lake build | grep error", View::Filtered),
            ("lake build > log.txt | grep error", View::Filtered),
            ("lake build | tail -3", View::Lines(3)),
        ] {
            assert_eq!(read(command).0.view, expected, "{command}");
        }
    }

    #[test]
    fn what_a_command_writes() {
        let files = |names: &[&str]| Writes::Files(names.iter().map(|&n| n.to_owned()).collect());
        for (command, expected) in [
            ("lake build 2>&1 | tail", Writes::Nothing),
            ("lake build > /dev/null", Writes::Nothing),
            ("lake build > log.txt", files(&["log.txt"])),
            ("sed -i 's/a/b/' A.lean", files(&["A.lean"])),
            ("cat > A.lean <<EOF\nx\nEOF", files(&["A.lean"])),
            ("cat <<EOF > A.lean\nx\nEOF", files(&["A.lean"])),
            ("git checkout A.lean", Writes::Anything),
            ("git status", Writes::Nothing),
            ("python3 - <<'E'\nopen('A','w')\nE", Writes::Anything),
            ("python3 check.py", Writes::Nothing),
        ] {
            assert_eq!(read(command).1, expected, "{command}");
        }
    }
}
