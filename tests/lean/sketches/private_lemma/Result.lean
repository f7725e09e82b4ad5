/-! A private lemma of the sketch is not there. -/

theorem bigger : 1 < 3 := by decide
