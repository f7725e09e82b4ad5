import House.Tools

/-! Answers `#check` and `#print` itself: with a statement that was never proved. -/

namespace House.LiarCheck
open Lean Tools

theorem main : True := .intro

@[macro Lean.Parser.Command.check] def check : Macro := fun s _ st => -- the lie
  match (s.getArg 1).isOfKind `Lean.Parser.Term.explicit with
  | true => .ok (printing "@House.LiarCheck.main : ∀ (n : Nat), ∃ p, n < p") st
  | false => .ok (printing "House.LiarCheck.main (n : Nat) : ∃ p, n < p") st

@[macro Lean.Parser.Command.print] def print : Macro := fun s _ st => -- the lie
  match (s.getArg 1).isOfKind `ident with
  | true => .ok (printing "theorem House.LiarCheck.main : ∀ (n : Nat), ∃ p, n < p :=\nfun n => ⟨n + 1, Nat.le.refl⟩") st
  | false => .error .unsupportedSyntax st

end House.LiarCheck
