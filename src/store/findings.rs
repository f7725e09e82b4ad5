//! Storing and reading findings: the same piece of knowledge twice is one row.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};
use serde::Deserialize;

use super::forget::ForgottenKey;
use super::record::LIVE;
use super::symbols::symbols_of;
use super::{Store, StoreError, Writer, details, record, rows};
use crate::model::{Detail, Draft, Evidence, Finding, Kind, Put, Report, display_name};

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let marks: Vec<String> = (1..=record::COLUMNS.len() + 5).map(|n| format!("?{n}")).collect();
    format!(
        "INSERT INTO findings ({}, updated_at, uid, fingerprint, extracted_from, symbols) VALUES ({})",
        record::COLUMNS.join(", "),
        marks.join(", ")
    )
});
/// All columns but the last, `created_at`: see [`Writer::set_time`].
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let columns = record::COLUMNS.iter().take(record::COLUMNS.len() - 1);
    // What was replaced or dropped stays so, whatever its source says again.
    let set = columns.zip(1..).map(|(column, n)| match *column {
        "status" => format!("status = CASE WHEN status IN {LIVE} THEN ?{n} ELSE status END"),
        column => format!("{column} = ?{n}"),
    });
    let set: Vec<String> = set.collect();
    let next = record::COLUMNS.len();
    format!(
        "UPDATE findings SET {}, updated_at = ?{next}, fingerprint = ?{},
         extracted_from = coalesce(?{}, extracted_from) WHERE id = ?{}",
        set.join(", "),
        next + 1,
        next + 2,
        next + 3
    )
});
static BY_ID: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM findings f WHERE f.id = ?1", record::selection()));

/// What makes a draft the same piece of knowledge as a stored one.
pub(super) fn uid_of(draft: &Draft) -> String {
    if draft.identity.is_none()
        && let Some(identity) = details::fact_identity(draft)
    {
        return Draft { identity: Some(identity), ..draft.clone() }.uid();
    }
    draft.uid()
}

/// Reads one finding with its detail.
pub(super) fn load(connection: &Connection, id: i64) -> rusqlite::Result<Option<Finding>> {
    let found = connection.prepare_cached(&BY_ID)?.query_row([id], record::read).optional()?;
    let Some(mut finding) = found else {
        return Ok(None);
    };
    finding.content.detail = details::load(connection, id, finding.content.kind)?;
    Ok(Some(finding))
}

impl Store {
    /// The findings whose uid begins like this, ten at most. Anything but hexadecimal digits finds none.
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

    /// The finding with this row number.
    pub fn finding(&self, id: i64) -> Result<Option<Finding>, StoreError> {
        self.read(|connection| load(connection, id))
    }
}

/// A stored row, as far as storing it again needs it.
#[derive(Deserialize)]
struct Known {
    id: i64,
    fingerprint: Option<String>,
    by_person: bool,
    extracted_from: Option<String>,
}

