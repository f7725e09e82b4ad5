//! Lean 4 as text: lexemes, declarations, gaps, trust markers, tactics, imports. Pure: no IO, no
//! clock, no Lean. It never fails and never panics, and takes time linear in the text.
//!
//! Text is not Lean: macros that expand to `sorry`, names that Lean makes up and what a tactic
//! does are not seen here.

mod chars;
mod cut;
mod declaration;
mod decode;
mod deprecated;
pub mod diagnostics;
mod diff;
mod gaps;
mod header;
mod interpolation;
mod kind;
mod lexer;
mod mentions;
mod over;
mod records;
mod scanner;
mod scope;
mod sig;
mod signature;
mod strings;
mod tactics;
mod token;
mod trust;
mod word;
mod words;

#[cfg(test)]
mod tests;

pub use crate::model::last_part;
pub use decode::{Decoded, decode, foreign};
pub use deprecated::{Deprecation, deprecations};
pub use diff::{Change, ChangeKind, Comparison, Note, proved_about};
pub use kind::{DeclKind, GapKind, ProblemKind, TrustKind};
pub use lexer::{code, lex};
pub use mentions::{Declared, Mention, Moved, mentions};
pub use records::{Declaration, Gap, Outline, Problem, Trust};
pub use scanner::{outline, skim};
pub use signature::trivial;
pub use signature::{
    Claim, Closeness, Fit, KEY_VERSION, Key, Pattern, Shape, Signature, Statement, Statements,
    is_absurd, is_current, is_or_ends_in, layout_key, noted, statement_key, surplus,
};
pub use token::{Token, TokenKind, closing, outside};
pub use words::{changed, has_word, words};
