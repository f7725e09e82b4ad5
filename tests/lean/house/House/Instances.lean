/-! Instances of its own: `+` is a product, `≤` holds always, and `decide` believes an instance. -/

namespace House.Instances

section
local instance product : Add Nat := ⟨Nat.mul⟩

theorem two_and_three : 2 + 3 = 6 := rfl
end

theorem two_and_three_again : 2 + 3 = 5 := rfl

section
local instance always : LE Nat := ⟨fun _ _ => True⟩

theorem nine_at_most_one : 9 ≤ 1 := .intro
end

structure Wrong where

theorem no_wrong : (∃ _ : Wrong, 1 = 2) → 1 = 2 := fun ⟨_, h⟩ => h

instance believe : Decidable (2 + 2 = 5) := .isTrue sorry

theorem decided : 2 + 2 = 5 := by decide

end House.Instances
