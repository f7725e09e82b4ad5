theorem wrong : 1 = 2 := sorry
