//! What is Lean's own: types, classes, operators, and the commands that check.

use crate::lean::{is_or_ends_in, last_part};
use crate::text::is_among;

const BUILTIN_TYPES: &str = "Nat ℕ Int ℤ Rat ℚ Real ℝ Complex ℂ NNReal ENNReal Bool Prop Fin String Char List Set \
    Finset";

/// Classes that give operations or relations their meaning, without `Add` and `Comm` before their names.
const OPERATION_CLASSES: &str = "Add Sub Mul Div Mod Neg Inv Pow Zero One LE LT HAdd HSub HMul HDiv HMod HPow OfNat NatCast \
    IntCast Dvd HasSubset Union Inter BEq SMul HSMul Min Max Top Bot Preorder PartialOrder \
    LinearOrder Lattice Monoid Group Semiring Ring Field DivisionRing Norm Dist MetricSpace \
    TopologicalSpace MeasurableSpace Coe CoeFun CoeSort";

const CORE_NAMES: &str =
    "True False Nat Int Rat Real Complex Eq Ne HEq And Or Not Iff Exists Finset Decidable";

const OPERATORS: &str = "= ≠ < ≤ > ≥ + - * / % ^ ∣ ∈ ∉ ⊆ ⊂ ∪ ∩ ∧ ∨ ¬ → ↔ ∀ ∃ == != && || :: ++ • ∘ × True False Nat ℕ \
    ℤ ℚ ℝ ℂ <= >= /\\ \\/";

pub(super) fn is_builtin_type(name: &str) -> bool {
    is_among(last_part(name), BUILTIN_TYPES)
}

pub(super) fn is_operation_class(name: &str) -> bool {
    let name = last_part(name);
    let name = name.strip_prefix("Add").filter(|rest| !rest.is_empty()).unwrap_or(name);
    is_among(name.strip_prefix("Comm").unwrap_or(name), OPERATION_CLASSES)
}

pub(super) fn is_core_name(name: &str) -> bool {
    is_among(last_part(name), CORE_NAMES)
}

pub(in crate::guard) fn is_operator(symbol: &str) -> bool {
    is_among(symbol, OPERATORS)
}

pub(in crate::guard) fn is_checking_command(text: &str) -> bool {
    let end = text.find(|c: char| c.is_whitespace() || c == '$').unwrap_or(text.len());
    matches!(
        text.get(..end).unwrap_or_default(),
        "#print" | "#check" | "#reduce" | "#eval" | "#guard" | "theorem" | "example" | "axiom"
    )
}

/// Whether code of this name closes goals, or makes proofs, without proving.
pub(in crate::guard) fn makes_gaps(name: &str) -> bool {
    let makers = ["mkSorry", "mkLabeledSorry", "mkUniqueSorry", "mkSyntheticSorry", "admitGoal"];
    makers.iter().any(|maker| is_or_ends_in(name, maker))
        || (name != "admit" && is_or_ends_in(name, "admit"))
}

/// Whether code of this name puts declarations into the environment past the kernel.
pub(super) fn passes_the_kernel(name: &str) -> bool {
    is_or_ends_in(name, "addDeclWithoutChecking")
        || is_or_ends_in(name, "addDeclCore")
        || name.ends_with("Kernel.Environment.add")
}

pub(super) fn acts_outside(name: &str) -> bool {
    let name = name.strip_prefix("_root_.").unwrap_or(name);
    name.starts_with("IO.Process.")
        || ["IO.FS.write", "IO.FS.remove", "IO.FS.rename", "IO.FS.createDir"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Names for which the kernel has code of its own: whoever defines them otherwise proves anything.
pub const COMPUTED: &str = "Nat Nat.succ Nat.add Nat.sub Nat.mul Nat.div Nat.mod Nat.gcd Nat.beq Nat.ble Nat.land Nat.lor \
     Nat.xor Nat.shiftLeft Nat.shiftRight Nat.pow Nat.log2 Nat.zero Nat.rec String Char String.mk String.ofList \
     Char.ofNat Eq Quot Quot.mk Quot.lift Quot.ind";

pub(super) fn is_computed_by_the_kernel(name: &str) -> bool {
    is_among(name, COMPUTED)
}
