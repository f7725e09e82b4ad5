theorem helper (n : Nat) : n * 0 = 0 := sorry

theorem main (n : Nat) : n * 0 + n * 0 = 0 := sorry
