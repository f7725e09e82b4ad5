import House.Axioms

/-! The axiom of an import comes in through an instance. -/

theorem eleven (n : Nat) (h : n = 9) : n ≤ 10 := House.Axioms.Small.small
