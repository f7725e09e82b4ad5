theorem wrong : 0 = 8 := sorry
