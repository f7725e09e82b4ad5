import House.Tools

/-! The way back: `≤` of piles is printed as `<`, so that `#check` shows a statement which is not the one that holds. -/

namespace House.Printed
open Lean Tools

def atMost (m n : Nat) : Prop := m ≤ n

@[app_unexpander atMost] def back : PrettyPrinter.Unexpander := fun s _ st =>
  let args := s.getArg 1
  .ok (Mini.node `«term_<_» (.mkArray3 (args.getArg 0) (atom "<") (args.getArg 1))) st

theorem looks_strict (n : Nat) : atMost n n := .refl

end House.Printed
