/-! The private definition is the same, and the private lemma is proved. -/

private def target : Nat := 100

private theorem big : 50 < target := by decide

theorem reached : ∃ n, n = target ∧ 50 < n := ⟨target, rfl, big⟩
