def Good (n : Nat) : Prop := n * n = n

theorem all_good (n : Nat) : n ≤ 1 → Good n := sorry
