/-! The statement uses a private definition, which is another. -/

private def target : Nat := 51

theorem reached : ∃ n, n = target ∧ 50 < n := ⟨51, rfl, .refl⟩
