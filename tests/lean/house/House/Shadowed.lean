/-! Definitions with the names of Lean's own: inside of the namespace, `Nat`, `=` by name and `le` are these. -/

namespace House.Shadowed

inductive Nat where
  | only

def Eq (_ _ : _root_.Nat) : Prop := True

def lt (m n : _root_.Nat) : Prop := m ≤ n

theorem all_equal (m n : Nat) : m = n := match m, n with
  | .only, .only => rfl

theorem one_is_two : Eq 1 2 := .intro

theorem below_itself (n : _root_.Nat) : lt n n := .refl

end House.Shadowed
