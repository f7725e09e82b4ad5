//! Storing and reading findings: the same piece of knowledge twice is one row.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, ToSql, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::forget::ForgottenKey;
use super::record::LIVE;
use super::symbols::{symbols_of, symbols_with};
use super::{Store, StoreError, Writer, projects, record, rows};
use crate::model::{Draft, Evidence, Finding, Kind, Put, Status, display_name};

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let marks: Vec<String> = (1..=record::COLUMNS.len() + 5).map(|n| format!("?{n}")).collect();
    format!(
        "INSERT INTO findings ({}, updated_at, uid, fingerprint, extracted_from, symbols) VALUES ({})",
        record::COLUMNS.join(", "),
        marks.join(", ")
    )
});
/// Without the last column, `created_at`: see [`Writer::set_time`].
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let columns = record::COLUMNS.iter().take(record::COLUMNS.len() - 1);
    // What was replaced or dropped stays so when its source is read again.
    let set = columns.zip(1..).map(|(column, n)| match *column {
        "key" | "detail" => format!("{column} = coalesce(?{n}, {column})"),
        "status" => format!("status = CASE WHEN status IN {LIVE} THEN ?{n} ELSE status END"),
        column => format!("{column} = ?{n}"),
    });
    let set: Vec<String> = set.collect();
    let next = record::COLUMNS.len();
    format!(
        "UPDATE findings SET {}, updated_at = ?{next}, fingerprint = ?{} WHERE id = ?{}",
        set.join(", "),
        next + 1,
        next + 2
    )
});
static BY_ID: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM findings f WHERE f.id = ?1", record::selection()));

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    pub uid: String,
    #[serde(flatten)]
    pub content: Draft,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

pub(super) fn uid_of(draft: &Draft) -> String {
    if draft.identity.is_none()
        && let Some(identity) = fact_identity(draft)
    {
        return Draft { identity: Some(identity), ..draft.clone() }.uid();
    }
    draft.uid()
}

/// `None` for what is no fact.
fn fact_identity(draft: &Draft) -> Option<String> {
    let fact = draft.fact()?;
    let project = draft.project.as_deref().unwrap_or_default();
    Some(format!("fact/{}/{}/{project}", fact.category, fact.key))
}

pub(super) fn load(connection: &Connection, id: i64) -> rusqlite::Result<Option<Finding>> {
    connection.prepare_cached(&BY_ID)?.query_row([id], record::read).optional()
}

pub(super) fn select(
    connection: &Connection,
    condition: &str,
    values: &[&dyn ToSql],
) -> rusqlite::Result<Vec<Finding>> {
    let sql = format!("SELECT {} FROM findings f WHERE {condition}", record::selection());
    connection.prepare_cached(&sql)?.query_map(values, record::read)?.collect()
}

#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    pub kind: Option<Kind>,
    pub statuses: Vec<Status>,
    /// Only what was proposed, whatever became of it.
    pub proposed: bool,
    pub project: Option<String>,
    /// 0 for all.
    pub limit: usize,
}

impl Store {
    /// Findings of `current` first, then the newest; and the total.
    pub fn list(
        &self,
        filter: &ListFilter,
        current: Option<&str>,
    ) -> Result<(Vec<Finding>, u64), StoreError> {
        let statuses: Vec<String> =
            filter.statuses.iter().map(|status| format!("'{status}'")).collect();
        let statuses = match statuses.as_slice() {
            [] => String::new(),
            some => format!("AND f.status IN ({})", some.join(", ")),
        };
        let proposed = if filter.proposed { super::proposals::SAID } else { "1" };
        let condition = format!(
            "{proposed} AND (?1 IS NULL OR f.finding_type = ?1) {statuses}
             AND (?2 IS NULL OR f.project IN {})",
            projects::names("?2")
        );
        let kind = filter.kind.map(Kind::as_str);
        let sql = format!("SELECT count(*) FROM findings f WHERE {condition}");
        let total = self.count(&sql, params![kind, filter.project])?;
        let limit = i64::try_from(filter.limit).ok().filter(|limit| *limit > 0).unwrap_or(-1);
        let here = projects::is_here("f.project", "?3");
        let order = format!("{here} DESC, f.created_at DESC, f.id DESC LIMIT ?4");
        let found = self.read(|connection| {
            let condition = format!("{condition} ORDER BY {order}");
            select(connection, &condition, params![kind, filter.project, current, limit])
        })?;
        Ok((found, total))
    }

