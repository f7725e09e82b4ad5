//! Gaps by token. Comments, strings and `«sorry»` never count; the holes of interpolated strings do.
//!
//! A gap inside a quotation (`` `(tactic| sorry) ``) of a `def` or a macro is syntax that the
//! metaprogram builds, no hole in it: it is reported as loose. In the body of a theorem the
//! quotation can only be meant to run, so there it counts.

use super::kind::{DeclKind, GapKind};
use super::records::Gap;
use super::sig::Sig;
use super::token::TokenKind;
use super::word::Word;

pub(super) fn gap(kind: GapKind, sig: &Sig) -> Gap {
    Gap { kind, line: sig.line(), column: sig.column(), span: sig.start()..sig.end() }
}

/// Whether it hides the errors of the command behind it: `#guard_msgs (drop error) in`, or one that expects them.
pub(super) fn hides_errors(text: &str, sigs: &[Sig]) -> bool {
    let at = sigs.iter().position(|sig| sig.text(text) == "guard_msgs").unwrap_or(sigs.len());
    let (before, behind) = sigs.split_at(at);
    let is_error = |line: &str| {
        let said = line.trim_start_matches(['/', '-', ' ']).strip_prefix("error");
        said.is_some_and(|rest| rest.starts_with([':', '(']))
    };
    let expects = |sig: &Sig| sig.is_doc() && sig.text(text).lines().any(is_error);
    let mut pairs = behind.iter().zip(behind.iter().skip(1));
    let dropped = pairs
        .any(|(one, next)| one.text(text) == "drop" && matches!(next.text(text), "error" | "all"));
    !behind.is_empty() && (dropped || before.iter().any(expects))
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) own: Vec<Gap>,
    pub(super) quoted: Vec<Gap>,
}

/// The gaps that show themselves by a word alone. `stop` and `hint` need a tactic's position
/// (see `tactics`). `kind` is `None` for commands that declare nothing.
pub(super) fn by_word(text: &str, sigs: &[Sig], kind: Option<DeclKind>) -> Found {
    let mut found = Found::default();
    if !sigs.iter().any(|sig| is_gap(sig.word)) {
        return found;
    }
    let runs = kind.is_some_and(DeclKind::is_proof);
    let mut depth = 0isize;
    let mut quotation = None;
    for (index, sig) in sigs.iter().enumerate() {
        if sig.word == Word::Quotation && quotation.is_none() {
            quotation = Some(depth);
        }
        depth += sig.depth_change();
        if quotation.is_some_and(|outside| depth <= outside) {
            quotation = None;
        }
        let kind = match sig.word {
            Word::Sorry if is_constructor(sigs, index, kind) => continue,
            Word::Sorry if is_answer(sigs, index) => GapKind::AnswerSorry,
            Word::Sorry => GapKind::Sorry,
            Word::Admit => GapKind::Admit,
            Word::SorryAx => GapKind::SorryAx,
            Word::Search if is_settled(text, sigs, index) => continue,
            Word::Search => GapKind::SearchTactic,
            _ => continue,
        };
        let list = if quotation.is_some() && !runs { &mut found.quoted } else { &mut found.own };
        list.push(gap(kind, sig));
    }
    found
}

/// Most commands have none of these, and are done with then.
fn is_gap(word: Word) -> bool {
    matches!(word, Word::Sorry | Word::Admit | Word::SorryAx | Word::Search)
}

/// `inductive T | sorry : T`
fn is_constructor(sigs: &[Sig], index: usize, kind: Option<DeclKind>) -> bool {
    let after_bar = index.checked_sub(1).and_then(|i| sigs.get(i)).map(|sig| sig.word);
    kind.is_some_and(DeclKind::is_type) && after_bar == Some(Word::Pipe)
}

fn is_answer(sigs: &[Sig], index: usize) -> bool {
    let Some([answer, open, _, close]) = index.checked_sub(2).and_then(|i| sigs.get(i..i + 4))
    else {
        return false;
    };
    answer.word == Word::Answer && open.kind == TokenKind::Open && close.kind == TokenKind::Close
}

/// `exact? says exact foo`: the result stands beside the search.
fn is_settled(text: &str, sigs: &[Sig], index: usize) -> bool {
    sigs.get(index + 1).is_some_and(|next| next.text(text) == "says")
}

/// A `?_` that nothing can fill any more: the last lexeme of a declaration, alone after `:=`,
/// `exact` or `refine`. Any other `?_` is style: `refine ⟨?_, ?_⟩` makes goals that the tactics
/// after it close.
pub(super) fn final_hole(text: &str, sigs: &[Sig]) -> Option<Gap> {
    let [.., before, last] = sigs else { return None };
    let alone = before.word == Word::Assign
        || matches!(before.text(text), "exact" | "refine" | "refine'" | "by");
    let is_hole = last.kind == TokenKind::Hole && last.text(text) == "?_";
    (is_hole && alone).then(|| gap(GapKind::Hole, last))
}
