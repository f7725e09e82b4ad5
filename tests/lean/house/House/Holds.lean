/-! A class that carries propositions, and an instance that brings a false one. -/

namespace House.Holds

class Holds (p : Prop) : Prop where
  out : p

instance both {p q : Prop} [Holds p] [Holds q] : Holds (p ∧ q) := ⟨Holds.out, Holds.out⟩

instance honest : Holds (1 = 1) := ⟨rfl⟩

instance false_one : Holds (1 = 2) := ⟨by admit⟩

end House.Holds
