//! What the guard asks of a command line: what it may do to Lean files, which files it plainly writes,
//! and whether a call of `mk` hides in it. In doubt a command may write: then the files that changed
//! while it ran are looked at. What surely writes none is left aside, so that nobody else's change is
//! put down to a long `lake build`.
//!
//! This is a fence against shortcuts. It reads the text of the command, not what a script that it
//! starts does: a program of the agent's own, encoded text or a variable get past it.

use std::path::Path;

use crate::shell::{self, Beyond, Simple, Touch, git_command, touch};
use crate::text::base_name;

/// What a command line does to Lean files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It only reads them.
    #[default]
    Nothing,
    /// Git brings them to another of its own states: a checkout, a pull, a stash.
    Git,
    /// It may write them.
    Writes,
}

/// What the text of a command line tells of Lean files.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own about a command")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub effect: Effect,
    /// Name of the program that does it, with that of its script; empty where none was made out, or several may have.
    pub program: String,
    /// Spellings that may be paths of `.lean` files.
    pub names: Vec<String>,
    pub folders: Vec<String>,
    /// Whether it speaks of `.lean` files by a pattern.
    pub wide: bool,
    /// Files that get another name: from where to where, as they are spelled.
    pub moves: Vec<(String, String)>,
    /// A part of it may go on after it has ended.
    pub goes_on: bool,
    /// Lean runs, or what may start it.
    pub builds: bool,
    /// Git takes files away that no revision need have.
    pub takes_away: bool,
    /// The files that it plainly writes, moves or removes, as it names them.
    pub written: Vec<String>,
    /// It sets where git looks for its hooks, or writes or takes away one: the audit is in one, and any of them runs with
    /// a later command that writes nothing by itself.
    pub moves_hooks: bool,
    /// It switches the plugin off or removes it.
    pub removes_plugin: bool,
}

/// Names in one command line that are looked at.
const MOST_NAMES: usize = 64;

/// Calls of `mk` in one text that are looked at; more are refused.
const MOST_CALLS: usize = 256;

/// Longest name of a file, in bytes.
const LONGEST_NAME: usize = 400;

pub fn reading(command: &str) -> Reading {
    let script = shell::read(command);
    let mut reading = Reading { goes_on: script.goes_on, ..Reading::default() };
    let mut writers: Vec<String> = Vec::new();
    for simple in &script.commands {
        let touch = touch(simple);
        let effect = effect(simple, &touch);
        let (program, arguments) = match simple.inner() {
            [program, arguments @ ..] => (program.as_str(), arguments),
            [] => ("", &[][..]),
        };
        let name = base_name(program);
        let script = arguments.first().filter(|word| !word.starts_with('-'));
        let full = match script.filter(|_| shell::is_interpreter(name)) {
            Some(script) => format!("{name} {}", base_name(script)),
            None => name.to_owned(),
        };
        if reading.program.is_empty() {
            reading.program.clone_from(&full);
        }
        if effect > Effect::Nothing && !writers.contains(&full) {
            writers.push(full);
        }
        reading.effect = reading.effect.max(effect);
        reading.builds |=
            ["lake", "lean", "make"].contains(&name) || touch.beyond == Beyond::Program;
        reading.written.extend(touch.files.into_iter().chain(simple.targets()).map(str::to_owned));
        let mut words = arguments.iter().filter(|word| !word.starts_with('-')).cloned();
        match name {
            "mv" => add_moves(arguments, &mut reading.moves),
            "git" => {
                let (command, rest) = git_command(arguments);
                reading.takes_away |= ["rm", "clean", "mv"].contains(&command);
                reading.moves_hooks |= sets_hooks(command, arguments);
                if command == "mv" {
                    add_moves(rest, &mut reading.moves);
                }
            }
            "cd" => reading.folders.extend(words.next()),
            "claude" => reading.removes_plugin |= removes_plugin(arguments),
            "sqlite3" if changes_rows(command) => reading.written.extend(words),
            _ => {}
        }
    }
    let is_hook =
        |path: &String| path.contains(".git/hooks/") || path.ends_with("hooks/pre-commit");
    reading.moves_hooks |= reading.written.iter().any(is_hook);
    if script.is_unfinished {
        reading.effect = Effect::Writes;
    }
    // Of several it is not known which one wrote.
    match writers.as_slice() {
        [] if !script.is_unfinished => {}
        [only] if !script.is_unfinished => reading.program.clone_from(only),
        _ => reading.program.clear(),
    }
    reading.program = crate::text::clip(&crate::text::clean(&reading.program), 40);
    names(command, &mut reading);
    reading
}

