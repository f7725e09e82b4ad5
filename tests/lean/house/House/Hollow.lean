/-! True, and worth nothing: `True`, `p → p`, hypotheses that cannot hold, the claim itself as a hypothesis. -/

namespace House.Hollow

theorem main_theorem : True := trivial_proof
where trivial_proof : True := .intro

def Claim : Prop := ∀ n : Nat, ∃ p, n < p ∧ ∀ d, d * d = p → d = p

theorem claim_of_claim (h : Claim) : Claim := h

abbrev Goal : Prop := True

theorem goal : Goal := .intro

theorem below_zero (n : Nat) (h : n < 0) : n = n + 1 := nomatch h

theorem contradictory (h : 1 = 2) : Claim := absurd h (by decide)

structure Assumptions where
  all : Claim

theorem from_assumptions (a : Assumptions) : Claim := a.all

theorem exists_implies : ∃ n : Nat, n < 0 → 1 = 2 := ⟨0, nofun⟩

theorem truncated : Nat.sub 3 5 = 0 := rfl

end House.Hollow
