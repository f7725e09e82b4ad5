namespace Task
theorem main : 2 + 2 = 4 := sorry
end Task