fn effect(simple: &Simple, touch: &Touch<'_>) -> Effect {
    if simple.targets().any(may_be_lean) {
        return Effect::Writes;
    }
    match touch.beyond {
        Beyond::Git => Effect::Git,
        Beyond::Around => Effect::Nothing,
        Beyond::Nothing if touch.files.is_empty() => Effect::Nothing,
        Beyond::Nothing | Beyond::Text | Beyond::Program => Effect::Writes,
    }
}

/// Whether a call of git sets where it looks for its hooks.
fn sets_hooks(command: &str, arguments: &[String]) -> bool {
    const KEY: &str = "core.hookspath";
    let words: Vec<String> = arguments.iter().map(|word| word.to_ascii_lowercase()).collect();
    let key = words.iter().position(|word| word == KEY);
    let is_set = key.is_some_and(|at| {
        words.get(at + 1).is_some_and(|value| !value.starts_with('-'))
            || words.iter().any(|word| word.starts_with("--unset"))
    });
    let is_option = words.iter().any(|word| word.starts_with(&format!("{KEY}=")));
    is_option || (is_set && command == "config")
}

/// Words after `mk` wherever a command may call it, where that is not plainly text that is searched or
/// printed.
pub fn hidden_calls(command: &str) -> Vec<Vec<String>> {
    // Quotes may stand within a word.
    let mut plain = command.bytes().filter(|byte| !matches!(byte, b'\'' | b'"' | b'\\')).peekable();
    while plain.next().is_some_and(|byte| byte != b'm' || plain.peek() != Some(&b'k')) {}
    if plain.peek().is_none() {
        return Vec::new();
    }
    let script = shell::read(command);
    let runs_text = script.commands.iter().any(|one| shell::runs_text(one.name()));
    let mut calls = Vec::new();
    for simple in &script.commands {
        if simple.name() == "mk" {
            calls.push(simple.arguments().to_vec());
        } else if runs_text || !shell::only_shows(simple.name()) {
            calls.extend(called_in(simple));
        }
    }
    calls
}

/// What stands behind `mk` in the words of another program, and in the text that it is given to run.
fn called_in(simple: &Simple) -> Vec<Vec<String>> {
    const LONGEST: usize = 24;
    let apart = |c: char| c.is_whitespace() || ";|&()<>`'\",[]".contains(c);
    let input = simple.input.iter().filter(|_| shell::runs_text(simple.name()));
    let words: Vec<&str> = simple
        .words
        .iter()
        .chain(input)
        .flat_map(|word| word.split(apart))
        .filter(|word| !word.is_empty())
        .collect();
    let calls =
        words.iter().enumerate().filter(|(_, word)| base_name(word) == "mk").take(MOST_CALLS);
    let behind = calls.map(|(at, _)| words.iter().skip(at + 1).take(LONGEST));
    behind.map(|words| words.map(|word| (*word).to_owned()).collect()).collect()
}

/// Whether SQL in a text changes something.
fn changes_rows(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "insert" | "replace" => matches!(next, "into" | "or"),
            "update" => words.iter().skip(at).any(|word| *word == "set"),
            "delete" => next == "from",
            "drop" | "create" | "alter" => {
                matches!(
                    next,
                    "table" | "trigger" | "index" | "view" | "virtual" | "unique" | "temp"
                )
            }
            "restore" | "import" => text.contains(&format!(".{word}")),
            "writable_schema" | "user_version" => true,
            _ => false,
        }
    })
}

fn removes_plugin(arguments: &[String]) -> bool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    (has("plugin") || has("plugins"))
        && ["disable", "uninstall", "remove", "rm"].into_iter().any(has)
        && arguments.iter().any(|word| word.contains("math-forge"))
}

fn may_be_lean(target: &str) -> bool {
    is_lean(Path::new(target)) || target.contains(['$', '*', '?', '[', '{'])
}

