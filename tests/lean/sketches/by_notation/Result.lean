import House.Notation

/-! An import gives `<` another meaning. -/

theorem strictly : ∃ n : Nat, ∀ m : Nat, m < n → m * m < n := ⟨0, fun m h => by cases h; exact .refl⟩
