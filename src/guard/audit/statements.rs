//! Rules over declarations: what their heads say.

use std::ops::Range;

use super::vocabulary::{
    is_builtin_type, is_checking_command, is_computed_by_the_kernel, is_core_name,
    is_operation_class,
};
use super::{Found, Reader};
use crate::guard::rules::Rule;
use crate::lean::trivial::{Meanings, triviality_in};
use crate::lean::{self, DeclKind, Declaration, TokenKind};

pub(super) fn read(reader: &mut Reader<'_>) {
    let outline = reader.outline;
    let meanings = Meanings::of(reader.text, outline);
    for declaration in &outline.declarations {
        if declaration.kind == DeclKind::Theorem
            && let Some(why) = triviality_in(declaration.statement(reader.text), &meanings)
            && why.says_nothing()
            // A rule of its own.
            && !lean::has_word(declaration.statement(reader.text), "False")
        {
            let span = keyword(declaration);
            reader.note(Rule::SaysNothing, span, &format!("proves only {}", why.as_str()));
        }
        let found = of_declaration(reader.text, declaration);
        reader.found.extend(found);
    }
}

fn keyword(declaration: &Declaration) -> Range<usize> {
    let start = declaration.statement_span.start;
    start..start + declaration.kind.as_str().len()
}

fn of_declaration(text: &str, declaration: &Declaration) -> Vec<Found> {
    let keyword = keyword(declaration);
    let mut found = Vec::new();
    let mut note = |rule, what: &str| {
        found.push(Found { rule, span: keyword.clone(), what: what.to_owned() });
    };
    if declaration.kind.is_wanted() {
        note(Rule::Wanted, declaration.kind.as_str());
    }
    if declaration.is(text, "partial") {
        note(Rule::Partial, "partial");
    }
    if defines(declaration.kind) && declaration.name.as_deref().is_some_and(is_core_name) {
        note(Rule::Shadowing, declaration.name.as_deref().unwrap_or_default());
    }
    let own = declaration.name.as_deref().filter(|name| is_computed_by_the_kernel(name));
    if let Some(name) = own {
        note(Rule::Primitive, name);
    }
    // A shortcut to the instance that exists changes nothing.
    let body = declaration.body(text).unwrap_or_default().trim();
    let shortcut = matches!(body, "inferInstance" | "by infer_instance" | "by\n  infer_instance");
    if declaration.kind == DeclKind::Instance
        && !shortcut
        && let Some(what) = builtin_instance(declaration.statement(text))
    {
        note(Rule::BuiltinInstance, &what);
    }
    let attributes = declaration.attributes.iter().filter_map(|span| text.get(span.clone()));
    for attribute in attributes.filter(|attribute| takes_over(attribute)) {
        note(Rule::OverriddenCommand, attribute);
    }
    found
}

fn defines(kind: DeclKind) -> bool {
    kind.is_type() || matches!(kind, DeclKind::Def | DeclKind::Abbrev | DeclKind::Opaque)
}

fn takes_over(attribute: &str) -> bool {
    let mut words = attribute.split_whitespace();
    let makes = matches!(words.next(), Some("command_elab" | "macro" | "incremental"));
    let command = words.next().and_then(|name| name.rsplit('.').next()).unwrap_or_default();
    makes && (command.starts_with("print") || is_checking_command(&format!("#{command}")))
}

/// `Add Nat` of `instance foo : Add Nat`.
fn builtin_instance(statement: &str) -> Option<String> {
    let (class, of) = instance_of(statement)?;
    (is_operation_class(class) && is_builtin_type(of)).then(|| format!("{class} {of}"))
}

/// Whether an instance gives `≤`, `+` and their like another meaning for a type that may be any: `LE α`.
pub fn is_operation_on_any_type(statement: &str) -> bool {
    let is_letter = |of: &str| of.chars().count() == 1 && !is_builtin_type(of);
    instance_of(statement).is_some_and(|(class, of)| is_operation_class(class) && is_letter(of))
}

/// The class of an instance, and the first word of the type that it is about.
fn instance_of(statement: &str) -> Option<(&str, &str)> {
    let tokens = lean::code(statement);
    let colon = lean::outside(statement, &tokens, ":").next()?.end;
    let after = tokens.get(tokens.partition_point(|token| token.start < colon)..)?;
    let [class, rest @ ..] = after else { return None };
    let argument = match rest {
        [open, inner @ ..] if open.kind == TokenKind::Open => {
            // `(ℝ × ι)` and `(ℕ → ℝ)` are other types.
            let inside = inner.iter().take_while(|token| token.kind != TokenKind::Close);
            if inside.clone().any(|token| token.kind == TokenKind::Symbol) {
                return None;
            }
            inner.first()?
        }
        _ => rest.first()?,
    };
    Some((class.text(statement), argument.text(statement)))
}
