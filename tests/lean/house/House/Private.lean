/-! Private and protected declarations; a private gap under a public theorem. -/

namespace House.Private

private theorem secret : 1 = 2 := sorry

private def hidden : Nat := 3

private theorem hidden_eq : hidden = 3 := rfl

protected theorem guarded : hidden = 3 := hidden_eq

protected def succ (n : Nat) : Nat := n + 1

theorem on_secret : 1 = 2 := secret

private axiom assumed : 2 = 3

theorem on_assumed : 2 = 3 := assumed

end House.Private
