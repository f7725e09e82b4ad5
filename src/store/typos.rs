//! What was probably meant by a word that no finding holds.

use rusqlite::{Connection, params};
use strsim::osa_distance;

use super::query::Word;

const SHORTEST: usize = 4;
/// From so many letters on two may be wrong.
const LONG: usize = 8;
/// First letters that are taken to be right: they choose the part of the index.
const LEAD: usize = 2;
const COMPARED: i64 = 20_000;

/// The nearest term of the index, unless a term begins with the word; of equally near ones the most frequent.
pub(super) fn meant(connection: &Connection, word: &Word) -> rusqlite::Result<Option<String>> {
    let letters: Vec<char> = word.stem.chars().collect();
    if word.docs > 0 || letters.len() < SHORTEST || !letters.iter().all(|c| c.is_alphabetic()) {
        return Ok(None);
    }
    connection.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.findings_terms
         USING fts5vocab('main', 'findings_fts', 'row');",
    )?;
    let lead: String = letters.iter().take(LEAD).collect();
    let mut select = connection.prepare_cached(
        "SELECT term, doc FROM temp.findings_terms WHERE term >= ?1 AND term < ?2 LIMIT ?3",
    )?;
    let end = format!("{lead}\u{10FFFF}");
    let mut rows = select.query(params![lead, end, COMPARED])?;
    let allowed = if letters.len() < LONG { 1 } else { 2 };
    let mut best: Option<(usize, i64, String)> = None;
    while let Some(row) = rows.next()? {
        let (term, docs): (String, i64) = (row.get(0)?, row.get(1)?);
        if term.starts_with(&word.stem) {
            return Ok(None);
        }
        if term.chars().count().abs_diff(letters.len()) > allowed {
            continue;
        }
        let differ = osa_distance(&word.stem, &term);
        let is_better =
            best.as_ref().is_none_or(|(least, most, _)| (differ, -docs) < (*least, -*most));
        if differ <= allowed && is_better {
            best = Some((differ, docs, term));
        }
    }
    Ok(best.map(|(_, _, term)| term))
}
