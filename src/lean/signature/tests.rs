//! Pairs of signatures that say the same, and of signatures that do not.

use super::difference::same_meaning;
use super::*;

fn read(text: &str) -> Signature<'_> {
    Signature::read(text, &lexemes(text), vec!["self"])
}

/// What a signature asks for and says, and how it is called.
type Wording = ((Vec<u64>, u64), Vec<term::Kind>);

/// The wording of a signature; `None` where not all of it is known.
fn wording(text: &str) -> Option<Wording> {
    let signature = read(text);
    let mut fold = signature.fold(How::Meaning);
    let node = signature.node(&mut fold);
    let (kinds, prints) = node.asked.into_iter().unzip();
    let empty = matches!(&*signature.conclusion, term::Term::Flat(items) if items.is_empty());
    let known = signature.has_colon && signature.whole && fold.is_sure() && !empty;
    known.then_some(((prints, node.core), kinds))
}

fn known(text: &str) -> Wording {
    wording(text).unwrap_or_else(|| panic!("not read: {text}"))
}

/// Signatures that say the same and are called alike.
const SAME: &[(&str, &str)] = &[
    // before the colon and behind it
    ("(x : A) : P x", ": ∀ x : A, P x"),
    ("(x : A) : P x", ": ∀ (y : A), P y"),
    ("(x : A) : P x", ": (x : A) → P x"),
    ("{x : A} (y : B x) : P x y", ": ∀ {x : A} (y : B x), P x y"),
    ("(x y : A) : P x y", ": ∀ x y : A, P x y"),
    ("(x y : A) : P x y", "(x : A) : ∀ y : A, P x y"),
    ("(x y : A) : P x y", ": ∀ x : A, ∀ y : A, P x y"),
    ("[Group G] : P G", ": [Group G] → P G"),
    ("[Group G] : P G", "[inst : Group G] : P G"),
    ("(h : A) : B", ": A → B"),
    ("(h : A) (k : B) : C", ": A → B → C"),
    ("(h : A) (k : B) : C", "(h : A) : B → C"),
    ("(n : ℕ) (h : 2 < n) : f n < n", ": ∀ n : ℕ, 2 < n → f n < n"),
    ("(n : ℕ) (h : 2 < n) : f n < n", ": ∀ n : ℕ, n > 2 → n > f n"),
    (": ∀ ε > 0, p ε", ": ∀ ε, 0 < ε → p ε"),
    (": ∀ x ∈ s, p x", ": ∀ x, x ∈ s → p x"),
    (": ∀ x ∈ s, p x", "(x) (hx : x ∈ s) : p x"),
    ("(h : ∀ x : A, p x) : C", ": (∀ x : A, p x) → C"),
    (": A → B ↔ C", ": (A → B) ↔ C"),
    ("(f : A → B) : P fun x => f x", "(f : A → B) : P f"),
    (": P fun x => f a x", ": P (f a)"),
    ("(s : Finset ℕ) : s.sum f = d", "(s : Finset ℕ) : ∑ i ∈ s, f i = d"),
    (": Finset.prod s (fun i => f i + 1) = d", ": ∏ j ∈ s, (f j + 1) = d"),
    ("(n : ℕ) : ((n : ℕ) : ℤ) = d", "(n : ℕ) : (n : ℤ) = d"),
    // one form of what has several
    (": q {m : ℕ | p m}", ": q (setOf fun m : ℕ => p m)"),
    ("(s : Finset ℕ) : q (s.filter p)", "(s : Finset ℕ) : q {x ∈ s | p x}"),
    (": (Finset.Ico 1 b).filter p = c", ": {x ∈ Finset.Ico 1 b | p x} = c"),
    ("(μ : Measure A) : (μ s).toReal = c", "(μ : Measure A) : μ.real s = c"),
    ("(μ : Measure A) : (μ.map X s).toReal = c", "(μ : Measure A) : (μ.map X).real s = c"),
    (": q (f ∘ g)", ": q fun x => f (g x)"),
    (": q (f ∘ g a ∘ h)", ": q fun x => f (g a (h x))"),
    (": (f x) y = z", ": f x y = z"),
    ("(f : A ≃ B) : (Equiv.symm f) x = y", "(f : A ≃ B) : f.symm x = y"),
    ("(l : List A) : l[n]? = c", "(l : List A) : l.get? n = c"),
    ("(n : ℕ) : n.factorial = c", "(n : ℕ) : n ! = c"),
    (": a ≡ b [MOD n]", ": Nat.ModEq n a b"),
    ("(A : Finset ℕ) : Nat.card A = c", "(A : Finset ℕ) : A.card = c"),
    ("(A : Set ℕ) : Nat.card A = c", "(A : Set ℕ) : A.ncard = c"),
    ("(x : ℝ) : (1 / 2 : ℝ) * x = c", "(x : ℝ) : 1 / 2 * x = c"),
    ("(x : ℝ) : x ^ (1 / 2 : ℝ) = c", "(x : ℝ) : x ^ ((1 : ℝ) / 2) = c"),
    (": 0 < Real.exp x", ": 0 < _root_.Real.exp x"),
    // notation with brackets, and what is not known, but has an end
    ("(h : x ≤ y) : f =ᶠ[l] g", "(h : y ≥ x) : f =ᶠ[l] g"),
    ("(h : x ≤ y) : (f : G →ₗ[R] H) = g", "(h : y ≥ x) : (f : G →ₗ[R] H) = g"),
    ("(h : x ≤ y) : f ⟿ g", "(h : y ≥ x) : f ⟿ g"),
    ("(x : ℝ≥0) : 0 < x", "(x : NNReal) : x > 0"),
    // types that show by what a variable is joined with
    ("(x y : ℝ) : ∃ z, x < z ∧ z < y", "(x y : ℝ) : ∃ z : ℝ, x < z ∧ z < y"),
    ("(P : ℕ → Prop) : ∀ n, P n", "(P : ℕ → Prop) (n : ℕ) : P n"),
    ("(S : Set ℝ) : ∃ x, x ∈ S", "(S : Set ℝ) : ∃ x : ℝ, x ∈ S"),
    ("(n : ℕ) : ∃ m, n < m ∧ Nat.Prime m", "(n : ℕ) : ∃ m > n, m.Prime"),
    ("(x : ℝ) : x ∈ Set.Icc 0 1", "(x : ℝ) : x ∈ Set.Icc (0 : ℝ) 1"),
    // notation
    ("(s : Finset ℕ) : p #s", "(s : Finset ℕ) : p s.card"),
    ("(x : ℝ) : √x = |x|", "(x : ℝ) : Real.sqrt x = abs x"),
    (": Nat.Prime 7", ": (7 : ℕ).Prime"),
    (": (Set.Ioo a b).Nonempty", ": Set.Nonempty (Set.Ioo a b)"),
    // signs
    (": a ≥ b", ": b ≤ a"),
    (": a > b + c", ": b + c < a"),
    (": a ≠ b", ": ¬ a = b"),
    (": a ≠ b", ": ¬ (a = b)"),
    (": a ∉ s ∪ t", ": ¬ (a ∈ s ∪ t)"),
    (": ¬ a ≥ b", ": ¬ b ≤ a"),
    ("(h : a ≥ b) : c ≠ d", "(h : b ≤ a) : ¬ c = d"),
    // spellings
    (": forall x, p x -> q x", ": ∀ x, p x → q x"),
    (": a <= b ∧ c >= d", ": a ≤ b ∧ d ≤ c"),
    (": f = fun x => x + 1", ": f = fun y ↦ y + 1"),
    (": f = λ x, x + 1", ": f = fun x ↦ x + 1"),
    (": g (fun x : A => x)", ": g fun (x : A) ↦ x"),
    // existence
    (": ∃ x ∈ s, p x", ": ∃ x, x ∈ s ∧ p x"),
    (": ∃ x > 0, p x", ": ∃ x, 0 < x ∧ p x"),
    (": ∃ x ∈ s, ∃ y ∈ t, p x y", ": ∃ x, x ∈ s ∧ ∃ y, y ∈ t ∧ p x y"),
    (": ∃ x : A, ∃ y : A, p x y", ": ∃ x y : A, p x y"),
    (": ∃ (x : A) (y : B), p x y", ": ∃ x : A, ∃ y : B, p x y"),
    // brackets
    (": (a = b)", ": a = b"),
    (": ((a)) = (b + c)", ": a = b + c"),
    (": (a = b) ∧ (c < d)", ": a = b ∧ c < d"),
    (": A ∧ (B ∧ C)", ": A ∧ B ∧ C"),
    (": (A ∧ B) ∨ C", ": A ∧ B ∨ C"),
    (": A → (B → C)", ": A → B → C"),
    (": (a + b) + c = d", ": a + b + c = d"),
    (": a + (b * c) = d", ": a + b * c = d"),
    (": a ^ (b ^ c) = d", ": a ^ b ^ c = d"),
    (": (-a) + b = c", ": -a + b = c"),
    (": -(a ^ 2) = c", ": -a ^ 2 = c"),
    (": f (x) (2) = y", ": f x 2 = y"),
    (": f (g x) = (f (g x))", ": f (g x) = f (g x)"),
    (": (∑ i ∈ s, f i) = c", ": ∑ i ∈ s, f i = c"),
    (": (∑ i ∈ s, f i) + c = d", ": ∑ i ∈ s, f i + c = d"),
    (": ∑ i ∈ s, (f i * c) = d", ": ∑ i ∈ s, f i * c = d"),
    (": ∑ i in s, f i = d", ": ∑ i ∈ s, f i = d"),
    (": A ∧ (∀ x, p x)", ": A ∧ ∀ x, p x"),
    (": ¬ (∃ x, p x)", ": ¬ ∃ x, p x"),
    (": |(a - b)| < (c)", ": |a - b| < c"),
    (": ‖a‖ ≥ 0", ": 0 ≤ ‖a‖"),
    (": f x⁻¹ = y", ": f (x⁻¹) = y"),
    (": q {x | (p x)}", ": q {y | p y}"),
    (": q ⟪f x⟫ = c", ": q (⟪f x⟫) = c"),
    (": q ⟪f x⟫ ∧ ⟪f x⟫ ~ x", ": q (⟪f x⟫) ∧ (⟪f x⟫ ~ x)"),
    (": ⁅a, b⁆ + ⌊x⌋ = q ⟦x⟧", ": (⁅a, b⁆) + (⌊(x)⌋) = q (⟦x⟧)"),
    // universes
    (".{u} (α : Type u) : q α", "(α : Type*) : q α"),
    ("(α : Type _) : q α", "(α : Type v) : q α"),
    ("(α : Type u) (β : Type v) : q α β", "(α β : Type*) : q α β"),
    ("(α : Sort u) : q α", "(α : Sort*) : q α"),
    // bound names
    ("(a b : ℕ) (h : a ≤ b) : h = h", "(x y : ℕ) (k : y ≥ x) : k = k"),
    ("(p : ℕ) : p.Prime", ": ∀ q : ℕ, q.Prime"),
    ("(h : a = b) (_ : c) : d", "(h : a = b) (k : c) : d"),
    // operators and quantifiers of Mathlib
    ("(h : x :: l ++ m = n) : l[i] = y", ": x :: l ++ m = n → l[i] = y"),
    ("(h : f '' s ⊆ t) : s ⊆ f ⁻¹' t", ": f '' s ⊆ t → s ⊆ f ⁻¹' t"),
    ("(e : A ≃ B) : P e", ": ∀ e : A ≃ B, P e"),
    (": (∑ l in s, if p l then (a) else b) = c", ": ∑ l ∈ s, (if p l then a else b) = c"),
    (": f <| g x = y", ": f (g x = y)"),
    (": f a $ g x", ": f a (g x)"),
    (": ∀ᶠ x in l, p x", ": ∀ᶠ y in l, p y"),
    (": ∑' i, f i = c", ": ∑' j, (f j) = c"),
    (": ∑ i ∈ s, f i = d", ": ∑ j ∈ s, f j = d"),
    (": ∫ x in s, f x ∂μ = c", ": ∫ y in s, f y ∂μ = c"),
    // types and what is said of their variables
    ("(n : Nat) : n.succ = m", "(n : ℕ) : Nat.succ n = m"),
    ("(l : List ℕ) : l.length = n", "(l : List ℕ) : List.length l = n"),
    ("(l : List ℕ) : l.foldr f a = n", "(l : List ℕ) : List.foldr l f a = n"),
    (": (i : Fin m) → T i", ": ∀ i : Fin m, T i"),
    (": (m>k) → p", ": m > k → p"),
    // functions of what is left out
    (": f (· + 1)", ": f fun x => x + 1"),
    (": f (· + ·) = g (h · a)", ": f (fun x y ↦ x + y) = g fun x => h x a"),
    (": f (g (· ^ 2) · a)", ": f fun x => g (fun y => y ^ 2) x a"),
    (": ∀ x, q x (x < ·)", ": ∀ y, q y fun z => y < z"),
    // what is ascribed once holds for all numerals that are compared
    (": (3 : ℤ) ∣ 12", ": 3 ∣ (12 : ℤ)"),
    (": (1 : ℝ) / 2 < 1", ": 1 / 2 < (1 : ℝ)"),
    // intervals
    ("(x : ℝ) : x ∈ Set.Icc 0 1", "(x : ℝ) : 0 ≤ x ∧ x ≤ 1"),
    ("(x : ℝ) : x ∉ Set.Ioo a (b : ℝ)", "(x : ℝ) : ¬ (a < x ∧ x < (b : ℝ))"),
    ("(a b x : ℝ) : x ∈ Set.Ico a b", "(a b x : ℝ) : a ≤ x ∧ x < b"),
    ("(k n : ℕ) (h : k ∈ Finset.Ioc 0 n) : p k", "(k n : ℕ) (h : 0 < k ∧ k ≤ n) : p k"),
    ("(x : ℝ) : x ∈ Set.Ioi (0 : ℝ)", "(x : ℝ) : 0 < x"),
    (
        "(x : ℝ) : x ∈ Set.Icc 0 (2 * Real.pi) → p x",
        "(x : ℝ) (h : x ∈ Set.Icc 0 (2 * Real.pi)) : p x",
    ),
    (": ∀ x ∈ Set.Icc (0 : ℝ) 1, p x", ": ∀ x : ℝ, x ∈ Set.Icc 0 1 → p x"),
    (": ∀ x ∈ Set.Icc (0 : ℝ) 1, p x", ": ∀ x : ℝ, 0 ≤ x ∧ x ≤ 1 → p x"),
    ("(h : ∀ x ∈ Set.Ioo (0 : ℝ) 1, p x) : q", "(h : ∀ x : ℝ, x ∈ Set.Ioo 0 1 → p x) : q"),
    // sets
    ("(n : ℕ) : q {m : ℕ | m < n}", "(n : ℕ) : q {m | m < n}"),
    ("(p : ℕ → Prop) : q {m : ℕ | p m}", "(p : ℕ → Prop) : q {m | p m}"),
    (": q {m : ℕ | m.Prime}", ": q {p | Nat.Prime p}"),
    (": ({m | p m} : Set ℕ).Infinite", ": {m : ℕ | p m}.Infinite"),
    (": Set.Infinite {m : ℕ | p m}", ": ({m : ℕ | p m} : Set ℕ).Infinite"),
    ("(S : Set ℕ) : S = {m | p m}", "(S : Set ℕ) : S = {m : ℕ | p m}"),
];

