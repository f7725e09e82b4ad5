import House.Native

theorem big : House.Native.sum 50 = 1275 := by native_decide
