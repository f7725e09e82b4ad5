/-! Axioms that are called like the usual ones, or like a list of them, and one with two lines. -/

axiom «propext, Quot.sound» : 1 = 2

namespace House.FakeNames

axiom propext : 2 = 3

axiom Classical.choice : 3 = 4

axiom «Quot.sound» : 4 = 5

axiom «a
b» : 5 = 6

theorem by_list : 1 = 2 := «propext, Quot.sound»

theorem by_propext : 2 = 3 := propext

theorem by_choice : 3 = 4 := Classical.choice

theorem by_sound : 4 = 5 := «Quot.sound»

theorem by_two_lines : 5 = 6 := «a
b»

theorem by_all : 1 = 2 ∧ 2 = 3 ∧ 3 = 4 ∧ 4 = 5 ∧ 5 = 6 := ⟨by_list, by_propext, by_choice, by_sound, by_two_lines⟩

theorem usual {p q : Prop} (h : p ↔ q) : p = q := _root_.propext h

end House.FakeNames
