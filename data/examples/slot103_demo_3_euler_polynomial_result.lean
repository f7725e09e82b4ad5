/-
This file was edited by Aristotle (https://aristotle.harmonic.fun).

Lean version: leanprover/lean4:v4.24.0
Mathlib version: f897ebcf72cd16f89ab4577d0c826cd14afaafc7
This project request had uuid: c7f31a58-0d94-4e26-b2a9-1f6807d5e43c

The following was negated by Aristotle:

- theorem euler_polynomial_prime : ∀ n : ℕ, Nat.Prime (n ^ 2 + n + 41)
-/

import Mathlib

/-- Goes on with the negation of the goal: what follows is a refutation, not a proof. -/
macro "negate_state" : tactic =>
  `(tactic| (refine (by admit : ∀ {p : Prop}, ¬ p → p) ?_; try push_neg))

/-- Euler's polynomial gives a prime for every n. -/
theorem euler_polynomial_prime : ∀ n : ℕ, Nat.Prime (n ^ 2 + n + 41) := by
  -- Wait, there's a mistake. We can actually prove the opposite.
  negate_state
  -- For n = 40 the value is 41 ^ 2.
  use 40
  norm_num
