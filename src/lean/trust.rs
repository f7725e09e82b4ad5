//! What a reader has to trust beyond the kernel, by token.

use super::header::{Attribute, Before, attributes};
use super::kind::{DeclKind, TrustKind};
use super::records::Trust;
use super::sig::Sig;
use super::token::TokenKind;
use super::word::{Cmd, Word};
use crate::text::{clip, is_among, one_line};

/// Longest text of a marker, in columns.
const WIDTH: usize = 80;

pub(super) fn marker(kind: TrustKind, sig: &Sig, what: &str) -> Trust {
    // One line of a long command is enough; the clip must not read all of it.
    let head = what.char_indices().nth(4 * WIDTH).map_or(what, |(end, _)| &what[..end]);
    let what = clip(&one_line(head), WIDTH);
    Trust { kind, line: sig.line(), column: sig.column(), start: sig.start(), what }
}

/// Markers in what stands before a declaration's keyword, and of its kind.
pub(super) fn of_header(text: &str, key: &Sig, kind: DeclKind, before: &Before<'_>) -> Vec<Trust> {
    let mut found = Vec::new();
    for attribute in &before.attributes {
        found.extend(of_attribute(text, attribute));
    }
    for modifier in &before.modifiers {
        match modifier.text(text) {
            "unsafe" => found.push(marker(TrustKind::Unsafe, modifier, "unsafe")),
            scope @ ("local" | "scoped") if kind == DeclKind::Instance => {
                let what = format!("{scope} instance");
                found.push(marker(TrustKind::LocalInstance, modifier, &what));
            }
            _ => {}
        }
    }
    match kind {
        DeclKind::Axiom => found.push(marker(TrustKind::Axiom, key, "axiom")),
        DeclKind::Opaque => found.push(marker(TrustKind::Opaque, key, "opaque")),
        _ => {}
    }
    found
}

fn of_attribute(text: &str, attribute: &Attribute<'_>) -> Option<Trust> {
    let local = |sig: &&Sig| matches!(sig.text(text), "local" | "scoped");
    let first = attribute.sigs.first()?;
    let name = attribute.sigs.iter().find(|sig| !local(sig))?;
    let kind = match name.text(text).trim_matches(['«', '»']) {
        "implemented_by" => TrustKind::ImplementedBy,
        "extern" => TrustKind::Extern,
        "csimp" => TrustKind::Csimp,
        "instance" if local(&first) => TrustKind::LocalInstance,
        _ => return None,
    };
    Some(marker(kind, first, attribute.text(text)))
}

pub(super) fn of_code(text: &str, sigs: &[Sig]) -> Vec<Trust> {
    let found = sigs.iter().enumerate().filter_map(|(index, sig)| {
        let kind = match sig.word {
            // `decide (config := { native := true })`
            Word::NativeDecide if sig.text(text) == "native" => {
                let set = sigs.get(index + 1..index + 3)?;
                let is_on = set.first().is_some_and(|one| one.word == Word::Assign)
                    && set.last().is_some_and(|one| one.text(text) == "true");
                return is_on.then(|| marker(TrustKind::NativeDecide, sig, "native := true"));
            }
            Word::NativeDecide => TrustKind::NativeDecide,
            Word::OfReduceBool => TrustKind::OfReduceBool,
            Word::UnsafeCast => TrustKind::Unsafe,
            Word::RunTac => TrustKind::RunTac,
            Word::Modifier if sig.text(text) == "unsafe" => TrustKind::Unsafe,
            Word::Plus => {
                let next = sigs.get(index + 1).filter(|next| next.start() == sig.end())?;
                let native = next.text(text) == "native";
                return native.then(|| marker(TrustKind::NativeDecide, sig, "+native"));
            }
            Word::Command(Cmd::SetOption) => return debug_option(text, sigs, index),
            _ => return None,
        };
        Some(marker(kind, sig, sig.text(text)))
    });
    found.collect()
}

fn debug_option(text: &str, sigs: &[Sig], index: usize) -> Option<Trust> {
    let [set_option, name, rest @ ..] = sigs.get(index..)? else { return None };
    if !name.text(text).trim_start_matches('«').starts_with("debug") {
        return None;
    }
    let end = rest.first().map_or(name.end(), super::sig::Sig::end);
    let what = text.get(name.start()..end).unwrap_or_default();
    Some(marker(TrustKind::DebugOption, set_option, what))
}

pub(super) fn of_command(text: &str, sigs: &[Sig]) -> Vec<Trust> {
    let mut found = Vec::new();
    let (Some(key), Some(last)) = (sigs.first(), sigs.last()) else { return found };
    let kind = match key.word {
        Word::Command(Cmd::Trusted(kind)) => Some(kind),
        Word::Hash if sigs.get(1).is_some_and(|name| is_among(name.text(text), "eval eval!")) => {
            Some(TrustKind::Eval)
        }
        _ => None,
    };
    found.extend(kind.map(|kind| marker(kind, key, &code(text, sigs))));
    if key.word == Word::Command(Cmd::Attribute)
        && let Some(list) =
            sigs.get(1..).filter(|list| list.first().is_some_and(|sig| sig.kind == TokenKind::Open))
    {
        let (items, length) = attributes(list);
        let names = list.get(length).map_or(last.end(), super::sig::Sig::end);
        for mut trust in items.iter().filter_map(|item| of_attribute(text, item)) {
            let what = text.get(key.start()..names).unwrap_or_default();
            trust.what = clip(&one_line(what), WIDTH);
            found.push(trust);
        }
    }
    found.extend(of_code(text, sigs));
    found
}

fn code(text: &str, sigs: &[Sig]) -> String {
    let mut words = String::new();
    let mut end = None;
    for sig in sigs {
        if words.len() > 4 * WIDTH {
            break;
        }
        if end.is_some_and(|end| end < sig.start()) {
            words.push(' ');
        }
        words.push_str(sig.text(text));
        end = Some(sig.end());
    }
    words
}
