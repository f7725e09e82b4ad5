//! One declaration from its lexemes.

use std::ops::Range;

use super::cut::{Cut, Search};
use super::header::{self, After, Attribute};
use super::kind::DeclKind;
use super::records::{Declaration, Gap, Outline};
use super::scope::Scopes;
use super::sig::Sig;
use super::tactics::{self, Walk};
use super::word::Word;
use super::{gaps, trust};

pub(super) struct Place<'a, 'b> {
    pub(super) text: &'a str,
    pub(super) scopes: &'b Scopes<'a>,
    /// Whether tactics and proof lines are counted too.
    pub(super) detailed: bool,
    /// Whether there may be gaps and trust markers behind the keyword.
    pub(super) loud: bool,
}

/// Adds a declaration; `search`, where it began, looks for its body.
pub(super) fn read(
    place: &Place<'_, '_>,
    sigs: &[Sig],
    (key, kind): (usize, DeclKind),
    search: Option<Search>,
    out: &mut Outline,
) {
    let Place { text, scopes, detailed, loud } = *place;
    let before = header::before(sigs.get(..key).unwrap_or_default());
    let code = sigs.get(key..).unwrap_or_default();
    let (Some(keyword), Some(last)) = (code.first(), code.last()) else { return };
    let After { kind, names, next } = header::after(code, kind);
    let cut = search.unwrap_or_else(|| Search::new(kind, next)).go(code);
    let body = cut.and_then(|cut| code.get(cut.body..)).filter(|body| !is_bare(body));
    let walk = walk(text, body.unwrap_or_default(), detailed, loud);
    let signs = if loud { code } else { &[] };
    let found = gaps::by_word(text, signs.get(next..).unwrap_or_default(), Some(kind));
    let mut own: Vec<Gap> = found.own.into_iter().chain(walk.gaps).collect();
    own.extend(gaps::final_hole(text, code));
    own.sort_by_key(|gap| gap.span.start);
    out.loose_gaps.extend(found.quoted);
    let [name, second] = names;
    let mut trust = trust::of_header(text, keyword, kind, &before);
    trust.extend(trust::of_code(text, signs));
    let full = |name: &Sig| scopes.full_name(name.text(text));
    let written = |name: &Sig| name.start()..name.end();
    let declaration = Declaration {
        kind,
        name: name.map(full),
        line: keyword.line(),
        end_line: last.end_line(text),
        span: sigs.first().map_or(keyword.start(), super::sig::Sig::start)..last.end(),
        name_span: name.map(written),
        statement_span: keyword.start()..statement_end(code, cut, last),
        body_span: body.and_then(span),
        doc_span: before.doc.map(|doc| doc.start()..doc.end()),
        modifiers: before.modifiers.iter().map(|sig| sig.start()..sig.end()).collect(),
        attributes: before.attributes.iter().map(Attribute::span).collect(),
        gaps: own,
        trust,
        tactics: walk.tactics,
        proof_lines: body.filter(|_| detailed).map_or(0, |body| proof_lines(text, body)),
    };
    let second = second.map(|name| Declaration {
        name: Some(full(name)),
        name_span: Some(written(name)),
        ..declaration.clone()
    });
    out.declarations.push(declaration);
    out.declarations.extend(second);
}

fn is_bare(body: &[Sig]) -> bool {
    matches!(body, [] | [Sig { word: Word::By, .. }])
}

fn walk(text: &str, body: &[Sig], detailed: bool, loud: bool) -> Walk {
    if detailed {
        return tactics::walk(text, body);
    }
    let gaps = if loud { tactics::gaps(text, body) } else { Vec::new() };
    Walk { gaps, ..Walk::default() }
}

fn span(sigs: &[Sig]) -> Option<Range<usize>> {
    Some(sigs.first()?.start()..sigs.last()?.end())
}

fn statement_end(code: &[Sig], cut: Option<Cut>, last: &Sig) -> usize {
    let end = cut.and_then(|cut| cut.statement_end.checked_sub(1)).and_then(|i| code.get(i));
    end.unwrap_or(last).end()
}

fn proof_lines(text: &str, body: &[Sig]) -> usize {
    let opener = usize::from(body.first().is_some_and(|sig| sig.word == Word::By));
    let mut counted = 0;
    let mut reached = 0;
    for sig in body.iter().skip(opener) {
        let end = sig.end_line(text);
        if end > reached {
            counted += end - sig.line().max(reached + 1) + 1;
            reached = end;
        }
    }
    counted
}