/// Whether a path is a Lean file's; on some systems in any case.
pub fn is_lean(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lean"))
}

/// Characters that end a path where it is not quoted, also in other languages than the shell's.
fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || "'\"`()<>|;&,=:".contains(c)
}

/// Collects whatever ends in `.lean`, wherever it stands: in a script behind `<<EOF` too.
fn names(command: &str, reading: &mut Reading) {
    for (at, dot_lean) in command.match_indices(".lean") {
        let end = at + dot_lean.len();
        let after = command.get(end..).and_then(|rest| rest.chars().next());
        if after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let bare = bare(command, end);
        if bare == ".lean" || bare.contains(['*', '?', '[', '{', '$']) {
            reading.wide = true;
        } else {
            add(&mut reading.names, bare);
        }
        if let Some(quoted) = quoted(command, at, end) {
            add(&mut reading.names, quoted);
        }
    }
}

/// `mv A B`, `mv A B C folder`: each with the place that it gets.
fn add_moves(arguments: &[String], moves: &mut Vec<(String, String)>) {
    let words: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let Some((to, from)) = words.split_last() else { return };
    let room = MOST_NAMES.saturating_sub(moves.len());
    moves.extend(from.iter().take(room).map(|from| ((*from).clone(), (*to).clone())));
}

fn add(names: &mut Vec<String>, name: String) {
    if names.len() < MOST_NAMES && name.len() <= LONGEST_NAME && !names.contains(&name) {
        names.push(name);
    }
}

/// The word that ends here; a space after a backslash belongs to it.
fn bare(command: &str, end: usize) -> String {
    let head = command.get(..end).unwrap_or_default();
    let mut start = end;
    for (index, c) in head.char_indices().rev().take(LONGEST_NAME) {
        let escaped = head.get(..index).is_some_and(|before| before.ends_with('\\'));
        if is_delimiter(c) && !escaped {
            break;
        }
        start = index;
    }
    head.get(start..).unwrap_or_default().replace("\\ ", " ").replace('\\', "")
}

