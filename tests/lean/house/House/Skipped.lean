/-! The kernel is told not to look: no axiom, no warning, and false. Only a replay sees it. -/

namespace House.Skipped

set_option debug.skipKernelTC true in
theorem false_sum : 2 + 2 = 5 := by decide +kernel

theorem true_sum : 2 + 2 = 4 := rfl

end House.Skipped
