//! The rules of the guard and of the audit as one table: their codes, how grave they are, what they mean
//! and what helps. A rule of both has one code and one meaning.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::text::{clean, nearest, vocabulary};

vocabulary! {
    /// How strictly a rule of the guard is kept.
    Level {
        /// Nothing is said.
        Off = "off",
        /// It is said, and the edit goes on.
        Warn = "warn",
        /// The person is asked.
        Ask = "ask",
        /// The edit is refused.
        Deny = "deny",
    }
}

impl Level {
    /// The level of a word, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        let is_it = |level: &Self| level.as_str().eq_ignore_ascii_case(word.trim());
        Self::ALL.iter().copied().find(is_it)
    }
}

vocabulary! {
    /// How grave a finding of an audit is; the word is also SARIF's level.
    Severity {
        /// Worth knowing; common in honest work.
        Note = "note",
        /// Asks for a reason.
        Warning = "warning",
        /// Something is not proved, or not checked.
        Error = "error",
    }
}

vocabulary! {
    /// What a rule is about.
    Group {
        /// Something is not proved.
        Gaps = "gaps",
        /// Something is believed that the kernel did not check.
        Trust = "trust",
        /// A statement may not say what it seems to say.
        Meaning = "meaning",
        /// What checks the file is changed, or not all of it is checked.
        Checker = "checker",
        /// The text is broken, or will not be read any more.
        Text = "text",
        /// Lean says something that the text does not show; only with `mk audit --kernel`.
        Kernel = "kernel",
        /// Something is worse than it was; only where two versions are compared.
        Changes = "changes",
        /// What only an edit can do, or what an audit of the new version sees under another name.
        Edits = "edits",
    }
}

macro_rules! rules {
    ($($variant:ident $id:literal $group:ident $severity:ident $summary:literal $help:literal;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $summary] $variant,)+
        }

        impl Rule {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code of it, as in `mk allow ... --rule proof-lost`.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $id),+ }
            }

            pub const fn group(self) -> Group {
                match self { $(Self::$variant => Group::$group),+ }
            }

            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),+ }
            }

            /// What it means, in one sentence without a final stop.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary),+ }
            }

            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help),+ }
            }
        }
    };
}

