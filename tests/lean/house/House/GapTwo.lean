import House.GapOne

/-! Stands on GapOne, which stands on Gap. -/

namespace House.Gap

theorem two : 3 * 4 = 3 * 3 + 3 := one 3

theorem two_honest : 3 * 4 = 3 * 3 + 3 := rfl

end House.Gap
