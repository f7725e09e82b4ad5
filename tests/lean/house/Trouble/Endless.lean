import House.Tools

/-! Never ends: for limits on time. -/

namespace Trouble.Endless
open Lean House.Tools

partial def spin (s : Syntax) (n : Nat) : Nat :=
  match s with
  | .missing => 0
  | s => spin s (n + 1)

syntax (name := endless) "endless%" : term
@[macro endless] def wait : Macro := fun s _ st =>
  match spin s 0 with
  | 0 => .ok (mkCIdent `True.intro) st
  | _ + 1 => .error .unsupportedSyntax st

theorem before : 1 = 1 := rfl

theorem waiting : True := endless%

end Trouble.Endless
