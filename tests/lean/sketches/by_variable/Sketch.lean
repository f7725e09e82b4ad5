variable (n : Nat)

theorem no_bigger : n ≤ n * n + n := sorry
