/-! Helpers in `where` and `let rec`: one of them has a gap. -/

namespace House.Helpers

theorem whole (n : Nat) : n ≤ n + 3 := climb n 3
where
  climb (n : Nat) : (k : Nat) → n ≤ n + k
    | 0 => .refl
    | k + 1 => .step (climb n k)

theorem hollow (n : Nat) : n + 1 ≤ n := step n
where
  step (n : Nat) : n + 1 ≤ n := by
    cases n with
    | zero => admit
    | succ n => exact Nat.succ_le_succ (step n)

def double (n : Nat) : Nat :=
  let rec go : Nat → Nat
    | 0 => 0
    | k + 1 => go k + 2
  go n

theorem double_two : double 2 = 4 := rfl

end House.Helpers
