/-! Does not compile. Every failed proof is kept with `sorryAx`; what stands between is in order. -/

namespace Ruins.Failed

theorem mismatch : 1 = 2 := rfl

theorem unfinished (n : Nat) : n = n ∧ n ≤ n + 1 := by
  constructor
  · rfl

theorem fine : 1 = 1 := rfl

theorem refuted : 4 < 3 := by decide

def broken : Nat := "three"

theorem about_broken : broken = broken := rfl

theorem cut_short : 1 = 1 := by
  exact (rfl : 1 = 1

theorem after : 2 = 2 := rfl

end Ruins.Failed
