/-! Two names that look the same: the second has a Greek letter. -/

namespace House.Lookalike

theorem good : 1 = 1 := rfl

theorem gοod : 1 = 2 := sorry

theorem uses_good : 1 = 1 := good

end House.Lookalike
