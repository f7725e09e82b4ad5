import House.Honest

/-! The same theorems, in another order, with other comments. -/

section anywhere

variable (p q : Prop)

/-- Both, turned round. -/
theorem second (h : p ∧ q) : q ∧ p := ⟨h.right, h.left⟩

theorem first (h : p ∧ q) : q := (second p q h).left

end anywhere
