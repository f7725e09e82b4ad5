theorem first (p q : Prop) (h : p ∧ q) : q := sorry

theorem second (p q : Prop) (h : p ∧ q) : q ∧ p := sorry
