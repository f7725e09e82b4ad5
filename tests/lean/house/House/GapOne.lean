import House.Gap

/-! Stands on Gap: no word of a gap in this file. -/

namespace House.Gap

theorem one (n : Nat) : n * (n + 1) = n * n + n := (base n).symm

theorem one_honest (n : Nat) : n = n := beside n

end House.Gap
