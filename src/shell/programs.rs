//! What programs do: which of them run another one, and which files each of them writes.

use super::Simple;
use crate::text::{base_name, is_among};

/// Programs and words that only say how the command after them runs, with the options that take a
/// value and the number of operands before that command.
const WRAPPERS: &[(&str, &str, usize)] = &[
    ("!", "", 0),
    ("builtin", "", 0),
    ("busybox", "", 0),
    ("chrt", "", 1),
    ("command", "", 0),
    ("do", "", 0),
    ("doas", "u C", 0),
    ("elif", "", 0),
    ("else", "", 0),
    ("env", "u C unset chdir", 0),
    ("exec", "a", 0),
    ("flock", "w E timeout wait", 1),
    ("if", "", 0),
    ("ionice", "c n class classdata", 0),
    ("nice", "n adjustment", 0),
    ("noglob", "", 0),
    ("nohup", "", 0),
    ("setsid", "", 0),
    ("stdbuf", "i o e input output error", 0),
    ("strace", "e o p s u", 0),
    ("sudo", "u g h p C r t T U D R user group host prompt chdir", 0),
    ("taskset", "", 1),
    ("then", "", 0),
    ("time", "f o format output", 0),
    ("timeout", "k s kill-after signal", 1),
    ("unbuffer", "", 0),
    ("until", "", 0),
    ("while", "", 0),
    ("xargs", "I n P L d a s E max-args max-procs max-lines delimiter arg-file replace?", 0),
    ("{", "", 0),
    ("}", "", 0),
];

/// Programs that write no file, whatever their arguments are.
const READERS: &str = ": [ [[ basename break cat cd cmp column comm command continue cut date df diff dirname done du \
    echo egrep elan env esac exit export false fgrep fi file fold for free grep head hostname jobs \
    join jq kill less local ls md5sum mk mkdir more nl nproc od paste pgrep popd printf ps pushd pwd read \
    readlink realpath return rev seq set sha256sum shift sleep source-highlight stat tac tail test \
    time tr true type ulimit uname unset wait wc which whoami";

/// Programs that make or change what they name, but not what stands in a file.
const AROUND: &str = "chgrp chmod chown rmdir";

/// Programs that write, move or remove whatever they name.
const WRITERS: &str = "ed emacs ex mv nano rm shred tee touch truncate unlink vi vim";

/// Programs that only read, but for files that these options name; with the options that take a value
/// and those that start another program.
const BY_OPTION: &[(&str, &str, &str, &str)] = &[
    ("lean", "o i c b", "o i c b T j M D s root timeout threads memory", "run r"),
    ("rg", "", "e f g t T A B C m", "pre hostname-bin"),
    ("sort", "o output", "o k t S T output key field-separator", "compress-program"),
    ("tree", "o", "o L P I", ""),
];

/// Programs to which a command is text and nothing more.
const TEXT: &str = "ag awk gh git rg sed tee";

/// Programs that read commands out of a text.
const RUNNERS: &str = ". bash dash eval expect fish ksh node parallel perl python python3 ruby script sh source ssh su \
    tmux watch xargs zsh";

/// Programs whose first word says more than they: it is the script that they run.
const INTERPRETERS: &str = "sh bash dash zsh python python3 perl ruby node osascript";

/// Git's commands that leave the work tree as it is.
const GIT_READS: &str = "add archive blame branch cat-file check-ignore commit config describe diff fetch for-each-ref \
    format-patch gc grep hash-object help init log ls-files ls-remote ls-tree merge-base name-rev \
    notes push reflog remote rev-list rev-parse shortlog show status symbolic-ref tag version \
    whatchanged worktree";

/// Git's commands that bring the work tree to another of its own states.
const GIT_MOVES: &str = "bisect checkout checkout-index cherry-pick clean clone merge mv pull read-tree rebase reset \
    restore revert rm stash submodule switch";

/// Lake's commands that run nothing of the project's own beside its build.
const LAKE_READS: &str = "build cache check-build check-lint check-test clean env help lean pack query setup-file unpack \
    update upload version";

