import House.Private

/-! The same private names as in Private, with other statements. -/

namespace House.Private

private theorem secret : 1 = 1 := rfl

private def hidden : Nat := 4

private theorem hidden_eq : hidden = 4 := rfl

theorem on_own_secret : 1 = 1 ∧ hidden = 4 := ⟨secret, hidden_eq⟩

end House.Private
