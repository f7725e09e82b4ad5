/-! Mutual blocks: types, functions and theorems; a gap in one reaches the other. -/

namespace House.Mutual

mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | step {n : Nat} : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | step {n : Nat} : Even n → Odd (n + 1)
end

mutual
def even : Nat → Bool
  | 0 => true
  | n + 1 => odd n
def odd : Nat → Bool
  | 0 => false
  | n + 1 => even n
end

mutual
theorem even_of : (n : Nat) → even n = true → Even n
  | 0, _ => .zero
  | n + 1, h => .step (odd_of n h)
theorem odd_of : (n : Nat) → odd n = true → Odd n
  | n + 1, h => .step (even_of n h)
end

mutual
theorem even_gap : (n : Nat) → Even n → even n = true
  | 0, _ => rfl
  | n + 1, .step h => odd_gap n h
theorem odd_gap : (n : Nat) → Odd n → odd n = true
  | _ + 1, _ => sorry
end

end House.Mutual
