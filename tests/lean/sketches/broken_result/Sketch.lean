theorem good : 1 = 1 := sorry

theorem better : 2 = 2 := sorry
