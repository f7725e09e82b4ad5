//! May a Bash command run without asking the person? Only what is understood completely, in bash and in
//! zsh alike: calls of our `mk` that may pass, a change of folder, words that are printed, and filters
//! on what comes through a pipe, which read and write no file. Everything else is left to the client.

use crate::shell::{self, Joint, Script, Simple, Way, options};
use crate::text::is_among;

/// Whether every part of a command line may run. `mk` is asked about the words after each `mk`, with the
/// folders that were changed to before it; `is_ours` whether a program is our `mk`.
pub fn may_pass(
    script: &Script,
    is_ours: impl Fn(&str) -> bool,
    mut mk: impl FnMut(&[String], &[String]) -> bool,
) -> bool {
    let mut folders: Vec<String> = Vec::new();
    let mut calls = 0;
    let is_known = is_plain(script)
        && script.commands.iter().all(|simple| match simple.program() {
            program if is_ours(program) => {
                calls += 1;
                mk(simple.arguments(), &folders)
            }
            "cd" => match simple.arguments() {
                [folder] if !folder.starts_with(['-', '~']) => {
                    folders.push(folder.clone());
                    simple.joint != Joint::Pipe
                }
                _ => false,
            },
            "echo" | "true" | ":" => simple.joint != Joint::Pipe,
            _ => simple.joint == Joint::Pipe && is_filter(simple),
        });
    is_known && calls > 0
}

/// The words after `mk`, where a command is one call of it and nothing else: no pipe, no redirection,
/// no expansion, no assignment.
pub fn plain_mk(command: &str, is_ours: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let script = shell::read(command);
    match script.commands.as_slice() {
        [one] if is_plain(&script) && one.redirections.is_empty() && is_ours(one.program()) => {
            Some(one.arguments().to_vec())
        }
        _ => None,
    }
}

/// Whether it means what it says in every shell, and sends nothing to a file.
fn is_plain(script: &Script) -> bool {
    script.is_plain
        && !script.is_unfinished
        && script.commands.iter().all(|simple| {
            let harmless = simple.redirections.iter().all(|one| match one.way {
                Way::Copy => matches!(one.target.as_str(), "1" | "2"),
                Way::Out => one.target == "/dev/null",
                Way::In => false,
            });
            harmless && !simple.is_wrapped && simple.input.is_none()
        })
}

/// Programs that read what comes through a pipe and print; their options that need no file and start
/// nothing: those with a value, those without; and how many operands are no files.
const FILTERS: &[(&str, &str, &str, usize)] = &[
    ("cat", "", "A E T b e n s t v", 0),
    ("column", "c s", "t x", 0),
    ("cut", "b c d f output-delimiter", "complement s", 0),
    ("egrep", GREP_VALUES, GREP, 1),
    ("fgrep", GREP_VALUES, GREP, 1),
    ("grep", GREP_VALUES, GREP, 1),
    ("head", "c n lines bytes", "0 1 2 3 4 5 6 7 8 9 q", 0),
    ("jq", "indent", "C M S a c compact-output e j n r raw-output s slurp sort-keys", 1),
    ("nl", "b w", "", 0),
    (
        "sort",
        "k t field-separator key",
        "M V b d f g h i n numeric-sort r reverse s u unique version-sort",
        0,
    ),
    ("tail", "c n lines bytes", "0 1 2 3 4 5 6 7 8 9 q", 0),
    ("tr", "", "C c complement d delete s squeeze-repeats t", 2),
    ("uniq", "f s w", "c count d i repeated u unique", 0),
    ("wc", "", "L bytes c chars l lines m w words", 0),
];

const GREP_VALUES: &str = "A B C after-context before-context context e m max-count regexp";
const GREP: &str = "E F G H P c color count extended-regexp fixed-strings h i ignore-case invert-match \
    line-number n o only-matching q quiet v w word-regexp x";

