import House.Tools

/-! Takes more and more memory, up to about 2 GB: for limits on memory. -/

namespace Trouble.Hungry
open Lean House.Tools

partial def last : List Nat → Nat
  | .nil => 0
  | .cons _ l => last l

partial def hoard (kept : List Nat) (n : Nat) : Nat :=
  match Nat.ble 60000000 n with
  | true => last kept
  | false => hoard (.cons n kept) (n + 1)

syntax (name := hungry) "hungry%" : term
@[macro hungry] def eat : Macro := fun s _ st =>
  match hoard (match s with | .missing => .cons 0 .nil | _ => .nil) 0 with
  | 0 => .ok (mkCIdent `True.intro) st
  | _ + 1 => .error .unsupportedSyntax st

theorem before : 1 = 1 := rfl

theorem fed : True := hungry%

end Trouble.Hungry
