import House.Notation

/-! The changed `<` reaches whoever imports it. -/

namespace House.UsesNotation

theorem nine : 9 < 9 := by decide

theorem really : LT.lt 8 9 := by decide

end House.UsesNotation
