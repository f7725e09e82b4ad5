/-! Other terms, but equal ones for Lean: `≠` and `<` are written out. -/

theorem apart : ¬ 1 = 2 := by decide

theorem small (n : Nat) (h : n + 1 ≤ 3) : n ≤ 2 := Nat.le_of_succ_le_succ h
