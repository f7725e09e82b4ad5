theorem wrong : 2 + 2 = 5 := sorry
