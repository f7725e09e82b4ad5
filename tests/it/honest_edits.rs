//! Honest edits, made of real files: what people and agents do to Lean files all day. None of them
//! takes a proof away or changes what a statement says.

use std::collections::HashSet;

use math_forge::lean::{self, Declaration, GapKind, Outline, Token, TokenKind};

/// A file to be edited.
pub(crate) struct Subject {
    pub(crate) text: String,
    pub(crate) outline: Outline,
}

/// How an edit is made: of the whole file, or at one of its declarations.
pub(crate) enum Make {
    File(fn(&Subject) -> Option<String>),
    Each(fn(&Subject, &Declaration) -> Option<String>),
}

/// A kind of edit.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The rules that may remark on it. None of them refuses.
    pub(crate) remarks: &'static [&'static str],
    pub(crate) make: Make,
}

const fn file(name: &'static str, make: fn(&Subject) -> Option<String>) -> Kind {
    Kind { name, remarks: &[], make: Make::File(make) }
}

const fn each(name: &'static str, make: fn(&Subject, &Declaration) -> Option<String>) -> Kind {
    Kind { name, remarks: &[], make: Make::Each(make) }
}

const fn noted(
    name: &'static str,
    remarks: &'static [&'static str],
    make: fn(&Subject, &Declaration) -> Option<String>,
) -> Kind {
    Kind { name, remarks, make: Make::Each(make) }
}

const STATEMENT: &[&str] = &["statement-noted"];

pub(crate) const KINDS: &[Kind] = &[
    file("Windows line ends are written", |s| Some(s.text.replace('\n', "\r\n"))),
    file("Windows line ends are taken out", |s| Some(unix(s))),
    file("blank lines between declarations", |s| Some(s.text.replace("\n\n", "\n\n\n"))),
    file("line comments are dropped", |s| Some(without_comments(s))),
    file("an import", |s| Some(format!("import Mathlib.Tactic.Ring\n{}", s.text))),
    file("a namespace is opened", |s| after_imports(s, "open Finset\n")),
    file("a variable that nothing needs", |s| after_imports(s, "variable (mk_unused : Nat)\n")),
    file("a new theorem with a gap", |s| {
        Some(format!("{}\n\ntheorem mk_new (x : Nat) : x = x + 0 := by\n  sorry\n", s.text))
    }),
    file("a new definition with a gap", |s| {
        Some(format!("{}\n\ndef mkNew (x : Nat) : Nat := sorry\n", s.text))
    }),
    file("commands for a look", |s| Some(format!("{}\n#check Nat\n#eval 1 + 1\n", s.text))),
    each("a comment before", |s, d| Some(put(s, line_start(s, d), "-- sorry, to do: an axiom\n"))),
    each("a comment behind", |s, d| Some(put(s, d.span.end, " -- done without `sorry`"))),
    each("a doc comment", doc_comment),
    each("blanks in a statement", spaced),
    each("a statement over several lines", broken),
    each("a lemma before", |s, d| lemma_before(s, d, "by\n  omega")),
    each("a lemma with a gap before", |s, d| lemma_before(s, d, "by\n  sorry")),
    each("an example with a gap before", |s, d| {
        plain(s, d)?;
        Some(put(s, line_start(s, d), "example : 1 + 1 = 2 := by\n  sorry\n\n"))
    }),
    each("a gap is filled", gap_filled),
    each("an open proof is sketched", sketched),
    each("one more step in an open proof", one_more_step),
    each("another proof", |s, d| new_body(s, d, "by\n  simp_all")),
    each("another proof, as a term", |s, d| new_body(s, d, "mk_known _ _")),
    noted("the proof moves into a lemma", &["trust-added"], proof_moves),
    each("a step that is proved", |s, d| after_by(s, d, "have mk_step : 1 + 1 = 2 := by norm_num")),
    each("another tactic", other_tactic),
    each("a line less in a proof", line_less),
    each("a bound variable is renamed", |s, d| renamed_binder(s, d, |name| format!("{name}'"))),
    each("a hypothesis gets an underscore", |s, d| renamed_binder(s, d, |n| format!("_{n}"))),
    each("a lemma is renamed with its uses", renamed_lemma),
    each("a lemma is made private", |s, d| {
        let bare = d.modifiers.is_empty() && d.attributes.is_empty();
        (bare && plain(s, d).is_some()).then(|| put(s, d.statement_span.start, "private "))
    }),
    each("a theorem becomes a lemma", |s, d| keyword(s, d, "theorem", "lemma")),
    each("a lemma becomes a theorem", |s, d| keyword(s, d, "lemma", "theorem")),
    each("an attribute", attribute),
    each("an option for one declaration", |s, d| {
        plain(s, d)?;
        Some(put(s, line_start(s, d), "set_option maxHeartbeats 400000 in\n"))
    }),
    each("a section around", |s, d| {
        plain(s, d)?;
        let end = put(s, d.span.end, "\n\nend MkPart");
        Some(with(&end, line_start(s, d)..line_start(s, d), "section MkPart\n\n"))
    }),
    each("two declarations change places", swapped),
    each("a version beside it", beside),
    noted("an argument becomes implicit", STATEMENT, implicit),
    noted("a binder becomes a variable", STATEMENT, to_variable),
    noted("an open declaration is given up", &[], |s, d| {
        plain(s, d)?;
        (!d.is_complete() && d.kind.is_proof()).then(|| with(&s.text, d.span.clone(), ""))
    }),
];

