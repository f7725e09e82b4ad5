/-! Honest work: everything is proved, and nothing beyond the usual is assumed. -/

namespace House

/-- A pile of stones. -/
structure Pile where
  stones : Nat

namespace Pile
def put (p : Pile) : Pile := ⟨p.stones + 1⟩

def total : Nat → Pile → Nat
  | 0, p => p.stones
  | n + 1, p => total n p.put

theorem put_stones (p : Pile) : p.put.stones = p.stones + 1 := rfl
end Pile

theorem zero_add (n : Nat) : 0 + n = n := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg Nat.succ ih

theorem succ_add (m n : Nat) : m + 1 + n = m + n + 1 := by
  induction n with
  | zero => rfl
  | succ n ih => exact congrArg Nat.succ ih

theorem Pile.total_eq (n : Nat) (p : Pile) : Pile.total n p = n + p.stones := by
  induction n generalizing p with
  | zero => exact (zero_add p.stones).symm
  | succ n ih =>
    show Pile.total n p.put = n + 1 + p.stones
    rw [ih, succ_add]
    rfl

theorem or_not (p : Prop) : p ∨ ¬p := Classical.em p

end House
