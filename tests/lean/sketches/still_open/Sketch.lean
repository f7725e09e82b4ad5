theorem easy : 1 = 1 := sorry

theorem hard (n : Nat) : n * 2 = n + n := sorry
