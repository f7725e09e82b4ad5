//! Command lines, their commands, words and redirections.

use proptest::prelude::*;

use super::*;

/// The commands of a line: how each is joined, and its words with a bar between them.
fn shown(text: &str) -> Vec<String> {
    let joint = |joint| match joint {
        Joint::Then => ";",
        Joint::And => "&&",
        Joint::Or => "||",
        Joint::Pipe => "|",
        Joint::Inside => "$",
    };
    read(text)
        .commands
        .iter()
        .map(|one| format!("{} {}", joint(one.joint), one.words.join("|")))
        .collect()
}

#[test]
fn commands_and_words() {
    for (text, expected) in [
        ("", &[][..]),
        ("a b\tc", &["; a|b|c"]),
        ("a 'b c' \"d $e\" f\\ g", &["; a|b c|d $e|f g"]),
        ("a\"b\"'c'd ''", &["; abcd|"]),
        ("a \"x\\\"y\\\\z\\n\"", &["; a|x\"y\\z\\n"]),
        ("a; b && c || d | e & f", &["; a", "; b", "&& c", "|| d", "| e", "; f"]),
        ("a &&\n  b |\nc\nd", &["; a", "&& b", "| c", "; d"]),
        ("a \\\n b # c; d\ne#f", &["; a|b", "; e#f"]),
        ("(a; b) | { c; }", &["; a", "; b", "| c", "; }"]),
        ("a > b 2>&1 < c >> d", &["; a"]),
        ("a $(b 'c)' | d) e", &["$ b|c)", "| d", "; a|$(b 'c)' | d)|e"]),
        ("a \"x `b c` y\"", &["$ b|c", "; a|x `b c` y"]),
        ("a $(b $(c)) d", &["$ c", "$ b|$(c)", "; a|$(b $(c))|d"]),
        ("a ${b:-c d} $'e f'", &["; a|${b:-c d}|e f"]),
        ("cat <<E | b\nx; y\nE\nc", &["; cat", "| b", "; c"]),
        ("cat <<-'E'\n\tx `y`\n\tE\nc", &["; cat", "; c"]),
        ("a <(b) >(c)", &["$ b", "$ c", "; a|<(b)|>(c)"]),
        ("A=1 env -u B C=2 timeout -k 3 5 nice -n 5 a b", &["; a|b"]),
        ("sudo -u me sh -c 'a; b'", &["; a", "; b"]),
        ("x && bash -lc \"cd y && z\"", &["; x", "&& cd|y", "&& z"]),
        ("if a; then b; else c; fi", &["; a", "; b", "; c", "; fi"]),
        ("ls | xargs -n 1 grep a", &["; ls", "| grep|a"]),
        (
            "command -v a; time a; env; timeout 5",
            &["; command|-v|a", "; a", "; env", "; timeout|5"],
        ),
        ("eval 'a b' c; bash <<< d; sh <<E\ne\nE", &["; a|b|c", "; d", "; e"]),
        ("lake env lean A.lean", &["; lake|env|lean|A.lean"]),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn redirections_and_texts() {
    let one = |text: &str| read(text).commands.remove(0);
    let targets = |text: &str| one(text).targets().map(str::to_owned).collect::<Vec<_>>();
    for (text, expected) in [
        ("a > b 2>>c 3>|d", &["b", "c", "d"][..]),
        ("a &> 'b c' < d", &["b c"]),
        ("a 2>&1 >&2 2>/dev/null >&-", &[]),
        ("a >& b <> c", &["b", "c"]),
        ("a2>b", &["b"]),
        ("a <<E > b\nx > c\nE", &["b"]),
    ] {
        assert_eq!(targets(text), expected, "{text}");
    }
    assert_eq!(one("a <<E\nx\n  y\nE").input.as_deref(), Some("x\n  y\n"));
    assert_eq!(one("a <<< 'b c'").input.as_deref(), Some("b c"));
    assert_eq!(one("a <<E").input.as_deref(), Some(""));
}

#[test]
fn what_is_not_known_is_said() {
    for text in ["a 'b", "a \"b", "a `b", "a $(b", "a ${b", "a &&", "a |", "a >", "\"\\"] {
        assert!(read(text).is_unfinished, "{text}");
    }
    assert!(!read("a 'b' \"c\" `d` $(e) ${f} | g && h > i; ").is_unfinished);
    let deep = "sh -c \"sh -c 'eval eval eval eval mk x'\"";
    assert!(read(deep).is_unfinished);
}

#[test]
fn words_are_quoted_so_that_they_are_read_back() {
    for (word, expected) in [
        ("A.lean", "A.lean"),
        ("gaps,axiom", "gaps,axiom"),
        ("", "''"),
        ("a b", "\"a b\""),
        ("foo'", "\"foo'\""),
        ("it's $x", "'it'\\''s $x'"),
        ("«a b».c", "\"«a b».c\""),
    ] {
        assert_eq!(quoted(word), expected);
    }
}

proptest! {
    #[test]
    fn a_quoted_word_is_one_word(word in "\\PC{0,40}") {
        let script = read(&format!("a {}", quoted(&word)));
        prop_assert_eq!(&script.commands[0].words[1], &word);
    }

    #[test]
    fn any_text_is_read(text in "(\\PC|\n){0,80}|[ -~\n]{0,80}|[$({`'\"\\\\<&|;a\n]{0,60}") {
        for one in &read(&text).commands {
            touch(one);
        }
    }
}
