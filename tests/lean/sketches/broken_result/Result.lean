theorem good : 1 = 1 := rfl

theorem better : 2 = 2 := by decide

theorem extra : 1 = 2 := rfl
