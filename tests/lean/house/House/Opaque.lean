/-! `opaque`, `partial`, `unsafe` and `noncomputable` definitions, and what can be said of them. -/

namespace House.Opaque

opaque secret : Nat

opaque limit : Nat := 7

theorem secret_eq : secret = secret := rfl

theorem unknown : limit = 7 := sorry

partial def search (n : Nat) : Nat := search (n + 1)

theorem search_eq : search 3 = search 3 := rfl

unsafe def danger : Nat := 3

unsafe def liar (n : Nat) : 1 = 2 := liar (n + 1)

noncomputable def chosen : Nat := Classical.choice ⟨3⟩

instance : Inhabited (1 = 1) := ⟨rfl⟩

opaque proof : 1 = 1

end House.Opaque
