/-! `sorry`, `admit` and `sorryAx`, and a gap in data. -/

namespace House.Sorries

theorem term : 1 = 2 := sorry

theorem tactic : 1 = 2 := by sorry

theorem admitted : 1 = 2 := by admit

theorem by_hand : 1 = 2 := sorryAx (1 = 2) false

theorem in_a_branch (n : Nat) : n = 0 ∨ n ≠ 0 := by
  cases n with
  | zero => exact .inl rfl
  | succ n => right; first | contradiction | exact sorry

def value : Nat := sorry

-- the proof has no gap, what it is about has one
theorem about_value : value = value := rfl

theorem all_but : 1 = 1 ∧ 2 = 2 := ⟨rfl, by all_goals first | sorry | rfl⟩

end House.Sorries
