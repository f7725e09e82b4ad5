universe u

theorem same_point (α : Sort u) (a b : α) (h : a = b) : b = a := sorry
