theorem goldbach : ∀ n : Nat, 2 < n → ∃ p q : Nat, p + q = n * 2 ∧ p * q ≠ 0 := sorry
