/-! Compiles with `lake env lean`, and not in the build: the package's options forbid `autoImplicit`. -/

namespace Strict

theorem any_type (x : ℝ) : x = x := rfl

end Strict
