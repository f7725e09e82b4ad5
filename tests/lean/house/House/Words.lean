/-! The words of gaps, where they are none: in names, strings and comments. No `sorry` here. -/

namespace House.Words

theorem «sorry» : 1 = 1 := rfl

theorem admit_nothing : "sorry" = "sorry" := rfl -- sorry, admit

/-- by admit -/
theorem sorryAx_free : 2 = 2 := «sorry».rec (motive := fun _ _ => 2 = 2) rfl

theorem axiom_of_nothing : 3 = 3 := /- sorry /- native_decide -/ -/ rfl

end House.Words
