private def target : Nat := 100

theorem reached : ∃ n, n = target ∧ 50 < n := sorry