    /// Ten at most. Anything but hexadecimal digits finds none.
    pub fn findings_by_uid(&self, prefix: &str) -> Result<Vec<Finding>, StoreError> {
        let prefix = prefix.to_ascii_lowercase();
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Vec::new());
        }
        let sql =
            "SELECT id FROM findings WHERE uid >= ?1 AND uid < ?1 || 'g' ORDER BY id LIMIT 10";
        self.read(|connection| {
            let ids: Vec<i64> = rows::all(connection, sql, params![prefix])?;
            let found = ids.into_iter().map(|id| load(connection, id));
            found.filter_map(Result::transpose).collect()
        })
    }

    pub fn ids_by_uid(&self) -> Result<Vec<i64>, StoreError> {
        self.all("SELECT id FROM findings ORDER BY uid, id", params![])
    }

    pub fn exported(&self, id: i64) -> Result<Option<Exported>, StoreError> {
        self.read(|connection| {
            let Some(finding) = load(connection, id)? else { return Ok(None) };
            let sql = "SELECT uid FROM findings WHERE id = ?1";
            let superseded_by = match finding.superseded_by {
                Some(by) => rows::first(connection, sql, params![by])?,
                None => None,
            };
            Ok(Some(Exported { uid: finding.uid, content: finding.content, superseded_by }))
        })
    }

    pub fn finding(&self, id: i64) -> Result<Option<Finding>, StoreError> {
        self.read(|connection| load(connection, id))
    }
}

#[derive(Deserialize)]
struct Known {
    id: i64,
    fingerprint: Option<String>,
    /// A person confirmed or dropped it.
    by_person: bool,
    extracted_from: Option<String>,
}

/// What a finding made of sources has beside its draft.
pub(super) struct Made<'a> {
    /// The result file that speaks for it.
    pub(super) file: Option<&'a str>,
    /// Words of its sources, for the search.
    pub(super) words: BTreeSet<String>,
}

fn file_of(made: Option<&Made<'_>>) -> Value {
    made.and_then(|made| made.file).map_or(Value::Null, |file| Value::Text(file.to_owned()))
}

fn symbols(draft: &Draft, made: Option<&Made<'_>>) -> String {
    made.map_or_else(|| symbols_of(draft), |made| symbols_with(draft, &made.words))
}

