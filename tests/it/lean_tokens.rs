//! The lexer against Lean's own tokenizer (`tests/lean/tokens.c`): what is comment, string, character,
//! name and code, byte for byte, in made snippets and in mutated pieces of our own Lean files.
//!
//! `MK_LEAN` is the folder of a Lean that `tests/lean/lean_up.sh` has set up; `.ci/run` sets it.
//! `MK_LEAN_SNIPPETS=1000000 cargo test --test it lean_tokens:: -- --ignored` is a campaign.
//!
//! Snippets in which Lean reports an error are passed over: then there is no truth. [`excluded`] has
//! what text cannot decide.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use math_forge::lean::{self, Token, TokenKind};

const SNIPPETS: usize = 20_000;

/// The tool keeps all of its memory.
const BATCH: usize = 5_000;

/// A letter for each byte, as `tests/lean/tokens.c` has them.
fn letters(text: &str, tokens: &[Token]) -> Vec<u8> {
    let mut letters = Vec::with_capacity(text.len());
    for token in tokens {
        let lexeme = token.text(text);
        let (first, rest) = match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment => {
                (b' ', b' ')
            }
            TokenKind::DocComment => (b'D', b'd'),
            TokenKind::ModuleDoc => (b'M', b'm'),
            TokenKind::Char => (b'H', b'h'),
            kind if kind.is_string() => (b'S', b's'),
            // `.x`, `?x` and `` `x `` are a sign and a name for Lean.
            TokenKind::Ident | TokenKind::NameLit | TokenKind::Hole => {
                let sign = lexeme.len() - lexeme.trim_start_matches(['.', '?', '`']).len();
                letters.extend(std::iter::repeat_n(b'.', sign));
                letters.extend(std::iter::repeat_n(b'n', lexeme.len() - sign));
                continue;
            }
            _ => (b'.', b'.'),
        };
        letters.push(first);
        letters.extend(std::iter::repeat_n(rest, lexeme.len() - 1));
    }
    letters
}

/// Why text alone cannot say what a snippet is.
fn excluded(text: &str, tokens: &[Token]) -> Option<&'static str> {
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.kind.is_trivia()).collect();
    let wide = |token: &Token| token.text(text).bytes().any(|byte| byte >= 0x80);
    let mut holes = 0_usize;
    for pair in code.windows(2) {
        let [before, token] = pair else { continue };
        let touches = before.end == token.start;
        match token.kind {
            TokenKind::InterpStart => holes += 1,
            TokenKind::InterpEnd => holes = holes.saturating_sub(1),
            _ if holes > 0 && touches && [before, token].iter().all(|t| t.text(text) == "{") => {
                return Some("`{{` is one lexeme too: the parser knows which brace ends the hole");
            }
            _ => {}
        }
        let operator =
            before.kind == TokenKind::Close || (before.kind == TokenKind::Symbol && wide(before));
        if touches && operator && token.text(text).starts_with('\'') {
            return Some("notations such as `]'` and `⁻¹'` decide about this prime");
        }
        let word = before.text(text).trim_start_matches(['.', '?']);
        let known = ["s!", "m!", "f!", "throwError", "dbg_trace"].contains(&word);
        if token.kind == TokenKind::InterpStart && !known {
            return Some("a macro that takes an interpolated string");
        }
        let word = token.kind == TokenKind::Ident && token.text(text) != "eval";
        if touches && word && before.text(text) == "#" {
            return Some("which of the words that begin with `#` are tokens, the table says");
        }
        if touches && before.text(text) == "." && token.kind == TokenKind::Number {
            return Some("`x.1.e5`: only the parser knows of the numbers of fields");
        }
    }
    None
}

