theorem at_most (n : Nat) : n ≤ n + 2 := sorry
