//! Finding phrases in text, whatever their case, in one pass over its bytes.

/// Phrases, grouped by their first two letters.
pub(super) struct Phrases {
    /// Whether a phrase begins with these two bytes, in lower case: one bit for each pair.
    begins: Vec<u64>,
    /// The phrases with their pairs, sorted, and which of those that were given each is.
    list: Vec<(usize, &'static str, usize)>,
}

impl Phrases {
    /// The phrases, in lower case, each of at least two bytes. A blank stands for any white space, an
    /// apostrophe also for a typographic one; the second byte is neither.
    pub(super) fn new(phrases: impl Iterator<Item = &'static str>) -> Self {
        let mut begins = vec![0; 65536 / 64];
        let mut list = Vec::new();
        for (number, phrase) in phrases.enumerate() {
            let [first, second, ..] = *phrase.as_bytes() else { continue };
            let seconds = if second == b' ' { &b" \n\t\r"[..] } else { &[second] };
            for second in seconds {
                let pair = pair(first, *second);
                begins[pair / 64] |= 1 << (pair % 64);
                list.push((pair, phrase, number));
            }
        }
        list.sort_unstable();
        Self { begins, list }
    }

    pub(super) fn occur_in(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    pub(super) fn places<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = (usize, &'static str, usize)> + 't {
        let bytes = text.as_bytes();
        let mut in_word = false;
        let starts = bytes.windows(2).enumerate().filter_map(move |(at, window)| {
            let starts = !in_word;
            in_word = is_word(window[0]);
            let pair = pair(window[0].to_ascii_lowercase(), window[1].to_ascii_lowercase());
            (starts && self.begins[pair / 64] & (1 << (pair % 64)) != 0).then_some((at, pair))
        });
        starts.flat_map(move |(at, pair)| {
            let first = self.list.partition_point(|(other, ..)| *other < pair);
            self.list[first..]
                .iter()
                .take_while(move |(other, ..)| *other == pair)
                .filter(move |(_, phrase, _)| begins_with(&bytes[at..], phrase))
                .map(move |(_, phrase, number)| (at, *phrase, *number))
        })
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn begins_with(text: &[u8], phrase: &str) -> bool {
    let mut rest = text;
    for wanted in phrase.bytes() {
        rest = match (wanted, rest) {
            (b' ', [byte, ..]) if byte.is_ascii_whitespace() => rest.trim_ascii_start(),
            (b'\'', [0xe2, 0x80, 0x98 | 0x99, after @ ..]) => after,
            (_, [byte, after @ ..]) if byte.to_ascii_lowercase() == wanted => after,
            _ => return false,
        };
    }
    let open = phrase.bytes().last().is_some_and(|last| !is_word(last));
    open || !rest.first().copied().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_in_any_case() {
        let phrases = Phrases::new(["i learned", "don't", "takeaway", "no, "].into_iter());
        for (text, expected) in [
            ("Well, I  Learned that", true),
            ("I\nlearned", true),
            ("Hawaii learned", false),
            ("I learnedly", false),
            ("so don’t!", true),
            ("TAKEAWAY: x", true),
            ("takeaways", false),
            ("No, use it", true),
            ("casino, use", false),
            ("nothing", false),
            ("", false),
            ("é", false),
        ] {
            assert_eq!(phrases.occur_in(text), expected, "{text:?}");
        }
    }

    #[test]
    fn places_of_phrases() {
        let phrases = Phrases::new(["you prefer", "prefer", "you"].into_iter());
        let found: Vec<_> = phrases.places("you prefer, you preferred").collect();
        let expected = [(0, "you", 2), (0, "you prefer", 0), (4, "prefer", 1), (12, "you", 2)];
        assert_eq!(found, expected);
    }
}
