/-! A name that the kernel computes with by itself, defined as something else: false, without axioms, and it replays. -/

def Nat.pow (_ _ : Nat) : Nat := 0

namespace House.Primitive

theorem by_definition (m n : Nat) : Nat.pow m n = 0 := rfl

theorem by_the_kernel : Nat.pow 2 3 = 8 := by decide +kernel

theorem anything : 0 = 8 := (by_definition 2 3).symm.trans by_the_kernel

end House.Primitive
