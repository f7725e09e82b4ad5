//! How statements are spelled, in one place: the two spellings of one symbol, operators with the
//! precedences of Lean and Mathlib, what binds names, words that are no names. And prints: numbers by
//! which spellings and sequences of them are compared. They are stored in keys, so that they stay as
//! they are as long as [`super::KEY_VERSION`] does.

const START: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;
const END: u64 = 0xa076_1d64_78bd_642f;

/// The two halves of a product, one on the other.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

/// Takes in a number. Every lexeme of a file is taken in each time a hook is asked: a multiplication for
/// eight bytes, where the library's hasher takes rounds.
#[inline]
fn mix(state: u64, number: u64) -> u64 {
    // What was read before must not be lost where the product is 0.
    fold(state ^ number, STEP) ^ state.rotate_left(23)
}

#[inline]
pub(in crate::lean) fn print_of(spelling: &str) -> u64 {
    let text = canonical(spelling);
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let state = words.iter().fold(START, |state, word| mix(state, u64::from_le_bytes(*word)));
    let last = rest.iter().rev().fold(0, |last, byte| (last << 8) | u64::from(*byte));
    // The length tells a text from the same one with zeros after it.
    fold(mix(state, last ^ ((text.len() as u64) << 56)), END)
}

pub(in crate::lean) fn print_all(prints: impl IntoIterator<Item = u64>) -> u64 {
    fold(prints.into_iter().fold(START, mix), END)
}

#[inline]
pub(super) fn canonical(spelling: &str) -> &str {
    match spelling {
        "->" => "→",
        "<-" => "←",
        "λ" => "fun",
        "=>" => "↦",
        "<=" => "≤",
        ">=" => "≥",
        "$" => "<|",
        "forall" => "∀",
        "exists" => "∃",
        _ => spelling,
    }
}

/// One spelling for names that have a notation in Mathlib.
pub fn noted(name: &str) -> &str {
    match name {
        "Nat" => "ℕ",
        "Int" => "ℤ",
        "Rat" => "ℚ",
        "Real" => "ℝ",
        "Complex" => "ℂ",
        "nhds" => "𝓝",
        "rexp" => "ℝ.exp",
        "cexp" => "ℂ.exp",
        "π" => "ℝ.pi",
        _ => name,
    }
}

