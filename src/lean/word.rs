//! What a name or a symbol means to the scanner. Nothing else decides by spelling what a
//! command is.

use super::kind::DeclKind;

/// A word or symbol that the scanner acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Other,
    /// Begins a declaration and is reserved in Lean itself.
    Decl(DeclKind),
    /// Begins a declaration where a library says so; elsewhere it may be a name.
    LibraryDecl(DeclKind),
    /// `private`, `noncomputable`, `local`, ...
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
    /// `exact?`, `apply?`, `rw?`
    Search,
    NativeDecide,
    OfReduceBool,
    UnsafeCast,
    RunTac,
    /// `:=`
    Assign,
    /// `=>`, `↦`
    Arrow,
    /// `|`
    Pipe,
    Colon,
    Comma,
    Semicolon,
    /// `<;>`
    AndThen,
    /// `·`, or a lone dot
    Bullet,
    Hash,
    /// `+`, where what follows begins like `native`
    Plus,
    /// `@[`
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

/// The words that mean something, in the order of their bytes for the search.
#[rustfmt::skip]
const WORDS: &[(&str, Word)] = &[
    ("Lean.ofReduceBool", Word::OfReduceBool),
    ("Lean.ofReduceNat", Word::OfReduceBool),
    ("Lean.trustCompiler", Word::OfReduceBool),
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

/// The words that begin with a byte.
#[derive(Clone, Copy)]
struct Shape {
    /// Their lengths, as bits.
    lengths: u32,
    /// Their last bytes, as the bits of the low halves: few of the names in a text pass.
    ends: u32,
    /// Where they are among [`WORDS`].
    from: usize,
    to: usize,
}

const SHAPES: [Shape; 256] = {
    let mut shapes = [Shape { lengths: 0, ends: 0, from: 0, to: 0 }; 256];
    let mut index = 0;
    while index < WORDS.len() {
        let word = WORDS[index].0.as_bytes();
        assert!(word.len() < 32, "a length is a bit");
        let shape = &mut shapes[word[0] as usize];
        shape.lengths |= 1 << word.len();
        shape.ends |= 1 << (word[word.len() - 1] & 31);
        if shape.to == 0 {
            shape.from = index;
        }
        index += 1;
        shape.to = index;
    }
    shapes
};

#[inline]
pub(super) fn of_name(name: &[u8]) -> Word {
    let (Some(&first), Some(&last)) = (name.first(), name.last()) else { return Word::Other };
    let shape = &SHAPES[usize::from(first)];
    let is_short = name.len() < 32 && shape.lengths & (1 << name.len()) != 0;
    if !is_short || shape.ends & (1 << (last & 31)) == 0 {
        return Word::Other;
    }
    let words = WORDS.get(shape.from..shape.to).unwrap_or_default();
    let found = words.iter().find(|(word, _)| word.as_bytes() == name);
    found.map_or(Word::Other, |&(_, word)| word)
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
            assert_eq!(of_name(word.as_bytes()), *meaning, "{word}");
        }
        assert_eq!(of_name(b""), Word::Other);
        assert_eq!(of_name("x".repeat(300).as_bytes()), Word::Other);
    }
}
