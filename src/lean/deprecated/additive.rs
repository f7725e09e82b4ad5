//! The name that Mathlib's `to_additive` makes of a name, guessed by the rules that it follows: words
//! are translated one by one, then what is not said word by word is put right.

/// The additive name of a full name. `given` replaces its last parts, as many as it has.
pub(super) fn additive_name(name: &str, given: Option<&str>) -> String {
    let name = name.strip_prefix("_root_.").unwrap_or(name);
    let mut parts: Vec<String> = name.split('.').map(str::to_owned).collect();
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.iter_mut().enumerate() {
        // `Prod` is a type, not a product.
        if index == last || !matches!(part.as_str(), "Prod" | "Pi" | "Inv" | "Div") {
            *part = additive_part(part);
        }
    }
    if let Some(given) = given {
        parts.truncate(parts.len().saturating_sub(given.split('.').count()));
        parts.push(given.to_owned());
    }
    parts.join(".")
}

/// One part of a name; primes stay where they are.
fn additive_part(part: &str) -> String {
    let translated: Vec<String> = part.split('\'').map(|piece| fix(&translate(piece))).collect();
    translated.join("'")
}

/// Words of one piece: cut around underscores and before capitals that follow a small letter.
fn words(piece: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (index, c) in piece.char_indices() {
        let so_far = piece.get(start..index).unwrap_or_default();
        let acronym = matches!(so_far, "LE" | "LT" | "GE" | "GT");
        let turn = previous.is_some_and(|p| !p.is_uppercase() || acronym) && c.is_uppercase();
        if index > start && (c == '_' || previous == Some('_') || turn) {
            found.push(so_far);
            start = index;
        }
        previous = Some(c);
    }
    found.extend(piece.get(start..).filter(|rest| !rest.is_empty()));
    found
}

fn translate(piece: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in words(piece) {
        match translation(&word.to_lowercase()) {
            Some(new) => {
                for (index, part) in words(new).into_iter().enumerate() {
                    out.push(if index == 0 { cased_like(word, part) } else { part.to_owned() });
                }
            }
            None => out.push(word.to_owned()),
        }
    }
    out
}

/// Puts right what a word by word translation gets wrong, from left to right.
fn fix(words: &[String]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let longest = words.len().min(at + 8);
        let fixed = (at + 1..=longest).find_map(|end| {
            let joined = words.get(at..end)?.concat();
            let capital = joined.starts_with(char::is_uppercase);
            let new = correction(&joined.to_lowercase())?;
            (!capital || !joined.contains('_')).then(|| (cased_like(&joined, new), end))
        });
        let (text, end) = fixed.unwrap_or_else(|| (word.clone(), at + 1));
        out.push_str(&text);
        at = end;
    }
    out
}

/// `new` with a small beginning where `old` has one.
fn cased_like(old: &str, new: &str) -> String {
    if old.starts_with(char::is_uppercase) {
        return new.to_owned();
    }
    let capitals = new.chars().take_while(|c| c.is_uppercase()).count();
    let lower =
        |(index, c): (usize, char)| if index < capitals { c.to_ascii_lowercase() } else { c };
    new.chars().enumerate().map(lower).collect()
}

fn translation(word: &str) -> Option<&'static str> {
    Some(match word {
        "one" => "Zero",
        "mul" => "Add",
        "hmul" => "HAdd",
        "smul" => "VAdd",
        "inv" => "Neg",
        "div" => "Sub",
        "hdiv" => "HSub",
        "prod" => "Sum",
        "finprod" => "Finsum",
        "tprod" => "TSum",
        "multipliable" => "Summable",
        "pow" | "npow" => "NSMul",
        "zpow" => "ZSMul",
        "powers" => "Multiples",
        "zpowers" => "ZMultiples",
        "mabs" => "Abs",
        "monoid" => "AddMonoid",
        "submonoid" => "AddSubmonoid",
        "group" => "AddGroup",
        "subgroup" => "AddSubgroup",
        "semigroup" => "AddSemigroup",
        "magma" => "AddMagma",
        "grp" => "AddGrp",
        "haar" => "AddHaar",
        "prehaar" => "AddPrehaar",
        "unit" => "AddUnit",
        "units" => "AddUnits",
        "cyclic" => "AddCyclic",
        "commute" => "AddCommute",
        "semiconj" => "AddSemiconj",
        "rootable" => "Divisible",
        "square" => "Even",
        "mconv" => "Conv",
        "quantale" => "AddQuantale",
        _ => return None,
    })
}

fn correction(joined: &str) -> Option<&'static str> {
    Some(match joined {
        "commadd" => "AddComm",
        "canceladd" => "AddCancel",
        "leftcanceladd" => "AddLeftCancel",
        "rightcanceladd" => "AddRightCancel",
        "cancelcommadd" => "AddCancelComm",
        "iscanceladd" => "IsCancelAdd",
        "isleftcanceladd" => "IsLeftCancelAdd",
        "isrightcanceladd" => "IsRightCancelAdd",
        "divisionaddmonoid" => "SubtractionMonoid",
        "divisioncommaddmonoid" => "SubtractionCommMonoid",
        "subnegaddmonoid" => "SubNegMonoid",
        "subnegzeroaddmonoid" => "SubNegZeroMonoid",
        "zerole" | "zero_le" => "Nonneg",
        "zerolt" | "zero_lt" => "Pos",
        "lezero" | "le_zero" => "Nonpos",
        "ltzero" | "lt_zero" => "Neg",
        "addsingle" | "add_single" => "Single",
        "addsupport" | "add_support" => "Support",
        "addtsupport" | "add_tsupport" => "TSupport",
        "addindicator" | "add_indicator" => "Indicator",
        "iseven" => "Even",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_additive() {
        for (name, given, expected) in [
            ("mul_comm'", None, "add_comm'"),
            ("Subgroup.mul_mem", None, "AddSubgroup.add_mem"),
            ("CommMonoid.npow", None, "AddCommMonoid.nsmul"),
            ("one_le_pow", None, "nonneg_nsmul"),
            ("Finset.prod_mulSupport_eq", None, "Finset.sum_support_eq"),
            ("MonoidHom.map_one", None, "AddMonoidHom.map_zero"),
            ("Prod.mk_mul_mk", None, "Prod.mk_add_mk"),
            ("IsUnit.mul", None, "IsAddUnit.add"),
            ("hasProd_unique", None, "hasSum_unique"),
            ("Set.foo", Some("bar"), "Set.bar"),
            ("Subgroup.Normal.foo", Some("Central.bar"), "AddSubgroup.Central.bar"),
            ("foo", Some("A.B.c"), "A.B.c"),
            ("Nat.card", None, "Nat.card"),
        ] {
            assert_eq!(additive_name(name, given), expected, "{name} {given:?}");
        }
    }
}
