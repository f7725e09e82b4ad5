/-! The recursion differs in a value only: Lean keeps the recursion in a definition of its own. -/

def f : Nat → Nat
  | 0 => 0
  | n + 1 => f n

theorem value : f 0 = 0 := rfl
