import House.Opened

open House.Opened

theorem two_is_good : Good 2 := sorry
