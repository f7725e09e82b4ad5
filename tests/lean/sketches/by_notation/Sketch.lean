theorem strictly : ∃ n : Nat, ∀ m : Nat, m < n → m * m < n := sorry