impl Subject {
    pub(crate) fn new(text: String) -> Self {
        let outline = lean::outline(&text);
        Self { text, outline }
    }
}

fn with(text: &str, range: std::ops::Range<usize>, other: &str) -> String {
    [&text[..range.start], other, &text[range.end..]].concat()
}

fn put(s: &Subject, at: usize, what: &str) -> String {
    with(&s.text, at..at, what)
}

fn line_start(s: &Subject, d: &Declaration) -> usize {
    s.text[..d.span.start].rfind('\n').map_or(0, |at| at + 1)
}

/// Nothing, for a declaration that shares its line or its commands with another.
fn plain(s: &Subject, d: &Declaration) -> Option<()> {
    let before = s.text[..d.span.start].trim_end();
    let first = line_start(s, d) == d.span.start;
    let alone = s
        .outline
        .declarations
        .iter()
        .filter(|one| one.span.start < d.span.end && d.span.start < one.span.end);
    (first && !before.ends_with(" in") && alone.count() == 1).then_some(())
}

/// A theorem whose proof is a term or `by ...`, and where that is.
fn proof(s: &Subject, d: &Declaration) -> Option<std::ops::Range<usize>> {
    plain(s, d)?;
    let body = d.body_span.clone().filter(|_| d.kind.is_proof() && d.name.is_some())?;
    let equations = s.text[body.clone()].starts_with(['|', 'w']);
    (!equations && d.is_complete()).then_some(body)
}

fn unix(s: &Subject) -> String {
    let windows = s.text.replace('\n', "\r\n");
    lean::decode(windows.as_bytes()).text
}

fn without_comments(s: &Subject) -> String {
    let kept = lean::lex(&s.text).into_iter().filter(|t| t.kind != TokenKind::LineComment);
    kept.map(|token| token.text(&s.text)).collect()
}

fn after_imports(s: &Subject, line: &str) -> Option<String> {
    let last = s.outline.imports.last()?;
    let is_last = |words: &str| words.split_whitespace().last() == Some(last);
    let lines: Vec<&str> = s.text.split_inclusive('\n').collect();
    let last = lines.iter().position(|line| line.starts_with("import ") && is_last(line))?;
    let at: usize = lines[..=last].iter().map(|line| line.len()).sum();
    Some(put(s, at, line))
}

