//! Which of the markers of trust are everyday, and not worth a word.

use super::audit::{is_checking_command, is_operator};
use crate::lean::TrustKind;

/// Whether a marker is everyday: what is run while it is written, and words for one's own use.
///
/// `code` is the whole command, of which `detail` is the beginning.
pub(super) fn is_everyday(kind: TrustKind, detail: &str, code: &str) -> bool {
    let declares = || ["(axiom ", "(opaque ", "axiomDecl"].iter().any(|word| code.contains(word));
    match kind {
        TrustKind::Eval => !reaches_out(code),
        TrustKind::Syntax => true,
        TrustKind::Notation | TrustKind::Macro | TrustKind::Elab => {
            !redefines(detail) && !declares()
        }
        _ => false,
    }
}

/// Whether a command writes files or starts programs while it is compiled.
fn reaches_out(detail: &str) -> bool {
    ["IO.FS.", "IO.Process.", "writeFile", "removeFile", "createDir"]
        .iter()
        .any(|word| detail.contains(word))
}

/// Whether a notation or macro takes over what exists already: by its priority, as a rule for
/// syntax that others declared, or because its sign is one of Lean's own.
fn redefines(detail: &str) -> bool {
    let is_leans = |sign: &str| is_operator(sign) || is_checking_command(sign) || sign == "sorry";
    let mut quoted = detail.split('"').skip(1).step_by(2).map(str::trim);
    detail.contains("priority") || detail.starts_with("macro_rules") || quoted.any(is_leans)
}
