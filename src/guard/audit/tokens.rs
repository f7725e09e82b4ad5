//! Rules over lexemes: options, notation, metaprograms.

use std::sync::LazyLock;

use super::Reader;
use super::vocabulary::{
    acts_outside, is_checking_command, is_operator, makes_gaps, passes_the_kernel,
};
use crate::guard::lemma::Words;
use crate::guard::rules::Rule;
use crate::lean::{self, Token, TokenKind, TrustKind};

/// Longer commands are not read to their end.
const LONGEST_COMMAND: usize = 500;

/// A file without these, and without syntax in its outline, has nothing for these rules.
static SIGNS: LazyLock<Words> = LazyLock::new(|| {
    let signs = "mkSorry dSorry eSorry cSorry sorryAx .admit admitGoal addDecl Kernel IO.Process IO.FS \
        utoImplicit warn.sorry prelude";
    Words::of(signs.split(' '))
});

fn has_signs(text: &str) -> bool {
    // Of interest only as the end of a binder.
    let is_assumed = |(at, word): (usize, &str)| {
        let after = text.get(at + word.len()..).unwrap_or_default();
        after.trim_start().starts_with([')', ']', '}', '⟩', '⦄', '-', '/'])
    };
    SIGNS.are_in(text) || text.match_indices("False").any(is_assumed)
}

pub(super) fn read(reader: &mut Reader<'_>) {
    let makes_syntax = reader.outline.loose_trust.iter().any(|trust| makes_syntax(trust.kind));
    if !makes_syntax && !has_signs(reader.text) {
        return;
    }
    let tokens = lean::code(reader.text);
    let mut markers = reader.outline.loose_trust.iter();
    let exit = markers.find(|trust| trust.kind == TrustKind::Exit);
    let end = exit.map_or(usize::MAX, |exit| exit.start);
    let tokens = tokens.get(..tokens.partition_point(|t| t.start < end)).unwrap_or_default();
    let mut of_option = false;
    for (index, token) in tokens.iter().enumerate() {
        let rest = tokens.get(index..).unwrap_or_default();
        match token.kind {
            // The name of an option is no code.
            TokenKind::Ident if !of_option => word(reader, index, rest),
            TokenKind::NameLit => name(reader, token),
            _ => {}
        }
        of_option = token.text(reader.text) == "set_option";
    }
    syntax(reader, tokens);
}

fn word(reader: &mut Reader<'_>, index: usize, rest: &[Token]) {
    let text = reader.text;
    let Some(token) = rest.first() else { return };
    match token.text(text) {
        "set_option" => option(reader, rest),
        "variable" | "variables" => variable(reader, rest),
        "prelude" if index < 2 => reader.note(Rule::Prelude, token.start..token.end, "prelude"),
        _ => name(reader, token),
    }
}

fn name(reader: &mut Reader<'_>, token: &Token) {
    let written = token.text(reader.text);
    let name = written.trim_start_matches('`');
    let literal = token.kind == TokenKind::NameLit;
    let rule = if makes_gaps(name) || (literal && name == "sorryAx") {
        Rule::MetaGap
    } else if passes_the_kernel(name) || (literal && name == "debug.skipKernelTC") {
        Rule::Environment
    } else if acts_outside(name) {
        Rule::Process
    } else {
        return;
    };
    reader.note(rule, token.start..token.end, written);
}

fn option(reader: &mut Reader<'_>, tokens: &[Token]) {
    let [set_option, name, value, ..] = tokens else { return };
    let rule = match (name.text(reader.text), value.text(reader.text)) {
        ("autoImplicit" | "relaxedAutoImplicit", "true") => Rule::AutoImplicit,
        ("warn.sorry", "false") => Rule::HiddenWarning,
        _ => return,
    };
    let what = format!("{} {}", name.text(reader.text), value.text(reader.text));
    reader.note(rule, set_option.start..set_option.end, &what);
}

fn variable(reader: &mut Reader<'_>, tokens: &[Token]) {
    let text = reader.text;
    let command = command(reader, tokens);
    let found = command.windows(3).find(|window| {
        let [before, hypothesis, close] = window else { return false };
        hypothesis.text(text) == "False"
            && close.kind == TokenKind::Close
            && matches!(before.text(text), ":" | "Fact" | "[")
    });
    if let (Some([_, hypothesis, _]), Some(key)) = (found, tokens.first()) {
        let what = text.get(key.start..hypothesis.end).unwrap_or_default().to_owned();
        reader.note(Rule::FalseHypothesis, hypothesis.start..hypothesis.end, &what);
    }
}

/// A command from its first lexeme to the next that stands at the beginning of a line.
fn command<'t>(reader: &Reader<'_>, tokens: &'t [Token]) -> &'t [Token] {
    let goes_on = |token: &Token| token.text(reader.text) == "|" || token.kind == TokenKind::Close;
    let end = tokens
        .iter()
        .enumerate()
        .skip(1)
        .take(LONGEST_COMMAND)
        .find(|(_, token)| reader.lines.begins(token.start) && !goes_on(token))
        .map_or(tokens.len().min(LONGEST_COMMAND), |(index, _)| index);
    tokens.get(..end).unwrap_or_default()
}