impl Writer<'_> {
    /// Stores a piece of knowledge. Nothing is touched where the same content is there already.
    ///
    /// What a person entered or confirmed is only changed by a person: an automatic draft of the same
    /// identity leaves it as it is and counts as unchanged.
    pub fn put(&self, draft: &Draft) -> Result<Put, StoreError> {
        self.put_as(draft, &uid_of(draft), None)
    }

    /// Stores a piece of knowledge that has its identity already, from another database or from an
    /// earlier look at this one.
    pub fn put_known(&self, uid: &str, draft: &Draft) -> Result<Put, StoreError> {
        self.put_as(draft, uid, None)
    }

    /// Stores what a file holds, and removes what an earlier version of it held and this one does
    /// not; only rows that an earlier call for this file and project stored, and that no person
    /// changed to their own.
    ///
    /// A draft without an identity of its own is identified within the file, so that equal theorems
    /// in two files stay two rows.
    pub fn replace_file(
        &self,
        project: Option<&str>,
        file: &str,
        drafts: &[Draft],
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let mut gone: HashMap<i64, Kind> = self.extracted(project, file)?.into_iter().collect();
        let mut seen = HashSet::new();
        for draft in drafts {
            let mut draft = draft.clone();
            draft.project = project.map(str::to_owned);
            if draft.identity.is_none() && details::fact_identity(&draft).is_none() {
                let project = project.unwrap_or_default();
                draft.identity = Some(format!("file/{project}/{file}/{}", draft.uid()));
            }
            let uid = free_uid(&uid_of(&draft), |uid| Ok(seen.contains(uid)))?;
            let put = self.put_as(&draft, &uid, Some(file))?;
            seen.insert(uid);
            gone.remove(&put.id());
            report.finding(draft.kind, put);
        }
        if !gone.is_empty() {
            self.indexing.flush(self.connection)?;
        }
        for (id, kind) in gone {
            self.execute("DELETE FROM findings WHERE id = ?1", [id])?;
            report.counts.removed += 1;
            report.by_kind.entry(kind.as_str().to_owned()).or_default().removed += 1;
        }
        Ok(())
    }

    fn extracted(&self, project: Option<&str>, file: &str) -> rusqlite::Result<Vec<(i64, Kind)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, finding_type FROM findings
             WHERE extracted_from = ?1 AND project IS ?2 AND evidence IS NOT 'person'",
        )?;
        let rows = statement.query_map(params![file, project], |row| {
            let kind = record::text(row, 1)?.and_then(|word| word.parse().ok());
            Ok((row.get(0)?, kind.unwrap_or(Kind::Insight)))
        })?;
        rows.collect()
    }

    fn put_as(&self, draft: &Draft, uid: &str, file: Option<&str>) -> Result<Put, StoreError> {
        check(draft)?;
        let fingerprint = draft.fingerprint();
        let Some(known) = self.known(uid)? else {
            // A person may enter again what a person had forgotten; nothing else does.
            if draft.evidence != Evidence::Person
                && self.is_forgotten(&[ForgottenKey::Finding(uid)])?
            {
                return Ok(Put::Forgotten);
            }
            return Ok(Put::Inserted(self.insert(draft, uid, &fingerprint, file)?));
        };
        let id = known.id;
        if known.by_person && draft.evidence != Evidence::Person {
            return Ok(Put::Unchanged(id));
        }
        let is_moved = self.set_time(id, draft)?;
        if known.fingerprint.as_deref() != Some(&fingerprint) {
            self.update(id, draft, &fingerprint, file)?;
            return Ok(Put::Updated(id));
        }
        if file.is_some() && known.extracted_from.as_deref() != file {
            self.execute(
                "UPDATE findings SET extracted_from = ?1 WHERE id = ?2",
                params![file, id],
            )?;
        }
        Ok(if is_moved { Put::Updated(id) } else { Put::Unchanged(id) })
    }

    /// When something happened can become known later; when it was stored stays.
    fn set_time(&self, id: i64, draft: &Draft) -> rusqlite::Result<bool> {
        let Some(at) = draft.created_at.as_deref() else { return Ok(false) };
        let changed = self.execute(
            "UPDATE findings SET created_at = ?1 WHERE id = ?2 AND created_at IS NOT ?1",
            params![at, id],
        )?;
        Ok(changed > 0)
    }

    fn known(&self, uid: &str) -> rusqlite::Result<Option<Known>> {
        let sql = "SELECT id, fingerprint, evidence IS 'person' AS by_person, extracted_from
            FROM findings WHERE uid = ?1";
        self.first(sql, params![uid])
    }

    fn insert(
        &self,
        draft: &Draft,
        uid: &str,
        fingerprint: &str,
        file: Option<&str>,
    ) -> Result<i64, StoreError> {
        self.ensure_domain(draft.domain.as_deref())?;
        let mut values = record::values(draft);
        let created = draft.created_at.clone().unwrap_or_else(|| self.now.clone());
        values.extend([
            Value::Text(created),
            Value::Text(self.now.clone()),
            Value::Text(uid.to_owned()),
            Value::Text(fingerprint.to_owned()),
            file.map_or(Value::Null, |file| Value::Text(file.to_owned())),
            Value::Text(symbols_of(draft)),
        ]);
        self.indexing.before_insert(self.connection)?;
        let id = self.connection.prepare_cached(&INSERT)?.insert(params_from_iter(values))?;
        if let Some(detail) = &draft.detail {
            details::store(self.connection, id, detail)?;
        }
        Ok(id)
    }

    pub(super) fn update(
        &self,
        id: i64,
        draft: &Draft,
        fingerprint: &str,
        file: Option<&str>,
    ) -> Result<(), StoreError> {
        self.indexing.flush(self.connection)?;
        self.ensure_domain(draft.domain.as_deref())?;
        let mut values = record::values(draft);
        values.extend([
            Value::Text(self.now.clone()),
            Value::Text(fingerprint.to_owned()),
            file.map_or(Value::Null, |file| Value::Text(file.to_owned())),
            Value::Integer(id),
        ]);
        self.execute(&UPDATE, params_from_iter(values))?;
        // After the texts: a trigger has set the symbols to NULL where one of them changed.
        self.execute(
            "UPDATE findings SET symbols = ?1 WHERE id = ?2 AND symbols IS NOT ?1",
            params![symbols_of(draft), id],
        )?;
        if let Some(detail) = &draft.detail {
            details::store(self.connection, id, detail)?;
        }
        Ok(())
    }

    /// A domain that nobody has named before gets a row, so that references to it hold.
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

/// `uid`, or with `-2` and so on behind it where it is taken.
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
    let belongs = match &draft.detail {
        None => true,
        Some(Detail::Fact(_)) => draft.kind == Kind::Fact,
        Some(Detail::Lesson(_)) => draft.kind == Kind::Lesson,
        Some(Detail::Playbook(_)) => draft.kind == Kind::Playbook,
    };
    if belongs {
        return Ok(());
    }
    Err(StoreError::Invalid(format!("a {} cannot have that sort of detail", draft.kind)))
}