/// How many words stand before the program, and whether more of its words come from elsewhere.
pub(super) fn peeled(words: &[String]) -> (usize, bool) {
    let (mut at, mut is_open) = (0, false);
    loop {
        at += words.iter().skip(at).take_while(|word| is_assignment(word)).count();
        let rest = words.get(at..).unwrap_or_default();
        let Some((first, arguments)) = rest.split_first() else { return (at, is_open) };
        let name = base_name(first);
        let Some((_, valued, operands)) = WRAPPERS.iter().find(|row| row.0 == name) else {
            return (at, is_open);
        };
        let inner = arguments.len() - behind_options(arguments, valued).len() + operands;
        let asks = name == "command"
            && arguments
                .first()
                .is_some_and(|word| word.starts_with("-v") || word.starts_with("-V"));
        let text = name == "env" && arguments.iter().take(inner).any(|word| word.starts_with("-S"));
        if asks || text || inner >= arguments.len() {
            return (at, is_open);
        }
        is_open |= name == "xargs";
        at += 1 + inner;
    }
}

/// The words behind a wrapper's own options.
fn behind_options<'a>(arguments: &'a [String], valued: &str) -> &'a [String] {
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first().filter(|(first, _)| first.starts_with('-'))
    {
        rest = after;
        if first == "--" {
            break;
        }
        // A value of its own is the next word.
        let probe = [first.clone(), "-".to_owned()];
        if options(&probe, valued).operands.is_empty() {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    rest
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text that a shell is given to run, where it stands in the command.
pub(super) fn shell_text(command: &Simple) -> Option<String> {
    let arguments = command.arguments();
    let of_option = |mut words: std::slice::Iter<'_, String>| loop {
        let word = words.next()?;
        if let Some(text) = word.strip_prefix("--command=") {
            return Some(text.to_owned());
        }
        let letters = word.strip_prefix('-').unwrap_or_default();
        if word == "--command"
            || letters.contains('c') && letters.chars().all(|c| c.is_ascii_alphabetic())
        {
            return words.next().cloned();
        }
    };
    match command.name() {
        "eval" => Some(arguments.join(" ")),
        "env" => {
            let at = arguments.iter().position(|word| word.starts_with("-S"))?;
            let first = arguments.get(at)?.get(2..).unwrap_or_default();
            let rest = arguments.get(at + 1..).unwrap_or_default().join(" ");
            Some(format!("{first} {rest}"))
        }
        "script" | "su" => of_option(arguments.iter()),
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "fish" => {
            let found = options(arguments, "o O rcfile init-file");
            let own = arguments.len() - found.operands.len();
            match of_option(arguments.get(..=own).unwrap_or(arguments).iter()) {
                None if found.operands.is_empty() => command.input.clone(),
                text => text,
            }
        }
        _ => None,
    }
}

/// Whether a program reads commands, or a program, out of a text.
pub fn runs_text(name: &str) -> bool {
    is_among(name, RUNNERS)
}

/// Whether a command is nothing but text to a program.
pub fn only_shows(name: &str) -> bool {
    is_among(name, TEXT) || is_among(name, READERS) && !["command", "env"].contains(&name)
}

/// Whether a program's first word is the script that it runs.
pub fn is_interpreter(name: &str) -> bool {
    is_among(name, INTERPRETERS)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch<'a> {
    /// Those that it writes, moves or removes, as it names them.
    pub files: Vec<&'a str>,
    pub beyond: Beyond,
}

/// What a command may write beside the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    Nothing,
    /// Nothing, and of the files that it names not what stands in them.
    Around,
    /// What git has of the work tree.
    Git,
    /// Whatever the text says that it is given.
    Text,
    /// Not known: a program of somebody's own.
    Program,
}

/// What a command writes, its redirections aside.
pub fn touch(command: &Simple) -> Touch<'_> {
    let none = Touch { files: Vec::new(), beyond: Beyond::Nothing };
    let Some((program, arguments)) = command.inner().split_first() else { return none };
    let mut touch = of_program(program, arguments, command.input.is_some());
    // Words that come from elsewhere may be options and files.
    if command.is_open && touch.beyond == Beyond::Nothing && !is_among(base_name(program), READERS)
    {
        touch.beyond = Beyond::Program;
    }
    touch
}

