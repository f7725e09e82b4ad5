import House.Tools

/-! `<` is given another meaning, with the name of Lean's own notation: what follows does not say what it seems to. -/

namespace House.Notation
open Lean Tools

theorem before : 1 < 2 := by decide

@[macro «term_<_»] def weaker : Macro := fun s _ st =>
  .ok (Mini.app `LE.le (.mkArray2 (s.getArg 0) (s.getArg 2))) st

theorem strict (n : Nat) : n < n := .refl

end House.Notation
