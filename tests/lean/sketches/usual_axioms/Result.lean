theorem middle (p : Prop) : p ∨ ¬p := Classical.em p

theorem same (f g : Nat → Nat) (h : ∀ n, f n = g n) : f = g := funext h