/// What a function's notation is called here; the notation itself where there is one sign for it.
pub(super) const NOTATIONS: &[(&str, &str)] = &[
    ("Abs.abs", "|"),
    ("And", "∧"),
    ("Compl.compl", "ᶜ"),
    ("Dvd.dvd", "∣"),
    ("Eq", "="),
    ("Exists", "∃"),
    ("Finset.card", "#"),
    ("Finset.prod", "∏"),
    ("Finset.sum", "∑"),
    ("Function.comp", "∘"),
    ("HAdd.hAdd", "+"),
    ("HDiv.hDiv", "/"),
    ("HMod.hMod", "%"),
    ("HMul.hMul", "*"),
    ("HPow.hPow", "^"),
    ("HSMul.hSMul", "•"),
    ("HSub.hSub", "-"),
    ("HasSubset.Subset", "⊆"),
    ("Iff", "↔"),
    ("Int.ceil", "⌈"),
    ("Int.floor", "⌊"),
    ("Inter.inter", "∩"),
    ("Inv.inv", "⁻¹"),
    ("LE.le", "≤"),
    ("LT.lt", "<"),
    ("Matrix.transpose", "ᵀ"),
    ("Max.max", "⊔"),
    ("Membership.mem", "∈"),
    ("Min.min", "⊓"),
    ("Ne", "≠"),
    ("Neg.neg", "- "),
    ("Norm.norm", "‖"),
    ("Nat.factorial", "!"),
    ("Not", "¬"),
    ("Or", "∨"),
    ("Prod", "×"),
    ("Real.sqrt", "√"),
    ("Set.iInter", "⋂"),
    ("Set.iUnion", "⋃"),
    ("Set.image", "''"),
    ("Set.preimage", "⁻¹'"),
    ("Union.union", "∪"),
    ("abs", "|"),
    ("compl", "ᶜ"),
    ("iInf", "⨅"),
    ("iSup", "⨆"),
    ("norm", "‖"),
    ("tsum", "∑'"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fixity {
    Left,
    Right,
    Alone,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Operator<'a> {
    pub(super) sign: &'a str,
    pub(super) level: u8,
    pub(super) fixity: Fixity,
}

/// Of one whose sign ends with `[` that bracket is a part: `f =ᶠ[l] g`.
pub(super) fn operator(sign: &str) -> Option<Operator<'_>> {
    use Fixity::{Alone, Left, Right};
    let (level, fixity) = match sign {
        "<|" | "⟶" => (10, Right),
        "≅" => (10, Left),
        "↔" => (20, Alone),
        "→" | "→ₗ[" | "→L[" | "→ₐ[" | "→ₛₗ[" | "→SL[" | "→ₗᵢ[" | "→+*" | "→*" | "→+" | "→*₀"
        | "→o" | "↪" | "↪o" => (25, Right),
        "≃" | "≃*" | "≃+*" | "≃+" | "≃o" | "≃ₜ" | "≃ᵢ" | "≃ᵐ" => (25, Left),
        "∨" => (30, Right),
        "∧" | "×" => (35, Right),
        "=" | "≠" | "<" | "≤" | ">" | "≥" | "∣" | "≡" | "∈" | "∉" | "⊆" | "⊂" | "⊇" | "⊃" | "~"
        | "≈" | "=ᶠ[" | "≤ᶠ[" | "<ᶠ[" | "=ᵐ[" | "≤ᵐ[" | "~[" | "<+" | "<:+" | "<+:" | "≃ₗ["
        | "≃L[" | "≃ₐ[" | "≃ₗᵢ[" => (50, Alone),
        "+" | "-" | "++" | "∪" => (65, Left),
        "::" => (67, Right),
        "=o[" | "=O[" | "=Θ[" => (100, Alone),
        "⊔" => (68, Left),
        "⊓" => (69, Left),
        "*" | "/" | "%" | "∩" | "\\" => (70, Left),
        "•" => (73, Right),
        "^" => (75, Right),
        "''" | "⁻¹'" => (80, Left),
        "≫" | "⋙" => (80, Right),
        "×ˢ" => (82, Right),
        "∘" => (90, Right),
        _ => return None,
    };
    Some(Operator { sign, level, fixity })
}

/// One that is only guessed to be an operator, as tight as the known one that it begins with.
pub(super) fn unknown_operator<'a>(sign: &'a str, begins: Option<Operator<'a>>) -> Operator<'a> {
    use Fixity::{Left, Right};
    let (level, fixity) = match sign.trim_end_matches('[') {
        "⊣" => (15, Left),
        "⥤" => (26, Right),
        "||" | "⊕" | "⨿" | "⊎" => (30, Right),
        "&&" | "⧸" | "⨯" => (35, Left),
        "≪" | "⟂" | "⤳" | "∥" | "≼" | "≺" | "⊑" | "⊴" | "⋖" | "⩿" | "≲" | "≍" => {
            (50, Left)
        }
        "⇨" | "+ᵥ" => (60, Right),
        "⊗" | "⊗ₘ" => (70, Right),
        "⬝ᵥ" | "*ᵥ" | "ᵥ*" | "⨯₃" => (73, Left),
        "⊗≫" | "≪≫" | "◁" => (81, Right),
        "▷" => (81, Left),
        "⊗ₜ" | "⊗ₖ" | "⊙" | "∆" | "<$>" => (100, Left),
        // Of sets and kernels, not of types.
        sign if sign.starts_with('×') => (82, Left),
        _ => begins.map_or((65, Left), |known| (known.level, known.fixity)),
    };
    Operator { sign, level, fixity }
}

/// What separates or closes, and so is no part of a sign that is not known.
pub(super) fn is_punctuation(sign: &str) -> bool {
    matches!(sign, "," | ":" | ";" | ":=" | "↦" | "·" | "∂" | "⊢" | "." | "|" | "‖" | "←" | "@")
        || matches!(sign, "⌋" | "⌉" | "⟫" | "⟧" | "⁆" | "⟯" | "⦌" | "↑" | "⇑" | "↥")
        || quantifier(sign).is_some()
}

pub(super) fn may_bind(sign: &str) -> bool {
    quantifier(sign).or_else(|| unknown_quantifier(sign)).is_some()
}

/// Signs with which a term begins also where they adjoin an operator.
pub(super) fn begins_term(sign: &str) -> bool {
    matches!(sign, "¬" | "√" | "#" | "-" | "∞" | "𝟙" | "𝟭" | "∅" | "⊤" | "⊥")
        || unknown_quantifier(sign).is_some()
}

/// What makes another quantifier of one: `∫⁻`, `∑ᶠ`, `∃ᵉ`.
pub(super) fn is_mark(sign: &str) -> bool {
    matches!(sign, "⁻" | "ᶠ" | "ᵉ" | "ᵐ" | "ᵛ" | "ʳ" | "₀" | "!")
}

/// `x ∈ s` and its like behind a quantifier.
pub(super) fn is_predicate(sign: &str) -> bool {
    operator(sign).is_some_and(|operator| {
        operator.level == 50 && !matches!(sign, "=" | "∣" | "≡" | "~" | "≈")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lean) struct Quantifier {
    pub(super) body: u8,
    /// Signs that belong to it where they stand behind it without a blank.
    pub(super) marks: &'static [&'static str],
}

/// How tightly the body of `∑` binds.
pub(super) const SUM: u8 = 67;

pub(in crate::lean) fn quantifier(sign: &str) -> Option<Quantifier> {
    let (body, marks): (u8, &[&str]) = match canonical(sign) {
        "∀" => (0, &["ᶠ", "ᵐ"]),
        "∃" => (0, &["ᶠ", "!"]),
        "fun" | "Σ" | "Π" => (0, &[]),
        "∑" | "∏" => (SUM, &["'"]),
        "⋃" | "⋂" | "⨆" | "⨅" | "∫" => (60, &[]),
        _ => return None,
    };
    Some(Quantifier { body, marks })
}

/// Those that are read only for searching.
pub(super) fn unknown_quantifier(sign: &str) -> Option<Quantifier> {
    let is_one = matches!(sign, "⨍" | "∮" | "⨁" | "⨂" | "𝔼");
    is_one.then_some(Quantifier { body: 60, marks: &[] })
}

pub(super) fn is_constant(sign: &str) -> bool {
    matches!(sign, "∅" | "⊤" | "⊥")
}

const KEYWORDS: [&str; 44] = [
    "Sort", "Type", "_", "answer", "assert", "at", "binop", "by", "calc", "catch", "deriving",
    "do", "else", "extends", "for", "from", "have", "haveI", "if", "in", "leftact", "let", "letI",
    "macro", "match", "nofun", "nomatch", "open", "panic", "rec", "return", "rightact", "show",
    "sorry", "suffices", "then", "throw", "try", "type_of", "unless", "unop", "unsafe", "where",
    "with",
];

pub(super) fn is_keyword(word: &str) -> bool {
    // Most names are letters.
    if word.len() == 1 {
        return word == "_";
    }
    KEYWORDS.binary_search(&word).is_ok()
        || matches!(word, "set_option" | "dbg_trace" | "decl_name" | "inferInstanceAs")
        || matches!(word, "no_implicit_lambda" | "ensure_type_of")
        || quantifier(word).is_some()
}

/// What keeps `A → B` from being a hypothesis and a conclusion when it stands beside them.
pub(super) fn is_looser_than_arrow(sign: &str) -> bool {
    let first = sign.as_bytes().first();
    // A variable is none.
    let is_name = sign.len() == 1 && first.is_some_and(u8::is_ascii_alphabetic);
    !is_name
        && (matches!(sign, "↔" | "<|" | "|>" | "<|>" | "," | ";" | ":" | ":=" | "↦" | "by" | "do")
            || matches!(sign, "if" | "then" | "else" | "let" | "letI" | "have" | "haveI")
            || matches!(sign, "show" | "match" | "from" | "with"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn spellings_and_orders_have_their_own_prints() {
        let mut seen = HashSet::new();
        let long = "a".repeat(20);
        let many: Vec<String> = (0..100_000).map(|n| format!("h{n}")).collect();
        let few = ["", "a", "aa", "a\0", "a\0\0\0\0\0\0\0", "abcdefgh", "abcdefgh\0", "∀", "→"];
        for spelling in many.iter().map(String::as_str).chain(few).chain([long.as_str()]) {
            assert!(seen.insert(print_of(spelling)), "{spelling:?}");
        }
        assert_eq!(print_of("forall"), print_of("∀"));
        let all = |prints: &[u64]| print_all(prints.iter().copied());
        for (a, b) in [
            (all(&[1, 2]), all(&[2, 1])),
            (all(&[]), all(&[0])),
            (all(&[0]), all(&[0, 0])),
            (all(&[START, 7]), all(&[START, 8])),
        ] {
            assert_ne!(a, b);
        }
    }

    #[test]
    fn prints_spread_over_all_their_bits() {
        let mut ones = [0u32; 64];
        let rounds = 4_096;
        for n in 0..rounds {
            let print = print_of(&format!("x{n}")) ^ print_of(&format!("x{}", n + 1));
            for (bit, count) in ones.iter_mut().enumerate() {
                *count += u32::from(print >> bit & 1 == 1);
            }
        }
        for (bit, count) in ones.iter().enumerate() {
            assert!((rounds * 2 / 5..rounds * 3 / 5).contains(count), "bit {bit}: {count}");
        }
    }
}
