//! The postings of premises: in a SQLite file of their own, which is written once and never changed, or in memory. Premises are numbered by the length of what they state, so that a list of postings
//! begins with the shortest statements.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params, params_from_iter};

use super::read::{Counts, Library, Old, PLACES, Premise};
use crate::files;
use crate::lean::{self, DeclKind, Declared, Deprecation};
use crate::text::ByNumber;

/// The version of what is stored; a file of another one is made anew.
pub(super) const SCHEMA: i64 = 3;

/// Weights of the places of [`super::read::Place`], with docstrings and without.
const WEIGHTS: [f32; PLACES] = [2.8, 1.0, 1.1, 1.7, 2.4, 0.26];
const SATURATION: f32 = 0.8;
/// How far a longer text counts for less, by place.
const LENGTHS: [f32; PLACES] = [0.4, 0.3, 0.6, 0.2, 0.5, 0.6];

/// What a posting is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Term<'a> {
    Word(&'a str),
    /// Something that a statement speaks of, as [`lean::Shape::constants`] names it.
    Constant(&'a str),
    /// What a conclusion begins with, as [`lean::Shape::heads`] names it.
    Head(&'a str),
    /// The last part of a name.
    Name(&'a str),
    /// What a theorem states, by [`lean::Signature::stated`].
    Stated(u64),
}

impl Term<'_> {
    /// Stored in files: another meaning needs another [`SCHEMA`].
    pub(super) fn key(self) -> i64 {
        let hash = |kind: u8, bytes: &[u8]| {
            let step =
                |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            // The kind is mixed in by itself: a letter of the text could undo it.
            let start = step(0xcbf2_9ce4_8422_2325, &kind);
            bytes.iter().fold(start, step).cast_signed()
        };
        match self {
            Self::Word(text) => hash(1, text.as_bytes()),
            Self::Constant(text) => hash(2, text.as_bytes()),
            Self::Name(text) => hash(3, text.as_bytes()),
            Self::Stated(key) => hash(4, &key.to_le_bytes()),
            Self::Head(text) => hash(5, text.as_bytes()),
        }
    }
}

#[derive(Debug, Default)]
struct List {
    docs: u32,
    last: u32,
    bytes: Vec<u8>,
}

impl List {
    fn push(&mut self, id: u32, impacts: &[u8]) {
        let mut step = id - self.last;
        while step >= 0x80 {
            self.bytes.push(step.to_le_bytes()[0] | 0x80);
            step >>= 7;
        }
        self.bytes.push(step.to_le_bytes()[0]);
        self.bytes.extend_from_slice(impacts);
        (self.last, self.docs) = (id, self.docs + 1);
    }
}

/// A part between 0 and 1 in 255ths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 255"
)]
fn in_a_byte(part: f32) -> u8 {
    (255.0 * part).round() as u8
}

/// Beyond 16 million it is not exact, which a weight need not be.
#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
pub(super) fn as_f32(number: u32) -> f32 {
    number as f32
}

/// Postings and premises, to be written.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) premises: Vec<Premise>,
    olds: Vec<Old>,
    lists: ByNumber<i64, List>,
}

/// Where a premise's terms stand, before anything is known of the others.
struct Terms {
    words: Vec<(i64, Counts)>,
    others: Vec<i64>,
}

impl Terms {
    fn of(premise: &Premise) -> Self {
        let statement = lean::Statement::read(&premise.statement);
        let shape = statement.shape();
        let last = Term::Name(lean::last_part(&premise.name)).key();
        let mut others = vec![last];
        shape.each_constant(|one| others.push(Term::Constant(one).key()));
        others.extend(shape.heads().into_iter().map(|one| Term::Head(&one).key()));
        let stated = premise.is_theorem().then(|| statement.stated()).flatten();
        others.extend(stated.map(|(key, _)| Term::Stated(key).key()));
        others.sort_unstable();
        others.dedup();
        Self { words: premise.terms(), others }
    }
}

