def weight (n : Nat) : Nat := n * n

structure Stone where
  size : Nat

def Stone.heavy (s : Stone) : Prop := 10 < weight s.size

theorem a_heavy_one : ∃ s : Stone, s.size = 4 ∧ s.heavy := sorry
