/-! Two steps below the statement, a number is another. -/

def weight (n : Nat) : Nat := n * n * n * n

structure Stone where
  size : Nat

def Stone.heavy (s : Stone) : Prop := 10 < weight s.size

theorem a_heavy_one : ∃ s : Stone, s.size = 4 ∧ s.heavy := ⟨⟨4⟩, rfl, (by decide : 10 < 256)⟩
