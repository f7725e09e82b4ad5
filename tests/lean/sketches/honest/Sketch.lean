import House.Honest

namespace House

theorem twice_put (p : Pile) : p.put.put.stones = p.stones + 2 := by
  sorry

theorem total_three (p : Pile) : Pile.total 3 p = p.stones + 3 := sorry

end House