/// Signatures that do not say the same.
const OTHER: &[(&str, &str)] = &[
    (": a ≥ b", ": a ≤ b"),
    (": a > b", ": b ≤ a"),
    (": a ≠ b", ": a = b"),
    (": ¬ a = b ∧ c", ": ¬ (a = b ∧ c)"),
    (": a ≠ b ∧ c", ": ¬ (a = b ∧ c)"),
    (": ¬ A → B", ": ¬ (A → B)"),
    (": a ∉ s", ": a ∈ s"),
    (": A → B → C", ": (A → B) → C"),
    (": A → B ↔ C", ": A → (B ↔ C)"),
    (": A ∧ B ∨ C", ": A ∧ (B ∨ C)"),
    (": (A ∧ B) ∧ C", ": A ∧ B ∧ C"),
    (": a - b - c = d", ": a - (b - c) = d"),
    (": a / b * c = d", ": a / (b * c) = d"),
    (": (a ^ b) ^ c = d", ": a ^ b ^ c = d"),
    (": (-a) ^ 2 = c", ": -a ^ 2 = c"),
    (": f (x y)", ": f x y"),
    // one form of what has several
    (": q {m : ℕ | p m} {m : ℕ | Odd m}", ": q {m : ℕ | p m} (setOf fun m : ℕ => m = m)"),
    ("(s t : Finset ℕ) : q (s.filter p)", "(s t : Finset ℕ) : q {x ∈ t | p x}"),
    ("(s : Finset ℕ) : q (s.filter Even)", "(s : Finset ℕ) : q {x ∈ s | Odd x}"),
    ("(μ : Measure A) : (μ s).toReal = c", "(μ : Measure A) : μ.real t = c"),
    (": (μ.map X s).toReal = c", ": (μ.map Y).real s = c"),
    (": q (f ∘ g)", ": q fun x => g (f x)"),
    (": q (f ∘ g)", ": q fun x => f x (g x)"),
    ("(l : List A) : l[m]? = c", "(l : List A) : l.get? n = c"),
    (": (f n)! = c", ": f (n !) = c"),
    (": a ≡ b [MOD n]", ": Nat.ModEq a n b"),
    (": a ≡ b [MOD n]", ": a ≡ b [ZMOD n]"),
    ("(A : Finset ℕ) : Nat.card A = c", "(A : Finset ℕ) : Nat.card ℕ = c"),
    ("(x : ℝ) : x ^ (1 / 2 : ℝ) = c", "(x : ℝ) : x ^ (1 / 2) = c"),
    ("(a b : ℕ) : ((a - b : ℕ) : ℤ) = c", "(a b : ℕ) : (↑a - ↑b : ℤ) = c"),
    (": 0 < Real.exp x", ": 0 < My.Real.exp x"),
    // notation with brackets, and what is not known
    (": f =ᶠ[l] g", ": f =ᶠ[k] g"),
    (": f =ᶠ[l] g", ": f ≤ᶠ[l] g"),
    (": f =o[l] g", ": f =O[l] g"),
    (": (f : G →ₗ[R] H) = g", ": (f : G →ₗ[S] H) = g"),
    (": (f : G →ₗ[R] H) = g", ": (f : G ≃ₗ[R] H) = g"),
    (": Nonempty (G →+ H)", ": Nonempty (G →+* H)"),
    (": (x : ℝ≥0) = y", ": (x : ℝ≥0∞) = y"),
    ("(h : x ≤ y) : f ⟿ g", "(h : y ≤ x) : f ⟿ g"),
    ("(h : a) : f ⟿ g", "(h : a) : g ⟿ f"),
    ("(x z : A) : let x := 1; x = z", "(x z : A) : let z := 1; x = z"),
    (": f x⁻¹ = y", ": (f x)⁻¹ = y"),
    (": (∀ x, p x) ∧ A", ": ∀ x, p x ∧ A"),
    (": (∃ x, p x) ∧ A", ": ∃ x, p x ∧ A"),
    (": ¬ (∀ x, p x) ∧ A", ": ¬ ∀ x, p x ∧ A"),
    (": ∑ i ∈ s, (f i + c) = d", ": ∑ i ∈ s, f i + c = d"),
    (": ∑ i ∈ s, f i + g i = d", ": ∑ j ∈ s, f j + g j = d"),
    (": ∑ i ∈ s, f i = d", ": ∏ i ∈ s, f i = d"),
    (": ∑ i ∈ s, f i = d", ": ∑ i ∈ t, f i = d"),
    // what is bound, in which order
    ("(x y : A) : P x y", "(y x : A) : P x y"),
    ("(x : A) (y : B) : P x y", "(y : B) (x : A) : P x y"),
    (": ∀ x, ∃ y, p x y", ": ∃ y, ∀ x, p x y"),
    (": ∀ x, ∀ x, p x x", ": ∀ x, ∀ y, p x y"),
    (": ∀ x, p x y", ": ∀ y, p y y"),
    (": ∀ x, p x y", ": ∀ x, p x x"),
    (": (∀ x, p x) ∧ q x", ": (∀ y, p y) ∧ q y"),
    ("(x : A) : (∃ x : B, p x) ∧ q x", "(y : A) : (∃ x : B, p x) ∧ q x"),
    ("(h : A) : B", "(h : A) (k : C) : B"),
    ("(h : A) : B", ": B"),
    ("(x : A) : P x", ": ∃ x : A, P x"),
    ("(x : A) : P x", ": P x"),
    ("(x : A) : P x", ": ∀ x : B, P x"),
    ("(x : A) : P x", ": ∀ x, P x"),
    (": ∃ x ∈ s, p x", ": ∃ x, x ∈ s → p x"),
    (": ∃ x ∈ s, p x", ": ∃ x, p x"),
    (": ∃ x > 0, p x", ": ∃ x ≥ 0, p x"),
    (": ∃ x > 0, p x", ": ∃ x < 0, p x"),
    (": ∃! x, p x", ": ∃ x, p x"),
    (": ∀ x ∈ s, p x", ": ∀ x, x ∈ s ∧ p x"),
    (": q {x | p x}", ": q {x | ¬ p x}"),
    (": q {x ∈ s | p x}", ": q {x | x ∈ s ∧ p x}"),
    (": q {x, y}", ": q {y, x}"),
    (": q ⟪f x⟫ = c", ": q ⟪f y⟫ = c"),
    (": q ⟪f x⟫ = c", ": q ⟦f x⟧ = c"),
    (": ⁅a, b⁆ = c", ": ⁅b, a⁆ = c"),
    (": f (a, b)", ": f a b"),
    (": (a : ℤ) = b", ": a = b"),
    (": f (· + 1)", ": f fun x => x + 2"),
    (": f (· - ·)", ": f fun x y => y - x"),
    (": f (g (· ^ 2) ·)", ": f fun x y => g (x ^ 2) y"),
    (": f (· + (g ·))", ": f (· + g ·)"),
    (": (3 : ℤ) ∣ 12", ": 3 ∣ 12"),
    (": (3 : ℤ) ∣ 12", ": (3 : ℕ) ∣ 12"),
    (": (3 : ℤ) ∣ 12", ": (12 : ℤ) ∣ 3"),
    (": ((1 / 2 : ℕ) : ℝ) < 1", ": 1 / 2 < (1 : ℝ)"),
    (": (1 : ℝ) / 2 < 1", ": 1 / 2 < 1"),
    ("(x : ℝ) : x ∈ Set.Icc 0 1", "(x : ℝ) : 0 ≤ x ∧ x < 1"),
    ("(x : ℝ) : x ∈ Set.Icc 0 1", "(x : ℝ) : x ∈ Set.Ico 0 1"),
    ("(x : ℝ) : x ∈ Set.Icc 0 1", "(x : ℝ) : 1 ≤ x ∧ x ≤ 0"),
    ("(x : ℕ) : x ∈ Set.Icc (0 : ℝ) 1", "(x : ℕ) : (0 : ℝ) ≤ x ∧ x ≤ 1"),
    ("(x : ℕ) : x ∈ Set.Icc 0 (f a)", "(x : ℕ) : 0 ≤ x ∧ x ≤ f a"),
    (": f x ∈ Set.Icc 0 1", ": 0 ≤ f x ∧ f x ≤ 1"),
    ("(x : ℝ) : x ∈ My.Icc 0 1", "(x : ℝ) : 0 ≤ x ∧ x ≤ 1"),
    ("(x : ℝ) : x ∈ Set.uIcc 0 1", "(x : ℝ) : 0 ≤ x ∧ x ≤ 1"),
    (": ∀ x ∈ Set.Icc (0 : ℝ) 1, p x", ": ∀ x : ℕ, x ∈ Set.Icc 0 1 → p x"),
    ("(n : ℕ) : q {m : ℤ | m < n}", "(n : ℕ) : q {m | m < n}"),
    (": q {m : ℕ | p m}", ": q {m | p m}"),
    ("(S : Set ℤ) : S = {m | p m}", "(S : Set ℤ) : S = {m : ℕ | p m}"),
    (": ({m | p m} : Set ℤ).Infinite", ": {m : ℕ | p m}.Infinite"),
    (": ({m | p m} : Finset ℕ).card = n", ": ({m | p m} : Set ℕ).card = n"),
    (": ({1, 2} : Finset ℕ).card = 2", ": ({1, 2} : Finset (ZMod 1)).card = 2"),
    (": ((a - b : ℕ) : ℤ) = c", ": (a - b : ℤ) = c"),
    (": f = fun x y => g x y", ": f = fun x y => g y x"),
    (": @f x = y", ": f x = y"),
    (": ↑(a + b) = c", ": ↑a + b = c"),
    (": a.1 = b", ": a.2 = b"),
    (": |a| - b < c", ": |a - b| < c"),
    ("(p q : ℕ) : p.Prime", "(p q : ℕ) : q.Prime"),
    ("(p : ℕ) : p.Prime", "(q : ℕ) : p.Prime"),
    // universes
    ("(α β : Type u) : q α β", "(α β : Type*) : q α β"),
    ("(α : Type u) (β : Type v) : q α β", "(α β : Type u) : q α β"),
    ("(α : Type) : q α", "(α : Type*) : q α"),
    ("(α : Type 1) : q α", "(α : Type) : q α"),
    ("(α : Type*) : q α", "(α : Sort*) : q α"),
    ("(α : Type (max u v)) (β : Type u) : q α β", "(α : Type w) (β : Type u) : q α β"),
    ("(α : Type u) : q α", "(α : Prop) : q α"),
];

