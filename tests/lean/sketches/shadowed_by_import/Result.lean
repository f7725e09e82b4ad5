import House.Opened

open House.Opened.Easy

theorem two_is_good : Good 2 := .intro