impl Built {
    pub(super) fn of(library: Library) -> Self {
        let Library { mut premises, olds, .. } = library;
        premises.sort_by(|a, b| (a.statement.len(), &a.name).cmp(&(b.statement.len(), &b.name)));
        let terms: Vec<Terms> = premises.par_iter().map(Terms::of).collect();
        let mut sums = [0f32; PLACES];
        let lengths = |terms: &Terms| {
            let mut lengths = [0f32; PLACES];
            for (_, counts) in &terms.words {
                lengths.iter_mut().zip(counts).for_each(|(sum, count)| *sum += f32::from(*count));
            }
            lengths
        };
        for one in &terms {
            sums.iter_mut().zip(lengths(one)).for_each(|(sum, length)| *sum += length);
        }
        let count = u32::try_from(premises.len()).map_or(f32::MAX, as_f32).max(1.0);
        let averages = sums.map(|sum| (sum / count).max(1.0));
        let mut lists: ByNumber<i64, List> = ByNumber::default();
        for (id, one) in (0u32..).zip(&terms) {
            let mut scale = [0f32; PLACES];
            let parts =
                lengths(one).into_iter().zip(averages).zip(LENGTHS.into_iter().zip(WEIGHTS));
            for (scale, ((length, average), (share, weight))) in scale.iter_mut().zip(parts) {
                *scale = weight / (1.0 - share + share * length / average);
            }
            for (key, counts) in &one.words {
                let weigh = |from: &[f32], counts: &[u8]| -> f32 {
                    from.iter().zip(counts).map(|(scale, count)| scale * f32::from(*count)).sum()
                };
                let impact = |weight: f32| in_a_byte(weight / (SATURATION + weight));
                let without = weigh(&scale[..4], &counts[..4]);
                let with = without + weigh(&scale[4..], &counts[4..]);
                lists.entry(*key).or_default().push(id, &[impact(with), impact(without)]);
            }
            for key in &one.others {
                lists.entry(*key).or_default().push(id, &[]);
            }
        }
        Self { premises, olds, lists }
    }

    /// Writes the file in one step: nobody ever reads half of it.
    pub(super) fn write(&self, path: &Path, files: &[(String, i64, i64)]) -> anyhow::Result<()> {
        files::replace_with(path, |path| self.fill(Connection::open(path)?, files).map(drop))
    }

