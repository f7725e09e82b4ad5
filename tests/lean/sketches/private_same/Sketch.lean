private def target : Nat := 100

private theorem big : 50 < target := sorry

theorem reached : ∃ n, n = target ∧ 50 < n := sorry