/// What stands between the last quote and the end, where that is more than one word.
fn quoted(command: &str, at: usize, end: usize) -> Option<String> {
    let quote = command.get(..at)?.rfind(['\'', '"'])?;
    let inside = command.get(quote + 1..end)?;
    let is_path = inside.contains(is_delimiter) && !inside.starts_with(char::is_whitespace);
    is_path.then(|| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn who_sets_the_hooks_of_git_and_who_only_looks() {
        for (command, expected) in [
            ("git config core.hooksPath /tmp/none", true),
            ("cd x && git config --global CORE.HOOKSPATH none", true),
            ("git config --unset core.hooksPath", true),
            ("git -c core.hooksPath=/dev/null commit -m x", true),
            ("printf x > .git/hooks/pre-commit", true),
            ("rm .git/hooks/pre-commit", true),
            ("git config core.hooksPath", false),
            ("git config --get core.hooksPath", false),
            ("grep -rn core.hooksPath .", false),
            ("cat .git/hooks/pre-commit > copy.txt", false),
        ] {
            assert_eq!(reading(command).moves_hooks, expected, "{command}");
        }
    }

    #[test]
    fn what_commands_do() {
        use Effect::{Git, Nothing, Writes};
        for (command, effect, program) in [
            ("ls -la", Nothing, "ls"),
            ("cat A.lean | head -3", Nothing, "cat"),
            ("lake build 2>&1 | tail -20", Nothing, "lake"),
            ("cd sub && lake env lean A.lean > out.txt 2>/dev/null", Nothing, "cd"),
            ("timeout 60 lake build", Nothing, "lake"),
            ("time FOO=1 lake exe cache get", Nothing, "lake"),
            ("grep -n sorry *.lean # then sed -i", Nothing, "grep"),
            ("sed -n '1,5p' A.lean", Nothing, "sed"),
            ("echo 'a > b.lean; rm x'", Nothing, "echo"),
            ("for f in *.lean; do grep -c sorry $f; done", Nothing, "for"),
            ("find . -name '*.lean'", Nothing, "find"),
            ("git status && git commit -am 'x > y' && git push", Nothing, "git"),
            ("mk search prime", Nothing, "mk"),
            ("", Nothing, ""),
            ("git pull", Git, "git"),
            ("git -C sub -c a=b stash pop; lake build", Git, "git"),
            ("git fetch && git checkout -b x && ls", Git, "git"),
            ("git stash list", Nothing, "git"),
            ("sed -i s/a/b/ A.lean", Writes, "sed"),
            ("sed -Ei s/a/b/ A.lean", Writes, "sed"),
            ("sed --in-place s/a/b/ A.lean", Writes, "sed"),
            ("git pull && sed -i s/a/b/ A.lean", Writes, ""),
            ("/usr/bin/python3 a/fix.py", Writes, "python3 fix.py"),
            ("sh -e fix.sh", Writes, "sh"),
            ("ls && ./fix.sh | cat", Writes, "fix.sh"),
            ("cat > A.lean <<'EOF'\ntheorem a\nEOF", Writes, "cat"),
            ("cat > a.md <<-EOF\n$(rm x)\n\tEOF", Writes, "rm"),
            ("cat > a.md <<'E F'; ls\n$(rm x)\nE F\nlake build", Nothing, "cat"),
            ("grep a <<< 'b c' | wc", Nothing, "grep"),
            ("python3 <<E\nls\nE", Writes, "python3"),
            ("cat <<E\nno end", Nothing, "cat"),
            ("echo x >> A.lean", Writes, "echo"),
            ("echo x > $F", Writes, "echo"),
            ("git show HEAD:A.lean>A.lean", Writes, "git"),
            ("echo $(python3 fix.py)", Writes, "python3 fix.py"),
            ("echo \"`fix`\"", Writes, "fix"),
            ("find . -name '*.lean' -exec sed -i s/a/b/ {} +", Writes, "find"),
            ("find . -name '*.lean' | xargs sed -i s/a/b/", Writes, "sed"),
            ("find . -name '*.lean' | xargs grep -n sorry", Nothing, "find"),
            ("find . | xargs -I {} cp {} A.lean", Writes, "cp"),
            ("lake exe fix", Writes, "lake"),
            ("lake env python3 fix.py", Writes, "python3 fix.py"),
            ("git apply x.patch", Writes, "git"),
            ("git rebase -x fix main", Writes, "git"),
            ("$EDITOR A.lean", Writes, "$EDITOR"),
            ("env A=b ./fix", Writes, "fix"),
            ("bash -lc 'lake build'", Nothing, "lake"),
            ("bash -c 'cat b' > A.lean", Writes, "cat"),
            ("git commit -m \"$(cat <<'E'\nfix A.lean\nE\n)\"", Nothing, "cat"),
            ("N=$(grep -c sorry A.lean); echo $N", Nothing, "grep"),
            ("sed $(echo -i) s/a/b/ A.lean", Writes, "sed"),
            ("lean --run Fix.lean", Writes, "lean"),
            ("lake env lean --run Fix.lean", Writes, "lean"),
            ("lake test", Writes, "lake"),
            ("lake env lean A.lean", Nothing, "lean"),
            ("sort -o A.lean B.lean", Writes, "sort"),
            ("sort --compress-program=./fix B.lean", Writes, "sort"),
            ("sort B.lean", Nothing, "sort"),
            ("uniq x A.lean", Writes, "uniq"),
            ("uniq -c x", Nothing, "uniq"),
            ("git diff --output=A.lean", Writes, "git"),
            ("rg --pre ./fix a", Writes, "rg"),
            ("chmod +x a", Nothing, "chmod"),
            ("if true; then ./fix; fi", Writes, "fix"),
            ("ls 'unfinished", Writes, ""),
        ] {
            let reading = reading(command);
            assert_eq!((reading.effect, reading.program.as_str()), (effect, program), "{command}");
        }
    }

    #[test]
    fn names_of_lean_files() {
        for (command, names, wide) in [
            ("sed -i s/a/b/ src/A.lean", &["src/A.lean"][..], false),
            (
                "sed -i 's/a/b/' 'My Files/A b.lean' B.lean",
                &["b.lean", "My Files/A b.lean", "B.lean"],
                false,
            ),
            ("sed -i s/a/b/ My\\ Files/A.lean;x", &["My Files/A.lean"], false),
            ("python3 - <<E\np = open('A.lean')\nE", &["A.lean"], false),
            ("sed -i s/a/b/ *.lean", &[], true),
            ("find . -name '*.lean' -delete", &[], true),
            ("f.endswith('.lean')", &[], true),
            ("cat >$D/A.lean", &[], true),
            ("cat >A.lean", &["A.lean"], false),
            ("perl -pi -e 1 --file=A.lean", &["A.lean"], false),
            ("cp A.leanx B.lean_ C.lean.bak", &["C.lean"], false),
            ("echo ∀.lean", &["∀.lean"], false),
            ("ls", &[], false),
        ] {
            let reading = reading(command);
            assert_eq!(
                (&reading.names[..], reading.wide),
                (&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()[..], wide),
                "{command}"
            );
        }
        assert_eq!(reading("cd 'a b' && cd -P c; ls").folders, ["a b", "c"]);
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        for (command, moves) in [
            ("mv A.lean B.lean && sed -i s/a/b/ B.lean", vec![pair("A.lean", "B.lean")]),
            ("git -C x mv -f A.lean B.lean", vec![pair("A.lean", "B.lean")]),
            ("mv A.lean B.lean sub", vec![pair("A.lean", "sub"), pair("B.lean", "sub")]),
            ("git log mv A.lean", vec![]),
            ("mv A.lean", vec![]),
            ("mv", vec![]),
        ] {
            assert_eq!(reading(command).moves, moves, "{command}");
        }
    }

    #[test]
    fn calls_are_found_in_every_form() {
        let allow = |command: &str| {
            let calls = hidden_calls(command);
            let found = calls.iter().any(|words| words.first().is_some_and(|word| word == "allow"));
            let behind = calls.iter().any(|words| words.iter().any(|word| word == "allow"));
            assert!(found || (behind && command.contains("--db")), "{command}: {calls:?}");
        };
        [
            "env mk allow x",
            "timeout 5 mk allow x",
            "nice -n 5 mk allow x",
            "FOO=1 mk allow x",
            "env -u CLAUDECODE mk allow x",
            "/usr/local/bin/mk allow x",
            "./mk allow x",
            "~/bin/mk\tallow x",
            "m''k al'low' x",
            "\\mk allow x",
            "cd . && mk allow x",
            "true; mk allow x",
            "(mk allow x)",
            "if true; then mk allow x; fi",
            "for i in 1; do mk allow x; done",
            "mk allow x | cat",
            "mk allow x > out",
            "mk allow $X",
            "mk allow x &",
            "ls\nmk allow x",
            "mk --db k.db allow x",
            "sh -c 'mk allow x'",
            "bash -lc \"cd . && mk allow x\"",
            "eval 'mk allow x'",
            "echo x | xargs mk allow",
            "echo 'mk allow x' | sh",
            "bash <<< 'mk allow x'",
            "bash <<'E'\nmk allow x\nE",
            "script -qec 'mk allow x' /dev/null",
            "setsid script -qec 'env -u CLAUDECODE mk allow x' /dev/null",
            "python3 -c 'import os; os.system(\"mk allow x\")'",
            "python3 -c 'run([\"mk\", \"allow\", \"x\"])'",
            "$(mk allow x)",
            "echo `mk allow x`",
            "echo \"$(mk allow x)\" | bash",
            "find . -exec mk allow {} ;",
            "unknown mk allow x",
            "echo \"$(cd x; echo \"$(mk allow x)\")\"",
            "cat <<E\n$(mk allow x)\nE",
            "x=${y:-$(mk allow x)}",
            "diff <(mk allow x) y",
            "env -S 'mk allow x'",
            "sudo -u me nohup nice -n 3 mk allow x",
            "ls > 'a b' && mk allow x",
        ]
        .into_iter()
        .for_each(allow);
    }

    #[test]
    fn text_about_mk_is_no_call() {
        for command in [
            "",
            "ls",
            "mkdir allow",
            "grep -rn 'mk allow' README.md",
            "git commit -m 'docs: mk allow is for people'",
            "git commit -m \"$(cat <<'E'\ndocs: mk allow\nE\n)\"",
            "echo run mk allow x",
            "cat > notes.md <<'E'\nrun mk allow x\nE",
            "cat > notes.md <<-E\n\tsh mk allow x\n\tE\nls",
            "ls | grep allow # mk allow",
        ] {
            assert_eq!(hidden_calls(command), Vec::<Vec<String>>::new(), "{command}");
        }
        assert_eq!(hidden_calls("cat > n <<E\nx\nE\nmk trust; ls"), [["trust"]]);
    }

    #[test]
    fn files_that_are_written() {
        for (command, expected) in [
            ("cat a", &[][..]),
            ("ls -l .math-forge", &[]),
            ("echo x > a", &["a"]),
            ("echo x >> 'a b'", &["a b"]),
            ("echo x >| a", &["a"]),
            ("echo x &> a", &["a"]),
            ("ls 2>/dev/null", &[]),
            ("ls 2>&1", &[]),
            ("echo '> a'", &[]),
            ("git commit -m 'rm a'", &[]),
            ("echo x | tee -a a b", &["a", "b"]),
            ("rm -rf a/b", &["a/b"]),
            ("sudo rm a", &["a"]),
            ("mv a b", &["a", "b"]),
            ("cp a b c", &["c"]),
            ("ln -sf a b", &["b"]),
            ("sed -n 3p a", &[]),
            ("sed -i 's/x/y/' a", &["a"]),
            ("sed -ni.bak 's/x/y/' a", &["a"]),
            ("sed -e s/x/y/ -i a b", &["a", "b"]),
            ("sed -i '' s/x/y/ a", &["a"]),
            ("sed --in-place=.b s/x/y/ a", &["a"]),
            ("perl -pi -e 's/x/y/' a", &["a"]),
            ("perl -e 'print 1' a", &[]),
            ("dd if=/dev/null of=a", &["a"]),
            ("truncate -s0 a", &["a"]),
            ("cat > a <<E\nrm b\nE\nrm c", &["a", "c"]),
            ("bash -c 'rm a; echo > b'", &["a", "b"]),
            ("bash <<E\nrm a\nE", &["a"]),
            ("cd x && rm a", &["a"]),
            ("git checkout -- a", &["a"]),
            ("sort -uo a b", &["a"]),
            ("uniq b a", &["a"]),
            ("git diff --output=a", &["a"]),
            ("git log -p --output a b", &["a"]),
            ("cp -t a b c", &["a"]),
            ("sudo -u me env X=1 rm a", &["a"]),
            ("bash -ec 'rm a' > b", &["a", "b"]),
            ("if true; then rm a; fi", &["a"]),
            ("x=$(rm a)", &["a"]),
            ("git log a", &[]),
            ("sqlite3 k.db 'SELECT * FROM findings'", &[]),
            ("sqlite3 k.db \"SELECT 1 WHERE x LIKE '%update%'\"", &[]),
            ("sqlite3 k.db 'DELETE FROM findings'", &["k.db", "DELETE FROM findings"]),
            ("echo 'update guard_lifts set once=0' | sqlite3 k.db", &["k.db"]),
            ("sqlite3 k.db <<E\ninsert into t values (1);\nE", &["k.db"]),
        ] {
            let mut found = reading(command).written;
            let mut expected = expected.to_vec();
            found.sort();
            expected.sort_unstable();
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn the_plugin_can_be_switched_off() {
        assert!(reading("claude plugin disable math-forge@math-forge").removes_plugin);
        assert!(reading("cd x; claude plugins uninstall math-forge").removes_plugin);
        assert!(!reading("claude plugin list | grep math-forge").removes_plugin);
        assert!(!reading("echo claude plugin disable math-forge").removes_plugin);
    }

    proptest! {
        #[test]
        fn any_text_is_read(command in "(\\PC|\n){0,80}|[ -~\n]{0,80}") {
            hidden_calls(&command);
            reading(&command);
        }
    }

    #[test]
    fn the_time_is_linear() {
        for part in
            ["<<a\n", "sh -c '", "mk allow ", "> ", "((((", "\"\\", "$(", "`\\`", "${", "\"$("]
        {
            let long = part.repeat(60_000 / part.len());
            let began = std::time::Instant::now();
            hidden_calls(&long);
            reading(&long);
            assert!(began.elapsed().as_secs() < 5, "{part}");
        }
    }
}
