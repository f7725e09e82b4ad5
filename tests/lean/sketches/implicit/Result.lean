/-! An argument is implicit now: the same statement, another way to call it. -/

theorem keep {n : Nat} (h : n = 3) : 3 = n := h.symm