/// Signatures of which not all is known: there is nothing to compare.
const UNREAD: &[&str] =
    &["(x : A)", ": A → f ⟶ g ⊢ h", ": (a ⊢ b → c) = d", "(h : a := by simp) : b", ": ", ""];

#[test]
fn signatures_that_say_the_same() {
    for (a, b) in SAME {
        assert_eq!(known(a), known(b), "{a} | {b}");
        assert_eq!(same_meaning(&read(a), &read(b)), Some(true), "{a} | {b}");
    }
}

#[test]
fn signatures_that_say_something_else() {
    for (a, b) in OTHER {
        assert_ne!(known(a).0, known(b).0, "{a} | {b}");
        assert_eq!(same_meaning(&read(a), &read(b)), None, "{a} | {b}");
    }
}

#[test]
fn what_is_not_known_is_not_compared() {
    for text in UNREAD {
        assert_eq!(wording(text), None, "{text}");
    }
}

#[test]
fn another_form_of_call_is_seen() {
    for (a, b) in [
        ("(x : A) : P x", "{x : A} : P x"),
        ("(x : A) : P x", ": ∀ ⦃x : A⦄, P x"),
        ("{x : A} (y : B x) : P y", ": ∀ x : A, ∀ y : B x, P y"),
        ("[C A] : P", "(_ : C A) : P"),
        ("(h : p ∧ q) : r", "(h : p) : q → r"),
        ("(h : ∀ x : A, P x) : Q", "(h : ∀ ⦃x : A⦄, P x) : Q"),
        ("(h : ∀ x : A, P x) : Q", "(h : ∀ {x : A}, P x) : Q"),
        (": q ↔ ∀ {x}, p x", ": q ↔ ∀ ⦃x⦄, p x"),
    ] {
        assert_eq!(known(a).0, known(b).0, "{a} | {b}");
        assert_eq!(same_meaning(&read(a), &read(b)), Some(false), "{a} | {b}");
    }
    let (a, b) = ("(h : ∀ {x : A}, P x) : Q h", "(h : ∀ x : A, P x) : Q h");
    assert_ne!(known(a).0, known(b).0, "inside it may change what a name stands for");
}

#[test]
fn equal_statements() {
    for (a, b) in [
        ("(a b : Nat) : a = b", "(a : Nat)\n  (b : Nat) : /- so -/ a = b -- yes"),
        ("{a b c : Nat} : a = b", "{a : Nat} {b c : Nat} : a = b"),
        (": ∀ (x : Nat), x ≤ x", ": ∀ x : Nat, x <= x"),
        (": f = fun x => x", ": f = λ x ↦ x"),
        (": p → ∀ x, q", ": p -> forall x, q"),
        ("/-- doc -/ : True", ": True"),
        (": ∑ x in s, f x = ∏ (y : T) in t, y", ": ∑ x ∈ s, f x = ∏ (y : T) ∈ t, y"),
    ] {
        assert_eq!(read(a).exact, read(b).exact, "{a} | {b}");
        assert_eq!(read(a).renamed, read(b).renamed, "{a} | {b}");
    }
}

