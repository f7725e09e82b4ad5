/-! `_root_` leaves the namespace; what looks nested is not. -/

namespace House.Rooted

theorem _root_.house_rooted : 1 = 1 := rfl

theorem _root_.Rooted.inner : 1 = 2 := sorry

theorem Rooted.inner : 1 = 1 := rfl

theorem uses_inner : 1 = 1 := Rooted.inner

theorem uses_root : 1 = 2 := _root_.Rooted.inner

end House.Rooted

namespace House
theorem Rooted.outside : 1 = 1 := rfl
end House
