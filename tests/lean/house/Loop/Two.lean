import Loop.One

/-! Imports what imports it. -/

theorem Loop.two : 1 = 1 := rfl
