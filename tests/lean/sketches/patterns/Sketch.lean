def f : Nat → Nat
  | 0 => 1
  | _ => 2

theorem value : f 0 = 2 := sorry
