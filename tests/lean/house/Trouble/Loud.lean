import House.World
import House.Tools

/-! Writes 100 MB to standard output: for limits on what is read. -/

namespace Trouble.Loud
open Lean House House.Tools

def doubled (s : String) : Nat → String
  | 0 => s
  | n + 1 => doubled (String.append s s) n

unsafe def shouts (text : String) : Nat → Bool
  | 0 => true
  | n + 1 => match World.write "/dev/stdout" text with
    | true => shouts text n
    | false => false

unsafe def shout (_ : Syntax) : Bool := shouts (doubled "louder and louder than before!!\n" 15) 100
@[implemented_by shout] opaque shouted (s : Syntax) : Bool := true

syntax (name := loud) "loud%" : term
@[macro loud] def cry : Macro := fun s _ st =>
  match shouted s with
  | true => .ok (mkCIdent `True.intro) st
  | false => .error .unsupportedSyntax st

theorem before : 1 = 1 := rfl

theorem heard : True := loud%

end Trouble.Loud
