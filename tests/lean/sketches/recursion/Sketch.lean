def f : Nat → Nat
  | 0 => 1
  | n + 1 => f n

theorem value : f 0 = 0 := sorry
