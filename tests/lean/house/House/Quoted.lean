/-! Names that need «quotes», and names in other letters. `«a.b»` is not `a.b`, and one name has two lines. -/

namespace House.Quoted

theorem «two words» : 1 = 1 := rfl

theorem «a.b» : 1 = 2 := sorry

namespace a
theorem b : 1 = 1 := rfl
end a

theorem «first
second» : 3 = 4 := sorry

theorem «theorem» : 1 = 1 := «two words»

theorem «-- no comment» : 1 = 1 := rfl

theorem «ends'" depends on axioms: [» : 1 = 2 := sorry

theorem «#exit» : 1 = 1 := rfl

theorem αβγ₁' : ∀ ξ : Nat, ξ = ξ := fun _ => rfl

theorem ℵ₀.𝔸 : 1 = 1 := rfl

theorem «été» : 1 = 1 := rfl

theorem is_zero? : 0 = 0 := rfl

theorem uses_quoted : 1 = 2 := «a.b»

namespace «in spaces»
theorem inside : 2 = 2 := rfl
end «in spaces»

end House.Quoted
