axiom well_known (n : Nat) : n * 2 = n + n

theorem hard (n : Nat) : n * 2 = n + n := well_known n
