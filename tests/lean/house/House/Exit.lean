/-! What stands after `#exit` is text for nobody. -/

namespace House.Exit

theorem checked : 1 = 1 := rfl

end House.Exit

#exit

namespace House.Exit

theorem never_checked : 1 = 2 := rfl

end House.Exit
