import House.LiarAll

/-! An import answers `#print axioms`. -/

theorem wrong : 1 = 2 := House.LiarAll.false_claim
