theorem eleven (n : Nat) (h : n = 9) : n ≤ 10 := sorry
