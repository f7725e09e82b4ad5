/-! Declares an axiom, and an instance made of one. -/

namespace House.Axioms

axiom tall (n : Nat) : n ≤ 10

class Small (n : Nat) : Prop where
  small : n ≤ 10

instance (n : Nat) : Small n := ⟨tall n⟩

theorem seven : 7 ≤ 10 := by decide

end House.Axioms