    fn fill(
        &self,
        mut connection: Connection,
        files: &[(String, i64, i64)],
    ) -> anyhow::Result<Connection> {
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             CREATE TABLE module (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
             CREATE TABLE premise (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL,
                module INTEGER NOT NULL, line INTEGER NOT NULL, statement TEXT NOT NULL,
                doc TEXT NOT NULL, deprecated TEXT, of TEXT);
             CREATE TABLE term (key INTEGER PRIMARY KEY, docs INTEGER NOT NULL, postings BLOB NOT NULL);
             CREATE TABLE old (last TEXT NOT NULL, name TEXT NOT NULL, new TEXT, candidates TEXT NOT NULL, since TEXT,
                message TEXT, module TEXT NOT NULL, line INTEGER NOT NULL, protected INTEGER NOT NULL);
             CREATE INDEX old_last ON old(last);
             CREATE TABLE file (module TEXT PRIMARY KEY, size INTEGER, changed INTEGER) WITHOUT ROWID;",
        )?;
        let write = connection.transaction()?;
        let mut modules: HashMap<&str, i64> = HashMap::new();
        for one in &self.premises {
            let next = i64::try_from(modules.len())?;
            modules.entry(&one.module).or_insert(next);
        }
        {
            let mut insert = write.prepare("INSERT INTO module VALUES (?1, ?2)")?;
            for (name, id) in &modules {
                insert.execute(params![id, name])?;
            }
            let mut insert =
                write.prepare("INSERT INTO premise VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
            for (id, one) in (0i64..).zip(&self.premises) {
                let module = modules.get(one.module.as_str());
                insert.execute(params![
                    id,
                    one.name,
                    one.kind,
                    module,
                    one.line,
                    one.statement,
                    one.doc,
                    one.deprecated,
                    one.of
                ])?;
            }
            let mut insert =
                write.prepare("INSERT INTO old VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
            for Old { one, module } in &self.olds {
                insert.execute(params![
                    lean::last_part(&one.old),
                    one.old,
                    one.new,
                    one.candidates.join("\n"),
                    one.since,
                    one.message,
                    module,
                    i64::try_from(one.line)?,
                    one.protected
                ])?;
            }
            let mut keys: Vec<&i64> = self.lists.keys().collect();
            keys.sort_unstable();
            let mut insert = write.prepare("INSERT INTO term VALUES (?1, ?2, ?3)")?;
            for (key, list) in keys.into_iter().filter_map(|key| Some((key, self.lists.get(key)?)))
            {
                insert.execute(params![key, list.docs, list.bytes])?;
            }
            let mut insert = write.prepare("INSERT INTO file VALUES (?1, ?2, ?3)")?;
            for (module, size, changed) in files {
                insert.execute(params![module, size, changed])?;
            }
            write.pragma_update(None, "user_version", SCHEMA)?;
        }
        write.commit()?;
        Ok(connection)
    }
}

#[derive(Debug)]
pub(crate) struct Segment {
    /// The package.
    pub(super) source: String,
    pub(super) count: u32,
    /// Modules that another segment has newer.
    pub(super) hidden: HashSet<String>,
    connection: Connection,
}

/// A posting: a premise, its impact with its docstring and without.
pub(super) type Posting = (u32, u8, u8);

impl Segment {
    pub(super) fn in_memory(source: &str, library: Library) -> anyhow::Result<Self> {
        let connection = Built::of(library).fill(Connection::open_in_memory()?, &[])?;
        Ok(Self::of(source, connection)?)
    }

    /// `None` for a file that is not there, of another version, or none of ours.
    pub(super) fn open(source: &str, path: &Path) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).ok()?;
        // One lock for all questions, and no copy of what is read: the file is never written again.
        connection.execute_batch("PRAGMA mmap_size = 1073741824; BEGIN").ok()?;
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
        Self::of(source, connection).ok().filter(|_| version == SCHEMA)
    }

    fn of(source: &str, connection: Connection) -> rusqlite::Result<Self> {
        // Else a statement is prepared anew for each value that is bound.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let sql = "SELECT coalesce(max(id) + 1, 0) FROM premise";
        let count = connection.query_row(sql, [], |row| row.get(0))?;
        Ok(Self { source: source.to_owned(), count, hidden: HashSet::new(), connection })
    }

