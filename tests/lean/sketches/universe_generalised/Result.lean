/-! True in every universe, so also in the one of the sketch. -/

universe u

theorem same_point (α : Type u) (a b : α) (h : a = b) : b = a := h.symm
