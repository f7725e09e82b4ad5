import House.Tools

/-! Types that are not printed whole: `⋯` stands for proofs and for what is nested deeply. -/

namespace House.Dots
open Lean Tools

structure Below (n : Nat) where
  value : Nat
  proof : value < n

theorem one_below {n : Nat} (h : 0 ≤ n) : 1 < n + 2 := Nat.succ_le_succ (Nat.succ_le_succ h)

theorem proof_inside : (Below.mk 1 (one_below (Nat.zero_le 1))).value = 1 := rfl

theorem other_proof (h : 1 < 3) : Below.mk 1 h = Below.mk 1 (one_below (Nat.zero_le 1)) := rfl

syntax (name := wrapped) "wrapped%" term : term
@[macro wrapped] def deeper : Macro := fun s _ st =>
  let not4 (t : Syntax) := Mini.app `Not (.mkArray1 (Mini.app `Not (.mkArray1 (Mini.app `Not (.mkArray1 (Mini.app `Not (.mkArray1 t)))))))
  .ok (not4 (not4 (not4 (s.getArg 1)))) st

theorem deep (h : wrapped% wrapped% wrapped% wrapped% wrapped% wrapped% (1 = 2)) :
    wrapped% wrapped% wrapped% wrapped% wrapped% wrapped% (1 = 2) := h

theorem deep_other (h : wrapped% wrapped% wrapped% wrapped% wrapped% wrapped% (1 = 1)) :
    wrapped% wrapped% wrapped% wrapped% wrapped% wrapped% (1 = 1) := h

end House.Dots
