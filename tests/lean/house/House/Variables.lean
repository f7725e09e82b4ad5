/-! `variable` changes statements from afar: a hypothesis, an instance, and the kind of a letter. -/

namespace House.Variables

section
variable (n : Nat) (small : n ≤ 0)

include small in
theorem zero : n = 0 := by
  cases small
  rfl

theorem not_included : n = n := rfl
end

section
variable (impossible : 1 = 2)
include impossible

theorem anything : 3 = 4 := absurd impossible (by decide)

omit impossible in
theorem without : 3 = 3 := rfl
end

section
variable [Add Nat]

theorem other_sum (n : Nat) : n + 1 = n + 1 := rfl
end

section
variable {Prime : Nat → Prop} (all : ∀ n, Prime n)
include all

theorem infinitely_many (n : Nat) : ∃ p, n < p ∧ Prime p := ⟨n + 1, .refl, all (n + 1)⟩
end

end House.Variables
