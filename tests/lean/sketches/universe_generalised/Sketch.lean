theorem same_point (α : Type) (a b : α) (h : a = b) : b = a := sorry