rules! {
    Sorry "sorry" Gaps Error
        "the proof is missing"
        "Prove it, or leave it out of what you call finished.";
    AnswerSorry "answer-sorry" Gaps Warning
        "the answer is missing"
        "Replace `answer(sorry)` by the answer.";
    Admit "admit" Gaps Error
        "the proof is missing: `admit` is `sorry`"
        "Prove it.";
    SorryAx "sorry-ax" Gaps Error
        "`sorryAx` proves anything: it is what `sorry` becomes"
        "Prove it.";
    Stop "stop" Gaps Error
        "`stop` ends the proof here: what follows in its block is not run"
        "Remove `stop` and finish the proof.";
    Hole "hole" Gaps Error
        "the declaration ends in a hole that nothing can fill"
        "Fill `?_`.";
    SearchTactic "search-tactic" Gaps Warning
        "a search tactic was left in place of its result"
        "Replace it by what it suggests; where it finds nothing, nothing is proved.";
    HiddenError "hidden-error" Gaps Error
        "the proof may fail unseen: `#guard_msgs` drops or expects its errors"
        "Remove `#guard_msgs`.";
    LooseGap "loose-gap" Gaps Warning
        "a gap outside of any declaration: a macro or a metaprogram that leaves gaps behind"
        "Check what uses it: every use may leave something unproved.";
    MetaGap "meta-gap" Gaps Warning
        "a metaprogram that closes goals without proving them"
        "Check what uses it: `#print axioms` shows `sorryAx` there.";
    Wanted "wanted" Gaps Note
        "a statement that waits for its proof"
        "Nothing depends on it; prove it when you can.";

    Axiom "axiom" Trust Error
        "an axiom: nothing checks that it is true, or that it contradicts nothing"
        "Prove it, or allow it by name: --allow 'axiom=NAME'.";
    NativeDecide "native-decide" Trust Warning
        "the compiler is trusted with the proof, not the kernel"
        "Use `decide` or `norm_num` where that is fast enough; else allow it by name.";
    OfReduceBool "of-reduce-bool" Trust Warning
        "the compiler's result is taken as a proof"
        "Use `decide` where that is fast enough.";
    ImplementedBy "implemented-by" Trust Warning
        "compiled code may compute something else than the definition says"
        "Harmless until `native_decide` or `#eval` is believed; prove the two equal.";
    Extern "extern" Trust Warning
        "foreign code runs in the place of the definition"
        "Harmless until `native_decide` or `#eval` is believed.";
    Csimp "csimp" Trust Warning
        "compiled code is replaced by other code"
        "Harmless until `native_decide` or `#eval` is believed.";
    Unsafe "unsafe" Trust Warning
        "unsafe code: the kernel does not check it"
        "Keep it away from proofs.";
    DebugOption "debug-option" Trust Error
        "a debugging option can switch off the kernel or close goals without proof"
        "Remove it.";
    Environment "environment" Trust Warning
        "declarations are put into the environment past the kernel"
        "Let `addDecl` check them; replay the file with an independent checker.";
    Opaque "opaque" Trust Note
        "an opaque constant: its value cannot be unfolded, so statements about it may say nothing"
        "Use `def` where the statement is about the value.";
    Partial "partial" Trust Note
        "a partial function: nothing can be proved about what it computes"
        "Fine in programs; use a terminating definition in statements.";

    RestsOn "rests-on" Trust Note
        "it uses a declaration of the file that has a gap, is an axiom, or trusts the compiler"
        "It is worth as much as what it uses.";

    FalseLemma "false-lemma" Trust Warning
        "a lemma that is known to be false is stated or used"
        "Nothing that rests on it is proved; use what its entry names instead (`mk failed NAME`).";
    FalseWords "false-words" Meaning Note
        "the statement of a lemma known to be false, over a definition that its record does not have"
        "Compare the definition with that of the record (`mk failed NAME`).";

    SaysNothing "says-nothing" Meaning Warning
        "a theorem that is true whatever it speaks of: a tautology, its own hypothesis, or a vacuous claim"
        "State what is meant; a proof of it settles nothing.";
    Notation "notation" Meaning Note
        "the file defines notation"
        "Read the statements with it in mind.";
    Operator "operator" Meaning Warning
        "an operator that exists already gets another meaning"
        "Use another symbol, or the same meaning.";
    Priority "priority" Meaning Warning
        "syntax that takes precedence over Lean's own"
        "Check which statements it changes.";
    Macro "macro" Meaning Note
        "a macro: its expansion is not visible where it is used"
        "Read the statements with it in mind.";
    MacroRules "macro-rules" Meaning Warning
        "syntax that may exist already is expanded in a new way"
        "Check that no statement changes its meaning.";
    Syntax "syntax" Meaning Note
        "the file defines syntax"
        "Read the statements with it in mind.";
    Elab "elab" Meaning Note
        "an elaborator: what its syntax means is not visible in the file"
        "Read the statements with it in mind.";
    LocalInstance "local-instance" Meaning Note
        "an instance for this place only: statements here may mean something else than elsewhere"
        "Check that it agrees with the instance that is used elsewhere.";
    BuiltinInstance "builtin-instance" Meaning Warning
        "another instance for a type that has one: its operations may mean something else here"
        "Use a type of your own.";
    Shadowing "shadowing" Meaning Warning
        "a name that looks like Lean's own means something else here"
        "Use another name.";
    Primitive "primitive" Meaning Error
        "a name is defined for which the kernel has code of its own: anything can be proved with it"
        "Use another name.";
    FalseHypothesis "false-hypothesis" Meaning Error
        "`False` is assumed: everything after it can be proved"
        "Remove the assumption.";
    AutoImplicit "auto-implicit" Meaning Note
        "unknown names become variables: a typo changes the statement"
        "Leave `autoImplicit` off and bind the variables.";
    Prelude "prelude" Meaning Warning
        "the file begins without Lean's own library and may define `Nat` or `Eq` anew"
        "Remove `prelude`.";

    Exit "exit" Checker Warning
        "Lean does not read what follows"
        "Remove `#exit`.";
    OverriddenCommand "overridden-command" Checker Error
        "a command that shows what was proved is redefined: its output cannot be trusted"
        "Remove it; check with an independent checker.";
    HiddenWarning "hidden-warning" Checker Warning
        "the warning about missing proofs is switched off"
        "Remove the option.";
    Initialize "initialize" Checker Warning
        "code that runs whenever the module is imported"
        "Check what it does.";
    RunCmd "run-cmd" Checker Warning
        "code that runs while the file is checked"
        "Check what it does: it can change the environment.";
    RunTac "run-tac" Checker Warning
        "a proof that runs code"
        "Check what it does: it can change the environment.";
    Eval "eval" Checker Note
        "code that runs while the file is checked"
        "Remove it when you are done.";
    Process "process" Checker Warning
        "code that starts programs or writes files"
        "Check that nothing runs it while the project is built.";

    MovedName "moved-name" Text Warning
        "a name that moved: the old one will be taken away"
        "Use the new name; `mk renames lookup NAME` has it.";
    Unreadable "unreadable" Text Error
        "the rest of the file is inside a comment, a string or a name that is never closed"
        "Close it.";
    UnmatchedEnd "unmatched-end" Text Note
        "`end` closes nothing: full names after it are uncertain"
        "Let every `end` close what it names.";

    KernelRefused "kernel-refused" Kernel Error
        "Lean does not accept the file"
        "Nothing in it is proved; `mk verify FILE` says why.";
    KernelGap "kernel-gap" Kernel Error
        "Lean finds a gap below what looks proved"
        "Look at its imports and macros; `#print axioms` shows `sorryAx`.";
    KernelTrust "kernel-trust" Kernel Warning
        "Lean finds axioms, or trust in the compiler, below what looks proved"
        "Look for them in its imports; allow an axiom by name: `guard.allow_axioms`.";
    KernelAccepts "kernel-accepts" Kernel Note
        "Lean accepts what looks open"
        "Its text is misleading: replace what looks like a gap.";

    ProofLost "proof-lost" Changes Error
        "a complete declaration loses its proof"
        "Restore the old proof; `git show REV:FILE` has it.";
    ProgressLost "progress-lost" Changes Warning
        "a gap replaces proof code of an open declaration"
        "Keep the code that works, and the gap only for the goal that is open.";
    ProofRemoved "proof-removed" Changes Warning
        "a proved declaration is removed"
        "Check that nothing needs it; `git show REV:FILE` has it.";
    StatementChanged "statement-changed" Changes Warning
        "the statement of a proved or locked declaration changes or disappears"
        "Check that it still says what it should; a new version can have a new name.";
    DefinitionChanged "definition-changed" Changes Warning
        "a definition changes that a proved or locked statement speaks of"
        "Check that the statement still says what it should.";
    StatementNoted "statement-noted" Changes Note
        "a statement changes that is open, or says as much as before"
        "Check that it still says what it should.";

    PolicyChanged "policy-changed" Edits Error
        "the guard's own settings are edited"
        "Leave it to the person.";
    SearchLeft "search-left" Edits Warning
        "a proof becomes a search for one"
        "Write what the search finds.";
    AxiomAdded "axiom-added" Edits Error
        "a new axiom"
        "State it as a theorem with `sorry`, which counts as a gap.";
    TrustAdded "trust-added" Edits Warning
        "the proof needs trust beyond the kernel"
        "Prove it in a way that the kernel checks.";
    GapInCompleteFile "gap-in-complete-file" Edits Note
        "a file without gaps gets one"
        "Put the sketch into another file.";
}

