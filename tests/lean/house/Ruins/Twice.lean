import House.Honest

/-! Errors, and no axioms: the proof that failed belongs to a name that was declared before, by this file or an import. -/

namespace Ruins.Twice

theorem main (n : Nat) : n = n := rfl

theorem main (n : Nat) : n + 1 = n := rfl

end Ruins.Twice

namespace House

theorem zero_add (n : Nat) : 0 + n = n + n := by
  induction n with
  | zero => rfl

end House
