/-! `native_decide`: true, and checked by the compiler alone; the same by the kernel. -/

namespace House.Native

def sum : Nat → Nat
  | 0 => 0
  | n + 1 => sum n + (n + 1)

theorem native : sum 200 = 20100 := by native_decide

theorem kernel : sum 200 = 20100 := by decide +kernel

theorem uses_native : sum 200 ≠ 0 := by rw [native]; decide

end House.Native
