/-! What the sketch had proved is open now; what was open is proved without it. -/

theorem helper (n : Nat) : n ≤ n + 1 := by sorry

theorem main (n : Nat) : n ≤ n + 2 := .step (.step .refl)