fn makes_syntax(kind: TrustKind) -> bool {
    use TrustKind::{Elab, Macro, Notation, Syntax};
    matches!(kind, Notation | Macro | Syntax | Elab)
}

/// Commands that make syntax or give it a meaning.
fn syntax(reader: &mut Reader<'_>, tokens: &[Token]) {
    let outline = reader.outline;
    for trust in outline.loose_trust.iter().filter(|trust| makes_syntax(trust.kind)) {
        let first = tokens.partition_point(|token| token.start < trust.start);
        let rest = tokens.get(first..).unwrap_or_default();
        let command = command(reader, rest);
        match command.first().map(|key| key.text(reader.text)) {
            Some("macro_rules" | "elab_rules") => rewriting(reader, command),
            Some("binder_predicate" | "declare_syntax_cat") | None => {}
            Some(_) => making(reader, command),
        }
    }
}

fn making(reader: &mut Reader<'_>, command: &[Token]) {
    let text = reader.text;
    let Some(key) = command.first() else { return };
    let end = command.iter().position(|token| token.text(text) == "=>").unwrap_or(command.len());
    let head = command.get(..end).unwrap_or_default();
    if let Some(what) = high_priority(text, head) {
        reader.note(Rule::Priority, key.start..key.end, &what);
    }
    let strings: Vec<&str> = head
        .iter()
        .filter(|token| token.kind == TokenKind::Str)
        .map(|token| token.text(text).trim_matches('"').trim())
        .collect();
    let category = category(text, head);
    match strings.as_slice() {
        [first, ..] if category == Some("command") && is_checking_command(first) => {
            reader.note(Rule::OverriddenCommand, key.start..key.end, first);
        }
        [only] if matches!(category, None | Some("term")) && is_operator(only) => {
            reader.note(Rule::Operator, key.start..key.end, only);
        }
        _ => {}
    }
}

/// What a command makes: `term` or `command` at the end of its head. `notation` and `infix` have
/// none and make terms; the abbreviation `syntax x := ...` makes nothing by itself.
fn category<'a>(text: &'a str, head: &[Token]) -> Option<&'a str> {
    match head {
        [key, name, assign, ..] if key.text(text) == "syntax" && assign.text(text) == ":=" => {
            Some(name.text(text))
        }
        [.., colon, category] if colon.text(text) == ":" => Some(category.text(text)),
        _ => None,
    }
}

/// `(priority := high)`, or a number above the usual 1000.
fn high_priority(text: &str, head: &[Token]) -> Option<String> {
    head.windows(4).find_map(|window| {
        let [open, word, assign, value] = window else { return None };
        let is_priority = open.kind == TokenKind::Open
            && word.text(text) == "priority"
            && assign.text(text) == ":=";
        let value = value.text(text);
        let high = value == "high" || value.parse::<u64>().is_ok_and(|number| number > 1_000);
        (is_priority && high).then(|| format!("priority := {value}"))
    })
}

/// ``macro_rules | `($x < $y) => `(True)``: every pattern behind a `|`.
fn rewriting(reader: &mut Reader<'_>, command: &[Token]) {
    let text = reader.text;
    let (mut at, mut before) = (0, "");
    while let Some(token) = command.get(at) {
        let rest = command.get(at..).unwrap_or_default();
        let is_bracket = token.kind == TokenKind::Open;
        let length = if is_bracket { lean::closing(rest).map_or(rest.len(), |c| c + 1) } else { 1 };
        let pattern = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
        if (before, token.text(text)) == ("|", "`(")
            && let (Some(rule), Some(first), Some(last)) =
                (rewritten(text, pattern), pattern.first(), pattern.last())
        {
            let what = text.get(first.start..last.end).unwrap_or_default().to_owned();
            reader.note(rule, first.start..first.end, &what);
        }
        before = token.text(text);
        at += length;
    }
}

/// For a pattern of an operator and its arguments, or a command that shows what was proved.
fn rewritten(text: &str, pattern: &[Token]) -> Option<Rule> {
    // `(term| ...)` names the category.
    let pattern = match pattern {
        [category, bar, rest @ ..] if bar.text(text) == "|" => match category.text(text) {
            "term" | "command" => rest,
            _ => return None,
        },
        _ => pattern,
    };
    let (first, last) = (pattern.first()?, pattern.last()?);
    if is_checking_command(text.get(first.start..last.end)?) {
        return Some(Rule::OverriddenCommand);
    }
    let mut own = Vec::new();
    let mut tokens = pattern.iter().peekable();
    while let Some(token) = tokens.next() {
        if token.text(text) != "$" {
            own.push(token.text(text));
            continue;
        }
        let mut last = tokens.next();
        // `$x:term`
        if tokens.next_if(|colon| colon.text(text) == ":").is_some() {
            last = tokens.next();
        }
        // `$x:term,*`
        while let Some(splice) = tokens.next_if(|next| {
            let adjoins = last.is_some_and(|last| last.end == next.start);
            adjoins && matches!(next.text(text), "*" | "," | ";" | "?" | "+")
        }) {
            last = Some(splice);
        }
    }
    matches!(own.as_slice(), [only] if is_operator(only)).then_some(Rule::Operator)
}
