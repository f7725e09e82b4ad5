/-! More than was asked for, and so not what was asked for. -/

theorem at_most (n : Nat) : n < n + 2 := .step .refl