/// The rules of the guard with the levels that they have where nothing else is configured, the
/// strictest first.
const GUARDED: [(Rule, Level); 13] = [
    (Rule::ProofLost, Level::Deny),
    (Rule::ProgressLost, Level::Deny),
    (Rule::PolicyChanged, Level::Deny),
    (Rule::FalseHypothesis, Level::Deny),
    // A locked statement is refused where others are asked about.
    (Rule::StatementChanged, Level::Ask),
    (Rule::AxiomAdded, Level::Ask),
    (Rule::StatementNoted, Level::Warn),
    (Rule::DefinitionChanged, Level::Warn),
    (Rule::ProofRemoved, Level::Warn),
    (Rule::SearchLeft, Level::Warn),
    (Rule::TrustAdded, Level::Warn),
    (Rule::FalseLemma, Level::Warn),
    (Rule::GapInCompleteFile, Level::Off),
];

impl Rule {
    pub fn guarded() -> impl Iterator<Item = Self> {
        GUARDED.iter().map(|(rule, _)| *rule)
    }

    pub fn audited() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.iter().copied().filter(|rule| rule.group() != Group::Edits)
    }

    /// The rule of a code; `-` and `_` and any case are one.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.trim().replace('_', "-").to_ascii_lowercase();
        // What it was called.
        let code = if code == "open-statement-changed" { "statement-noted" } else { &code };
        Self::ALL.iter().copied().find(|rule| rule.code() == code)
    }

    /// The rule of the guard with a code that somebody wrote.
    pub fn guarded_by(code: &str) -> Result<Self, String> {
        let known = Self::from_code(code).filter(|rule| Self::guarded().any(|one| one == *rule));
        known.ok_or_else(|| {
            let codes: Vec<&str> = Self::guarded().map(Self::code).collect();
            let code = clean(code);
            match nearest(&code, codes.iter().copied()) {
                Some(near) => format!("there is no rule `{code}` (do you mean `{near}`?)"),
                None => format!("there is no rule `{code}`; there are {}", codes.join(", ")),
            }
        })
    }

    /// The level that it has where nothing else is configured.
    pub fn default_level(self) -> Level {
        let own = GUARDED.iter().find(|(rule, _)| *rule == self);
        own.map_or(Level::Off, |(_, level)| *level)
    }

    /// Whether what was found is a sentence of its own.
    pub fn tells(self) -> bool {
        self == Self::FalseLemma || matches!(self.group(), Group::Changes | Group::Kernel)
    }

    /// How much of what was found is kept, in columns.
    pub(super) fn longest(self) -> usize {
        if self.tells() { 400 } else { 80 }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lean::{GapKind, TrustKind};

    #[test]
    fn every_kind_of_gap_and_trust_has_its_rule() {
        let gaps = GapKind::ALL.iter().map(|kind| kind.as_str());
        for word in gaps.chain(TrustKind::ALL.iter().map(|kind| kind.as_str())) {
            assert!(
                Rule::from_code(word).is_some_and(|rule| rule.group() != Group::Edits),
                "{word}"
            );
        }
    }

    #[test]
    fn rules_and_levels_are_known_by_their_words() {
        for rule in Rule::guarded().chain(Rule::audited()) {
            assert_eq!(Rule::from_code(rule.code()), Some(rule));
        }
        assert_eq!(Rule::from_code("Proof_Lost"), Some(Rule::ProofLost));
        assert_eq!(Rule::from_code("open-statement-changed"), Some(Rule::StatementNoted));
        assert_eq!(Rule::from_code("nonsense"), None);
        assert_eq!(Level::from_word(" Deny "), Some(Level::Deny));
        assert_eq!(Level::from_word("strict"), None);
    }
}
