/-! The same theorem, outside of its namespace. -/

namespace Task
theorem _root_.main : 2 + 2 = 4 := rfl
end Task
