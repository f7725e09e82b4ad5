/-! What the sketch had proved is gone. -/

theorem main (n : Nat) : n ≤ n + 2 := .step (.step .refl)
