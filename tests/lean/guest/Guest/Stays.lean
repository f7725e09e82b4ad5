import House.GapThree
import House.Honest

/-! A gap and an honest theorem of another package. -/

namespace Guest

theorem stays : 3 * 4 = 3 * 3 + 3 := House.Gap.three.left

theorem honest (n : Nat) : 0 + n = n := House.zero_add n

end Guest
