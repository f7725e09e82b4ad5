set_option debug.skipKernelTC true in
theorem wrong : 2 + 2 = 5 := by decide +kernel
