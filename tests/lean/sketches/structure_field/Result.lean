/-! A field more: an assumption inside of a structure. -/

structure Machine where
  step : Nat → Nat
  grows : ∀ n, n < step n
  done : ∀ n, n < step (step n)

theorem steps (m : Machine) (n : Nat) : n < m.step (m.step n) := m.done n