#[test]
fn statements_that_differ_in_bound_names_only() {
    for (a, b) in [
        ("(a b : Nat) (h : a < b) : a ≠ b", "(x y : Nat) (hxy : x < y) : x ≠ y"),
        (": ∀ x y, x < y → ∃ z : Nat, z = y", ": ∀ a b, a < b → ∃ c : Nat, c = b"),
        (".{u} (α : Type u) : α = α", ".{v} (β : Type v) : β = β"),
        (": ∀ (i j : Fin n), f i = f j", ": ∀ (a b : Fin n), f a = f b"),
        ("(n) (h : P n) : Q h", "(m) (k : P m) : Q k"),
        (": ∀ (n) (h : P n), Q h", ": ∀ (m) (k : P m), Q k"),
        ("(p : Nat) (h : p.Prime) : h.ne p.succ", "(q : Nat) (hq : q.Prime) : hq.ne q.succ"),
    ] {
        assert_ne!(read(a).exact, read(b).exact, "{a} | {b}");
        assert_eq!(read(a).renamed, read(b).renamed, "{a} | {b}");
        assert_eq!(statement_key(a), statement_key(b));
    }
}

#[test]
fn different_statements() {
    for (a, b) in [
        ("(a b : Nat) : a < b", "(a b : Nat) : a ≤ b"),
        ("(a b : Nat) : a < b", "(a b : Nat) : b < a"),
        ("(a : Nat) : a < b", "{a : Nat} : a < b"),
        ("(a : Nat) : P a", "(a : Int) : P a"),
        ("(a : Nat) : P a", "(a : Nat) (h : False) : P a"),
        (": ∀ x, ∃ y, x = y", ": ∃ y, ∀ x, x = y"),
        (": a - b = c", ": a + b = c"),
        (": f x y", ": f (x y)"),
        (": a != b", ": a ≠ b"),
        ("(p q : Nat) : p.Prime", "(p q : Nat) : q.Prime"),
        ("(p : Nat) : p.Prime", "(q : Nat) : p.Prime"),
        ("(p : Nat) : p.Prime", "(p : Nat) : p.Odd"),
        (": ∑ x in s, f x = 0", ": ∑ x in t, f x = 0"),
        (": ∀ᶠ x in atTop, P x", ": ∀ᶠ x in atBot, P x"),
        (": ∫ x in s, f x = 0", ": ∫ x in t, f x = 0"),
        (": ∫ x in s, f x = 0", ": ∫ x ∈ s, f x = 0"),
    ] {
        assert_ne!(read(a).exact, read(b).exact, "{a} | {b}");
        assert_ne!(read(a).renamed, read(b).renamed, "{a} | {b}");
    }
}

#[test]
fn the_names_it_refers_to_are_those_that_it_does_not_bind() {
    let text = "(n : Nat) (h : Prime n) : ∃ m, self m ∧ Prime m ∧ n < k";
    assert_eq!(read(text).refers, ["Nat", "Prime", "k"]);
}

/// Every lexeme of every signature above takes the place of every lexeme, and every lexeme is left
/// out; whatever is still read says something else.
#[test]
fn no_change_of_one_lexeme_is_taken_for_another_wording() {
    let signs = "a b zz 0 1 = ≠ < ≤ > ≥ ∈ ∉ ∧ ∨ → ↔ ¬ + - * / ^ ∪ ∩ ∀ ∃ ∑ ∏ : , ( ) ↑ Prop ℤ";
    let mut read = 0;
    // What `.{u}` names says nothing by itself.
    let texts = SAME.iter().flat_map(|(a, b)| [a, b]).filter(|text| !text.starts_with('.'));
    for text in texts {
        let spellings: Vec<String> =
            lexemes(text).iter().map(|l| l.text(text).to_owned()).collect();
        let spaced = spellings.join(" ");
        let Some(original) = wording(&spaced) else { continue };
        for at in 0..spellings.len() {
            for sign in signs.split(' ').map(Some).chain([None]) {
                let mut changed = spellings.clone();
                let was = match sign {
                    Some(sign) => std::mem::replace(&mut changed[at], sign.to_owned()),
                    None => changed.remove(at),
                };
                let alike = [("->", "→"), ("<=", "≤"), (">=", "≥"), ("forall", "∀"), ("in", "∈")];
                if sign == Some(&was) || alike.contains(&(&was, sign.unwrap_or_default())) {
                    continue;
                }
                if let Some(other) = wording(&changed.join(" ")) {
                    read += 1;
                    let only_name = is_name_of_binder(&spellings, at, sign);
                    assert!(only_name || other != original, "{spaced} | {changed:?}");
                }
            }
        }
    }
    assert!(read > 5_000, "{read}");
}

/// Whether another name is given to something that nothing speaks of.
fn is_name_of_binder(spellings: &[String], at: usize, sign: Option<&str>) -> bool {
    let named = sign.is_some_and(|sign| sign.starts_with(char::is_alphabetic));
    let binds = spellings.get(at + 1).is_some_and(|next| next == ":");
    let universe = at > 0 && matches!(spellings[at - 1].as_str(), "Type" | "Sort");
    let once = spellings.iter().filter(|other| **other == spellings[at]).count() == 1;
    let mut scope = spellings.iter().skip(at).skip_while(|other| *other != ")");
    let unused = binds && once && !scope.any(|other| Some(other.as_str()) == sign);
    let inst = named && spellings[at] == "inst";
    (named && (unused || universe)) || inst || (binds && sign.is_none())
}

#[test]
fn hostile_text_takes_linear_time() {
    for text in [
        ": ".to_owned() + &"A → ".repeat(1_900),
        ": ".to_owned() + &"(".repeat(3_000),
        format!(": {}x{}", "(".repeat(1_900), ")".repeat(1_900)),
        format!(": ∀ {} : {}, x", "a ".repeat(1_900), "T ".repeat(1_900)),
        ": ".to_owned() + &"∀ x, ".repeat(1_000) + "x",
        ": ".to_owned() + &"∃ x, (".repeat(900),
        ": ".to_owned() + &"{x | ".repeat(900),
        ": ".to_owned() + &"¬ ".repeat(3_900),
        ": ".to_owned() + &"|".repeat(3_900),
        ": ".to_owned() + &"(a b c d : ".repeat(30) + "x" + &")".repeat(30) + ", y",
        ": ".to_owned() + &"∀ a b c d : ".repeat(30) + "x" + &", y".repeat(30),
        ": ".to_owned() + &"a + ".repeat(1_900) + "a",
    ] {
        let start = std::time::Instant::now();
        wording(&text);
        assert!(start.elapsed().as_secs() < 10, "{:?} {}", start.elapsed(), &text[..9]);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,120}|[abx()∀∃,:=≥¬{}| ]{0,60}") {
        wording(&text);
    }
}

fn claim(text: &str) -> Claim {
    Claim::of_note(text).unwrap()
}

#[test]
fn statements_that_claim_the_same() {
    for (a, b) in [
        // blanks, comments, names, the two spellings of a sign
        ("(n : ℕ) : n < 5", "( m:Nat )  /- so -/ :\n  m < 5 -- yes"),
        ("∀ x, f x = λ y => y", "forall x, f x = fun y ↦ y"),
        ("(a b : ℕ) (h : a <= b) : h = h", "(x y : ℕ) (hxy : x ≤ y) : hxy = hxy"),
        (": P -> Q", ": P → Q"),
        // binders: kinds, groups, places
        ("(a b : ℕ) : a = b", "(a : ℕ) (b : ℕ) : a = b"),
        ("(x : ℕ) : P x", "{x : ℕ} : P x"),
        ("(x : ℕ) : P x", "⦃x : ℕ⦄ : P x"),
        ("(x : ℕ) : P x", "{{x : ℕ}} : P x"),
        ("(x : ℕ) : P x", ": ∀ x : ℕ, P x"),
        ("(x : ℕ) : P x", "∀ (y : ℕ), P y"),
        ("(x : ℕ) (y : ℤ) : P x y", "(x : ℕ) : ∀ y : ℤ, P x y"),
        ("∀ x y : ℕ, P x y", "∀ x : ℕ, ∀ y : ℕ, P x y"),
        ("∀ x y, P x y", "∀ x, ∀ y, P x y"),
        ("{G : Type*} [Group G] (a : G) : a = 1", "(G : Type u) [inst : Group G] {a : G} : a = 1"),
        ("bad (n : ℕ) : n < 5", ": ∀ k : ℕ, k < 5"),
        // hypotheses
        ("(n : ℕ) (h : 2 < n) : f n < n", "(n : ℕ) : 2 < n → f n < n"),
        ("(n : ℕ) (h : 2 < n) : f n < n", ": ∀ n : ℕ, 2 < n → f n < n"),
        ("(h : A) (k : B) : C", ": A → B → C"),
        ("(h : A) : B ↔ C", ": A → (B ↔ C)"),
        ("(h : ∀ x, p x) : C", ": (∀ x, p x) → C"),
        ("(h : A ∧ ∃ x, p x) : C", ": (A ∧ ∃ x, p x) → C"),
        ("∀ ε > 0, p ε", "∀ ε, ε > 0 → p ε"),
        ("∀ x ∈ s, p x", "(x) (hx : x ∈ s) : p x"),
        ("(n : ℕ) (h : ∑ i ∈ s, f i < n) : p n", ": ∀ n : ℕ, ∑ i ∈ s, f i < n → p n"),
        ("(n : ℕ) (h : n < 5 := by simp) : p n", "(n : ℕ) (h : n < 5) : p n"),
        ("(f : ℕ → ℕ) : p f", "(f : ∀ _ : ℕ, ℕ) : p f"),
        (": let c := 1; p c", ": let c := 1; p c := by simp"),
        // inner quantifiers
        ("∃ x y, p x y", "∃ a, ∃ b, p a b"),
        ("∃ x, (∃ y : ℕ, p x y)", "∃ a, ∃ b : ℕ, p a b"),
        ("∀ x, ∃ y > x, p y", "∀ a, ∃ b > a, p b"),
        ("∑ i in range n, i = n", "∑ j ∈ range n, j = n"),
        ("q {x | p x}", "q {y | p y}"),
        ("q {x : ℕ | p x}", "q {y : Nat | p y}"),
        ("∃! x, p x", "∃! y, p y"),
        ("¬ ∀ x : ℕ, ∀ y : ℕ, p x y", "¬ (∀ a b : ℕ, p a b)"),
        ("∀ᶠ x in atTop, p x", "∀ᶠ y in atTop, p y"),
        ("A ∧ ∀ x, p x", "A ∧ (∀ y, p y)"),
        ("f (fun x => x + 1) ∧ ¬ ∃ x, p x", "f (fun y ↦ y + 1) ∧ ¬ (∃ y, p y)"),
        // universes
        (".{u v} (α : Type u) (β : Type v) : q α β", "(α : Type*) (β : Type _) : q α β"),
        ("(α : Type (max u v)) : q α", "(α : Type*) : q α"),
        (": q.{u} x", ": q x"),
        ("(α : Sort*) : q α", "(α : Sort u) : q α"),
        // parentheses and ascriptions that say nothing
        ("(h : (a < b)) : (c)", "(h : a < b) : c"),
        ("(n : ℕ) : ((n : ℕ) : ℝ) < 5", "(n : ℕ) : (n : ℝ) < 5"),
        ("(n : ℕ) : (2 : ℕ) * n = n", "(n : ℕ) : 2 * n = n"),
        ("(x : ℝ) : (1 : ℝ) < x", "(x : ℝ) : 1 < x"),
        ("(x : ℝ) : f y (x + (1 : ℝ))", "(x : ℝ) : f y (x + 1)"),
        ("(x : ℝ) : (0 : ℝ) ≤ x ^ 2", "(x : ℝ) : 0 ≤ x ^ 2"),
        (": f ((x)) = ((a + b))", ": f x = (a + b)"),
    ] {
        assert_eq!(claim(a), claim(b), "{a} | {b}");
        for (a, b) in [(a, b), (b, a)] {
            let claim = claim(a);
            assert!(claim.words().iter().all(|word| b.contains(word)), "{a} | {b}: {claim:?}");
        }
    }
    for (text, words) in [
        ("(n : ℕ) : n * 100 = n.succ", "100"),
        ("(n : Foo.Barred) : n.prime ∧ Foo 1", "Barred Foo 1"),
        ("(a b : ℕ) : a + b = b + a", ""),
        ("(a b : Nat) (h : a = b := by simp [Foo]) : b = a", ""),
        ("{α : Type*} (x : β) : x = x", ""),
    ] {
        assert_eq!(claim(text).words().join(" "), words, "{text}");
    }
}

