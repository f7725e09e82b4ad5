/-! The three usual axioms, one by one and together. -/

namespace House.Choice

theorem ext {p q : Prop} (h : p ↔ q) : p = q := propext h

theorem sound (a b : Nat) : Quot.mk (fun _ _ : Nat => True) a = Quot.mk (fun _ _ => True) b := Quot.sound .intro

theorem funs (f : Nat → Nat) (h : ∀ n, f n = n) : f = id := funext h

noncomputable def pick : Nat := Classical.choice ⟨3⟩

theorem middle (p : Prop) : ¬¬p → p := fun h => (Classical.em p).rec id fun n => (h n).elim

end House.Choice
