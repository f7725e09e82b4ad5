import House.Holds

/-! The instance is found by Lean: no name of it stands here. -/

namespace House.Holds

theorem found : 1 = 2 := Holds.out

theorem found_in_a_pair : (1 = 1 ∧ 1 = 2) := Holds.out

theorem found_honest : 1 = 1 ∧ 1 = 1 := Holds.out

theorem given [Holds (3 = 4)] : 3 = 4 := Holds.out

end House.Holds
