//! The closed vocabularies of an outline: kinds of declarations, gaps and trust markers.

use crate::text::vocabulary;

vocabulary! {
    DeclKind {
        Theorem = "theorem",
        /// `lemma` (Mathlib)
        Lemma = "lemma",
        /// `problem` (compfiles)
        Problem = "problem",
        Example = "example",
        Def = "def",
        Abbrev = "abbrev",
        /// `irreducible_def` (Mathlib)
        IrreducibleDef = "irreducible_def",
        /// `determine` (compfiles)
        Determine = "determine",
        Instance = "instance",
        /// `alias` (Batteries): a new name for a theorem that exists
        Alias = "alias",
        Axiom = "axiom",
        Opaque = "opaque",
        Structure = "structure",
        Class = "class",
        ClassAbbrev = "class abbrev",
        ClassInductive = "class inductive",
        Inductive = "inductive",
        Coinductive = "coinductive",
        /// `proof_wanted` (Batteries): a statement that waits for its proof
        ProofWanted = "proof_wanted",
        /// `theorem_wanted` (Batteries)
        TheoremWanted = "theorem_wanted",
        /// `def_wanted` (Batteries)
        DefWanted = "def_wanted",
        /// `instance_wanted` (Batteries)
        InstanceWanted = "instance_wanted",
    }
}

impl DeclKind {
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::Theorem | Self::Lemma | Self::Problem | Self::Example)
    }

    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Structure
                | Self::Class
                | Self::ClassInductive
                | Self::Inductive
                | Self::Coinductive
        )
    }

    /// Whether it states something that is still to be proved or defined.
    pub const fn is_wanted(self) -> bool {
        matches!(
            self,
            Self::ProofWanted | Self::TheoremWanted | Self::DefWanted | Self::InstanceWanted
        )
    }
}

vocabulary! {
    /// A place where a proof is missing.
    GapKind {
        Sorry = "sorry",
        AnswerSorry = "answer_sorry",
        Admit = "admit",
        SorryAx = "sorry_ax",
        /// the tactic `stop`: what follows in its block is not run
        Stop = "stop",
        /// `?_` as the end of a declaration: nothing is left that could fill it
        Hole = "hole",
        /// `exact?`, `apply?`, `rw?`, `hint`: a search left in the place of its result
        SearchTactic = "search_tactic",
        /// `#guard_msgs` around a declaration: its errors are dropped or expected
        HiddenError = "hidden_error",
    }
}

vocabulary! {
    TrustKind {
        Axiom = "axiom",
        /// `native_decide`, `decide +native`
        NativeDecide = "native_decide",
        /// `Lean.ofReduceBool`, `Lean.ofReduceNat`, `Lean.trustCompiler`
        OfReduceBool = "of_reduce_bool",
        ImplementedBy = "implemented_by",
        Extern = "extern",
        Csimp = "csimp",
        /// `unsafe`, `unsafeCast`
        Unsafe = "unsafe",
        /// `set_option debug...`
        DebugOption = "debug_option",
        Exit = "exit",
        /// `notation`, `notation3`, `infix`, `prefix`, `postfix`
        Notation = "notation",
        /// `macro`, `macro_rules`
        Macro = "macro",
        /// `syntax`, `declare_syntax_cat`
        Syntax = "syntax",
        /// `elab`, `elab_rules`
        Elab = "elab",
        /// `local instance`, `scoped instance`, `attribute [local instance]`
        LocalInstance = "local_instance",
        Initialize = "initialize",
        /// `run_cmd`, `run_elab`, `run_meta`
        RunCmd = "run_cmd",
        /// `run_tac`, `by_elab`
        RunTac = "run_tac",
        Eval = "eval",
        Opaque = "opaque",
    }
}

vocabulary! {
    /// Something odd about a text, as a sentence on it.
    ProblemKind {
        UnterminatedComment = "this comment is never closed: the rest of the file is in it",
        /// `"...`, also inside the hole of an interpolated string.
        UnterminatedString = "this string is never closed: the rest of the file is in it",
        UnterminatedName = "this name has no closing »",
        UnmatchedEnd = "this `end` closes nothing that was opened before it",
        CodeAfterExit = "`#exit`: Lean does not read what follows, and neither does mk",
        NamespaceTooDeep = "namespaces are nested too deep: names are cut from here on",
    }
}
