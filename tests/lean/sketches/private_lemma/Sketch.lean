private theorem small : 1 < 2 := sorry

theorem bigger : 1 < 3 := sorry
