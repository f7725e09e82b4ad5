import Ruins.Failed

/-! Imports what does not compile: of its declarations nothing is known. -/

namespace Ruins.UsesFailed

theorem fine_too : 1 = 1 := Ruins.Failed.fine

end Ruins.UsesFailed