#[test]
fn statements_that_claim_something_else() {
    for (a, b) in [
        ("(n : ℕ) : n < 5", "(n : ℕ) : n ≤ 5"),
        ("(n : ℕ) : n < 5", "(n : ℤ) : n < 5"),
        ("(n : ℕ) : n < 5", "n < 5"),
        ("(n : ℕ) : n < 5", "∀ n, n < 5"),
        ("(n : ℕ) : n < 5", "(n : ℕ) (h : 2 < n) : n < 5"),
        ("(n : ℕ) : n < m", "(n : ℕ) : n < k"),
        ("(a b : ℕ) : a < b", "(a b : ℕ) : b < a"),
        ("(p q : ℕ) : p.Prime", "(p q : ℕ) : q.Prime"),
        ("(p : ℕ) : p.Prime", "(q : ℕ) : p.Prime"),
        ("∀ x, ∃ y, p x y", "∃ y, ∀ x, p x y"),
        ("∀ x, p x", "¬ ∀ x, p x"),
        ("∃ x, p x", "∃! x, p x"),
        ("A → B → C", "(A → B) → C"),
        ("A → B ↔ C", "A → (B ↔ C)"),
        ("A ↔ B → C", "(h : A ↔ B) : C"),
        ("∃ x, A → B", "(h : ∃ x, A) : B"),
        ("¬ A → B", "¬ (A → B)"),
        (": let c := 1; p c", ": let c := 1; q c"),
        ("(h : A) : haveI := h; p", "(h : A) : haveI := h; q"),
        ("(∀ x, p x) ∧ A", "∀ x, p x ∧ A"),
        ("¬ (∀ x, p x) ∧ A", "¬ ∀ x, p x ∧ A"),
        ("f (fun x => x) y", "f fun x => x y"),
        ("f (a, fun x => x)", "f a (fun x => x)"),
        ("A ∧ ∀ x, p x → q x", "(h : A ∧ ∀ x, p x) : q x"),
        ("(x y : ℝ) : f ((x - y : ℝ))", "(x y : ℝ) : f (x - y)"),
        ("(a b : ℕ) : ((a - b : ℕ) : ℤ) = a - b", "(a b : ℕ) : (a - b : ℤ) = a - b"),
        (": (2 : ℝ) / 3 = c", ": 2 / 3 = c"),
        ("(x : ℕ) : (2 : ℝ) * x = c", "(x : ℕ) : 2 * x = c"),
        ("(x : ℝ) : f x + (1 : ℝ) = c", "(x : ℝ) : f x + 1 = c"),
        ("(x : ℝ) : c ^ x + (1 : ℝ) = c", "(x : ℝ) : c ^ x + 1 = c"),
        ("∑ i ∈ s, (f i + c) = d", "∑ i ∈ s, f i + c = d"),
        ("∑ i ∈ s, f i = d", "∑ i ∈ t, f i = d"),
        ("∑ i ∈ s, f i = d", "∏ i ∈ s, f i = d"),
        ("∀ᶠ x in atTop, p x", "∀ᶠ x in atBot, p x"),
        ("∀ᶠ x in atTop, p x", "∀ x, p x"),
        ("∀ x ∈ s, p x", "∀ x ∈ t, p x"),
        ("∃ x ∈ s, p x", "∃ x, x ∈ s → p x"),
        ("q {f x | x : ℕ}", "q {g x | x : ℕ}"),
        ("q {x, y}", "q {y, x}"),
        ("f (x, y)", "f x y"),
        ("(α : Type*) : q α", "(α : Prop) : q α"),
        ("(α : Type 1) : q α", "(α : Type) : q α"),
        ("f x y", "f (x y)"),
        ("(h : A) : C", "(h : A) (k : B) : C"),
        ("a != b", "a ≠ b"),
        ("fun x y => f x y", "fun x y => f y x"),
        ("(x : ℕ) : (∀ x, p x) ∧ q x", "(x : ℕ) : (∀ y, p y) ∧ q y"),
        ("(∀ x, p x) ∧ q x", "(∀ y, p y) ∧ q y"),
    ] {
        assert_ne!(claim(a), claim(b), "{a} | {b}");
    }
}

#[test]
fn nothing_claims_nothing() {
    for text in ["", "  ", "-- so", ":= by simp"] {
        assert_eq!(Claim::of_proposition(text), None, "{text:?}");
    }
    for text in ["", "(n : ℕ)", "(n : ℕ) :", "(n : ℕ) : := by simp"] {
        assert_eq!(Claim::of_signature(text), None, "{text:?}");
    }
}

#[test]
fn what_is_denied_is_seen() {
    let bad = claim("(n : ℕ) : n < 5");
    for (text, denies) in [
        (": ¬ ∀ n : ℕ, n < 5", true),
        (" : ¬(∀ (k : ℕ), k < 5) := by simp", true),
        (": ∀ n : ℕ, n < 5", false),
        ("(n : ℕ) : ¬ n < 5", false),
        (": ¬", false),
        ("", false),
    ] {
        assert_eq!(Claim::denied_by(text).as_ref() == Some(&bad), denies, "{text}");
    }
}

#[test]
fn what_is_claimed_beside_the_signature() {
    let signature = " (m n : Nat) (h : ¬ 9 ≤ m) : 0 ≤ n ∧ gap m n ≤ 2 * n";
    let has = |claims: &[Claim], text: &str| claims.contains(&claim(text));
    let said = Claim::inner(signature, "");
    assert!(has(&said, "(m n : Nat) (h : m < 9) : gap m n ≤ 2 * n"));
    assert!(has(&said, "(m n : Nat) (h : m < 9) : 0 ≤ n"));
    let stronger = Claim::stronger(" (m n : Nat) (h : m < 9) : gap m n ≤ 2 * n");
    assert!(stronger.len() == 2 && has(&stronger, "(m n : Nat) : gap m n ≤ 2 * n"));
    assert!(has(&stronger, "(m n : Nat) (h : m < 9) : gap m n < 2 * n"));
    let body = "by\n  have h : gap 1 k ≤ 3 := by sorry\n  obtain ⟨x, hx⟩ := foo (all : ∀ x, gap x x = 0)\n  rfl";
    let steps = Claim::inner(" (k : Nat) (h : ∀ x, x < k) : k = k", body);
    for text in [
        ": gap 1 k ≤ 3",
        "(k : Nat) (h : ∀ x, x < k) : gap 1 k ≤ 3",
        ": ∀ x, gap x x = 0",
        ": ∀ x, x < k",
    ] {
        assert!(has(&steps, text), "{text}");
    }
}

