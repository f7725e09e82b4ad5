/-! One declaration of every kind, also those with no name of their own. -/

namespace House.Kinds

inductive Colour where
  | red
  | green (shade : Nat)

inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons {n : Nat} (a : α) (rest : Vec α n) : Vec α (n + 1)

structure Point where
  x : Nat
  y : Nat := 0

structure Point3 extends Point where
  z : Nat

class Shape (α : Type) where
  area : α → Nat
  positive : ∀ a, 0 ≤ area a

instance : Shape Point := ⟨fun p => p.x * p.y, fun _ => Nat.zero_le _⟩

class inductive Found (p : Prop) : Prop
  | yes (h : p)

abbrev Origin : Point := ⟨0, 0⟩

def length {α : Type} {n : Nat} (_ : Vec α n) : Nat := n

theorem length_cons {α : Type} {n : Nat} (a : α) (v : Vec α n) : length (.cons a v) = length v + 1 := rfl

axiom given : Nat

example : 1 = 1 := rfl

example : 1 = 2 := sorry

attribute [irreducible] length

@[reducible] def Alias := Nat

theorem alias_eq : Alias = Nat := rfl

end House.Kinds
