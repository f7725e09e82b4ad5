//! Lean 4 as text: lexemes, declarations, gaps, trust markers, tactics, imports. Pure: no IO, no
//! clock, no Lean. It never fails and never panics, and takes time linear in the text.
//!
//! Text is not Lean: macros that expand to `sorry`, names that Lean makes up and what a tactic
//! does are not seen here.

mod chars;
mod claim;
mod cut;
mod declaration;
mod decode;
mod deprecated;
pub mod diagnostics;
mod diff;
mod gaps;
mod header;
mod imports;
mod interpolation;
mod kind;
mod lexer;
mod loose;
mod names;
mod normal;
mod print;
mod records;
mod reread;
mod scanner;
mod scope;
mod sig;
mod strings;
mod tactics;
mod token;
mod trust;
mod word;
mod wording;
mod words;

#[cfg(test)]
mod tests;

pub use claim::Claim;
pub use decode::{Decoded, decode, foreign};
pub use deprecated::{
    Deprecation, Mention, Moved, Successor, Use, Via, additive_twin, deprecations, last_part,
    mentions, moved_names,
};
pub use diff::{Change, ChangeKind, Comparison, Note, diff};
pub use kind::{DeclKind, GapKind, ProblemKind, TrustKind};
pub use lexer::lex;
pub use normal::statement_key;
pub use records::{Declaration, Gap, Import, Outline, Problem, Trust};
pub use scanner::{outline, skim};
pub use token::{Token, TokenKind};
pub use words::{changed, words};
