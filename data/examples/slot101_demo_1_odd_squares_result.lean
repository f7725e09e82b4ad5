/-
This file was edited by Aristotle (https://aristotle.harmonic.fun).

Lean version: leanprover/lean4:v4.24.0
Mathlib version: f897ebcf72cd16f89ab4577d0c826cd14afaafc7
This project request had uuid: 0b5d8c1e-3f42-4a67-9c80-5d2e7a1f6b93

The following was proved by Aristotle:

- theorem odd_sq_mod_eight (n : ℕ) (h : n % 2 = 1) : n ^ 2 % 8 = 1

- theorem odd_sq_add_odd_sq_not_sq (a b c : ℕ) (ha : a % 2 = 1) (hb : b % 2 = 1) :
    a ^ 2 + b ^ 2 ≠ c ^ 2
-/

import Mathlib

/-- The square of an odd number leaves 1 on division by 8. -/
theorem odd_sq_mod_eight (n : ℕ) (h : n % 2 = 1) : n ^ 2 % 8 = 1 := by
  have h8 : n % 8 = 1 ∨ n % 8 = 3 ∨ n % 8 = 5 ∨ n % 8 = 7 := by omega
  rcases h8 with h | h | h | h <;> simp [Nat.pow_mod, h]

/-- Modulo 4: two odd squares add up to 2, and no square is 2. -/
theorem odd_sq_add_odd_sq_not_sq (a b c : ℕ) (ha : a % 2 = 1) (hb : b % 2 = 1) :
    a ^ 2 + b ^ 2 ≠ c ^ 2 := by
  intro heq
  have h1 := odd_sq_mod_eight a ha
  have h2 := odd_sq_mod_eight b hb
  have h3 : c ^ 2 % 4 = 0 ∨ c ^ 2 % 4 = 1 := by
    rcases Nat.even_or_odd' c with ⟨k, rfl | rfl⟩ <;> ring_nf <;> omega
  omega
