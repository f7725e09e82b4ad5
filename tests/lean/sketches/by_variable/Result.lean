/-! The hypothesis stands far above the theorem. -/

variable (n : Nat) (zero : n = 0)

include zero

theorem no_bigger : n ≤ n * n + n := by
  subst zero
  decide