fn doc_comment(s: &Subject, d: &Declaration) -> Option<String> {
    if let Some(doc) = &d.doc_span {
        return Some(with(&s.text, doc.clone(), "/-- What it says, without `sorry`. -/"));
    }
    plain(s, d)?;
    Some(put(s, line_start(s, d), "/-- New words. -/\n"))
}

fn statement_with(s: &Subject, d: &Declaration, blank: &str) -> Option<String> {
    d.name.as_ref()?;
    let span = d.statement_span.clone();
    let mut statement = String::new();
    for token in lean::lex(&s.text[span.clone()]) {
        let text = token.text(&s.text[span.clone()]);
        statement.push_str(if text == " " { blank } else { text });
    }
    Some(with(&s.text, span, &statement))
}

fn spaced(s: &Subject, d: &Declaration) -> Option<String> {
    statement_with(s, d, "  ")
}

fn broken(s: &Subject, d: &Declaration) -> Option<String> {
    statement_with(s, d, "\n    ")
}

fn lemma_before(s: &Subject, d: &Declaration, proof: &str) -> Option<String> {
    plain(s, d)?;
    let lemma = format!("theorem mk_lemma (x y : Nat) (h : x < y) : x ≤ y := {proof}\n\n");
    Some(put(s, line_start(s, d), &lemma))
}

/// A gap of an open proof: the word `sorry` as a tactic of its own line.
fn open_gap<'s>(s: &'s Subject, d: &Declaration) -> Option<(std::ops::Range<usize>, &'s str)> {
    let gap = d.gaps.iter().find(|gap| gap.kind == GapKind::Sorry)?;
    let line = s.text[..gap.span.start].rfind('\n')? + 1;
    let indent = &s.text[line..gap.span.start];
    indent.chars().all(|c| c == ' ').then(|| (gap.span.clone(), indent))
}

fn gap_filled(s: &Subject, d: &Declaration) -> Option<String> {
    let body = d.body_span.as_ref()?.start;
    let gap = d.gaps.iter().find(|gap| gap.kind == GapKind::Sorry && gap.span.start >= body)?;
    let term = d.body_span.as_ref().is_some_and(|body| *body == gap.span);
    Some(with(&s.text, gap.span.clone(), if term { "by omega" } else { "simp_all" }))
}

fn sketched(s: &Subject, d: &Declaration) -> Option<String> {
    let (gap, indent) = open_gap(s, d)?;
    let sketch = format!(
        "have mk_one : 1 ≤ 2 := by sorry\n{indent}have mk_two : 2 ≤ 3 := by\n{indent}  sorry\n\
         {indent}exact mk_known mk_one mk_two"
    );
    Some(with(&s.text, gap, &sketch))
}

fn one_more_step(s: &Subject, d: &Declaration) -> Option<String> {
    let (gap, indent) = open_gap(s, d)?;
    Some(with(&s.text, gap, &format!("have mk_step : 1 ≤ 2 := by sorry\n{indent}sorry")))
}

fn new_body(s: &Subject, d: &Declaration, body: &str) -> Option<String> {
    Some(with(&s.text, proof(s, d)?, body))
}

fn proof_moves(s: &Subject, d: &Declaration) -> Option<String> {
    let body = proof(s, d)?;
    let name = d.name_span.clone()?;
    let head = &s.text[d.statement_span.start..name.start];
    let rest = &s.text[name.end..body.end];
    let used = with(&s.text, body, "mk_moved ..");
    Some(with(&used, d.span.start..d.span.start, &format!("{head}mk_moved{rest}\n\n")))
}

fn after_by(s: &Subject, d: &Declaration, step: &str) -> Option<String> {
    let body = proof(s, d)?;
    let rest = s.text[body.clone()].strip_prefix("by\n")?;
    let indent = &rest[..rest.len() - rest.trim_start_matches(' ').len()];
    Some(put(s, body.start + 3, &format!("{indent}{step}\n")))
}

