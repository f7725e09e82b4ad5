/-! Two proofs that are finished and one that is open. Nothing but core Lean is needed. -/

namespace Demo

/-- A number is even if it is twice another one. -/
def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k

/-- Even numbers add up to an even number. -/
theorem isEven_add {m n : Nat} (hm : IsEven m) (hn : IsEven n) : IsEven (m + n) := by
  obtain ⟨j, hj⟩ := hm
  obtain ⟨k, hk⟩ := hn
  exact ⟨j + k, by omega⟩

/-- Twice any number is even. -/
theorem isEven_two_mul (n : Nat) : IsEven (2 * n) := ⟨n, rfl⟩

/-- A number times its successor is even. -/
theorem isEven_mul_succ (n : Nat) : IsEven (n * (n + 1)) := by
  sorry

end Demo
