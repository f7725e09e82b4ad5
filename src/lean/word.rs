//! What a name or a symbol means to the scanner. Nothing else decides by spelling what a
//! command is.

use std::ops::Range;
use std::sync::LazyLock;

use super::kind::{DeclKind, TrustKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Other,
    /// Begins a declaration and is reserved in Lean itself.
    Decl(DeclKind),
    /// Begins a declaration where a library says so; elsewhere it may be a name.
    LibraryDecl(DeclKind),
    Modifier,
    Namespace,
    Section,
    End,
    Mutual,
    In,
    Deriving,
    Command(Cmd),
    By,
    Do,
    Where,
    Fun,
    Match,
    /// `let`, `have`: their `:=` is not the declaration's.
    Let,
    Calc,
    /// A tactic that takes a tactic: `try`, `all_goals`, ...
    Combinator,
    /// `first`, `solve`: its alternatives follow `|`.
    Alternatives,
    Answer,
    Sorry,
    Admit,
    SorryAx,
    Stop,
    Hint,
    Search,
    NativeDecide,
    OfReduceBool,
    UnsafeCast,
    RunTac,
    Assign,
    Arrow,
    Pipe,
    Colon,
    Comma,
    Semicolon,
    AndThen,
    Bullet,
    Hash,
    /// `+`, where what follows begins like `native`
    Plus,
    Attribute,
    /// `` `( ``, `` `[ ``
    Quotation,
}

impl Word {
    /// It is no gap, nothing to trust, and begins no other command.
    pub(super) const fn is_quiet(self) -> bool {
        matches!(
            self,
            Self::Other
                | Self::By
                | Self::Do
                | Self::Where
                | Self::Fun
                | Self::Match
                | Self::Let
                | Self::Calc
                | Self::Combinator
                | Self::Alternatives
                | Self::Assign
                | Self::Arrow
                | Self::Colon
                | Self::Comma
                | Self::Semicolon
                | Self::AndThen
                | Self::Bullet
        )
    }