/// Words of a program of jq by which it reads more than its input.
const JQ_READS: &str = "ENV env import include modulemeta system";

fn is_filter(simple: &Simple) -> bool {
    let Some((name, valued, flags, most)) = FILTERS.iter().find(|row| row.0 == simple.program())
    else {
        return false;
    };
    let found = options(simple.arguments(), valued);
    let is_known = found.given.iter().all(|(option, value)| match value {
        Some(value) => {
            is_among(option, valued) && !value.is_empty()
                || *option == "color" && is_among(option, flags)
        }
        None => is_among(option, flags),
    });
    // With an expression of its own, grep's operands are files.
    let most = if found.has(&["e", "regexp"]) { 0 } else { *most };
    let operands = &found.operands;
    let reads = *name == "jq"
        && operands.iter().any(|text| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| is_among(word, JQ_READS))
        });
    is_known && operands.len() <= most && !reads
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A `mk` of which `a` may run.
    fn passes(command: &str) -> bool {
        let is_ours = |program: &str| program == "mk" || program == "/p/bin/mk";
        may_pass(&shell::read(command), is_ours, |words, _| words.first().is_some_and(|w| w == "a"))
    }

    #[test]
    fn what_is_understood_passes() {
        for command in [
            "mk a",
            "  mk   a\tb \n",
            "/p/bin/mk a",
            "m'k' \"a\"",
            "mk a 'f $ x; `y` && z > w'",
            "mk a \"a \\\"b\\\" A \\ B ≤\"",
            "mk a \"n! + 1\" --limit=5 -n 3 -- --all",
            "mk a; mk a b",
            "mk a\nmk a b\n\nmk a",
            "mk a && mk a || mk a",
            "mk a \\\n  --b # the second: all of it",
            "# what is known\nmk a",
            "cd sub && mk a",
            "cd /p/sub; cd 'a b'\nmk a",
            "mk a; echo ---; mk a",
            "mk a 2>/dev/null",
            "mk a 2> /dev/null | head -20",
            "mk a 2>&1 | tail -n 5 && mk a > /dev/null",
            "mk a|wc -l",
            "mk a | head -c 100 | cat -n",
            "mk a | grep -in 'a b' | grep -v -e c | sort -u | uniq -c | sort -rnk2,2",
            "mk a --json | jq -r '.hits[] | .title' | cut -d, -f1 | tr a-z A-Z",
            "mk a | column -t -s ,",
            "mk a | grep --color=never -A3 x",
        ] {
            assert!(passes(command), "{command}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_client() {
        for command in [
            "",
            "ls",
            "cd x",
            "echo a",
            "mk b",
            "mk a; mk b",
            "mk a | mk b",
            "mk a && rm x",
            "/usr/bin/mk a",
            "./mk a",
            "mkdir a",
            // Other spellings of one more command.
            "mk a & rm x",
            "mk a & mk a",
            "mk a |& cat",
            "mk 'a\nb'",
            "mk a\r",
            "(mk a)",
            "{ mk a; }",
            "! mk a",
            "FOO=1 mk a",
            "MATH_FORGE_DB=x mk a",
            "PATH=. mk a",
            "PATH=.; mk a",
            "export PATH=.; mk a",
            "alias mk=rm; mk a",
            "env mk a",
            "command mk a",
            "timeout 5 mk a",
            "xargs mk a",
            "sh -c 'mk a'",
            "eval mk a",
            "bash <<< 'mk a'",
            "if true; then mk a; fi",
            "\\mk a",
            "mk a # note; rm x",
            "; mk a",
            "mk a |",
            "mk a &&",
            "| mk a",
            "cd - && mk a",
            "cd -P x && mk a",
            "cd a b && mk a",
            "cd ~ && mk a",
            // Expansion.
            "mk a $(rm x)",
            "mk a `rm x`",
            "mk a \"$(rm x)\"",
            "mk a \"\\$x\"",
            "mk a $'a'",
            "mk a $x",
            "mk a <(rm x)",
            "mk a *",
            "mk a a?",
            "mk a [a]",
            "mk a {a,b}",
            "mk a ~/x",
            "mk a =ls",
            "mk a a\\ b",
            "mk a !!",
            "mk a a\u{a0}\u{3000}b",
            // Redirections.
            "mk a > out",
            "mk a >> out",
            "mk a 2>out",
            "mk a 2>/dev/null/x",
            "mk a 2>&1x",
            "mk a >/dev/tcp/a/1",
            "mk a &> out",
            "mk a < in",
            "mk a << E\nE",
            "mk a | sort > out",
            // What reads or writes files, or starts programs.
            "mk a | sh",
            "mk a | tee x",
            "mk a | cat x",
            "mk a | head x",
            "mk a | head -n",
            "mk a | tail -f",
            "mk a | wc -l x",
            "mk a | wc --files0-from=x",
            "mk a | grep -f x",
            "mk a | grep x y",
            "mk a | grep -e x y",
            "mk a | grep -r x",
            "mk a | sort -o x",
            "mk a | sort -uo x",
            "mk a | sort --output=x",
            "mk a | sort --compress-program=x",
            "mk a | sort --files0-from=x",
            "mk a | sort -T x",
            "mk a | uniq x",
            "mk a | uniq - x",
            "mk a | jq -f x",
            "mk a | jq --slurpfile x y .",
            "mk a | jq 'import \"x\" as $y; .'",
            "mk a | jq env",
            "mk a | jq '$ENV.HOME'",
            "mk a | jq . x",
            "mk a | sed p",
            "mk a | awk 1",
            "mk a | less",
            "mk a | /tmp/grep x",
            "grep x; mk a",
            // Quotes without an end.
            "mk a 'a",
            "mk a \"a\\",
        ] {
            assert!(!passes(command), "{command}");
        }
    }

    #[test]
    fn one_call_of_mk_and_nothing_else() {
        for (command, expected) in [
            ("mk allow foo' --rule proof-lost", None),
            ("mk allow \"foo'\" --rule x", Some(&["allow", "foo'", "--rule", "x"][..])),
            (" mk allow «a» --reason 'a b; c'\n", Some(&["allow", "«a»", "--reason", "a b; c"])),
            ("mk", Some(&[])),
            ("mk allow x | cat", None),
            ("mk allow x 2>&1", None),
            ("mk allow x; ls", None),
            ("mk allow $X", None),
            ("A=1 mk allow x", None),
            ("env mk allow x", None),
            ("sh -c 'mk allow x'", None),
            ("ls", None),
        ] {
            let words = plain_mk(command, |program| program == "mk");
            let words: Option<Vec<&str>> =
                words.as_ref().map(|w| w.iter().map(String::as_str).collect());
            assert_eq!(words.as_deref(), expected, "{command}");
        }
    }

    proptest! {
        #[test]
        fn no_active_character_passes_outside_quotes(
            before in "[a-z ]{0,8}", active in "[&<>$`(){}*?~!\\\\\\[\\]\\r\\^]", after in "[a-z ]{0,8}"
        ) {
            let command = format!("mk a x{before}{active}{after}z");
            prop_assert!(!passes(&command), "{}", command);
        }

        #[test]
        fn no_other_program_passes(joint in "[;\n]|&&|\\|\\|?", program in "[b-z]{1,6}") {
            let command = format!("mk a{joint}{program} x");
            let is_allowed = program == "cd" || FILTERS.iter().any(|(name, ..)| *name == program);
            prop_assert!(!passes(&command) || is_allowed, "{}", command);
        }

        #[test]
        fn any_text_in_single_quotes_is_one_word(text in "[^'\\pC]{0,40}") {
            let command = format!("mk a '{text}'");
            prop_assert!(passes(&command), "{}", command);
        }
    }
}
