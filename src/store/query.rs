//! What was typed, as words that the index knows. Any text is valid.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use super::symbols::{Piece, camel_parts, is_word_char, pieces, split_camel};
use super::{Result, Store};
use crate::model::problem_key;
use crate::text::nearest;

const WORD_LIMIT: usize = 24;
const TEXT_LIMIT: usize = 100_000;
const LONGEST_WORD: usize = 120;
/// Common: in more than one of so many findings. Below so many findings nothing is counted.
const COMMON_PART: i64 = 1000;
const COUNTED_FROM: i64 = 5000;
/// Words of a question in which names are what is asked for; a longer text speaks of others too.
const SHORT: usize = 6;
const TERMS: &str = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.findings_terms
    USING fts5vocab('main', 'findings_fts', 'row')";
/// To have the index's own tokenizer stem the words of a query.
const TYPED: &str = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed
    USING fts5(word, content='', tokenize='porter unicode61');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed_terms
    USING fts5vocab('temp', 'typed', 'instance');
    INSERT INTO temp.typed(typed) VALUES ('delete-all');";

/// They say nothing about what is looked for, except as parts of names: in `mem_of_subset` the `of` counts.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "get", "had", "has", "have", "how", "i", "in",
    "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "should", "so", "some", "such",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would",
    "you", "your",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Lower case.
    pub(crate) text: String,
    pub(crate) stem: String,
    /// Findings that hold it, an upper bound where the count is stale.
    pub(crate) docs: i64,
}

#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) words: Vec<Word>,
    /// Names of theorems; within a short question those with `_` or `.`, whose parts count as words too.
    pub(super) names: Vec<String>,
    pub(super) is_name: bool,
}

impl Word {
    /// `part` is in lower case. Close to the index's stemmer, whose stems may end in `i` for `y`.
    pub(super) fn is(&self, part: &str) -> bool {
        let first = part.as_bytes().first();
        if first != self.stem.as_bytes().first() && first != self.text.as_bytes().first() {
            return false;
        }
        let stem = self.stem.strip_suffix('i').unwrap_or(&self.stem);
        (stem.len() > 2 && part.starts_with(stem) && part.len() <= self.stem.len() + 6)
            || part == self.text
    }
}

/// The words as numbers, in the same order.
const EMPTY_NUMBERS: [u64; EMPTY_WORDS.len()] = {
    let mut numbers = [0; EMPTY_WORDS.len()];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = number(EMPTY_WORDS[at].as_bytes());
        at += 1;
    }
    numbers
};

/// The first eight bytes of a word in lower case.
const fn number(word: &[u8]) -> u64 {
    let (mut number, mut at) = (0, 0);
    while at < 8 {
        let byte = if at < word.len() { word[at].to_ascii_lowercase() } else { 0 };
        number = number << 8 | byte as u64;
        at += 1;
    }
    number
}

pub(crate) fn is_empty_word(word: &str) -> bool {
    const LONGEST: usize = 6;
    word.len() <= LONGEST && EMPTY_NUMBERS.binary_search(&number(word.as_bytes())).is_ok()
}

/// A word in lower case, and its parts where it is `camelCase`.
type Typed = (String, Vec<String>);

/// The words, the names, and whether the text is a single name.
fn split(text: &str) -> (Vec<Typed>, Vec<String>, bool) {
    let text = text.get(..text.floor_char_boundary(TEXT_LIMIT)).unwrap_or(text);
    let mut words: Vec<Typed> = Vec::new();
    let mut empty = Vec::new();
    let mut names = Vec::new();
    let mut runs = 0;
    for (_, piece) in pieces(text) {
        runs += 1;
        let run = piece.text();
        if matches!(piece, Piece::Name(_)) {
            names.push(run.to_owned());
            if is_empty_word(run) {
                if empty.len() < WORD_LIMIT {
                    empty.push((run.to_lowercase(), Vec::new()));
                }
                continue;
            }
        }
        for part in run.split(|c: char| !is_word_char(c)) {
            let word: String = part.chars().flat_map(char::to_lowercase).collect();
            let known = words.iter().any(|(other, _)| *other == word);
            if word.contains(char::is_alphanumeric) && word.len() <= LONGEST_WORD && !known {
                words.push((word, camel_parts(part)));
            }
        }
        if words.len() >= WORD_LIMIT {
            break;
        }
    }
    if words.is_empty() {
        words = empty;
    }
    words.truncate(WORD_LIMIT);
    let is_name = runs == 1 && !names.is_empty();
    names.retain(|name| is_name || (runs <= SHORT && name.contains(['_', '.'])));
    (words, names, is_name)
}

