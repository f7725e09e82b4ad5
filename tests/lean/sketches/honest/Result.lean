import House.Honest

namespace House

theorem twice_put (p : Pile) : p.put.put.stones = p.stones + 2 := by
  rfl

/-- A step in between. -/
theorem put_three (p : Pile) : p.put.put.put.stones = p.stones + 3 := rfl

theorem total_three (p : Pile) : Pile.total 3 p = p.stones + 3 := put_three p

end House
