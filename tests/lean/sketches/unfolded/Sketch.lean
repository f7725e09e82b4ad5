theorem apart : 1 ≠ 2 := sorry

theorem small (n : Nat) (h : n < 3) : n ≤ 2 := sorry
