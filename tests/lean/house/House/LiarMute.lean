import House.Tools

/-! `#print axioms` and `#check` say nothing any more. -/

namespace House.LiarMute
open Lean Tools

theorem false_claim : 1 = 2 := sorry

/-- A list of no commands. -/
def nothing : Syntax := .node .none `null (.mkEmpty 0)

@[macro Lean.Parser.Command.printAxioms] def axioms : Macro := fun _ _ st => .ok nothing st -- the lie

@[macro Lean.Parser.Command.check] def check : Macro := fun _ _ st => .ok nothing st -- the lie

end House.LiarMute
