import House.UsesSkipped

/-! The kernel did not look at something that an import stands on. -/

theorem wrong : 5 = 4 := House.Skipped.false_again
