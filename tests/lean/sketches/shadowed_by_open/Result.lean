/-! The same definitions and the same words; another namespace is open. -/

namespace Road
def Far (n : Nat) : Prop := 1000 < n
end Road

namespace Room
def Far (n : Nat) : Prop := 1 < n
end Room

open Room

theorem ten_far : Far 10 ∨ 10 ≤ 5 := .inl (by unfold Far; decide)
