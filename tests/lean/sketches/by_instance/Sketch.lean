theorem sum : ∃ n : Nat, n + n = 9 ∨ n + 1 = 1 := sorry

theorem five : 2 + 3 = 5 := sorry