    /// The files that were read, with their sizes and times of change.
    pub(super) fn files(&self) -> anyhow::Result<HashMap<String, (i64, i64)>> {
        let mut statement = self.connection.prepare("SELECT module, size, changed FROM file")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn list<T>(
        &self,
        term: Term<'_>,
        read: impl FnOnce(u32, &[u8]) -> T,
    ) -> anyhow::Result<Option<T>> {
        let sql = "SELECT docs, postings FROM term WHERE key = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement
            .query_row([term.key()], |row| Ok(read(row.get(0)?, row.get_ref(1)?.as_blob()?)));
        Ok(found.optional()?)
    }

    /// The premise of this full name.
    pub(super) fn named(&self, name: &str) -> anyhow::Result<Option<Premise>> {
        for id in self.ids(Term::Name(lean::last_part(name)))? {
            let premise = self.premise(id)?.filter(|one| one.name == name);
            if premise.is_some() {
                return Ok(premise);
            }
        }
        Ok(None)
    }

    pub(crate) fn declare(&self, name: &str, declared: &mut Declared) -> anyhow::Result<()> {
        if let Some(premise) = self.named(name)? {
            let is_type = DeclKind::ALL.iter().any(|k| k.as_str() == premise.kind && k.is_type());
            declared.add(premise.name, false, is_type);
        }
        Ok(())
    }

    /// The deprecated names with these last parts, or all of them. None of a hidden module.
    pub(crate) fn olds(&self, lasts: Option<&[&str]>) -> anyhow::Result<Vec<Old>> {
        let sql = "SELECT name, new, candidates, since, message, module, line, protected FROM old";
        let only = lasts.map(|_| " WHERE last IN (SELECT value FROM json_each(?1))");
        let mut statement =
            self.connection.prepare_cached(&format!("{sql}{}", only.unwrap_or_default()))?;
        let lasts = lasts.map(serde_json::to_string).transpose()?;
        let rows = statement.query_map(params_from_iter(lasts), |row| {
            let candidates: String = row.get(2)?;
            let one = Deprecation {
                old: row.get(0)?,
                new: row.get(1)?,
                candidates: candidates.lines().map(str::to_owned).collect(),
                since: row.get(3)?,
                message: row.get(4)?,
                line: usize::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
                protected: row.get(7)?,
            };
            Ok(Old { one, module: row.get(5)? })
        })?;
        let mut found = rows.collect::<rusqlite::Result<Vec<Old>>>()?;
        found.retain(|old| !self.hidden.contains(&old.module));
        Ok(found)
    }

    /// In how many premises a word stands.
    pub(super) fn docs(&self, word: &str) -> anyhow::Result<u32> {
        Ok(self.list(Term::Word(word), |docs, _| docs)?.unwrap_or(0))
    }

    pub(super) fn each_posting(
        &self,
        word: &str,
        mut take: impl FnMut(Posting),
    ) -> anyhow::Result<()> {
        self.list(Term::Word(word), |_, bytes| {
            let mut at = Cursor { bytes, id: 0 };
            while let Some(id) = at.next_id() {
                if let Some((&[with, without], rest)) = at.bytes.split_first_chunk::<2>() {
                    at.bytes = rest;
                    take((id, with, without));
                }
            }
        })?;
        Ok(())
    }

    /// The premises that hold a word.
    pub(super) fn holding(&self, word: &str) -> anyhow::Result<Vec<u32>> {
        let mut ids = Vec::new();
        self.each_posting(word, |(id, ..)| ids.push(id))?;
        Ok(ids)
    }

    /// The premises that speak of a constant, or whose names end so.
    pub(super) fn ids(&self, term: Term<'_>) -> anyhow::Result<Vec<u32>> {
        let ids = self.list(term, |docs, bytes| {
            let mut ids = Vec::with_capacity(docs as usize);
            let mut at = Cursor { bytes, id: 0 };
            ids.extend(std::iter::from_fn(|| at.next_id()));
            ids
        })?;
        Ok(ids.unwrap_or_default())
    }

    /// What a premise states, also one of a hidden module.
    pub(super) fn statement(&self, id: u32) -> anyhow::Result<String> {
        let sql = "SELECT statement FROM premise WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?.unwrap_or_default())
    }

    /// `None` for one of a hidden module.
    pub(super) fn premise(&self, id: u32) -> anyhow::Result<Option<Premise>> {
        let sql = "SELECT premise.name, kind, module.name, line, statement, doc, deprecated, of
            FROM premise JOIN module ON module.id = premise.module WHERE premise.id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([id], |row| {
            Ok(Premise {
                name: row.get(0)?,
                kind: row.get(1)?,
                module: row.get(2)?,
                line: row.get(3)?,
                statement: row.get(4)?,
                doc: row.get(5)?,
                deprecated: row.get(6)?,
                of: row.get(7)?,
            })
        });
        let found: Option<Premise> = found.optional()?;
        Ok(found.filter(|one| !self.hidden.contains(&one.module)))
    }
}

/// What stands in all of some sorted lists; nothing for none.
pub(super) fn in_all(mut lists: Vec<&[u32]>) -> Vec<u32> {
    lists.sort_by_key(|list| list.len());
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let mut ids = first.to_vec();
    for list in others {
        let mut list = list.iter().peekable();
        ids.retain(|id| {
            while list.next_if(|other| *other < id).is_some() {}
            list.peek() == Some(&id)
        });
    }
    ids
}

struct Cursor<'a> {
    bytes: &'a [u8],
    id: u32,
}

impl Cursor<'_> {
    fn next_id(&mut self) -> Option<u32> {
        let (mut step, mut shift) = (0u32, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            step |= u32::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        self.id = self.id.wrapping_add(step);
        Some(self.id)
    }
}
