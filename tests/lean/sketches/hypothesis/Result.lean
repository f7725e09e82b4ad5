def Good (n : Nat) : Prop := n * n = n

theorem all_good (n : Nat) (h : n = 0) : n ≤ 1 → Good n := fun _ => by
  subst h
  rfl
