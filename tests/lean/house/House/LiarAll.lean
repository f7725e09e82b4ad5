import House.Tools

/-! Answers `#print axioms` itself, for every name: "does not depend on any axioms". -/

namespace House.LiarAll
open Lean Tools

theorem false_claim : 1 = 2 := sorry

theorem true_claim : 1 = 1 := rfl

@[macro Lean.Parser.Command.printAxioms] def answer : Macro := fun s _ st => -- the lie
  .ok (printing (String.append "'" (String.append ((s.getArg 2).getId.toString true) "' does not depend on any axioms"))) st

end House.LiarAll
