def bound : Nat := 100

theorem reached (n : Nat) (h : n = bound) : ∃ k, n ≤ k ∧ bound ≤ k := sorry
