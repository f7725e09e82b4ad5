//! A quick look at what an edit brings in, before anything is read closely.

use std::ops::Range;

use super::chars::is_wide_name_rest;

/// What looks like a name, also in comments and strings: never less than a text's names.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !is_of_name(c)).map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty())
}

pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (head, rest) = text.split_at(at);
        let start = head.trim_end_matches(is_of_name).len();
        let end = text.len() - rest.trim_start_matches(is_of_name).len();
        text.get(start..end).is_some_and(|found| found.trim_matches('.') == word)
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric()
        || is_wide_name_rest(c)
        || matches!(c, '_' | '.' | '\'' | '!' | '?' | '«' | '»')
}

/// So many bytes of two texts are compared at once.
const BLOCK: usize = 64;

/// How many pairs, from the first on, are of equals.
fn alike<T: PartialEq>(pairs: impl Iterator<Item = (T, T)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// The part of the new text that is not at the beginning or at the end of the old one, widened to
/// whole words: every word that is new stands in it.
pub fn changed(before: &str, after: &str) -> Range<usize> {
    if before == after {
        return 0..0;
    }
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let mut start = alike(old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK))) * BLOCK;
    start += alike(old.iter().skip(start).zip(new.iter().skip(start)));
    let most = old.len().min(new.len()) - start;
    let ends = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK)).take(most / BLOCK);
    let mut tail = alike(ends) * BLOCK;
    let ends = old.iter().rev().skip(tail).zip(new.iter().rev().skip(tail));
    tail += alike(ends.take(most - tail));
    while !after.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = after.len() - tail;
    while !after.is_char_boundary(end) {
        end += 1;
    }
    let head = after.get(..start).unwrap_or_default();
    let head = head.trim_end_matches(is_of_name).len();
    let rest = after.get(end..).unwrap_or_default();
    let rest = rest.len() - rest.trim_start_matches(is_of_name).len();
    head..end + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_compared_to_the_byte() {
        for (head, tail) in [(0, 70), (70, 0), (31, 32), (32, 31), (200, 200)] {
            let (head, tail) = ("x ".repeat(head), " y".repeat(tail));
            let [old, new] = ["a", "bc"].map(|middle| [&head, middle, &tail, "\n"].concat());
            assert_eq!(&new[changed(&old, &new)], "bc", "{new}");
            let twice = new.repeat(2);
            assert_eq!(changed(&new, &twice).len(), new.len(), "{new}");
            assert_eq!(changed(&twice, &new).len(), 0, "{new}");
        }
    }

    #[test]
    fn the_words_that_an_edit_touches() {
        for (before, after, expected) in [
            ("a b c", "a b c", ""),
            ("a b c", "a x c", "x"),
            ("a b c", "a b x c", "x c"),
            ("ab", "a b", "a b"),
            ("", "Foo.bar (x₁ + «y z»')", "Foo.bar x₁ «y z»'"),
            ("exact foo h", "exact food h", "food"),
            ("exact foo h", "exact afoo h", "afoo"),
            ("exact A.foo h", "exact A.fob h", "A.fob"),
            ("exact α h", "exact β h", "β"),
            ("exact foo h", "exact h", "h"),
            ("aaa", "aaaa", "aaaa"),
            ("x..y", "x..z", "x..z"),
        ] {
            let range = changed(before, after);
            let found: Vec<&str> = words(&after[range]).collect();
            assert_eq!(found.join(" "), expected, "{before} | {after}");
        }
    }

    proptest::proptest! {
        #[test]
        fn words_are_found_one_by_one(text in "[ab._ (]{0,12}", word in "[ab_][ab._]{0,2}") {
            let among = words(&text).any(|one| one == word);
            assert_eq!(has_word(&text, &word), among, "{word:?} in {text:?}");
        }

        #[test]
        fn every_name_is_a_word(text in "\\PC{0,80}") {
            let all: Vec<&str> = words(&text).collect();
            for token in crate::lean::lex(&text) {
                let name = token.text(&text).trim_matches('.');
                let plain = !name.contains('«') && !name.is_empty();
                if token.kind == crate::lean::TokenKind::Ident && plain {
                    assert!(all.iter().any(|word| word.contains(name)), "{name} in {text}");
                }
            }
        }

        #[test]
        fn any_edit_is_looked_at(before in "\\PC{0,40}", after in "\\PC{0,40}") {
            let range = changed(&before, &after);
            assert!(after.get(range).is_some());
        }
    }
}
