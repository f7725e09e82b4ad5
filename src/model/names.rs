//! Names of problems and words, compared without regard to their spelling.

/// A word without case and separators: `Erdos-850`, `erdos 850` and `erdos_850` have one key.
pub fn word_key(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A problem id as the database spells it: lower case, single underscores between words.
///
/// `Erdős #850` loses its mark and becomes `erdős_850`; an id without any word becomes empty.
pub fn problem_key(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for c in id.trim().chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// Whether two ids name one problem, whatever their separators and case.
pub fn same_problem(left: &str, right: &str) -> bool {
    word_key(left) == word_key(right)
}

/// A name for people made from an id: `erdos_850` becomes `Erdos 850`.
pub fn display_name(id: &str) -> String {
    id.split('_')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_ids_have_one_spelling() {
        for (input, expected) in [
            ("erdos_850", "erdos_850"),
            ("Erdos 850", "erdos_850"),
            ("erdos-850", "erdos_850"),
            ("  FT_P3  ", "ft_p3"),
            ("100%'; drop", "100_drop"),
            ("''", ""),
        ] {
            assert_eq!(problem_key(input), expected, "{input:?}");
        }
        assert!(same_problem("erdos850", "Erdos #850"));
        assert_eq!(display_name("erdos_850"), "Erdos 850");
    }
}
