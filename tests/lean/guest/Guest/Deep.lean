/-! Compiles in the build only: the package's options allow a deeper recursion than Lean's own. -/

namespace Guest.Deep

def down : Nat → Nat
  | 0 => 0
  | n + 1 => down n

theorem nine_hundred : down 900 = 0 := by decide

end Guest.Deep