    /// Whether it is quiet but may begin the body of a declaration, or keep the next one from doing so.
    pub(super) const fn is_of_statement(self) -> bool {
        matches!(
            self,
            Self::Let | Self::Fun | Self::Match | Self::Assign | Self::Where | Self::Arrow
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cmd {
    Plain,
    SetOption,
    Attribute,
    /// It is to be trusted itself.
    Trusted(TrustKind),
}

/// `Other` mean something to `interpolation`, or begin a name that does to the scanner.
#[rustfmt::skip]
const MEANINGS: &[(Word, &str)] = &[
    (Word::Decl(DeclKind::Abbrev), "abbrev"),
    (Word::LibraryDecl(DeclKind::Alias), "alias"),
    (Word::Decl(DeclKind::Axiom), "axiom"),
    (Word::Decl(DeclKind::Class), "class"),
    (Word::LibraryDecl(DeclKind::Coinductive), "coinductive"),
    (Word::Decl(DeclKind::Def), "def"),
    (Word::LibraryDecl(DeclKind::DefWanted), "def_wanted"),
    (Word::LibraryDecl(DeclKind::Determine), "determine"),
    (Word::Decl(DeclKind::Example), "example"),
    (Word::Decl(DeclKind::Inductive), "inductive"),
    (Word::Decl(DeclKind::Instance), "instance"),
    (Word::LibraryDecl(DeclKind::InstanceWanted), "instance_wanted"),
    (Word::LibraryDecl(DeclKind::IrreducibleDef), "irreducible_def"),
    (Word::LibraryDecl(DeclKind::Lemma), "lemma"),
    (Word::Decl(DeclKind::Opaque), "opaque"),
    (Word::LibraryDecl(DeclKind::Problem), "problem"),
    (Word::LibraryDecl(DeclKind::ProofWanted), "proof_wanted"),
    (Word::Decl(DeclKind::Structure), "structure"),
    (Word::Decl(DeclKind::Theorem), "theorem"),
    (Word::LibraryDecl(DeclKind::TheoremWanted), "theorem_wanted"),
    (Word::Modifier, "local meta noncomputable nonrec partial private protected public scoped unsafe"),
    (Word::Command(Cmd::Plain), "add_aesop_rules add_decl_doc compile_def compile_inductive count_heartbeats \
        deprecated_module dsimproc dsimproc_decl erase_aesop_rules export extend_docs \
        grind_pattern import include initialize_simps_projections library_note \
        mk_iff_of_inductive_prop omit open recommended_spelling seal simproc simproc_decl \
        suppress_compilation tactic_extension unif_hint universe universes unseal \
        unsuppress_compilation variable variables"),
    (Word::Command(Cmd::Attribute), "attribute"),
    (Word::Command(Cmd::Trusted(TrustKind::Notation)), "binder_predicate infix infixl infixr notation notation3 postfix prefix"),
    (Word::Command(Cmd::Trusted(TrustKind::Initialize)), "builtin_initialize initialize"),
    (Word::Command(Cmd::Trusted(TrustKind::Syntax)), "declare_syntax_cat syntax"),
    (Word::Command(Cmd::Trusted(TrustKind::Elab)), "elab elab_rules"),
    (Word::Command(Cmd::Trusted(TrustKind::Macro)), "macro macro_rules"),
    (Word::Command(Cmd::Trusted(TrustKind::RunCmd)), "run_cmd run_elab run_meta"),
    (Word::Command(Cmd::SetOption), "set_option"),
    (Word::OfReduceBool, "Lean.ofReduceBool Lean.ofReduceNat Lean.trustCompiler bv_check bv_decide bv_decide? \
        ofReduceBool ofReduceNat"),
    (Word::SorryAx, "_root_.sorryAx _root_.«sorryAx» lcProof lcUnreachable sorryAx «sorryAx»"),
    (Word::Admit, "admit"),
    (Word::Combinator, "all_goals any_goals else fail_if_success focus iterate repeat repeat' repeat1 \
        success_if_fail then try"),
    (Word::Answer, "answer"),
    (Word::Search, "apply? exact? rw?"),
    (Word::By, "by decreasing_by"),
    (Word::RunTac, "by_elab run_tac"),
    (Word::Calc, "calc"),
    (Word::Deriving, "deriving"),
    (Word::Do, "do"),
    (Word::End, "end"),
    (Word::Alternatives, "first solve"),
    (Word::Fun, "fun"),
    (Word::Let, "have haveI let letI"),
    (Word::Hint, "hint plausible slim_check"),
    (Word::In, "in"),
    (Word::Match, "match"),
    (Word::Mutual, "mutual"),
    (Word::Namespace, "namespace"),
    (Word::NativeDecide, "native native_decide"),
    (Word::Section, "section"),
    (Word::Sorry, "sorry"),
    (Word::Stop, "stop"),
    (Word::UnsafeCast, "unsafeCast"),
    (Word::Where, "where"),
    (Word::Other, "Lean _root_ dbg_trace logNamedError logNamedErrorAt logNamedWarning logNamedWarningAt \
        throwError throwErrorAt throwNamedError throwNamedErrorAt trace trace_goal"),
];

#[inline]
pub(super) const fn beginning(chunk: [u8; 8], length: usize) -> u64 {
    let bytes = u64::from_le_bytes(chunk);
    if length < 8 { bytes & ((1 << (8 * length)) - 1) } else { bytes }
}

/// A word with its beginning.
type Known = (u64, &'static [u8], Word);

/// The words of [`MEANINGS`], each in the slot of its beginning.
static WORDS: LazyLock<Vec<Vec<Known>>> = LazyLock::new(|| {
    let mut slots = vec![Vec::new(); SLOTS];
    for (meaning, words) in MEANINGS {
        for word in words.split(' ').map(str::as_bytes) {
            let beginning = at_the_end(word);
            if let Some(slot) = slots.get_mut(slot(beginning)) {
                slot.push((beginning, word, *meaning));
            }
        }
    }
    slots
});

const SLOTS: usize = 1 << 10;

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "no more bits than the number of slots has")]
const fn slot(beginning: u64) -> usize {
    // A product that gives every beginning a slot of its own.
    (beginning.wrapping_mul(0x9138_dc3a_0abf_dabf) >> (64 - SLOTS.ilog2())) as usize
}

#[inline]
fn words(beginning: u64) -> &'static [Known] {
    let words = WORDS.get(slot(beginning)).map_or(&[][..], Vec::as_slice);
    if words.first().is_some_and(|word| word.0 == beginning) { words } else { &[] }
}

#[inline]
pub(super) fn may_mean(beginning: u64) -> bool {
    !words(beginning).is_empty()
}

#[inline]
pub(super) fn of_name(bytes: &[u8], range: Range<usize>) -> Word {
    let length = range.len().min(8);
    let beginning = match bytes.get(range.start..).and_then(<[u8]>::first_chunk) {
        Some(chunk) => beginning(*chunk, length),
        None => at_the_end(bytes.get(range.clone()).unwrap_or_default()),
    };
    let words = words(beginning);
    if words.is_empty() {
        return Word::Other;
    }
    let name = bytes.get(range).unwrap_or_default();
    words.iter().find(|(_, word, _)| *word == name).map_or(Word::Other, |&(.., word)| word)
}

/// [`beginning`] of a name without what stands behind it.
fn at_the_end(name: &[u8]) -> u64 {
    let mut chunk = [0; 8];
    for (byte, of_name) in chunk.iter_mut().zip(name) {
        *byte = *of_name;
    }
    u64::from_le_bytes(chunk)
}

#[inline]
pub(super) fn of_symbol(symbol: &[u8]) -> Word {
    match symbol {
        b":=" => Word::Assign,
        b"=>" | [0xe2, 0x86, 0xa6] => Word::Arrow,
        b"|" => Word::Pipe,
        b":" => Word::Colon,
        b"," => Word::Comma,
        b";" => Word::Semicolon,
        b"<;>" => Word::AndThen,
        b"." | [0xc2, 0xb7] => Word::Bullet,
        [0xce, 0xbb] => Word::Fun,
        b"#" => Word::Hash,
        b"@[" => Word::Attribute,
        b"`(" | b"`[" => Word::Quotation,
        _ => Word::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found() {
        for (meaning, words) in MEANINGS {
            for word in words.split(' ') {
                for text in [word.to_owned(), format!("{word} and more")] {
                    assert_eq!(of_name(text.as_bytes(), 0..word.len()), *meaning, "{word}");
                }
            }
        }
        for text in ["", "x", "sorr", "sorryA", "theoremtheorem"] {
            assert_eq!(of_name(text.as_bytes(), 0..text.len()), Word::Other);
        }
    }
}