/// A small generator of numbers, so that a seed is a run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "/-", "-/", "/--", "/-!", "--", "-", "/", "/-/", "--/", "/--/", "/-!-/", "-/-", "\n", "\n\n", " ", "  ",
    "\"", "'", "\\", "\\\"", "\\n", "\\x41", "\\u03b1", "\\\n  ", "\\{", "r\"", "r#\"", "\"#", "r##\"", "\"##", "#",
    "s!\"", "m!\"", "f! \"", "throwError \"", "dbg_trace \"", "{", "}", "{x}", "{{", "}}", "«", "»", "«a b»", "«-/»", "«\"»",
    "`", "``", "`x", "``x.y", "`«a»", "`(", "?_", "?x", "?", "!", "x", "y'", "f''", "r", "e5", "_", "_x", "a.b", ".c", ".r", ".",
    "..", "...", "0", "12", "0x1F", "0X", "0b1", "0B01", "0o7", "1.5", "1e5", "1.", "2.e-3", "1_000", "α", "λ", "ℕ", "₁", "∀", "→",
    "⟨", "⟩", "≤", "×", "é", "𝓝", "⁻¹", "ᵢ", "(", ")", "[", "]", "]'", "@[", "#eval", "#[", "%", ":=", "=>", "<-", "->", "|", "|-", "<|",
    "//", "\\/", "/\\", "+", "*", "::", ";", ",", ":", "$", "theorem", "by", "sorry", "end", "fun", "axiom", "'a'", "'\\''", "'\"'",
    "'-'", "'\\\\'", "'\\x7f'", "'\n'", "'∀'", "\t", "\r",
];

/// Pieces, each likely to be closed again.
fn made(dice: &mut Dice, depth: usize, into: &mut String) {
    for _ in 0..=dice.below(if depth == 0 { 9 } else { 4 }) {
        let pairs = [
            ("/-", "-/"),
            ("/- ", " -/"),
            ("/--", "-/"),
            ("/-- ", " -/"),
            ("/-! ", "-/"),
            ("--", "\n"),
            ("\"", "\""),
            ("s!\"", "\""),
            ("m!\"", "\""),
            ("{", "}"),
            ("(", ")"),
            ("«", "»"),
            ("r\"", "\""),
            ("r#\"", "\"#"),
            ("'", "'"),
        ];
        if depth < 4 && dice.below(3) == 0 {
            let (open, close) = dice.one(&pairs);
            into.push_str(open);
            made(dice, depth + 1, into);
            into.push_str(close);
        } else {
            into.push_str(dice.one(PIECES));
        }
        if dice.below(2) == 0 {
            into.push(' ');
        }
    }
}

/// A piece of a file, changed at some places.
fn mutated(dice: &mut Dice, files: &[String]) -> String {
    let file = &files[dice.below(files.len())];
    let start = file.floor_char_boundary(dice.below(file.len()));
    let end = file.floor_char_boundary((start + 10 + dice.below(160)).min(file.len()));
    let mut text = file[start..end].to_owned();
    for _ in 0..dice.below(4) {
        let at = text.floor_char_boundary(dice.below(text.len() + 1));
        let until = text.ceil_char_boundary((at + dice.below(4)).min(text.len()));
        let piece = if dice.below(4) == 0 { "" } else { dice.one(PIECES) };
        text.replace_range(at..until, piece);
    }
    text
}

fn lean_files(folder: &Path, found: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            lean_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lean") {
            found.push(lean::decode(&fs::read(path).unwrap()).text);
        }
    }
}

fn snippets(count: usize) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![
        include_str!("../fixtures/guard/tricks.txt").to_owned(),
        include_str!("../fixtures/guard/honest.txt").to_owned(),
    ];
    lean_files(&root.join("tests"), &mut files);
    lean_files(&root.join("data"), &mut files);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let snippet = |_| {
        let mut text = String::new();
        match dice.below(3) {
            0 => text = mutated(&mut dice, &files),
            _ => made(&mut dice, 0, &mut text),
        }
        // What Lean gets to see has no `\r\n` either.
        lean::decode(text.as_bytes()).text
    };
    (0..count).map(snippet).collect()
}

/// The tool, compiled.
fn tool() -> PathBuf {
    let home = std::env::var_os("MK_LEAN").map(PathBuf::from);
    let home = home.expect("MK_LEAN, the folder that tests/lean/lean_up.sh prints");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lean/tokens.c");
    let tool =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tokens-{}", std::process::id()));
    let library = home.join("lib/lean");
    let done = Command::new("cc")
        .args(["-O1", "-w", "-o"])
        .args([&tool, &source, &library.join("libleanshared.so")])
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .status()
        .expect("a C compiler");
    assert!(done.success(), "tests/lean/tokens.c does not compile");
    tool
}

