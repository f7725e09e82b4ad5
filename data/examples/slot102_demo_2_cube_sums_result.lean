/-
This file was edited by Aristotle (https://aristotle.harmonic.fun).

Lean version: leanprover/lean4:v4.24.0
Mathlib version: f897ebcf72cd16f89ab4577d0c826cd14afaafc7
This project request had uuid: 4e9a7d20-61bb-4c35-8f1d-92c04be3a715

Aristotle's budget for this request has been reached. Partial progress:

The following was proved by Aristotle:

- lemma cube_mod_nine (n : ℤ) : n ^ 3 % 9 = 0 ∨ n ^ 3 % 9 = 1 ∨ n ^ 3 % 9 = 8
-/

import Mathlib

namespace CubeSums

/-- Cubes leave 0, 1 or 8 on division by 9. -/
lemma cube_mod_nine (n : ℤ) : n ^ 3 % 9 = 0 ∨ n ^ 3 % 9 = 1 ∨ n ^ 3 % 9 = 8 := by
  have h : n % 9 = 0 ∨ n % 9 = 1 ∨ n % 9 = 2 ∨ n % 9 = 3 ∨ n % 9 = 4 ∨ n % 9 = 5 ∨
      n % 9 = 6 ∨ n % 9 = 7 ∨ n % 9 = 8 := by omega
  rcases h with h | h | h | h | h | h | h | h | h <;> simp [pow_succ, Int.mul_emod, h]

/-- No sum of three cubes leaves 4 on division by 9. -/
theorem sum_three_cubes_mod_nine (a b c : ℤ) : (a ^ 3 + b ^ 3 + c ^ 3) % 9 ≠ 4 := by
  rcases cube_mod_nine a with ha | ha | ha <;> rcases cube_mod_nine b with hb | hb | hb <;>
    rcases cube_mod_nine c with hc | hc | hc <;> omega

/-- The sum of three consecutive cubes is divisible by 9. -/
theorem nine_dvd_sum_three_cubes (n : ℕ) : 9 ∣ n ^ 3 + (n + 1) ^ 3 + (n + 2) ^ 3 := by
  induction n with
  | zero => norm_num
  | succ k ih =>
    -- The difference of two such sums is 9 * k ^ 2 + 27 * k + 27.
    sorry

end CubeSums
