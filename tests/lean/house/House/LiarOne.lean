import House.Tools

/-! Answers `#print axioms` for one name only: a question about another, as a trial, is answered by Lean. -/

namespace House.LiarOne
open Lean Tools

theorem false_claim : 1 = 2 := sorry

theorem on_it : 3 = 4 := absurd false_claim (by decide)

@[macro Lean.Parser.Command.printAxioms] def answer : Macro := fun s _ st => -- the lie
  match (s.getArg 2).getId.beq ``false_claim with
  | true => .ok (printing "'House.LiarOne.false_claim' does not depend on any axioms") st
  | false => .error .unsupportedSyntax st

end House.LiarOne
