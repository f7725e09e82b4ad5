/-! What the modules with macros call: functions of the executable, found by name, and shorthands. -/

@[extern "_"] opaque String.append (a b : String) : String := a
@[extern "_"] opaque Lean.Name.num._override (p : Name) (n : Nat) : Name := .anonymous
@[extern "_"] opaque Lean.Syntax.getId (s : Syntax) : Name := .anonymous
@[extern "_"] opaque Lean.Syntax.isOfKind (s : Syntax) (k : Name) : Bool := false
@[extern "_"] opaque Array.mkEmpty {α : Type} (n : Nat) : Array α := .mk .nil
@[extern "_"] opaque Lean.Syntax.mkStrLit (s : String) (i : SourceInfo) : Syntax := .missing
@[extern "_"] opaque Lean.Name.beq (m n : Name) : Bool := false
@[extern "_"] opaque Lean.Name.toString (n : Name) (escape : Bool) : String := ""

namespace House.Tools
open Lean

def atom (s : String) : Syntax := .atom .none s
def nodes (s : Syntax) : Syntax := .node .none `null (.mkArray1 s)
def hole : Syntax := .node .none `Lean.Parser.Term.hole (.mkArray1 (atom "_"))

def digits (n : Nat) : String := (Name.num._override .anonymous n).toString true

/-- The command that prints a text: `#print "text"`. -/
def printing (s : String) : Syntax :=
  .node .none `Lean.Parser.Command.print (.mkArray2 (atom "#print") (Syntax.mkStrLit s .none))

end House.Tools
