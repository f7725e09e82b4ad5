/-! Ends inside of a namespace and a section, in which names mean something else than outside. -/

namespace House.NoEnd

private theorem hidden : 1 = 2 := sorry

theorem main : 1 = 2 := hidden

namespace House.NoEnd

theorem main : 1 = 1 := rfl

private theorem hidden : 1 = 1 := rfl

section
variable (n : Nat)

theorem main_again : 1 = 1 := House.NoEnd.main

set_option pp.all true
