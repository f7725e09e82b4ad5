/-! `+` is a product here. -/

theorem five : 2 + 3 = 5 := rfl

local instance : Add Nat := ⟨Nat.mul⟩

theorem sum : ∃ n : Nat, n + n = 9 ∨ n + 1 = 1 := ⟨3, .inl rfl⟩