fn of_program<'a>(program: &'a str, arguments: &'a [String], has_input: bool) -> Touch<'a> {
    let name = base_name(program);
    let only = |beyond| Touch { files: Vec::new(), beyond };
    let named = |files| Touch { files, beyond: Beyond::Nothing };
    let plain = || options(arguments, "").operands;
    match name {
        // Not a program of that name that the project brings.
        _ if program.contains('/')
            && !program.starts_with("/usr/")
            && !program.starts_with("/bin/") =>
        {
            return only(Beyond::Program);
        }
        _ if is_among(name, READERS) => return only(Beyond::Nothing),
        _ if is_among(name, AROUND) => {
            return Touch { files: plain(), beyond: Beyond::Around };
        }
        _ if is_among(name, WRITERS) => return named(plain()),
        _ => {}
    }
    if let Some((_, writes, valued, runs)) = BY_OPTION.iter().find(|row| row.0 == name) {
        let found = options(arguments, valued);
        let of = |names: &'static str| names.split(' ').collect::<Vec<_>>();
        let runs = found.has(&of(runs)) || is_made_up(arguments);
        let files = found.values(&of(writes)).collect();
        return Touch { files, beyond: if runs { Beyond::Program } else { Beyond::Nothing } };
    }
    match name {
        "cp" | "install" | "ln" | "rsync" => {
            let found = options(arguments, "t S m o g target-directory suffix mode owner group");
            Touch {
                files: last(&found),
                beyond: if name == "rsync" { Beyond::Text } else { Beyond::Nothing },
            }
        }
        "dd" => named(arguments.iter().filter_map(|word| word.strip_prefix("of=")).collect()),
        "find" => {
            let starts = |starts: &[&str]| {
                arguments.iter().any(|word| starts.iter().any(|start| word.starts_with(start)))
            };
            let runs = starts(&["-exec", "-ok", "-delete", "-fprint", "-fls"]);
            only(if runs { Beyond::Program } else { Beyond::Nothing })
        }
        "git" => git(arguments),
        "lake" => lake(arguments),
        "patch" => Touch { files: plain(), beyond: Beyond::Text },
        "perl" | "ruby" => {
            let found = options(arguments, "i? e E I M");
            if found.has(&["i"]) {
                return Touch { files: edited(&found, &["e", "E"]), beyond: Beyond::Program };
            }
            only(if has_input { Beyond::Text } else { Beyond::Program })
        }
        "python" | "python3" | "node" => {
            let is_given = has_input || options(arguments, "").has(&["c", "e"]);
            only(if is_given { Beyond::Text } else { Beyond::Program })
        }
        "sh" | "bash" | "zsh" | "dash" if has_input => only(Beyond::Text),
        "sed" => sed(arguments),
        "uniq" => {
            let found = options(arguments, "f s w skip-fields skip-chars check-chars");
            named(found.operands.get(1).copied().into_iter().collect())
        }
        _ => only(Beyond::Program),
    }
}

/// Whether the shell puts words in that may be anything.
fn is_made_up(arguments: &[String]) -> bool {
    arguments.iter().any(|word| word.contains("$(") || word.contains('`'))
}

/// The operands that come behind the script, where no option gives one.
fn edited<'a>(found: &Options<'a>, scripts: &[&str]) -> Vec<&'a str> {
    let mut files = found.operands.clone();
    files.retain(|word| !word.is_empty());
    if !found.has(scripts) && !files.is_empty() {
        files.remove(0);
    }
    files
}

/// The last operand, or the folder that an option names.
fn last<'a>(found: &Options<'a>) -> Vec<&'a str> {
    let folder = found.values(&["t", "target-directory"]).next();
    folder.or(found.operands.last().copied()).into_iter().collect()
}

