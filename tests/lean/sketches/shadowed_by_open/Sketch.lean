namespace Road
def Far (n : Nat) : Prop := 1000 < n
end Road

namespace Room
def Far (n : Nat) : Prop := 1 < n
end Room

open Road

theorem ten_far : Far 10 ∨ 10 ≤ 5 := sorry
