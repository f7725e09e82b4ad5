/-! A comment that never ends takes the rest of the file with it. -/

namespace Ruins.Unclosed

theorem before : 1 = 1 := rfl

/- the end is missing

theorem inside : 1 = 2 := rfl

end Ruins.Unclosed
