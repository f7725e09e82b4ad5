import House.Honest

namespace House

theorem grows (p : Pile) : p.stones ≤ p.put.stones := .step .refl

end House
