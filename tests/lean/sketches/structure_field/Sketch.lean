structure Machine where
  step : Nat → Nat
  grows : ∀ n, n < step n

theorem steps (m : Machine) (n : Nat) : n < m.step (m.step n) := sorry