#[test]
fn claims_of_hostile_text_end_soon() {
    for text in [
        "A → ".repeat(3_000),
        "(".repeat(3_000),
        format!("{}x{}", "(".repeat(3_000), ")".repeat(3_000)),
        format!("∀ {} : {}, x", "a ".repeat(2_000), "T ".repeat(2_000)),
        "∀ x, ".repeat(2_000) + "x",
        "∃ x, (".repeat(2_000),
        "{x | ".repeat(2_000),
        "(2 : ".repeat(2_000),
        "¬ ".repeat(5_000),
        "∑ i ∈ s, ".repeat(2_000),
    ] {
        let start = std::time::Instant::now();
        Claim::of_proposition(&text);
        Claim::of_signature(&text);
        Claim::inner(&text, &text);
        // Far more than it takes on a busy machine, far less than if it took each part again for every other.
        assert!(start.elapsed().as_secs() < 10, "{:?} {}", start.elapsed(), &text[..9]);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_has_a_claim_or_none(text in "\\PC{0,200}") {
        Claim::of_signature(&text);
        Claim::of_proposition(&text);
        Claim::denied_by(&text);
        Claim::of_note(&text);
        Claim::stronger(&text);
        Claim::inner(&text, &text);
    }

    /// Words that are not there would hide a false lemma.
    #[test]
    fn the_words_of_a_claim_stand_in_it(
        lexemes in proptest::collection::vec(proptest::sample::select(LEXEMES.to_vec()), 1..14),
    ) {
        let text = lexemes.join(" ");
        if let Some(claim) = Claim::of_signature(&text) {
            proptest::prop_assert!(claim.words().iter().all(|word| text.contains(word)), "{text}");
        }
    }
}

const LEXEMES: [&str; 24] = [
    "(", ")", "[", "]", "{", "}", ":", ":", "A", "Foo", "x", "ℕ", "Nat", "Type", "Prop", "∀", "∃",
    ",", "=", "→", "if", "fun", "↦", "¬",
];

/// A file and the key of its last declaration.
fn key(text: &str) -> Key {
    let statements = Statements::of(text);
    statements.key(statements.outline().declarations.len() - 1).unwrap()
}

#[test]
fn a_key_takes_in_what_a_statement_uses_and_nothing_else() {
    let text = "def small (n : Nat) : Prop := n < 3\ndef two : Nat := 2\n\
                variable {R : Type*} [Ring R] (x : R)\n\
                theorem t (n : Nat) (h : small n) : n = n ∧ x = x := by simp";
    let original = key(text);
    for (from, to, same) in [
        // layout, comments, bound names, another proof, what it does not use
        ("\n", "\n\n", true),
        (" : ", "  : /- so -/\n    ", true),
        (
            "theorem t (n : Nat) (h : small n) : n = n",
            "theorem t (k : Nat) (_ : small k) : k = k",
            true,
        ),
        ("small (n : Nat) : Prop := n < 3", "small (m : Nat) : Prop := m < 3", true),
        ("by simp", "by omega", true),
        ("theorem t", "/-- doc -/\n@[simp] lemma other", true),
        ("two : Nat := 2", "two : Nat := 3", true),
        ("variable {R", "variable (S : Nat) {R", true),
        // what it says, the variables and definitions that it uses
        ("n = n ∧", "n = n ∨", false),
        ("(h : small n)", "{h : small n}", false),
        ("n < 3", "n < 4", false),
        ("[Ring R]", "[Field R]", false),
        ("[Ring R]", "[Ring R] [Finite R]", false),
        ("(x : R)\n", "(x : R)\nlocal infix:35 \" ∧ \" => f\n", false),
    ] {
        let other = text.replacen(from, to, if same { 9 } else { 1 });
        assert_ne!(other, text, "{from}");
        assert_eq!(key(&other) == original, same, "{from} | {to}");
    }
    // As a binder of its own or as a variable, and through other definitions.
    let own = "theorem t {V : Type*} [Fintype V] (x : V) : x = x := rfl";
    assert_eq!(key(own), key("variable {V : Type*} [Fintype V]\ntheorem t (x : V) : x = x := rfl"));
    let deep = "def a := 1\ndef b := a\ndef c := b\ntheorem t : c = 1 := rfl";
    assert_ne!(key(deep), key(&deep.replace("a := 1", "a := 2")));
    // A circle ends.
    let circle = "mutual\ndef a : Nat := b\ndef b : Nat := a\nend\ntheorem t : a = 1 := h";
    assert_ne!(key(circle), key(&circle.replace("b : Nat := a", "b : Nat := a + 1")));
}

#[test]
fn names_are_looked_up_in_leans_order() {
    let meant = |text: &str, name: &str| {
        let statements = Statements::of(text);
        let user = statements.outline().declarations.len() - 1;
        let found = statements.resolve(user, name).and_then(|at| statements.declaration(at));
        found.and_then(|one| one.name.clone()).unwrap_or_default()
    };
    let all = "def a := 1\ndef A.a := 2\ndef B.a := 3\ndef N.a := 4\ndef N.M.a := 5\ndef A.B.a := 6\n\
               def N.C.a := 7\n";
    for (around, name, expected) in [
        ("", "a", "a"),
        ("open A\n", "a", "A.a"),
        ("open A B\n", "a", "B.a"),
        ("open A\n", "B.a", "B.a"),
        ("open A\n", "_root_.a", "a"),
        ("open A\nnamespace N\n", "a", "N.a"),
        ("open A\nnamespace N.M\n", "a", "N.M.a"),
        ("open A\nnamespace N.M.O\n", "_root_.a", "a"),
        ("open A\nnamespace O\n", "a", "A.a"),
        ("namespace N\nopen C\nnamespace O\n", "C.a", "N.C.a"),
        ("namespace N\nopen C\nend N\nopen scoped A\n", "a", "a"),
    ] {
        assert_eq!(meant(&format!("{all}{around}def last := 0"), name), expected, "{around}{name}");
    }
    let opened = "def N.C.b := 1\nnamespace N\nopen C\nnamespace O\ndef last := 0";
    assert_eq!(meant(opened, "b"), "N.C.b", "what is opened may be meant from inside");
}

#[test]
fn a_notation_matters_to_what_has_its_sign() {
    let touched = |command: &str| {
        let text = format!("{command}\ntheorem t (a b : ℕ) (h : a /ₛ b = c) : a ≤ b := h");
        Statements::of(&text).signature(0).unwrap().notation != 0
    };
    for (command, expected) in [
        ("local infix:50 \" ≤ \" => f", true),
        ("notation a \" /ₛ \" b => f a b", true),
        ("notation a \" / \" b => f a b", true),
        ("notation a \" /ₜ \" b => f a b", false),
        ("notation a \" ≥ \" b => a ≤ b", false),
        ("macro_rules | `($x ≤ $y) => `(True)", true),
        ("macro_rules\n  | `($x ≥ $y) => `(True)\n  | `($x = $y) => `(True)", true),
        ("macro_rules | `($x ≥ $y) => `($x ≤ $y)", false),
        ("macro_rules | `($f $x) => `(True)", true),
        ("macro_rules | `($x:ident) => `(True)", true),
        ("macro_rules | `(($x)) => `(True)", true),
        ("macro_rules | `(tactic| foo) => `(tactic| simp)", false),
        ("section\nlocal infix:50 \" ≤ \" => f\nend", false),
    ] {
        assert_eq!(touched(command), expected, "{command}");
    }
}

/// Keys are stored: another key of the same statement needs another version.
#[test]
fn keys_of_this_version_stay() {
    let keys = [
        "theorem t (a b : ℕ) (h : a < b) : a ≤ b := h.le",
        "def f (n : ℕ) : ℕ := n + 1\ntheorem t : ∀ n : ℕ, ∃ m ∈ s, f m = n := h",
        "variable {R : Type*} [Ring R]\ntheorem t.{u} (x : R) : ∑ i ∈ s, f.{u} i x⁻¹ = ⟨x, 2⟩ := h",
        "example : ∀ᶠ x in l, {y | p x y} ≡ (fun z ↦ z) [MOD 2] := h",
    ];
    let prints = keys.map(|text| (key(text).version, format!("{:016x}", key(text).print)));
    let expected = ["8b70372764eda837", "084d9ff6879b390f", "9b20b12a8fe308d5", "a547dabac70ef40e"];
    assert_eq!(prints, expected.map(|print| (5, print.to_owned())));
}

#[test]
fn how_statements_differ() {
    let differ = |a: &str, b: &str| {
        let texts = [a, b].map(|text| format!("theorem x {text} := h"));
        let [a, b] = [0, 1].map(|at| Statements::of(&texts[at]));
        difference(a.signature(0).unwrap(), b.signature(0).unwrap(), true, |name| name != "Own")
    };
    for (a, b, expected) in [
        ("(n : ℕ) : p n", ": ∀ n : Nat, p n", "same"),
        ("(n : ℕ) : p n", "{n : ℕ} : p n", "same, called otherwise"),
        (
            "(a : A) (b : B) (h : p a b) : q",
            "(b : B) (a : A) (h : p a b) : q",
            "same, called otherwise",
        ),
        (
            "(f : ℕ → ℝ) (a : ℝ) : Tendsto f atTop (nhds a)",
            "(f : ℕ → ℝ) (a : ℝ) : Tendsto f atTop (𝓝 a)",
            "same",
        ),
        ("(p q : Prop) : Or (And p q) (Not p)", "(p q : Prop) : p ∧ q ∨ ¬p", "same"),
        ("(α β : Type) (x : Prod α β) : p x", "(α β : Type) (x : α × β) : p x", "same"),
        ("(α β : Type) (e : Equiv α β) : p e", "(α β : Type) (e : α ≃ β) : p e", "same"),
        ("(x : ℝ) : Int.floor x ≤ x", "(x : ℝ) : ⌊x⌋ ≤ x", "same"),
        ("(x : ℝ) : Int.floor x ≤ x", "(x : ℝ) : ⌊x⌋₊ ≤ x", "unknown"),
        ("(x : ℝ) : Int.floor x ≤ x", "(x : ℝ) : ⌈x⌉ ≤ x", "unknown"),
        ("(f : ℕ → ℕ) : f.Injective", "(f : ℕ → ℕ) : Function.Injective f", "same"),
        ("(p : ℕ × ℕ) : q p.1", "(p : ℕ × ℕ) : q p.fst", "same"),
        ("(p : ℕ × ℕ) : q p.1", "(p : ℕ × ℕ) : q p.snd", "unknown"),
        ("(f : ℕ → ℕ) : f.Injective", "(f : ℕ → ℕ) : Function.Surjective f", "unknown"),
        ("(f g : ℕ → ℕ) : p (Function.comp f g)", "(f g : ℕ → ℕ) : p (f ∘ g)", "same"),
        ("(f g : ℕ → ℕ) : p (Function.comp f g)", "(f g : ℕ → ℕ) : p (g ∘ f)", "unknown"),
        ("(n : ℕ) (h : p n) : q n", "(n : ℕ) : q n", "stronger: hypothesis dropped: h"),
        ("(n : ℕ) : q n", "(n : ℕ) (h : p n) : q n", "weaker: hypothesis added: h"),
        ("[Fintype α] : p α", "[Finite α] : p α", "stronger: class generalised: Fintype to Finite"),
        (
            "{α : Type} [Fintype α] : p α",
            "{α : Type} [Finite α] : p α",
            "stronger: class generalised: Fintype to Finite",
        ),
        (
            "{α : Type} [Finite α] : p α",
            "{α : Type} [Fintype α] : p α",
            "weaker: class specialised: Finite to Fintype",
        ),
        (
            "{α : Type} (a : α) : p a",
            "{α : Type*} (a : α) : p a",
            "stronger: type generalised: Type*",
        ),
        ("(n : ℕ) (h : p n) : n ≤ 5", "(n : ℕ) (h : p n) : n ≤ 3", "stronger: bound improved"),
        ("(n : ℕ) (h : p n) : n ≤ 3", "(n : ℕ) (h : p n) : n ≤ 5", "weaker: bound given up"),
        ("(x : ℤ) (h : x ≤ 0) : 3 * x ≤ x", "(x : ℤ) (h : x ≤ 0) : 5 * x ≤ x", "unknown"),
        ("(x y : ℝ) : y ≤ 5 * x", "(x y : ℝ) : y ≤ 3 * x", "unknown"),
        ("(a b : ℕ) : 3 * (a - b : ℤ) ≤ c", "(a b : ℕ) : 5 * (a - b : ℤ) ≤ c", "unknown"),
        ("(n m : ℕ) : m ≤ 5 * n", "(n m : ℕ) : m ≤ 3 * n", "stronger: bound improved"),
        ("(x y : ℝ) : y ≤ 5 * |x|", "(x y : ℝ) : y ≤ 3 * |x|", "stronger: bound improved"),
        ("(x y : ℝ) : y ≤ 5 * x ^ 2", "(x y : ℝ) : y ≤ 3 * x ^ 2", "stronger: bound improved"),
        ("(n : ℕ) (x : ℝ) : x ≤ 5 * n", "(n : ℕ) (x : ℝ) : x ≤ 3 * n", "stronger: bound improved"),
        ("(n : ℕ) : p n ∧ q n", "(n : ℕ) : q n ∧ p n", "same, called otherwise"),
        (
            "(n : ℕ) (h : p n ∧ q n) : r n",
            "(n : ℕ) (h : p n) : r n",
            "stronger: hypothesis weakened",
        ),
        ("(n : ℕ) (h : n ≤ 5) : p n", "(n : ℕ) (h : n ≤ 7) : p n", "stronger: hypothesis weakened"),
        (
            "(n : ℕ) (h : p n) : r n",
            "(n : ℕ) (h : p n ∧ q n) : r n",
            "weaker: hypothesis strengthened",
        ),
        ("(n : ℕ) : ¬(p n ∧ q n)", "(n : ℕ) : ¬p n", "stronger: hypothesis weakened"),
        ("(n : Fin 3) : n ≤ 5", "(n : Fin 3) : n ≤ 3", "unknown"),
        ("(n : ℕ) : p n", "(n : ℕ) : p n ∧ q n", "stronger: conjunct added"),
        ("(n : ℕ) : p n ∧ q n", "(n : ℕ) : q n", "weaker: conjunct dropped"),
        ("(n : ℕ) : old n", "(n : ℕ) : new n", "unknown"),
        ("(n : ℕ) (h : 2 < n) : p n", "(n : ℕ) (h : 3 ≤ n) : p n", "same, called otherwise"),
        ("(n : ℕ) (h : n ≠ 0) : p n", "(n : ℕ) (h : 0 < n) : p n", "same, called otherwise"),
        ("(n : ℤ) (h : n ≠ 0) : p n", "(n : ℤ) (h : 0 < n) : p n", "unknown"),
        (
            "(n : ℕ) (x : ℝ) (h : n < x) : p n x",
            "(n : ℕ) (x : ℝ) (h : n + 1 ≤ x) : p n x",
            "unknown",
        ),
        (
            "(n : ℕ) (f : ℕ → ℝ) (h : n < f n) : p n",
            "(n : ℕ) (f : ℕ → ℝ) (h : n + 1 ≤ f n) : p n",
            "unknown",
        ),
        ("(n : ℕ) (x : ℝ) : ∃ z, z < n + x", "(n : ℕ) (x : ℝ) : ∃ z : ℕ, z < n + x", "unknown"),
        ("(x : ℝ) : x ^ 2 = x * x", "(x : ℝ) : x * x = x * x", "unknown"),
        (": p (s : Multiset ℕ).card", ": p #s", "unknown"),
        (
            "(s : Finset ℕ) (h : 0 < s.card) : p s",
            "(s : Finset ℕ) (h : 1 ≤ s.card) : p s",
            "same, called otherwise",
        ),
        (
            "(s : Finset ℕ) (h : 0 < #s) : p s",
            "(s : Finset ℕ) (h : 1 ≤ s.card) : p s",
            "same, called otherwise",
        ),
        (": 2 < Nat.card G", ": 3 ≤ Nat.card G", "same, called otherwise"),
        (": s.card ≠ 0", ": 0 < s.card", "unknown"),
        ("(s : Own ℕ) : 0 < s.card", "(s : Own ℕ) : 1 ≤ s.card", "stronger: bound improved"),
        (
            "(a b x : ℝ) (h₁ : a ≤ x) (h₂ : x ≤ b) : p x",
            "(a b x : ℝ) (h : x ∈ Set.Icc a b) : p x",
            "same, called otherwise",
        ),
        (
            "(a b x : ℝ) (h₁ : a < x) (h₂ : x ≤ b) : p x",
            "(a b x : ℝ) (h : x ∈ Set.Icc a b) : p x",
            "unknown",
        ),
        (
            "(n : ℕ) : n ∈ ({1, 2} : Set ℕ)",
            "(n : ℕ) : n ∈ ({1, 2} : Finset ℕ)",
            "same, called otherwise",
        ),
        (
            ": ({1, 2} : Set ℕ).ncard = 2",
            ": ({1, 2} : Finset ℕ).card = 2",
            "same, called otherwise",
        ),
        (": ({1, 2} : Set ℕ).ncard = 2", ": #({1, 2} : Finset ℕ) = 2", "same, called otherwise"),
        (
            ": ({1} : Set ℕ) ⊆ ({1, 2} : Set ℕ)",
            ": ({1} : Finset ℕ) ⊆ ({1, 2} : Finset ℕ)",
            "same, called otherwise",
        ),
        (": ({1, 2} : Set ℕ).encard = 2", ": ({1, 2} : Finset ℕ).card = 2", "unknown"),
        (": ({1, 2} : Set ℕ).ncard = 2", ": ({1, 2} : Finset ℤ).card = 2", "unknown"),
        (": p ({1, 2} : Set ℕ)", ": p ({1, 2} : Finset ℕ)", "unknown"),
        (
            ": p (({1} : Set ℕ) ∪ ({2} : Set ℕ))",
            ": p (({1} : Finset ℕ) ∪ ({2} : Finset ℕ))",
            "unknown",
        ),
        ("(n : ℕ) : n ∈ ({1, 2} : Set ℕ)", "(n : ℕ) : n ∈ ({1, 3} : Finset ℕ)", "unknown"),
        (
            "(S : Set ℕ) : S ⊆ ({1, 2} : Set ℕ)",
            "(S : Finset ℕ) : S ⊆ ({1, 2} : Finset ℕ)",
            "unknown",
        ),
        (": a = b ↔ b = a", ": a = b ↔ a = b", "unknown"),
        (
            "(x : ℝ) (h : 2 < x) : p x",
            "(x : ℝ) (h : 3 ≤ x) : p x",
            "weaker: hypothesis strengthened",
        ),
        ("(m n : ℕ) : m + n = n + m", "(m n : ℕ) : n + m = m + n", "same, called otherwise"),
        ("(x : ℝ) : 0 ≤ x ^ 2", "(x : ℝ) : 0 ≤ x * x", "same, called otherwise"),
        (
            "(A : Set ℕ) : A = A",
            "{α : Type*} (A : Set α) : A = A",
            "stronger: type generalised: ℕ to α",
        ),
        (
            "(x y : ℤ) : x * y = y * x",
            "{R : Type*} [CommRing R] (x y : R) : x * y = y * x",
            "stronger: type generalised: ℤ to R",
        ),
        (
            "(x y : ℕ) : x * y = y * x",
            "{R : Type*} [CommRing R] (x y : R) : x * y = y * x",
            "unknown",
        ),
        (
            "(x y : ℝ) (h : x * y = 0) : x = 0 ∨ y = 0",
            "{R : Type*} [Ring R] [NoZeroDivisors R] (x y : R) (h : x * y = 0) : x = 0 ∨ y = 0",
            "stronger: type generalised: ℝ to R",
        ),
        (
            "{M : Type*} [Group M] (r : ℝ) (x : M) : p r x",
            "{K M : Type*} [Field K] [Group M] (r : K) (x : M) : p r x",
            "stronger: type generalised: ℝ to K",
        ),
        (
            "{E : Type*} [NormedSpace ℝ E] (r : ℝ) (x : E) : p r x",
            "{K E : Type*} [RCLike K] [NormedSpace K E] (r : K) (x : E) : p r x",
            "stronger: type generalised: ℝ to K",
        ),
        ("(n : ℕ) : f (↑n + 1) = c", "(n : ℕ) : f (n + 1) = c", "same"),
        // what was special
        (
            "(x : ℝ) : f x ≤ f (2 * x)",
            "(c x : ℝ) : f x ≤ f (c * x)",
            "stronger: 2 generalised to c",
        ),
        (
            "(x : ℝ) : f x ≤ f (2 * x)",
            "(c x : ℝ) (h : 0 < c) : f x ≤ f (c * x)",
            "stronger: 2 generalised to c",
        ),
        ("(x : ℝ) : f x ≤ f (2 * x)", "(c x : ℝ) (h : 5 < c) : f x ≤ f (c * x)", "unknown"),
        ("(x : ℝ) : f x ≤ f (2 * x)", "(c : Fin 1) (x : ℝ) : f x ≤ f (c * x)", "unknown"),
        ("(x : ℝ) : f x ≤ f (2 * x)", "(c x : ℝ) : f x ≤ g (c * x)", "unknown"),
        (
            "(h : Tendsto f atTop a) : q f",
            "{l : Filter ℕ} (h : Tendsto f l a) : q f",
            "stronger: atTop generalised to l",
        ),
        (": Tendsto f atTop a", "{l : Filter ℕ} [l.NeBot] : Tendsto f l a", "unknown"),
        (
            ": Tendsto f atTop a",
            "{l : Filter ℕ} [NeBot l] : Tendsto f l a",
            "stronger: atTop generalised to l",
        ),
        (": Tendsto f ⊥ a", "{l : Filter ℕ} : Tendsto f l a", "unknown"),
        (
            ": ∫ x, f x ∂volume = c",
            "{μ : Measure ℝ} : ∫ x, f x ∂μ = c",
            "stronger: volume generalised to μ",
        ),
        (
            ": ∫ x, f x ∂volume = c",
            "{μ : Measure ℝ} [IsProbabilityMeasure μ] : ∫ x, f x ∂μ = c",
            "unknown",
        ),
        (
            "(n : ℕ) : v 2 (2 ^ n) = n",
            "(p n : ℕ) [Fact p.Prime] : v p (p ^ n) = n",
            "stronger: 2 generalised to p",
        ),
        ("(n : ℕ) : v 4 (4 ^ n) = n", "(p n : ℕ) [Fact p.Prime] : v p (p ^ n) = n", "unknown"),
        (
            "(f : ℂ → ℂ) : q f = 0",
            "{E : Type*} [NormedAddCommGroup E] [NormedSpace ℂ E] (f : ℂ → E) : q f = 0",
            "stronger: type generalised: ℂ to E",
        ),
        (
            "(f : ℂ → ℂ) : q f = 0",
            "{E : Type*} [NormedAddCommGroup E] [Subsingleton E] (f : ℂ → E) : q f = 0",
            "unknown",
        ),
        (
            "{α β : Type u} : q α β",
            "{α : Type u} {β : Type v} : q α β",
            "stronger: type generalised: Type u, type generalised: Type v",
        ),
        (
            "{α : Type u} {β : Type v} : q α β",
            "{α β : Type u} : q α β",
            "weaker: type specialised: Type u, type specialised: Type u",
        ),
        ("{α : Type*} : q α", "{α : Sort*} : q α", "stronger: type generalised: Sort*"),
        ("{α : Sort*} : q α", "{α : Type*} : q α", "weaker: type specialised: Type*"),
        (
            "(n : ℕ) (i : Fin n) : p i",
            "{ι : Type*} [Fintype ι] (n : ℕ) (i : ι) : p i",
            "stronger: type generalised: Fin to ι",
        ),
        (
            "(V : Type) (G : Graph V) : p G",
            "(V : Type) [DecidableEq V] (G : Graph V) : p G",
            "stronger: decidability asked for",
        ),
        (
            "{k : Type} [Field k] (x : k) : p x",
            "{K : Type*} [Field K] (x : K) : p x",
            "stronger: type generalised: Type*",
        ),
        // universes beside what is not known
        ("(R : Type u) (I : Ideal R) : q (R ⧸ I)", "(R : Type*) (I : Ideal R) : q (R ⧸ I)", "same"),
        ("(R : Type*) (f : M →ₗ[R] N) : q f", ".{u} (R : Type u) (f : M →ₗ[R] N) : q f", "same"),
        ("(R : Type u) : q (R ⊗ S)", "{R : Type*} : q (R ⊗ S)", "same, called otherwise"),
        (
            "(R S : Type u) : q (R ⊗ S)",
            "(R S : Type*) : q (R ⊗ S)",
            "stronger: type generalised: Type*",
        ),
        (
            "(R S : Type*) : q (R ⊗ S)",
            "(R S : Type u) : q (R ⊗ S)",
            "weaker: type specialised: Type u",
        ),
        (
            "(R : Type u) : q (R ⊗ F.{u})",
            "(R : Type*) : q (R ⊗ F.{u})",
            "stronger: type generalised: Type*",
        ),
        ("(R : Type u) : q (R ⧸ I)", "(R : Type (u + 1)) : q (R ⧸ I)", "unknown"),
        ("(R : Type*) : q (R ⧸ I)", "(R : Type) : q (R ⧸ I)", "weaker: type specialised: Type"),
        // classes that Mathlib split and renamed
        (
            "{G : Type*} [OrderedCancelAddCommMonoid G] (x : G) : p x",
            "{G : Type*} [AddCommMonoid G] [PartialOrder G] [IsOrderedCancelAddMonoid G] (x : G) : p x",
            "same, called otherwise",
        ),
        (
            "[IsStrictOrderedRing K] [LinearOrder K] [Field K] : p K",
            "[LinearOrderedField K] : p K",
            "same, called otherwise",
        ),
        ("[TopologicalGroup G] : p G", "[IsTopologicalGroup G] : p G", "same, called otherwise"),
        (
            "[NormedLatticeAddCommGroup E] : p E",
            "[NormedAddCommGroup E] [Lattice E] [HasSolidNorm E] [IsOrderedAddMonoid E] : p E",
            "same, called otherwise",
        ),
        (
            "{R : Type*} [OrderedRing R] (x : R) : p x",
            "{R : Type*} [Semiring R] [PartialOrder R] [IsOrderedRing R] (x : R) : p x",
            "stronger: class generalised: Ring to Semiring",
        ),
        (
            "{R : Type*} [OrderedRing R] (x : R) : p x",
            "{R : Type*} [Ring R] [PartialOrder R] [IsStrictOrderedRing R] (x : R) : p x",
            "weaker: class specialised: IsOrderedRing to IsStrictOrderedRing",
        ),
        (
            "{R : Type*} [Ring R] [PartialOrder R] (x : R) : p x",
            "{R : Type*} [OrderedRing R] (x : R) : p x",
            "weaker: hypothesis added: [IsOrderedRing]",
        ),
        ("[OrderedRing R] : p R", "[OrderedRing S] : p R", "unknown"),
        // names without brackets
        ("(E : A) I j {x : B E} : p I x ↔ q", "(E : A) I j {x : B E} : (p I x ↔ q)", "same"),
        ("(E : A) I j : p I j", "(E : A) I j : p j I", "unknown"),
        ("(E : A) I : p I", "(E : A) (h : r) I : p I", "weaker: hypothesis added: h"),
        ("(n : ℕ) : p n", "(n : ℕ) : ¬ p n", "unknown"),
        ("(n : ℕ) (h : p n) : q n", "(n : ℕ) (h : r n) : q n", "unknown"),
        ("(n : ℕ) (h : p n) : q n", ": q n", "unknown"),
        (": (A → f ⟶ g)", "(h : A) : f ⟶ g", "unknown"),
    ] {
        let told = match differ(a, b) {
            Some(Difference::Same { alike: true }) => "same".to_owned(),
            Some(Difference::Same { alike: false }) => "same, called otherwise".to_owned(),
            Some(Difference::Weaker(how)) => format!("weaker: {how}"),
            Some(Difference::Stronger { how, .. }) => format!("stronger: {how}"),
            None => "unknown".to_owned(),
        };
        assert_eq!(told, expected, "{a} | {b}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(300))]

    /// Layout, comments and names of what is bound leave a key alone; any other lexeme does not.
    #[test]
    fn a_key_is_that_of_the_lexemes_but_for_bound_names(
        row in 0..SAME.len(), side in proptest::bool::ANY, at in 0usize..40, blank in 0usize..4
    ) {
        let (a, b) = SAME[row];
        let text = if side { a } else { b };
        let spellings: Vec<&str> = lexemes(text).iter().map(|l| l.text(text)).collect();
        let at = at % spellings.len();
        let blanks = [" ", "\n    ", " /- a -/ ", " -- a\n  "][blank];
        let joined = |parts: &[&str]| parts.join(" ");
        let (head, tail) = (joined(&spellings[..at]), joined(&spellings[at..]));
        let spaced = spellings.join(" ");
        let key = read(&spaced).renamed;
        proptest::prop_assert_eq!(read(&format!("{head}{blanks}{tail}")).renamed, key);
        let name = spellings[at];
        let is_name = name.chars().all(char::is_alphabetic) && !spelling::is_keyword(name);
        if is_name && !text.starts_with('.') {
            let field = format!("{name}.");
            let renamed: Vec<String> = spellings
                .iter()
                .map(|one| match one.strip_prefix(&field) {
                    Some(field) => format!("zz.{field}"),
                    None => (if *one == name { "zz" } else { one }).to_owned(),
                })
                .collect();
            let is_free = read(&spaced).refers.contains(&name);
            let binds = read(&spaced).binders.iter().any(|binder| binder.name == name);
            let other = read(&renamed.join(" ")).renamed;
            proptest::prop_assert!(!binds || is_free || other == key, "{name} in {spaced}");
            proptest::prop_assert!(!is_free || other != key, "{name} in {spaced}");
        } else if !matches!(name, "(" | ")" | "_") {
            let mut changed = spellings.clone();
            changed[at] = if name == "zz" { "yy" } else { "zz" };
            let universe = at > 0 && matches!(spellings[at - 1], "." | "Type" | "Sort" | "{");
            let other = read(&changed.join(" ")).renamed;
            proptest::prop_assert!(universe || other != key, "{name} in {spaced}");
        }
    }
}
