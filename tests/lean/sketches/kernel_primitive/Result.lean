import House.Primitive

/-! False, and the kernel agrees: see House/Primitive.lean. -/

theorem wrong : 0 = 8 := House.Primitive.anything
