private def target : Nat := 100

def goal : Nat := target

theorem reached : 50 < goal := sorry
