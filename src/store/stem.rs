//! The stem of a word as FTS5's `porter` makes it: asking the index would take two temporary tables.

const LONGEST: usize = 64;

/// `(ending, replacement)`.
type Endings = &'static [(&'static str, &'static str)];

const STEP_2: Endings = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];
const STEP_3: Endings = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];
const STEP_4: Endings = &[
    ("al", ""),
    ("ance", ""),
    ("ence", ""),
    ("er", ""),
    ("ic", ""),
    ("able", ""),
    ("ible", ""),
    ("ant", ""),
    ("ement", ""),
    ("ment", ""),
    ("ent", ""),
    ("sion", "s"),
    ("tion", "t"),
    ("ou", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
];

/// `word` is in lower case; what is not ASCII stays, though the index may fold it.
pub(super) fn stem(word: &str) -> String {
    let mut word = word.to_owned();
    if !word.is_ascii() || word.len() < 3 || word.len() > LONGEST {
        return word;
    }
    plural(&mut word);
    if past(&mut word) {
        mend(&mut word);
    }
    if let Some(start) = word.strip_suffix('y').filter(|start| has_vowel(start)) {
        word = format!("{start}i");
    }
    replace(&mut word, STEP_2, 0);
    replace(&mut word, STEP_3, 0);
    replace(&mut word, STEP_4, 1);
    if let Some(start) = word.strip_suffix('e') {
        let measure = measure(start);
        if measure > 1 || (measure == 1 && !is_short(start)) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word.get(..word.len() - 1).unwrap_or_default()) > 1 {
        word.pop();
    }
    word
}

fn plural(word: &mut String) {
    let cut = if word.ends_with("sses") || (word.len() > 3 && word.ends_with("ies")) {
        2
    } else {
        usize::from(word.ends_with('s') && !word.ends_with("ss"))
    };
    word.truncate(word.len() - cut);
}

fn past(word: &mut String) -> bool {
    if let Some(start) = word.strip_suffix("eed").filter(|start| !start.is_empty()) {
        if measure(start) > 0 {
            word.pop();
        }
        return false;
    }
    let start = ["ed", "ing"].iter().find_map(|ending| word.strip_suffix(ending));
    let length = start.filter(|start| has_vowel(start)).map(str::len);
    length.inspect(|length| word.truncate(*length)).is_some()
}

fn mend(word: &mut String) {
    let bytes = word.as_bytes();
    if word.len() > 2 && ["at", "bl", "iz"].iter().any(|ending| word.ends_with(ending)) {
        word.push('e');
        return;
    }
    match bytes {
        [.., before, last] if before == last && !b"aeioulsz".contains(last) => {
            word.pop();
        }
        _ if measure(word) == 1 && is_short(word) => word.push('e'),
        _ => {}
    }
}

/// The first ending that fits, behind more than `least` syllables.
fn replace(word: &mut String, endings: Endings, least: usize) {
    let fits = |(ending, _): &&(&str, &str)| word.len() > ending.len() && word.ends_with(ending);
    let Some((ending, instead)) = endings.iter().find(fits) else { return };
    let end = word.len() - ending.len();
    // The letter before `ion` is counted.
    let counted =
        end + if ending.ends_with("sion") || *ending == "tion" { instead.len() } else { 0 };
    if measure(word.get(..counted).unwrap_or_default()) > least {
        word.truncate(end);
        word.push_str(instead);
    }
}

/// `y` behind a consonant is a vowel.
fn vowels(word: &str) -> impl Iterator<Item = bool> {
    let mut before = true;
    word.bytes().enumerate().map(move |(at, byte)| {
        before = b"aeiou".contains(&byte) || (byte == b'y' && at > 0 && !before);
        before
    })
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|is_vowel| is_vowel)
}

/// How often a consonant follows a vowel.
fn measure(word: &str) -> usize {
    let mut before = false;
    vowels(word).filter(|is_vowel| std::mem::replace(&mut before, *is_vowel) && !is_vowel).count()
}

/// Ends in consonant, vowel, consonant other than `w`, `x`, `y`.
fn is_short(word: &str) -> bool {
    let all: Vec<bool> = vowels(word).collect();
    !word.ends_with(['w', 'x', 'y']) && matches!(all.as_slice(), [.., false, true, false])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;

    thread_local! {
        static INDEX: Connection = {
            let connection = Connection::open_in_memory().unwrap();
            connection
                .execute_batch(
                    "CREATE VIRTUAL TABLE words USING fts5(word, content='', tokenize='porter unicode61');
                     CREATE VIRTUAL TABLE terms USING fts5vocab('words', 'instance');",
                )
                .unwrap();
            connection
        };
    }

    fn by_the_index(word: &str) -> String {
        INDEX.with(|index| {
            index.execute("INSERT INTO words(words) VALUES ('delete-all')", []).unwrap();
            index.execute("INSERT INTO words(rowid, word) VALUES (1, ?1)", [word]).unwrap();
            index.query_row("SELECT term FROM terms", [], |row| row.get(0)).unwrap()
        })
    }

    #[test]
    fn words_that_people_write() {
        let text = concat!(
            include_str!("../../README.md"),
            include_str!("../../ARCHITECTURE.md"),
            include_str!("../../docs/inside.md")
        );
        let words: std::collections::BTreeSet<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        assert!(words.len() > 1000);
        for word in words {
            assert_eq!(stem(&word), by_the_index(&word), "{word}");
        }
    }

    fn made_up() -> impl Strategy<Value = String> {
        let endings: Vec<String> = [STEP_2, STEP_3, STEP_4]
            .iter()
            .flat_map(|step| step.iter())
            .flat_map(|(one, other)| [*one, *other])
            .chain(["s", "es", "ies", "sses", "ed", "eed", "ing", "y", "e", "ll"])
            .map(str::to_owned)
            .collect();
        let ending = proptest::sample::select(endings);
        ("[a-z]{1,7}", proptest::collection::vec(ending, 0..3))
            .prop_map(|(start, endings)| start + &endings.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn words_that_nobody_writes(word in made_up()) {
            prop_assert_eq!(stem(&word), by_the_index(&word));
        }
    }
}
