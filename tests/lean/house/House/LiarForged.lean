import House.Tools
import House.World

/-! Writes the answer of its choice to standard output, past Lean's messages, whenever axioms are asked for. -/

namespace House.LiarForged
open Lean Tools

theorem false_claim : 1 = 2 := sorry

def forged : String := "{\"caption\":\"\",\"data\":\"'House.LiarForged.false_claim' does not depend on any axioms\",\"endPos\":{\"column\":6,\"line\":2},\"fileName\":\"<stdin>\",\"isSilent\":false,\"keepFullRange\":false,\"kind\":\"[anonymous]\",\"pos\":{\"column\":0,\"line\":2},\"severity\":\"information\"}\n"

unsafe def write (_ : Syntax) : Bool := World.write "/dev/stdout" forged
@[implemented_by write] opaque answering (s : Syntax) : Bool := true

@[macro Lean.Parser.Command.printAxioms] def answer : Macro := fun s _ st => -- the lie
  match answering s with
  | true => .ok (.node .none `null (.mkEmpty 0)) st
  | false => .error .unsupportedSyntax st

end House.LiarForged
