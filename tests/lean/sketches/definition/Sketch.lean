def Prime (n : Nat) : Prop := 1 < n ∧ ∀ d e, d * e = n → d = 1 ∨ e = 1

theorem one_after (n : Nat) : ∃ p, n < p ∧ Prime p := sorry