/// What Lean says of snippets; `None` where it reports an error.
fn truth(tool: &Path, snippets: &[String]) -> Vec<Option<Vec<u8>>> {
    let mut found = Vec::new();
    for batch in snippets.chunks(BATCH) {
        let mut child =
            Command::new(tool).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut bytes = Vec::new();
        for snippet in batch {
            bytes.extend(u32::try_from(snippet.len()).unwrap().to_le_bytes());
            bytes.extend(snippet.as_bytes());
        }
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success(), "the tool failed: {:?}", output.status);
        let lines = output.stdout.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n');
        found.extend(lines.map(|line| (line != b"!").then(|| line.to_vec())));
    }
    assert_eq!(found.len(), snippets.len());
    found
}

/// Faults that the lexer had: where a lexeme ended by mistake.
type Fault = (&'static str, fn(&str, &Token) -> Option<usize>);

const FAULTS: &[Fault] = &[
    ("a comment nests from its opener on", |text, token| {
        (token.kind == TokenKind::BlockComment).then(|| nested_end(text, token.start + 2))
    }),
    ("`/--/` is a comment", |text, token| {
        token.text(text).starts_with("/--/").then_some(token.start + 4)
    }),
    ("the text of a doc comment begins at its opener", |text, token| {
        matches!(token.kind, TokenKind::DocComment | TokenKind::ModuleDoc)
            .then(|| nested_end(text, token.start + 3))
    }),
    ("a quoted name ends with its line", |text, token| {
        let line = token.text(text).find('\n').filter(|_| token.kind == TokenKind::Ident);
        line.map(|length| token.start + length)
    }),
];

/// Where a comment ends whose text begins at an offset.
fn nested_end(text: &str, from: usize) -> usize {
    let (mut depth, mut at) = (1, from);
    while depth > 0 && at < text.len() {
        let rest = &text.as_bytes()[at..];
        match (rest.starts_with(b"/-"), rest.starts_with(b"-/")) {
            (true, _) => (depth, at) = (depth + 1, at + 2),
            (_, true) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

/// The lexemes of a text with a fault.
fn lex_badly(text: &str, fault: fn(&str, &Token) -> Option<usize>) -> Vec<Token> {
    let mut found = Vec::new();
    let mut from = 0;
    'text: while from < text.len() {
        for token in lean::lex(&text[from..]) {
            let token = Token { start: token.start + from, end: token.end + from, ..token };
            let end = fault(text, &token).unwrap_or(token.end);
            found.push(Token { end, ..token });
            if end != token.end {
                from = end;
                continue 'text;
            }
        }
        break;
    }
    found
}

#[test]
#[ignore = "needs Lean: .ci/run runs it"]
fn lexemes_are_what_lean_makes_of_the_text() {
    let tool = tool();
    let count = std::env::var("MK_LEAN_SNIPPETS").map_or(SNIPPETS, |n| n.parse().unwrap());
    let snippets = snippets(count);
    let truth = truth(&tool, &snippets);
    let (mut clean, mut out, mut wrong) = (0, 0, Vec::new());
    let mut found = vec![0; FAULTS.len()];
    for (text, truth) in snippets.iter().zip(&truth) {
        let Some(truth) = truth else { continue };
        let tokens = lean::lex(text);
        if excluded(text, &tokens).is_some() {
            out += 1;
            continue;
        }
        clean += 1;
        let ours = letters(text, &tokens);
        if ours != *truth {
            wrong.push((text, String::from_utf8(ours).unwrap(), String::from_utf8_lossy(truth)));
        }
        for ((_, fault), found) in FAULTS.iter().zip(&mut found) {
            *found += usize::from(letters(text, &lex_badly(text, *fault)) != *truth);
        }
    }
    fs::remove_file(tool).unwrap();
    println!("{count} snippets, {clean} compared, {out} left out, {} differ", wrong.len());
    wrong.sort_by_key(|(text, ..)| text.len());
    for (text, ours, truth) in wrong.iter().take(20) {
        eprintln!("{text:?}\n  ours {ours}\n  Lean {truth}");
    }
    assert!(wrong.is_empty(), "{} snippets are read differently", wrong.len());
    assert!(clean * 4 > count && out * 10 < clean, "the comparison has lost its snippets");
    for ((name, _), found) in FAULTS.iter().zip(found) {
        println!("  fault: {name}: {found} snippets show it");
        assert!(found > 0, "no snippet shows the fault: {name}");
    }
}
