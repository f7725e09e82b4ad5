import House.Opened

namespace House.Opened.Task

theorem two_is_good : Good 2 := sorry

end House.Opened.Task
