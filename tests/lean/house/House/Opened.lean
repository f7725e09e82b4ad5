import House.Shadowed

/-! `open` decides what the words of a statement mean. The two theorems of a pair look the same. -/

namespace House.Opened

def Good (n : Nat) : Prop := n = 2

namespace Easy
def Good (_ : Nat) : Prop := True
end Easy

theorem good : Good 2 := rfl

namespace Easy
theorem good : Good 3 := .intro
end Easy

theorem good_outside : Good 2 := good

open Shadowed in
theorem single (m n : Shadowed.Nat) : m = n := all_equal m n

open Shadowed renaming lt → under, below_itself → itself in
theorem under_itself (n : Nat) : under n n := itself n

end House.Opened

namespace House.Elsewhere

open House.Opened.Easy in
theorem good : Good 4 := .intro

open House.Opened hiding Good in
open House.Opened.Easy (Good) in
theorem also_good : Good 5 := .intro

open House.Opened in
theorem really_good : Good 2 := Opened.good

end House.Elsewhere
