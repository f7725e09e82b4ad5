import House.Axioms

/-! An axiom of an import, which comes in through an instance: nothing here names it. -/

namespace House.Axioms

theorem ninety : 90 ≤ 10 := Small.small

theorem absurdity : 1 = 2 := absurd ninety (by decide)

theorem seven_again : 7 ≤ 10 := seven

end House.Axioms
