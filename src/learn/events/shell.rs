//! What lessons ask of a command line: which of its commands it is about, and what may be written.

use crate::shell::{Beyond, Joint, Simple, options, read, touch};

pub(super) fn stages(command: &str) -> Vec<Simple> {
    let mut commands = read(command).commands;
    commands.retain(|one| !one.words.is_empty() || one.targets().next().is_some());
    commands
}

pub(super) fn is_piped(stage: &Simple) -> bool {
    stage.joint == Joint::Pipe
}

pub(super) fn edits_in_place(stage: &Simple) -> bool {
    options(stage.arguments(), "e f i? in-place?").has(&["i", "in-place"])
}

pub(super) fn family(stage: &Simple) -> String {
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

/// Programs that prepare or show something; the command is about another one.
const AROUND: &[&str] = &[
    "cd", "export", "source", ".", "set", "mkdir", "echo", "printf", "true", "sleep", "pushd",
    "popd", "unset", "ulimit", "date", "pwd", "exit", "rm", "touch", "for", "while", "if", "done",
    "fi", ":",
];

pub(super) fn is_around(stage: &Simple) -> bool {
    is_piped(stage) || AROUND.contains(&stage.name())
}

/// The command that the line is about: the last that is neither preparation nor a filter.
pub(super) fn main_stage(stages: &[Simple]) -> Option<&Simple> {
    let tells = |stage: &&Simple| !is_around(stage);
    stages.iter().rev().find(tells).or_else(|| stages.iter().find(|stage| !is_piped(stage)))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writes {
    /// Nothing that concerns files of the project.
    Nothing,
    Files(Vec<String>),
    Anything,
}

pub(super) fn writes(stages: &[Simple]) -> Writes {
    let mut files = Vec::new();
    for stage in stages {
        let touch = touch(stage);
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

    fn main(command: &str) -> (String, String) {
        let stages = stages(command);
        main_stage(&stages)
            .map_or_else(Default::default, |stage| (family(stage), stage.words.join(" ")))
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
            let expected = (family.to_owned(), words.to_owned());
            assert_eq!(main(command), expected, "{command}");
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
            assert_eq!(writes(&stages(command)), expected, "{command}");
        }
    }
}
