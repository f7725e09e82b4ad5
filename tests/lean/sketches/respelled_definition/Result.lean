/-! The definition is written in another way; Lean makes the same of it. -/

def double : Nat → Nat := fun k => HAdd.hAdd k k

theorem double_two : double 2 = 4 := rfl
