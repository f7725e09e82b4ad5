//! What a diff must say, as tables of two texts and the changes between them.

use super::*;

#[test]
fn debug_one() {
    let a = "namespace M\nvariable {R : Type*} [Ring R] [Top R]\n  [LC R]\n\nvariable (R) in\n@[nolint x]\nlemma foo : C R := by\n  sorry\n\nlemma bar : D R := by simp\nend M\n";
    let b = "namespace M\nvariable {R : Type*} [Ring R] [Top R]\n  [LC R]\n\nlemma foo : C R := by\n  simp\n\nlemma bar : D R := by simp\nend M\n";
    for c in diff(a, b) { eprintln!("{c:?}"); }
    panic!();
}
