//! What a name or a symbol means to the scanner. Nothing else decides by spelling what a
//! command is.

use std::ops::Range;

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
    (Word::SorryAx, "_root_.sorryAx _root_.«sorryAx» sorryAx «sorryAx»"),
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

const COUNT: usize = 154;

/// The words of [`MEANINGS`] in the order of their bytes: those that begin alike are side by side.
const WORDS: [(&[u8], Word); COUNT] = {
    let mut words: [(&[u8], Word); COUNT] = [(b"", Word::Other); COUNT];
    let (mut group, mut count) = (0, 0);
    while group < MEANINGS.len() {
        let (meaning, text) = MEANINGS[group];
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let mut length = 0;
            while length < rest.len() && rest[length] != b' ' {
                length += 1;
            }
            let (word, after) = rest.split_at(length);
            let mut at = count;
            while at > 0 && is_before(word, words[at - 1].0) {
                words[at] = words[at - 1];
                at -= 1;
            }
            words[at] = (word, meaning);
            count += 1;
            rest = if after.is_empty() { after } else { after.split_at(1).1 };
        }
        group += 1;
    }
    assert!(count == COUNT, "so many words have a meaning");
    words
};

const fn is_before(word: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < word.len() && at < other.len() {
        if word[at] != other[at] {
            return word[at] < other[at];
        }
        at += 1;
    }
    word.len() < other.len()
}

#[inline]
pub(super) const fn beginning(chunk: [u8; 8], length: usize) -> u64 {
    let bytes = u64::from_le_bytes(chunk);
    if length < 8 { bytes & ((1 << (8 * length)) - 1) } else { bytes }
}

/// The beginnings of [`WORDS`], each in the slot of its hash, and which of them begin so.
struct Beginnings {
    slots: [u64; SLOTS],
    words: [(u8, u8); SLOTS],
}

const SLOTS: usize = 1 << 10;

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "no more bits than the number of slots has")]
const fn slot(beginning: u64) -> usize {
    // A product that gives every beginning a slot of its own.
    (beginning.wrapping_mul(0x9138_dc3a_0abf_dabf) >> (64 - SLOTS.ilog2())) as usize
}

#[allow(clippy::cast_possible_truncation, reason = "there are fewer than 256 words")]
static BEGINNINGS: Beginnings = {
    let mut found = Beginnings { slots: [0; SLOTS], words: [(0, 0); SLOTS] };
    let mut index = 0;
    while index < WORDS.len() {
        let word = WORDS[index].0;
        let mut chunk = [0; 8];
        let mut length = 0;
        while length < word.len() && length < 8 {
            chunk[length] = word[length];
            length += 1;
        }
        let beginning = beginning(chunk, length);
        let slot = slot(beginning);
        let free = found.slots[slot] == 0;
        assert!(
            free || found.slots[slot] == beginning,
            "two words have one slot: look for another factor"
        );
        let from = if free { index as u8 } else { found.words[slot].0 };
        found.slots[slot] = beginning;
        index += 1;
        found.words[slot] = (from, index as u8);
    }
    found
};

#[inline]
pub(super) fn may_mean(beginning: u64) -> bool {
    BEGINNINGS.slots[slot(beginning)] == beginning
}

#[inline]
pub(super) fn of_name(bytes: &[u8], range: Range<usize>) -> Word {
    let length = range.len().min(8);
    let beginning = match bytes.get(range.start..).and_then(<[u8]>::first_chunk) {
        Some(chunk) => beginning(*chunk, length),
        None => at_the_end(bytes.get(range.clone()).unwrap_or_default()),
    };
    if !may_mean(beginning) {
        return Word::Other;
    }
    let (from, to) = BEGINNINGS.words[slot(beginning)];
    let words = WORDS.get(usize::from(from)..usize::from(to)).unwrap_or_default();
    let name = bytes.get(range).unwrap_or_default();
    let found = words.iter().find(|(word, _)| *word == name);
    found.map_or(Word::Other, |&(_, word)| word)
}

/// [`beginning`] of a name behind which the text has not eight bytes more.
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
