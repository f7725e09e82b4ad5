/-! Proved for propositions only. -/

theorem same_point (α : Prop) (a b : α) (h : a = b) : b = a := h.symm
