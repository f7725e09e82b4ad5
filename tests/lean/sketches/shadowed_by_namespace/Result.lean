import House.Opened

namespace House.Opened.Task

def Good (_ : Nat) : Prop := 1 = 1

theorem two_is_good : Good 2 := (rfl : 1 = 1)

end House.Opened.Task
