import Loop.Two

/-! Imports what imports it. -/

theorem Loop.one : 1 = 1 := rfl