impl Writer<'_> {
    pub fn finding(&self, id: i64) -> Result<Option<Finding>, StoreError> {
        Ok(load(self.connection, id)?)
    }

    /// Stores a piece of knowledge; equal content changes nothing. An automatic draft never changes what a person
    /// entered or confirmed.
    pub fn put(&self, draft: &Draft) -> Result<Put, StoreError> {
        self.put_as(draft, &uid_of(draft), None)
    }

    /// Stores what another database knows; without a time of its own it has none.
    pub fn put_imported(&self, draft: &Draft) -> Result<Put, StoreError> {
        self.put_as(draft, &uid_of(draft), Some(&Made { file: None, words: BTreeSet::new() }))
    }

    pub fn note_replaced(&self, uid: &str, by: &str) -> Result<(), StoreError> {
        self.execute(
            "UPDATE findings SET superseded_by = (SELECT id FROM findings WHERE uid = ?2)
             WHERE uid = ?1 AND status = 'superseded' AND superseded_by IS NULL",
            params![uid, by],
        )?;
        Ok(())
    }

    /// Stores what already has its identity, from another database or an earlier look at this one.
    pub fn put_known(&self, uid: &str, draft: &Draft) -> Result<Put, StoreError> {
        let put = self.put_as(draft, uid, None)?;
        if let (Put::Inserted(id), None) = (put, &draft.created_at) {
            self.execute("UPDATE findings SET created_at = NULL WHERE id = ?1", [id])?;
        }
        Ok(put)
    }

    pub(super) fn put_as(
        &self,
        draft: &Draft,
        uid: &str,
        made: Option<&Made<'_>>,
    ) -> Result<Put, StoreError> {
        check(draft)?;
        let fingerprint = draft.fingerprint();
        let Some(known) = self.known(uid, draft)? else {
            // A person may enter again what a person had forgotten; nothing else does.
            if draft.evidence != Evidence::Person
                && self.is_forgotten(&[ForgottenKey::Finding(uid)])?
            {
                return Ok(Put::Forgotten);
            }
            return Ok(Put::Inserted(self.insert(draft, uid, &fingerprint, made)?));
        };
        let id = known.id;
        if known.by_person && draft.evidence != Evidence::Person {
            return Ok(Put::Unchanged(id));
        }
        let is_moved = self.set_time(id, draft, made.is_some())?;
        if draft.evidence == Evidence::Person {
            // What a person enters again is wanted again.
            self.execute(
                "UPDATE findings SET status = 'confirmed' WHERE id = ?1 AND status = 'dropped'",
                [id],
            )?;
        }
        if made.is_some() && known.extracted_from.as_deref() != made.and_then(|made| made.file) {
            let sql = "UPDATE findings SET extracted_from = ?1 WHERE id = ?2";
            self.execute(sql, params![file_of(made), id])?;
        }
        if known.fingerprint.as_deref() != Some(&fingerprint) {
            self.log_new_value(id, draft)?;
            self.update(id, draft, &fingerprint, made)?;
            return Ok(Put::Updated(id));
        }
        if made.is_some() {
            self.set_symbols(id, draft, made)?;
        }
        Ok(if is_moved { Put::Updated(id) } else { Put::Unchanged(id) })
    }

    /// The time of an event may become known later; what is made of sources has their time only.
    fn set_time(&self, id: i64, draft: &Draft, is_made: bool) -> rusqlite::Result<bool> {
        let at = draft.created_at.as_deref();
        if at.is_none() && !is_made {
            return Ok(false);
        }
        let changed = self.execute(
            "UPDATE findings SET created_at = ?1 WHERE id = ?2 AND created_at IS NOT ?1",
            params![at, id],
        )?;
        Ok(changed > 0)
    }

    /// A fact that a person accepted keeps the identity of its proposal, so it is found by its key.
    fn known(&self, uid: &str, draft: &Draft) -> rusqlite::Result<Option<Known>> {
        const COLUMNS: &str = "id, fingerprint, extracted_from,
            evidence IS 'person' OR status IN ('confirmed', 'dropped') AS by_person";
        let sql = format!("SELECT {COLUMNS} FROM findings WHERE uid = ?1");
        let known = self.first(&sql, params![uid])?;
        let is_wanted = known.is_none() && draft.status != Status::Proposed;
        let Some(fact) = draft.fact().filter(|_| is_wanted) else { return Ok(known) };
        let sql = format!(
            "SELECT {COLUMNS} FROM findings WHERE key = ?1 AND project IS ?2
             AND finding_type = 'fact' AND status IN {LIVE}"
        );
        self.first(&sql, params![record::fact_key(&fact.category, &fact.key), draft.project])
    }

    fn insert(
        &self,
        draft: &Draft,
        uid: &str,
        fingerprint: &str,
        made: Option<&Made<'_>>,
    ) -> Result<i64, StoreError> {
        self.ensure_domain(draft.domain.as_deref())?;
        let mut values = record::values(draft);
        // What was read off a file did not happen when it was read.
        let created = match (&draft.created_at, made) {
            (Some(at), _) => Value::Text(at.clone()),
            (None, Some(_)) => Value::Null,
            (None, None) => Value::Text(self.now.clone()),
        };
        values.extend([
            created,
            Value::Text(self.now.clone()),
            Value::Text(uid.to_owned()),
            Value::Text(fingerprint.to_owned()),
            file_of(made),
            Value::Text(symbols(draft, made)),
        ]);
        self.indexing.before_insert(self.connection)?;
        Ok(self.connection.prepare_cached(&INSERT)?.insert(params_from_iter(values))?)
    }

    pub(super) fn update(
        &self,
        id: i64,
        draft: &Draft,
        fingerprint: &str,
        made: Option<&Made<'_>>,
    ) -> Result<(), StoreError> {
        self.indexing.flush(self.connection)?;
        self.ensure_domain(draft.domain.as_deref())?;
        let mut values = record::values(self.with_counts(id, draft)?.as_ref());
        values.extend([
            Value::Text(self.now.clone()),
            Value::Text(fingerprint.to_owned()),
            Value::Integer(id),
        ]);
        self.execute(&UPDATE, params_from_iter(values))?;
        // After the texts, whose trigger sets the symbols to NULL.
        self.set_symbols(id, draft, made).map_err(Into::into)
    }

    /// How often a lesson helped never goes down.
    fn with_counts<'a>(&self, id: i64, draft: &'a Draft) -> rusqlite::Result<Cow<'a, Draft>> {
        let Some(known) = draft.lesson().map(|_| load(self.connection, id)).transpose()?.flatten()
        else {
            return Ok(Cow::Borrowed(draft));
        };
        let mut draft = draft.clone();
        if let Some(new) = draft.detail.as_mut().and_then(|detail| detail.lesson.as_mut())
            && let Some(old) = known.content.lesson()
        {
            new.success_count = new.success_count.max(old.success_count);
            new.recurred = new.recurred.max(old.recurred);
        }
        Ok(Cow::Owned(draft))
    }

    pub(super) fn set_status(&self, id: i64, status: Status) -> rusqlite::Result<()> {
        self.execute("UPDATE findings SET status = ?2 WHERE id = ?1", params![id, status.as_str()])
            .map(drop)
    }

    /// Changes the detail only.
    pub(super) fn change(
        &self,
        id: i64,
        change: impl FnOnce(&mut Draft),
    ) -> rusqlite::Result<Option<Draft>> {
        let Some(Finding { content: mut draft, .. }) = load(self.connection, id)? else {
            return Ok(None);
        };
        change(&mut draft);
        let detail = draft.detail.as_ref().and_then(|detail| serde_json::to_string(detail).ok());
        self.execute("UPDATE findings SET detail = ?2 WHERE id = ?1", params![id, detail])?;
        Ok(Some(draft))
    }

    fn set_symbols(&self, id: i64, draft: &Draft, made: Option<&Made<'_>>) -> rusqlite::Result<()> {
        let symbols = symbols(draft, made);
        let sql = "SELECT 1 FROM findings WHERE id = ?1 AND symbols IS NOT ?2";
        if self.connection.prepare_cached(sql)?.exists(params![id, symbols])? {
            self.indexing.flush(self.connection)?;
            self.execute("UPDATE findings SET symbols = ?1 WHERE id = ?2", params![symbols, id])?;
        }
        Ok(())
    }

    /// References to a new domain need its row.
    pub(super) fn ensure_domain(&self, domain: Option<&str>) -> rusqlite::Result<()> {
        let Some(domain) = domain else {
            return Ok(());
        };
        self.execute(
            "INSERT OR IGNORE INTO domains (id, name) VALUES (?1, ?2)",
            [domain, &display_name(domain)],
        )
        .map(|_| ())
    }
}

pub(super) fn free_uid(
    uid: &str,
    taken: impl Fn(&str) -> rusqlite::Result<bool>,
) -> rusqlite::Result<String> {
    let mut free = uid.to_owned();
    let mut number = 2_u32;
    while taken(&free)? {
        free = format!("{uid}-{number}");
        number += 1;
    }
    Ok(free)
}

fn check(draft: &Draft) -> Result<(), StoreError> {
    if draft.detail.as_ref().is_none_or(|detail| detail.fits(draft.kind)) {
        return Ok(());
    }
    Err(StoreError::Invalid(format!("a {} cannot have that sort of detail", draft.kind)))
}
