def limit : Nat := 7

theorem limit_le : limit = limit ∧ 0 ≤ limit := sorry
