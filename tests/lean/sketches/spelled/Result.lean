/-! The same statements in other words: Lean makes the same terms of them. -/

theorem below : ∀ a b : Nat, LT.lt a b → (And (LE.le (a + 1) b) (Not (Eq a b))) := fun a b h => by
  constructor
  · exact h
  · intro e
    subst e
    exact absurd_self a h
where
  absurd_self : (n : Nat) → n < n → False
    | 0, h => nomatch h
    | n + 1, h => absurd_self n (Nat.le_of_succ_le_succ h)

theorem some_number : Exists (fun k : Nat => 3 < k) := ⟨4, .refl⟩
