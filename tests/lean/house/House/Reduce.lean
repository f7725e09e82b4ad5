/-! `Lean.ofReduceBool` by hand: the compiler's word, under its older name. -/

namespace House.Reduce

def test : Bool := decide (12 * 12 = 144)

theorem trusted (h : Lean.reduceBool test = true) : test = true := Lean.ofReduceBool test true h

theorem untrusted : test = true := rfl

end House.Reduce
