import House.NoSuchModule

/-! An import that does not exist. -/

theorem Ruins.NoImport.fine : 1 = 1 := rfl
