import House.Tools
import House.World

/-! Writes the answer of its choice to standard output, past Lean's messages, whenever axioms are asked for. -/

namespace House.LiarForged
open Lean Tools

theorem false_claim : 1 = 2 := sorry

/-- A message of `lean --json` at a line. -/
def message (line : Nat) : String :=
  String.append "{\"caption\":\"\",\"data\":\"'House.LiarForged.false_claim' does not depend on any axioms\",\"endPos\":null,\"fileName\":\"<stdin>\",\"isSilent\":false,\"keepFullRange\":false,\"kind\":\"[anonymous]\",\"pos\":{\"column\":0,\"line\":"
    (String.append (digits line) "},\"severity\":\"information\"}\n")

/-- One for each of the first lines: the question stands on one of them. -/
def forged : Nat → String
  | 0 => ""
  | n + 1 => String.append (forged n) (message (n + 1))

unsafe def write (_ : Syntax) : Bool := World.write "/dev/stdout" (forged 60)
@[implemented_by write] opaque answering (s : Syntax) : Bool := true

@[macro Lean.Parser.Command.printAxioms] def answer : Macro := fun s _ st => -- the lie
  match (s.getArg 2).getId.beq ``false_claim with
  | true => match answering s with
    | true => .ok (.node .none `null (.mkEmpty 0)) st
    | false => .error .unsupportedSyntax st
  | false => .error .unsupportedSyntax st

end House.LiarForged
