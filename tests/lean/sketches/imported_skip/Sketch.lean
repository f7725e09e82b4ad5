theorem wrong : 5 = 4 := sorry
