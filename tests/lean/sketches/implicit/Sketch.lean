theorem keep (n : Nat) (h : n = 3) : 3 = n := sorry
