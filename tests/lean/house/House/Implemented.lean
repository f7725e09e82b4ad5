/-! `implemented_by` and `csimp`: compiled code that differs from the definition makes `native_decide` prove what is false. -/

namespace House.Implemented

def other (_ : Nat) : Nat := 2

@[implemented_by other] def same (n : Nat) : Nat := n

theorem one_is_two : same 1 = 2 := by native_decide

theorem one_is_one : same 1 = 1 := rfl

theorem anything : 1 = 2 := one_is_one.symm.trans one_is_two

def times (m n : Nat) : Nat := m * n

def plus (m n : Nat) : Nat := m + n

-- the compiler uses it; the axiom of `native_decide` does not tell of the gap
@[csimp] theorem times_eq_plus : @times = @plus := sorry

theorem two_by_three : times 2 3 = 5 := by native_decide

theorem really : times 2 3 = 6 := rfl

end House.Implemented