fn other_tactic(s: &Subject, d: &Declaration) -> Option<String> {
    let body = proof(s, d)?;
    let text = &s.text[body.clone()];
    let other = |word: &str| match word {
        "simp" => Some("simp_all"),
        "omega" => Some("linarith"),
        "rw" => Some("simp_rw"),
        "linarith" | "nlinarith" => Some("positivity"),
        "exact" => Some("refine"),
        "norm_num" => Some("simp"),
        _ => None,
    };
    let found =
        lean::lex(text).into_iter().find_map(|token| Some((token, other(token.text(text))?)));
    let (token, word) = found?;
    Some(with(&s.text, body.start + token.start..body.start + token.end, word))
}

fn line_less(s: &Subject, d: &Declaration) -> Option<String> {
    let body = proof(s, d)?;
    let text = &s.text[body.clone()];
    let tokens = lean::lex(text);
    let starts = |line: usize| {
        let at = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
        tokens.iter().any(|t| t.kind == TokenKind::Whitespace && t.start < at && at <= t.end)
    };
    let count = text.split_inclusive('\n').count();
    let line = (1..count.saturating_sub(1)).find(|&line| starts(line) && starts(line + 1))?;
    let lines = text.split_inclusive('\n').enumerate();
    let kept: String = lines.filter(|(at, _)| *at != line).map(|(_, line)| line).collect();
    Some(with(&s.text, body, &kept))
}

/// The names of the first binder `(a b : T)` of a statement, as tokens of the file.
fn binder(s: &Subject, d: &Declaration) -> Option<Vec<Token>> {
    plain(s, d).filter(|()| d.kind.is_proof())?;
    let (text, from) = (&s.text, d.name_span.as_ref()?.end);
    let tokens = lean::lex(&text[from..d.statement_span.end]);
    let shift = |t: &Token| Token { kind: t.kind, start: t.start + from, end: t.end + from };
    let mut tokens = tokens.iter().map(shift).filter(|t| !t.kind.is_trivia());
    tokens.next().filter(|open| open.text(text) == "(")?;
    let names: Vec<Token> = tokens.by_ref().take_while(|t| t.text(text) != ":").collect();
    let words = names.iter().all(|t| t.kind == TokenKind::Ident && t.text(text) != "_");
    (words && !names.is_empty()).then_some(names)
}

fn renamed_binder(s: &Subject, d: &Declaration, other: impl Fn(&str) -> String) -> Option<String> {
    let names = binder(s, d)?;
    let old = names.last()?.text(&s.text);
    let new = other(old);
    let whole = &s.text[d.span.clone()];
    let tokens = lean::lex(whole);
    // A name of a field or of an argument is not the variable.
    let clash = tokens.iter().any(|t| {
        let text = t.text(whole);
        text.split('.').any(|part| part == new) || text.split('.').skip(1).any(|part| part == old)
    });
    if clash || whole.contains(&format!("({old} :=")) {
        return None;
    }
    let mut edited = String::new();
    for token in &tokens {
        let text = token.text(whole);
        match text.strip_prefix(old) {
            Some(rest)
                if token.kind == TokenKind::Ident && (rest.is_empty() || rest.starts_with('.')) =>
            {
                edited.push_str(&new);
                edited.push_str(rest);
            }
            _ => edited.push_str(text),
        }
    }
    Some(with(&s.text, d.span.clone(), &edited))
}

fn renamed_lemma(s: &Subject, d: &Declaration) -> Option<String> {
    let name = d.name.as_deref().filter(|_| d.kind.is_proof())?;
    let last = name.rsplit('.').next()?;
    let same = |one: &&Declaration| {
        one.name.as_deref().is_some_and(|n| n.rsplit('.').next() == Some(last))
    };
    if last.len() < 6
        || last.contains('»')
        || s.outline.declarations.iter().filter(same).count() > 1
    {
        return None;
    }
    let mut edited = String::new();
    for token in lean::lex(&s.text) {
        let text = token.text(&s.text);
        let (head, tail) = text.rsplit_once('.').map_or(("", text), |(head, tail)| (head, tail));
        if token.kind == TokenKind::Ident && tail == last {
            edited.extend([head, if head.is_empty() { "" } else { "." }, last, "_renamed"]);
        } else {
            edited.push_str(text);
        }
    }
    Some(edited)
}

