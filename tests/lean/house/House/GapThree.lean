import House.GapTwo

/-! A gap inherited over three imports. -/

namespace House.Gap

theorem three : 3 * 4 = 3 * 3 + 3 ∧ 1 = 1 := ⟨two, rfl⟩

theorem three_honest : 3 * 4 = 3 * 3 + 3 ∧ 1 = 1 := ⟨two_honest, one_honest 1⟩

end House.Gap
