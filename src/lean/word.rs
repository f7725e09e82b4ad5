//! What a name or a symbol means to the scanner. Nothing else decides by spelling what a
//! command is.

use std::ops::Range;

use super::kind::DeclKind;

/// A word or symbol that the scanner acts on.
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
    /// `answer`, as in `answer(sorry)`
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
    /// `·`, or a lone dot
    Bullet,
    Hash,
    /// `+`, where what follows begins like `native`
    Plus,
    Attribute,
    /// `` `( ``, `` `[ ``
    Quotation,
}

impl Word {
    /// Whether it says nothing about the command in whose body it stands: no gap, nothing to trust, no
    /// beginning of another command.
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

/// Commands that are no declarations but end one when they stand at its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cmd {
    Plain,
    SetOption,
    Attribute,
    Notation,
    Macro,
    Syntax,
    Elab,
    Initialize,
    Run,
}

/// The words that mean something, in the order of their bytes: those that begin alike stand together.
/// `Other` mean something to `interpolation`, or begin a name that does to the scanner.
#[rustfmt::skip]
const WORDS: &[(&str, Word)] = &[
    ("Lean", Word::Other),
    ("Lean.ofReduceBool", Word::OfReduceBool),
    ("Lean.ofReduceNat", Word::OfReduceBool),
    ("Lean.trustCompiler", Word::OfReduceBool),
    ("_root_", Word::Other),
    ("_root_.sorryAx", Word::SorryAx),
    ("abbrev", Word::Decl(DeclKind::Abbrev)),
    ("add_aesop_rules", Word::Command(Cmd::Plain)),
    ("add_decl_doc", Word::Command(Cmd::Plain)),
    ("admit", Word::Admit),
    ("alias", Word::LibraryDecl(DeclKind::Alias)),
    ("all_goals", Word::Combinator),
    ("answer", Word::Answer),
    ("any_goals", Word::Combinator),
    ("apply?", Word::Search),
    ("attribute", Word::Command(Cmd::Attribute)),
    ("axiom", Word::Decl(DeclKind::Axiom)),
    ("binder_predicate", Word::Command(Cmd::Notation)),
    ("builtin_initialize", Word::Command(Cmd::Initialize)),
    ("bv_check", Word::OfReduceBool),
    ("bv_decide", Word::OfReduceBool),
    ("bv_decide?", Word::OfReduceBool),
    ("by", Word::By),
    ("by_elab", Word::RunTac),
    ("calc", Word::Calc),
    ("class", Word::Decl(DeclKind::Class)),
    ("coinductive", Word::LibraryDecl(DeclKind::Coinductive)),
    ("compile_def", Word::Command(Cmd::Plain)),
    ("compile_inductive", Word::Command(Cmd::Plain)),
    ("count_heartbeats", Word::Command(Cmd::Plain)),
    ("dbg_trace", Word::Other),
    ("declare_syntax_cat", Word::Command(Cmd::Syntax)),
    ("decreasing_by", Word::By),
    ("def", Word::Decl(DeclKind::Def)),
    ("def_wanted", Word::LibraryDecl(DeclKind::DefWanted)),
    ("deprecated_module", Word::Command(Cmd::Plain)),
    ("deriving", Word::Deriving),
    ("determine", Word::LibraryDecl(DeclKind::Determine)),
    ("do", Word::Do),
    ("dsimproc", Word::Command(Cmd::Plain)),
    ("dsimproc_decl", Word::Command(Cmd::Plain)),
    ("elab", Word::Command(Cmd::Elab)),
    ("elab_rules", Word::Command(Cmd::Elab)),
    ("else", Word::Combinator),
    ("end", Word::End),
    ("erase_aesop_rules", Word::Command(Cmd::Plain)),
    ("exact?", Word::Search),
    ("example", Word::Decl(DeclKind::Example)),
    ("export", Word::Command(Cmd::Plain)),
    ("extend_docs", Word::Command(Cmd::Plain)),
    ("fail_if_success", Word::Combinator),
    ("first", Word::Alternatives),
    ("focus", Word::Combinator),
    ("fun", Word::Fun),
    ("grind_pattern", Word::Command(Cmd::Plain)),
    ("have", Word::Let),
    ("haveI", Word::Let),
    ("hint", Word::Hint),
    ("import", Word::Command(Cmd::Plain)),
    ("in", Word::In),
    ("include", Word::Command(Cmd::Plain)),
    ("inductive", Word::Decl(DeclKind::Inductive)),
    ("infix", Word::Command(Cmd::Notation)),
    ("infixl", Word::Command(Cmd::Notation)),
    ("infixr", Word::Command(Cmd::Notation)),
    ("initialize", Word::Command(Cmd::Initialize)),
    ("initialize_simps_projections", Word::Command(Cmd::Plain)),
    ("instance", Word::Decl(DeclKind::Instance)),
    ("instance_wanted", Word::LibraryDecl(DeclKind::InstanceWanted)),
    ("irreducible_def", Word::LibraryDecl(DeclKind::IrreducibleDef)),
    ("iterate", Word::Combinator),
    ("lemma", Word::LibraryDecl(DeclKind::Lemma)),
    ("let", Word::Let),
    ("letI", Word::Let),
    ("library_note", Word::Command(Cmd::Plain)),
    ("local", Word::Modifier),
    ("logNamedError", Word::Other),
    ("logNamedErrorAt", Word::Other),
    ("logNamedWarning", Word::Other),
    ("logNamedWarningAt", Word::Other),
    ("macro", Word::Command(Cmd::Macro)),
    ("macro_rules", Word::Command(Cmd::Macro)),
    ("match", Word::Match),
    ("meta", Word::Modifier),
    ("mk_iff_of_inductive_prop", Word::Command(Cmd::Plain)),
    ("mutual", Word::Mutual),
    ("namespace", Word::Namespace),
    ("native_decide", Word::NativeDecide),
    ("noncomputable", Word::Modifier),
    ("nonrec", Word::Modifier),
    ("notation", Word::Command(Cmd::Notation)),
    ("notation3", Word::Command(Cmd::Notation)),
    ("ofReduceBool", Word::OfReduceBool),
    ("ofReduceNat", Word::OfReduceBool),
    ("omit", Word::Command(Cmd::Plain)),
    ("opaque", Word::Decl(DeclKind::Opaque)),
    ("open", Word::Command(Cmd::Plain)),
    ("partial", Word::Modifier),
    ("postfix", Word::Command(Cmd::Notation)),
    ("prefix", Word::Command(Cmd::Notation)),
    ("private", Word::Modifier),
    ("problem", Word::LibraryDecl(DeclKind::Problem)),
    ("proof_wanted", Word::LibraryDecl(DeclKind::ProofWanted)),
    ("protected", Word::Modifier),
    ("public", Word::Modifier),
    ("recommended_spelling", Word::Command(Cmd::Plain)),
    ("repeat", Word::Combinator),
    ("repeat'", Word::Combinator),
    ("repeat1", Word::Combinator),
    ("run_cmd", Word::Command(Cmd::Run)),
    ("run_elab", Word::Command(Cmd::Run)),
    ("run_meta", Word::Command(Cmd::Run)),
    ("run_tac", Word::RunTac),
    ("rw?", Word::Search),
    ("scoped", Word::Modifier),
    ("seal", Word::Command(Cmd::Plain)),
    ("section", Word::Section),
    ("set_option", Word::Command(Cmd::SetOption)),
    ("simproc", Word::Command(Cmd::Plain)),
    ("simproc_decl", Word::Command(Cmd::Plain)),
    ("solve", Word::Alternatives),
    ("sorry", Word::Sorry),
    ("sorryAx", Word::SorryAx),
    ("stop", Word::Stop),
    ("structure", Word::Decl(DeclKind::Structure)),
    ("success_if_fail", Word::Combinator),
    ("suppress_compilation", Word::Command(Cmd::Plain)),
    ("syntax", Word::Command(Cmd::Syntax)),
    ("tactic_extension", Word::Command(Cmd::Plain)),
    ("then", Word::Combinator),
    ("theorem", Word::Decl(DeclKind::Theorem)),
    ("theorem_wanted", Word::LibraryDecl(DeclKind::TheoremWanted)),
    ("throwError", Word::Other),
    ("throwErrorAt", Word::Other),
    ("throwNamedError", Word::Other),
    ("throwNamedErrorAt", Word::Other),
    ("trace", Word::Other),
    ("trace_goal", Word::Other),
    ("try", Word::Combinator),
    ("unif_hint", Word::Command(Cmd::Plain)),
    ("universe", Word::Command(Cmd::Plain)),
    ("universes", Word::Command(Cmd::Plain)),
    ("unsafe", Word::Modifier),
    ("unsafeCast", Word::UnsafeCast),
    ("unseal", Word::Command(Cmd::Plain)),
    ("unsuppress_compilation", Word::Command(Cmd::Plain)),
    ("variable", Word::Command(Cmd::Plain)),
    ("variables", Word::Command(Cmd::Plain)),
    ("where", Word::Where),
    ("«sorryAx»", Word::SorryAx),
];

/// The first eight bytes of a name, with zeros behind its end.
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
    (beginning.wrapping_mul(0x5690_acf6_6a73_9f19) >> (64 - SLOTS.ilog2())) as usize
}

#[allow(clippy::cast_possible_truncation, reason = "there are fewer than 256 words")]
static BEGINNINGS: Beginnings = {
    let mut found = Beginnings { slots: [0; SLOTS], words: [(0, 0); SLOTS] };
    let mut index = 0;
    while index < WORDS.len() {
        let word = WORDS[index].0.as_bytes();
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

/// Whether a name may mean something that begins so.
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
    let found = words.iter().find(|(word, _)| word.as_bytes() == name);
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

/// The meaning of an opening bracket, an operator or a punctuation mark.
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
        assert!(WORDS.is_sorted_by_key(|(word, _)| word.as_bytes()), "the search needs the order");
        for (word, meaning) in WORDS {
            for text in [(*word).to_owned(), format!("{word} and more")] {
                assert_eq!(of_name(text.as_bytes(), 0..word.len()), *meaning, "{word}");
            }
        }
        for text in ["", "x", "sorr", "sorryA", "theoremtheorem"] {
            assert_eq!(of_name(text.as_bytes(), 0..text.len()), Word::Other);
        }
    }
}