fn keyword(s: &Subject, d: &Declaration, old: &str, new: &str) -> Option<String> {
    let at = d.statement_span.start;
    let is_old = s.text[at..].strip_prefix(old).is_some_and(|rest| rest.starts_with(' '));
    is_old.then(|| with(&s.text, at..at + old.len(), new))
}

fn attribute(s: &Subject, d: &Declaration) -> Option<String> {
    plain(s, d)?;
    let bare = d.kind.is_proof() && d.name.is_some();
    if !bare || !d.attributes.is_empty() || !d.modifiers.is_empty() {
        return None;
    }
    Some(put(s, d.statement_span.start, "@[simp] "))
}

fn swapped(s: &Subject, d: &Declaration) -> Option<String> {
    plain(s, d)?;
    let next = s.outline.declarations.iter().find(|one| one.span.start >= d.span.end)?;
    plain(s, next)?;
    let between = &s.text[d.span.end..next.span.start];
    let (one, two) = (&s.text[d.span.clone()], &s.text[next.span.clone()]);
    let last = d.name.as_deref()?.rsplit('.').next()?;
    let uses = lean::lex(two).iter().any(|t| t.text(two).split('.').any(|part| part == last));
    let named = d.name != next.name && next.name.is_some();
    if uses || !between.trim().is_empty() || !named {
        return None;
    }
    Some(with(&s.text, d.span.start..next.span.end, &[two, between, one].concat()))
}

fn beside(s: &Subject, d: &Declaration) -> Option<String> {
    proof(s, d)?;
    let name = d.name_span.clone()?;
    let head = &s.text[d.statement_span.start..name.end];
    let rest = &s.text[name.end..d.statement_span.end];
    Some(put(s, d.span.end, &format!("\n\n{head}_strong{} := by\n  sorry", rest.trim_end())))
}

fn implicit(s: &Subject, d: &Declaration) -> Option<String> {
    let names = binder(s, d)?;
    let open = s.text[..names.first()?.start].rfind('(')?;
    let close = closing(&s.text, open)?;
    (close < d.statement_span.end)
        .then(|| with(&with(&s.text, close..close + 1, "}"), open..open + 1, "{"))
}

fn to_variable(s: &Subject, d: &Declaration) -> Option<String> {
    // A sign of the file's own in the binder would have to mean the same outside of the statement.
    let own_signs = s.text.contains("notation") || s.text.contains("infix");
    let names = binder(s, d).filter(|_| !own_signs)?;
    // A name that something else has already would be another variable there.
    let known: HashSet<&str> = lean::lex(&s.text[..d.span.start])
        .iter()
        .map(|token| token.text(&s.text))
        .flat_map(|text| text.split('.'))
        .collect();
    let new = names.iter().all(|name| !known.contains(name.text(&s.text)));
    let open = s.text[..names.first()?.start].rfind('(')?;
    let close = closing(&s.text, open)?;
    if !new || close >= d.statement_span.end {
        return None;
    }
    let binder = s.text[open..=close].to_owned();
    let without = with(&s.text, open..close + 1, "");
    let around = with(&without, d.span.end - binder.len()..d.span.end - binder.len(), "\n\nend");
    let head = format!("section\n\nvariable {binder}\n\n");
    Some(with(&around, d.span.start..d.span.start, &head))
}

/// The bracket that closes the one at an offset.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    lean::lex(&text[open..]).into_iter().find_map(|token| {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + token.start)
    })
}
