theorem middle (p : Prop) : p ∨ ¬p := sorry

theorem same (f g : Nat → Nat) (h : ∀ n, f n = g n) : f = g := sorry
