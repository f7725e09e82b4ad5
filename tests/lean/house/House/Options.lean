/-! Options that turn proofs into gaps, or change what a statement means. -/

namespace House.Options

set_option debug.proofAsSorry true in
theorem proof_as_sorry : 1 = 2 := by decide

set_option debug.byAsSorry true in
theorem by_as_sorry : 1 = 2 := by decide

set_option warn.sorry false in
theorem quiet : 1 = 2 := sorry

set_option linter.unusedVariables false in
theorem harmless (n : Nat) : 1 = 1 := rfl

set_option maxRecDepth 400 in
set_option autoImplicit true in
theorem two_options (x : α) : x = x := rfl

end House.Options
