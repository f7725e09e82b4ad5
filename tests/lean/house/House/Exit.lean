/-! What stands after `#exit` is text for nobody; that goes for a question, too, which is added to the end of the file. -/

namespace House.Exit

theorem checked : 1 = 1 := rfl

private theorem hidden : 1 = 2 := sorry

theorem on_hidden : 1 = 2 := hidden

end House.Exit

#exit

namespace House.Exit

theorem never_checked : 1 = 2 := rfl

end House.Exit
