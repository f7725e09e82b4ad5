theorem below (m n : Nat) (h : m < n) : m + 1 ≤ n ∧ ¬ m = n := sorry

theorem some_number : ∃ n : Nat, 3 < n := sorry
