import House.Closer

/-! Uses the tactic of Closer: no file says that it leaves a gap. -/

namespace House.Closer

theorem far_away (m n : Nat) : m + n = n * m := by
  induction n with
  | zero => finish
  | succ n _ => finish

theorem honest : 1 = 1 := by rfl

end House.Closer
