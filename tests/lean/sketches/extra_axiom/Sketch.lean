theorem hard (n : Nat) : n * 2 = n + n := sorry
