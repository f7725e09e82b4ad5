/-! The definition differs in a pattern only: Lean keeps the patterns in a definition of their own. -/

def f : Nat → Nat
  | 1 => 1
  | _ => 2

theorem value : f 0 = 2 := rfl
