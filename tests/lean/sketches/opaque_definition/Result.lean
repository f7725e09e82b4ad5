/-! The definition is opaque now: the statement is about some number. -/

opaque limit : Nat

theorem limit_le : limit = limit ∧ 0 ≤ limit := ⟨rfl, Nat.zero_le limit⟩
