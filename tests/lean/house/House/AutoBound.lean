/-! Unknown names become variables (`autoImplicit`): a slip of the pen is a statement about everything, or about nothing. -/

namespace House.AutoBound

def Limits.bound : Nat := 0

theorem typo (h : flase ∧ 1 = 2) : flase := h.left

theorem any_type (x : ℝ) : x = x := rfl

-- `bound` is not `Limits.bound`: it is any number
theorem below (n : Nat) (h : n ≤ bound) : n ≤ bound + 1 := .step h

theorem universal {p : Prop} (h : p = q) (k : q) : p := h.symm.rec k

set_option autoImplicit false in
theorem strict (n : Nat) : n = n := rfl

end House.AutoBound
