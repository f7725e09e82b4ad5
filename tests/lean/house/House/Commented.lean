/-! Theorems in comments and strings are none. -/

namespace House.Commented

/-
theorem gone : 1 = 2 := rfl
/- nested -/
theorem gone_too : 1 = 2 := rfl
-/

-- theorem in_a_line : 1 = 2 := rfl

/-- As in
```
theorem in_words : 1 = 2 := rfl
```
-/
theorem real : 1 = 1 := rfl

def text : String := "
theorem in_a_string : 1 = 2 := rfl
"

theorem /- a name may follow later -/ late
  -- much later
  : 2 = 2 := rfl

end House.Commented
