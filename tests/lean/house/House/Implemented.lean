/-! `implemented_by`: compiled code that differs from the definition makes `native_decide` prove what is false. -/

namespace House.Implemented

def other (_ : Nat) : Nat := 2

@[implemented_by other] def same (n : Nat) : Nat := n

theorem one_is_two : same 1 = 2 := by native_decide

theorem one_is_one : same 1 = 1 := rfl

theorem anything : 1 = 2 := one_is_one.symm.trans one_is_two

end House.Implemented
