//! Names: the one that was probably meant, whether a text has one, the words of one.

use strsim::osa_distance;

/// The candidate that is most like a word, if one is: a few letters differ, or one begins with the
/// other. Case, `-` and `_` do not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
    };
    let word = plain(word);
    let near = candidates.into_iter().filter_map(|candidate| {
        let other = plain(candidate);
        // Words of very different lengths need no comparison.
        if word.len() > 200 || word.len().abs_diff(other.len()) > word.len().max(other.len()) / 2 {
            return None;
        }
        let differ = osa_distance(&word, &other);
        let allowed = (word.len().max(other.len()) / 3).max(1);
        (differ <= allowed).then_some((differ, candidate))
    });
    near.min_by_key(|(differ, _)| *differ).map(|(_, candidate)| candidate)
}

/// What stands behind the last `/` of a path, or the last `\`.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a text has a name whole; `is_part` says what a name goes on with. An empty name it does not have.
pub fn has_name(text: &str, name: &str, is_part: impl Fn(char) -> bool + Copy) -> bool {
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
        })
}

/// In lower case, cut at underscores and where a capital follows a small letter; other signs are left away.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars().filter(|c| c.is_alphanumeric() || *c == '_') {
        if c == '_' || (c.is_uppercase() && after_small) {
            words.push(String::new());
        }
        after_small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_probably_meant() {
        let words = ["brief.budget", "results.globs", "proof-lost", "proof-removed", "axiom-added"];
        for (word, expected) in [
            ("brief.budjet", Some("brief.budget")),
            ("Brief.Budget", Some("brief.budget")),
            ("prof_lost", Some("proof-lost")),
            ("poorf-lost", Some("proof-lost")),
            ("proof-remove", Some("proof-removed")),
            ("something", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }
}