fn sed(arguments: &[String]) -> Touch<'_> {
    let found = options(arguments, "e f i? l expression file in-place? line-length");
    let scripts = ["e", "f", "expression", "file"];
    if found.has(&["i", "in-place"]) {
        return Touch { files: edited(&found, &scripts), beyond: Beyond::Nothing };
    }
    // A `w` that may be the command of that name, and an `e`, which runs others.
    let files = edited(&found, &scripts);
    let mut script: Vec<&str> =
        found.operands.iter().filter(|w| !files.contains(w)).copied().collect();
    script.extend(found.values(&["e", "expression"]));
    let writes = found.has(&["f", "file"]) || script.iter().any(|text| text.contains('w'));
    let beyond = if writes || is_made_up(arguments) { Beyond::Program } else { Beyond::Nothing };
    Touch { files: Vec::new(), beyond }
}

fn lake(arguments: &[String]) -> Touch<'_> {
    let found = options(arguments, "d f dir file");
    let mut words = found.operands.iter().copied();
    let reads = match words.next().unwrap_or_default() {
        // What it starts stands behind another option.
        "env" => words.next().is_none(),
        "exe" | "exec" => words.next() == Some("cache"),
        "lean" => !arguments.iter().any(|word| word == "--run"),
        command => command.is_empty() || is_among(command, LAKE_READS),
    };
    Touch { files: Vec::new(), beyond: if reads { Beyond::Nothing } else { Beyond::Program } }
}

/// The command of git and what follows it.
pub fn git_command(arguments: &[String]) -> (&str, &[String]) {
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        rest = match first.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" => after.get(1..).unwrap_or_default(),
            word if word.starts_with('-') => after,
            command => return (command, after),
        };
    }
    ("", &[])
}

fn git(arguments: &[String]) -> Touch<'_> {
    let (command, rest) = git_command(arguments);
    let found = options(rest, "m F message file o output");
    let runs_others = match command {
        "rebase" => found.has(&["x", "exec"]),
        "bisect" | "submodule" => {
            rest.first().is_some_and(|word| ["run", "foreach"].contains(&word.as_str()))
        }
        _ => false,
    };
    let shows = command == "stash"
        && rest.first().is_some_and(|word| ["list", "show"].contains(&word.as_str()));
    let files = match command {
        "checkout" | "restore" | "rm" | "mv" => found.operands.clone(),
        "archive" | "format-patch" => found.values(&["o", "output"]).collect(),
        _ => found.values(&["output"]).collect(),
    };
    let beyond = if runs_others || (is_made_up(rest) && command != "commit") {
        Beyond::Program
    } else if shows || command.is_empty() || is_among(command, GIT_READS) {
        Beyond::Nothing
    } else if is_among(command, GIT_MOVES) {
        Beyond::Git
    } else {
        Beyond::Text
    };
    Touch { files, beyond }
}

/// The arguments of a program, as most programs read them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Options with their values, without the dashes: `n`, `output`.
    pub given: Vec<(&'a str, Option<&'a str>)>,
    pub operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    pub fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|(name, _)| names.contains(name))
    }

    pub fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(|(name, _)| names.contains(name)).filter_map(|(_, value)| *value)
    }
}

/// Tells options from operands. `valued` names the options that take the next word as their value, with
/// blanks between them; one with a `?` takes only what stands in the same word.
pub fn options<'a>(arguments: &'a [String], valued: &str) -> Options<'a> {
    let mut found = Options::default();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word.strip_prefix('-') {
            None | Some("") => found.operands.push(word),
            Some("-") => found.operands.extend(rest.by_ref()),
            Some(long) if long.starts_with('-') => {
                let long = long.trim_start_matches('-');
                let (name, mut value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (long, None),
                };
                if value.is_none() && is_among(name, valued) {
                    value = rest.next();
                }
                found.given.push((name, value));
            }
            Some(letters) => {
                for (at, letter) in letters.char_indices() {
                    let after = at + letter.len_utf8();
                    let name = letters.get(at..after).unwrap_or_default();
                    let attached = letters.get(after..).filter(|text| !text.is_empty());
                    if valued.split(' ').any(|one| one.strip_suffix('?') == Some(name)) {
                        found.given.push((name, attached));
                        break;
                    }
                    if is_among(name, valued) {
                        found.given.push((name, attached.or_else(|| rest.next())));
                        break;
                    }
                    found.given.push((name, None));
                }
            }
        }
    }
    found
}
