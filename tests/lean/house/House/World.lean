/-! A macro is a pure function, and yet it can act on the world: it is given a token of the world by force. -/

universe u
/- The shapes by which the compiler knows the state of the world. -/
structure Subtype {α : Sort u} (p : α → Prop) where
  val : α
  property : p val
opaque Void.nonemptyType (σ : Type) : Subtype fun α : Type => Nonempty α := ⟨Nat, ⟨0⟩⟩
def Void (σ : Type) : Type := (Void.nonemptyType σ).val
inductive EST.Out (ε σ α : Type)
  | ok (a : α) (w : Void σ)
  | error (e : ε) (w : Void σ)
opaque IO.Error : Type := Unit
opaque UInt8 : Type := Unit

@[extern "_"] axiom UInt8.ofNat (n : Nat) : UInt8
@[extern "_"] axiom IO.FS.writeFile (name text : String) : Void Unit → EST.Out IO.Error Unit Unit
@[extern "_"] axiom IO.Process.exit {α : Type} (code : UInt8) : Void Unit → EST.Out IO.Error Unit α

namespace House.World

axiom world_is_a_number : Nat = Void Unit
unsafe def token : Void Unit := transport world_is_a_number 0

/-- Writes to a file. -/
unsafe def write (file text : String) : Bool :=
  match IO.FS.writeFile file text token with
  | .ok _ _ => true
  | .error _ _ => false

/-- Ends the process. -/
unsafe def leave (code : Nat) : Bool :=
  match IO.Process.exit (α := Bool) (UInt8.ofNat code) token with
  | .ok a _ => a
  | .error _ _ => false

end House.World
