/-! The hypothesis comes as an instance. -/

class Lucky : Prop where
  luck : 1 = 2

theorem one_is_two [Lucky] : 1 = 2 ∨ 1 = 1 := .inl Lucky.luck

theorem another : 2 = 2 := rfl
