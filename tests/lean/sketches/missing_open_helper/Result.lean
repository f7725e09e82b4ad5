/-! The helper was not needed; but it was asked for. -/

theorem main (n : Nat) : n * 0 + n * 0 = 0 := rfl