impl Store {
    pub(super) fn analyse(&self, text: &str) -> Result<Query> {
        let (typed, mut names, is_name) = split(text);
        if !is_name {
            // Theorems that are called like a problem say little of it.
            let known = "SELECT EXISTS (SELECT 1 FROM problems WHERE id = ?1)
                 OR EXISTS (SELECT 1 FROM problem_aliases WHERE alias = ?1)";
            for name in std::mem::take(&mut names) {
                let is_problem: bool = self.value(known, params![problem_key(&name)])?;
                names.extend((!is_problem).then_some(name));
            }
        }
        let mut words = Vec::with_capacity(typed.len());
        let mut parts = Vec::new();
        let (texts, camels): (Vec<String>, Vec<Vec<String>>) = typed.into_iter().unzip();
        for (word, camel) in self.counted(texts)?.into_iter().zip(camels) {
            // A name that no text has may stand there in parts: `isOpenMap` as `is open map`.
            if word.docs == 0 && !camel.is_empty() {
                parts.extend(camel);
            } else {
                words.push(word);
            }
        }
        parts.retain(|part| words.iter().all(|word| word.text != *part));
        words.extend(self.counted(parts)?);
        words.truncate(WORD_LIMIT);
        Ok(Query { words, names, is_name })
    }

    fn counted(&self, texts: Vec<String>) -> Result<Vec<Word>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.connection.execute_batch(TYPED)?;
        let words = serde_json::json!(texts).to_string();
        let sql = "INSERT INTO temp.typed (rowid, word) SELECT key, value FROM json_each(?1)";
        self.connection.prepare_cached(sql)?.execute([words])?;
        let sql = "SELECT doc, term FROM temp.typed_terms GROUP BY doc HAVING count(*) = 1";
        let stems: BTreeMap<usize, String> = self.all(sql, params![])?.into_iter().collect();
        let word = |(at, text): (usize, String)| {
            let stem = stems.get(&at).unwrap_or(&text).clone();
            let sql = "SELECT count(*) FROM
                (SELECT 1 FROM findings_fts WHERE findings_fts MATCH ?1 LIMIT 20000)";
            let docs = match self.common_docs(&stem)? {
                Some(docs) => docs,
                None => self.value(sql, params![quoted(&text)])?,
            };
            Ok(Word { text, stem, docs })
        };
        texts.into_iter().enumerate().map(word).collect()
    }

    /// The text with each word that no finding has replaced by the nearest one of a problem, theorem or file.
    pub fn meant(&self, text: &str) -> Result<Option<String>> {
        const SHORTEST: usize = 4;
        let words = self.analyse(text)?.words;
        let is_strange = |word: &Word| word.docs == 0 && word.text.chars().count() >= SHORTEST;
        if !words.iter().any(is_strange) {
            return Ok(None);
        }
        let names: Vec<String> = self.all(
            "SELECT id FROM problems UNION SELECT name FROM problems
             UNION SELECT theorem_name FROM findings WHERE theorem_name IS NOT NULL
             UNION SELECT source_file FROM findings WHERE source_file IS NOT NULL",
            params![],
        )?;
        // A word that begins otherwise was hardly mistyped.
        let first = |word: &str| word.chars().next();
        let begins = |known: &String| {
            known.chars().count() >= SHORTEST
                && words.iter().any(|word| is_strange(word) && first(&word.text) == first(known))
        };
        let parts = names.iter().flat_map(|name| name.split(|c: char| !is_word_char(c)));
        let known: BTreeSet<String> = parts.flat_map(split_camel).filter(begins).collect();
        let near = |word: &Word| {
            let like =
                known.iter().map(String::as_str).filter(|one| first(one) == first(&word.text));
            nearest(&word.text, like).filter(|_| is_strange(word))
        };
        let near: Vec<Option<&str>> = words.iter().map(near).collect();
        let said = words.iter().zip(&near).map(|(word, near)| near.unwrap_or(&word.text));
        let said = said.collect::<Vec<_>>().join(" ");
        Ok(near.iter().any(Option::is_some).then_some(said))
    }

    /// The id of the problem that is most like a name, else what its words may mean.
    pub fn meant_problem(&self, name: &str) -> Result<Option<String>> {
        let ids: Vec<String> = self.all("SELECT id FROM problems", params![])?;
        let near = nearest(name, ids.iter().map(String::as_str)).map(str::to_owned);
        if near.is_some() { Ok(near) } else { self.meant(name) }
    }

    /// About how many findings there are: the highest row number is free to ask for.
    pub(super) fn about_all(&self) -> Result<i64> {
        self.value("SELECT max(id) FROM findings", params![])
    }

    /// In how many findings a stem stands; `None` for one that is not common. The table `fts_common` has the common
    /// ones: asking the index how rare a word is would cost more than the search.
    fn common_docs(&self, stem: &str) -> Result<Option<i64>> {
        self.first("SELECT docs FROM fts_common WHERE term = ?1", params![stem])
    }

    /// Counts the common words anew when the findings have grown by a fifth; a stale count is harmless.
    pub(super) fn recount_when_stale(&self) -> Result<()> {
        let rows = self.about_all()?;
        let counted = self.common_docs("")?.unwrap_or_default();
        if rows > COUNTED_FROM && rows > counted + counted / 5 { self.recount() } else { Ok(()) }
    }

    pub(super) fn recount(&self) -> Result<()> {
        let rows = self.about_all()?;
        self.connection.execute_batch(TERMS)?;
        self.connection.execute("DELETE FROM fts_common", [])?;
        self.connection.execute(
            "INSERT INTO fts_common (term, docs)
             SELECT term, doc FROM temp.findings_terms WHERE doc > ?1 UNION ALL SELECT '', ?2",
            [rows / COMMON_PART, rows],
        )?;
        Ok(())
    }
}

/// As an FTS5 string literal.
pub(super) fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_and_names() {
        for (text, words, names, is_name) in [
            ("erdos-850", "erdos 850", "", false),
            ("Fermat's last", "fermat s last", "", false),
            ("C*-algebra AND", "c algebra", "", false),
            ("a ∧ of", "and", "", false),
            ("why is it so", "why is it so", "", false),
            ("∀ n, n ≤ m → p|-q", "forall n le m imp p turnstile q", "", false),
            (" Nat.add_comm'?", "nat add comm", "Nat.add_comm'", true),
            ("kurepa", "kurepa", "kurepa", true),
            ("how is Nat.add_comm used", "nat add comm used", "Nat.add_comm", false),
            (
                "hub_cover or bridge_bound",
                "hub cover bridge bound",
                "hub_cover bridge_bound",
                false,
            ),
            ("\"a\" (b) NEAR/3 c*:^", "b near 3 c", "", false),
            ("ℕ+", "nat", "", false),
            ("\u{0} . '' ??", "", "", false),
        ] {
            let (found, found_names, single) = split(text);
            let found: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
            let found = (found.join(" "), found_names.join(" "), single);
            assert_eq!(found, (words.to_owned(), names.to_owned(), is_name), "{text}");
        }
    }
}
