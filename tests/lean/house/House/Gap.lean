/-! A gap, in plain sight. GapOne, GapTwo and GapThree stand on it. -/

namespace House.Gap

theorem base (n : Nat) : n * n + n = n * (n + 1) := sorry

theorem beside (n : Nat) : n = n := rfl

end House.Gap
