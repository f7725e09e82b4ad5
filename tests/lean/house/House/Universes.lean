/-! Universes: what is true of propositions, or in one universe, is not what the words suggest. -/

namespace House.Universes
universe u v

/- `α` looks like a type; it is a proposition. -/
theorem all_equal (α : Prop) (a b : α) : a = b := rfl

theorem sort_zero (α : Sort 0) (a b : α) : a = b := rfl

structure Boxed (α : Type u) : Type (max u v) where
  value : α

theorem boxed.{w, x} (α : Type w) (a b : Boxed.{w, x} α) (h : a.value = b.value) : a = b := by
  cases a; cases b; cases h; rfl

theorem one_level (α : Type) (a : α) : Boxed.value (Boxed.mk.{0, 0} a) = a := rfl

def Pairs (α : Sort u) (β : Sort v) : Sort (max 1 u v) := PProd α β

theorem empty_universe (α : Type u) (h : α → False) (β : α → Type v) (a : α) : β a = β a := (h a).elim

end House.Universes
