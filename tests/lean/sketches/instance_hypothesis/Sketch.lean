class Lucky : Prop where
  luck : 1 = 2

theorem one_is_two : 1 = 2 ∨ 1 = 1 := sorry

theorem another : 2 = 2 := sorry
