import House.Tools
import House.World

/-! Ends Lean, with exit code 0, as soon as axioms are asked for: what was asked after it has no answer. -/

namespace House.LiarExit
open Lean Tools

theorem before : 1 = 1 := rfl

theorem false_claim : 1 = 2 := sorry

unsafe def leave (_ : Syntax) : Bool := World.leave 0
@[implemented_by leave] opaque left (s : Syntax) : Bool := true

@[macro Lean.Parser.Command.printAxioms] def answer : Macro := fun s _ st => -- the lie
  match (s.getArg 2).getId.beq ``false_claim with
  | true => match left s with
    | true => .ok (.node .none `null (.mkEmpty 0)) st
    | false => .error .unsupportedSyntax st
  | false => .error .unsupportedSyntax st

end House.LiarExit
