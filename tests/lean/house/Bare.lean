prelude

/-! Without Lean's own `Init`: `=`, `Nat` and `False` are what this file says they are. -/

set_option genCtorIdx false
universe u

set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PUnit : Sort u
  | unit

inductive True : Prop
  | intro

inductive Nat
  | zero
  | succ (n : Nat)

inductive Eq {α : Sort u} (a b : α) : Prop
  | refl : Eq a b

theorem Bare.one_is_two : Eq (Nat.succ Nat.zero) (Nat.succ (Nat.succ Nat.zero)) := Eq.refl

theorem Bare.false_is_true : Eq (∀ p : Prop, p) True := Eq.refl
