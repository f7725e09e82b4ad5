//! Storing and reading findings, and how one maps to its row: the same piece of knowledge twice is one row.

use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Row, ToSql, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::forget::ForgottenKey;
use super::rows::{all_or, most, number, text};
use super::symbols::symbols_with;
use super::{Result, Store, StoreError, Writer, projects};
use crate::model::{
    Detail, Draft, Evidence, Finding, Kind, Put, Source, Status, display_name, split_tags, words_of,
};

/// See [`Status::is_live`].
pub(super) const LIVE: &str = "('claimed', 'confirmed')";

type ValueOf = fn(&Draft) -> Value;

/// The columns that hold a draft, in the order of [`read`], but `created_at`.
const COLUMNS: [(&str, ValueOf); 29] = [
    ("finding_type", |draft| draft.kind.as_str().to_owned().into()),
    ("domain_id", |draft| draft.domain.clone().into()),
    ("title", |draft| draft.title.clone().into()),
    ("description", |draft| draft.description.clone().into()),
    ("problem_id", |draft| draft.problem.clone().into()),
    ("source_slot", |draft| draft.source.slot.into()),
    ("source_submission_uuid", |draft| draft.source.submission.clone().into()),
    ("source_file", |draft| draft.source.file.clone().into()),
    ("theorem_name", |draft| draft.theorem_name.clone().into()),
    ("theorem_statement", |draft| draft.theorem_statement.clone().into()),
    ("proof_technique", |draft| draft.proof_technique.clone().into()),
    ("mathlib_imports", |draft| draft.mathlib_imports.clone().into()),
    ("proof_lines", |draft| draft.proof_lines.into()),
    ("counterexample", |draft| draft.counterexample.clone().into()),
    ("why_failed", |draft| draft.why_failed.clone().into()),
    ("avoid_pattern", |draft| draft.avoid_pattern.clone().into()),
    ("confidence", |draft| draft.confidence.as_str().to_owned().into()),
    ("tags", |draft| Some(draft.tags.join(",")).filter(|tags| !tags.is_empty()).into()),
    ("notes", |draft| draft.notes.clone().into()),
    ("project", |draft| draft.project.clone().into()),
    ("evidence", |draft| draft.evidence.as_str().to_owned().into()),
    ("source_line", |draft| draft.source.line.into()),
    ("session_id", |draft| draft.source.session.clone().into()),
    ("toolchain", |draft| draft.source.toolchain.clone().into()),
    ("mathlib_rev", |draft| draft.source.mathlib_rev.clone().into()),
    ("correct_approach", |draft| draft.correct_approach.clone().into()),
    ("status", |draft| status_of(draft).as_str().to_owned().into()),
    ("key", |draft| key_of(draft).into()),
    ("detail", |draft| draft.detail.as_ref().and_then(|it| serde_json::to_string(it).ok()).into()),
];

/// For [`read`], of the table alias `f`.
fn selection() -> String {
    let columns = COLUMNS.map(|(column, _)| format!("f.{column}")).join(", ");
    format!("{columns}, f.created_at, f.id, f.uid, f.updated_at, f.superseded_by")
}

/// What a person stands for is confirmed.
fn status_of(draft: &Draft) -> Status {
    match (draft.status, draft.evidence) {
        (Status::Claimed, Evidence::Person) => Status::Confirmed,
        (status, _) => status,
    }
}

/// The key under which the same thing is found again.
pub(super) fn key_of(draft: &Draft) -> Option<String> {
    let Some(detail) = &draft.detail else { return draft.key.clone() };
    if let Some(fact) = &detail.fact {
        return Some(fact_key(&fact.category, &fact.key));
    }
    let signature = detail.lesson.as_ref().and_then(|lesson| lesson.signature.clone());
    let words = || detail.said.as_ref().map(|said| words_of(&said.content));
    signature.or_else(words).or_else(|| draft.key.clone())
}

fn is_keyed(detail: Option<&Detail>) -> bool {
    detail.is_some_and(|detail| {
        detail.fact.is_some() || detail.lesson.is_some() || detail.said.is_some()
    })
}

pub(super) fn fact_key(category: &str, key: &str) -> String {
    format!("{category}/{key}")
}

fn read(row: &Row<'_>) -> rusqlite::Result<Finding> {
    let word = |column| text(row, column).map(Option::unwrap_or_default);
    // JSON that was broken by hand counts as none.
    let detail: Option<Detail> = text(row, 28)?.and_then(|json| serde_json::from_str(&json).ok());
    let content = Draft {
        // A kind that somebody added to the table `kinds` is shown as an insight.
        kind: word(0)?.parse().unwrap_or_default(),
        domain: text(row, 1)?,
        title: word(2)?,
        description: word(3)?,
        problem: text(row, 4)?.filter(|problem| !problem.is_empty()),
        project: text(row, 19)?,
        source: Source {
            slot: number(row, 5)?,
            submission: text(row, 6)?,
            file: text(row, 7)?,
            line: number(row, 21)?,
            session: text(row, 22)?,
            toolchain: text(row, 23)?,
            mathlib_rev: text(row, 24)?,
        },
        theorem_name: text(row, 8)?,
        theorem_statement: text(row, 9)?,
        proof_technique: text(row, 10)?,
        mathlib_imports: text(row, 11)?,
        proof_lines: number(row, 12)?,
        counterexample: text(row, 13)?,
        why_failed: text(row, 14)?,
        avoid_pattern: text(row, 15)?,
        correct_approach: text(row, 25)?,
        confidence: word(16)?.parse().unwrap_or_default(),
        evidence: word(20)?.parse().unwrap_or_default(),
        tags: split_tags(&word(17)?),
        notes: text(row, 18)?,
        key: text(row, 27)?.filter(|_| !is_keyed(detail.as_ref())),
        status: word(26)?.parse().unwrap_or_default(),
        created_at: text(row, 29)?,
        detail,
        identity: None,
    };
    Ok(Finding {
        id: number(row, 30)?.unwrap_or_default(),
        uid: word(31)?,
        content,
        updated_at: word(32)?,
        superseded_by: number(row, 33)?,
    })
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let columns = COLUMNS.map(|(column, _)| column).join(", ");
    let marks: Vec<String> = (1..=COLUMNS.len() + 6).map(|n| format!("?{n}")).collect();
    format!(
        "INSERT INTO findings ({columns}, created_at, updated_at, uid, fingerprint, extracted_from, symbols)
         VALUES ({})",
        marks.join(", ")
    )
});
/// See [`Writer::set_time`] for `created_at`.
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    // What was replaced or dropped stays so when its source is read again.
    let set = COLUMNS.iter().zip(1..).map(|((column, _), n)| match *column {
        "key" | "detail" => format!("{column} = coalesce(?{n}, {column})"),
        "status" => format!("status = CASE WHEN status IN {LIVE} THEN ?{n} ELSE status END"),
        column => format!("{column} = ?{n}"),
    });
    let set: Vec<String> = set.collect();
    format!(
        "UPDATE findings SET {}, updated_at = ?30, fingerprint = ?31 WHERE id = ?32",
        set.join(", ")
    )
});

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    pub uid: String,
    #[serde(flatten)]
    pub content: Draft,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// A fact is identified by category, key and project.
pub(super) fn uid_of(draft: &Draft) -> String {
    let Some(fact) = draft.fact().filter(|_| draft.identity.is_none()) else { return draft.uid() };
    let project = draft.project.as_deref().unwrap_or_default();
    let identity = Some(format!("fact/{}/{}/{project}", fact.category, fact.key));
    Draft { identity, ..draft.clone() }.uid()
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
    pub(super) fn select(&self, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<Finding>> {
        let sql = format!("SELECT {} FROM findings f WHERE {condition}", selection());
        self.read(|connection| connection.prepare_cached(&sql)?.query_map(values, read)?.collect())
    }

    /// To be read, in this order; what is not there is left out.
    pub(super) fn load_all(&self, ids: &[i64]) -> Result<Vec<Finding>> {
        ids.iter().filter_map(|id| self.shown(*id).transpose()).collect()
    }

    /// To be read: with its problem's own id, whichever of its names is stored.
    pub(super) fn shown(&self, id: i64) -> Result<Option<Finding>> {
        let mut found = self.finding(id)?;
        if let Some(problem) = found.as_mut().and_then(|found| found.content.problem.as_mut()) {
            let sql = "SELECT problem FROM problem_aliases WHERE alias = ?1";
            if let Some(known) = self.first(sql, params![*problem])? {
                *problem = known;
            }
        }
        Ok(found)
    }

    /// Findings of `current` first, then the newest; and the total.
    pub fn list(&self, filter: &ListFilter, current: Option<&str>) -> Result<(Vec<Finding>, u64)> {
        let statuses: Vec<&str> = filter.statuses.iter().map(|status| status.as_str()).collect();
        let statuses = serde_json::json!(statuses).to_string();
        let proposed = if filter.proposed { super::proposals::SAID } else { "1" };
        let condition = format!(
            "{proposed} AND (?1 IS NULL OR f.finding_type = ?1)
             AND (?2 IS NULL OR f.project IN {})
             AND (?3 = '[]' OR f.status IN (SELECT value FROM json_each(?3)))",
            projects::names("?2")
        );
        let kind = filter.kind.map(Kind::as_str);
        let sql = format!("SELECT count(*) FROM findings f WHERE {condition}");
        let total = self.value(&sql, params![kind, filter.project, statuses])?;
        let limit = all_or(filter.limit);
        let here = projects::is_here("f.project", "?4");
        let order = format!("{here} DESC, f.created_at DESC, f.id DESC LIMIT ?5");
        let condition = format!("{condition} ORDER BY {order}");
        let values = params![kind, filter.project, statuses, current, limit];
        Ok((self.select(&condition, values)?, total))
    }

    /// Ten at most. Anything but hexadecimal digits finds none.
    pub fn findings_by_uid(&self, prefix: &str) -> Result<Vec<Finding>> {
        let prefix = prefix.to_ascii_lowercase();
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(Vec::new());
        }
        let begins = "f.uid >= ?1 AND f.uid < ?1 || 'g' ORDER BY f.id LIMIT 10";
        self.select(begins, params![prefix])
    }

    pub fn ids_by_uid(&self) -> Result<Vec<i64>> {
        self.all("SELECT id FROM findings ORDER BY uid, id", params![])
    }

    pub fn exported(&self, id: i64) -> Result<Option<Exported>> {
        let Some(finding) = self.finding(id)? else { return Ok(None) };
        let sql = "SELECT uid FROM findings WHERE id = ?1";
        let superseded_by = self.first(sql, params![finding.superseded_by])?;
        Ok(Some(Exported { uid: finding.uid, content: finding.content, superseded_by }))
    }

    pub fn finding(&self, id: i64) -> Result<Option<Finding>> {
        Ok(self.select("f.id = ?1", params![id])?.pop())
    }

    /// Newest first, of all projects.
    pub fn false_lemmas(&self, limit: usize) -> Result<Vec<Draft>> {
        let newest = format!(
            "f.finding_type = 'false_lemma' AND f.status IN {LIVE} ORDER BY f.id DESC LIMIT ?1"
        );
        let found = self.select(&newest, params![most(limit)])?;
        Ok(found.into_iter().map(|finding| finding.content).collect())
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

/// A finding is made of sources, or imported, and this result file, if any, speaks for it.
#[derive(Clone, Copy)]
pub(super) struct Made<'a>(pub(super) Option<&'a str>);

impl Writer<'_> {
    /// Stores a piece of knowledge; equal content changes nothing. An automatic draft never changes what a person
    /// entered or confirmed.
    pub fn put(&self, draft: &Draft) -> Result<Put> {
        self.put_as(draft, &uid_of(draft), None)
    }

    /// Stores what another database knows; without a time of its own it has none.
    pub fn put_imported(&self, draft: &Draft) -> Result<Put> {
        if draft.is_note() {
            // A note that was a remark may say by now why it failed, or the other way round.
            for kind in [Kind::Insight, Kind::Failure].into_iter().filter(|it| *it != draft.kind) {
                self.remove_record(&uid_of(&Draft { kind, ..draft.clone() }))?;
            }
        }
        self.put_as(draft, &uid_of(draft), Some(Made(None)))
    }

    pub fn note_replaced(&self, uid: &str, by: &str) -> Result<()> {
        self.run(
            "UPDATE findings SET superseded_by = (SELECT id FROM findings WHERE uid = ?2)
             WHERE uid = ?1 AND status = 'superseded' AND superseded_by IS NULL",
            params![uid, by],
        )
    }

    /// Stores what already has its identity, from another database or an earlier look at this one.
    pub fn put_known(&self, uid: &str, draft: &Draft) -> Result<Put> {
        let put = self.put_as(draft, uid, None)?;
        if let (Put::Inserted(id), None) = (put, &draft.created_at) {
            self.execute("UPDATE findings SET created_at = NULL WHERE id = ?1", [id])?;
        }
        Ok(put)
    }

    pub(super) fn put_as(&self, draft: &Draft, uid: &str, made: Option<Made<'_>>) -> Result<Put> {
        if draft.detail.as_ref().is_some_and(|detail| !detail.fits(draft.kind)) {
            let what = format!("a {} cannot have that sort of detail", draft.kind);
            return Err(StoreError::Invalid(what));
        }
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
        if let Some(Made(file)) = made.filter(|made| known.extracted_from.as_deref() != made.0) {
            self.run("UPDATE findings SET extracted_from = ?1 WHERE id = ?2", params![file, id])?;
        }
        if known.fingerprint.as_deref() != Some(&fingerprint) {
            self.log_new_value(id, draft)?;
            self.update(id, draft, &fingerprint)?;
            return Ok(Put::Updated(id));
        }
        if made.is_some() {
            self.set_symbols(id, draft)?;
        }
        Ok(if is_moved { Put::Updated(id) } else { Put::Unchanged(id) })
    }

    /// The time of an event may become known later; what is made of sources has their time only.
    fn set_time(&self, id: i64, draft: &Draft, is_made: bool) -> Result<bool> {
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
    fn known(&self, uid: &str, draft: &Draft) -> Result<Option<Known>> {
        const COLUMNS: &str = "id, fingerprint, extracted_from,
            evidence IS 'person' OR status IN ('confirmed', 'dropped') AS by_person";
        let sql = format!("SELECT {COLUMNS} FROM findings WHERE uid = ?1");
        let known = self.first(&sql, params![uid])?;
        if known.is_some() || draft.status == Status::Proposed {
            return Ok(known);
        }
        let other = self.fact_like(draft)?.map(|other| other.uid);
        self.first(&sql, params![other])
    }

    fn insert(
        &self,
        draft: &Draft,
        uid: &str,
        fingerprint: &str,
        made: Option<Made<'_>>,
    ) -> Result<i64> {
        self.ensure_domain(draft.domain.as_deref())?;
        let mut values: Vec<Value> = COLUMNS.iter().map(|(_, value)| value(draft)).collect();
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
            made.and_then(|made| made.0).map(str::to_owned).into(),
            Value::Text(symbols_with(draft, &self.words_of_sources(uid)?)),
        ]);
        Ok(self.connection.prepare_cached(&INSERT)?.insert(params_from_iter(values))?)
    }

    pub(super) fn update(&self, id: i64, draft: &Draft, fingerprint: &str) -> Result<()> {
        self.ensure_domain(draft.domain.as_deref())?;
        let draft = &self.with_counts(id, draft)?;
        let mut values: Vec<Value> = COLUMNS.iter().map(|(_, value)| value(draft)).collect();
        values.extend([
            Value::Text(self.now.clone()),
            Value::Text(fingerprint.to_owned()),
            Value::Integer(id),
        ]);
        self.execute(&UPDATE, params_from_iter(values))?;
        // After the texts, whose trigger sets the symbols to NULL.
        self.set_symbols(id, draft)
    }

    /// How often a lesson helped never goes down.
    fn with_counts(&self, id: i64, draft: &Draft) -> Result<Draft> {
        let mut draft = draft.clone();
        if let Some(new) = draft.detail.as_mut().and_then(|detail| detail.lesson.as_mut())
            && let Some(known) = self.finding(id)?
            && let Some(old) = known.content.lesson()
        {
            new.success_count = new.success_count.max(old.success_count);
            new.recurred = new.recurred.max(old.recurred);
        }
        Ok(draft)
    }

    pub(super) fn set_status(&self, id: i64, status: Status) -> Result<()> {
        self.run("UPDATE findings SET status = ?2 WHERE id = ?1", params![id, status.as_str()])
    }

    /// Changes the detail only.
    pub(super) fn change(&self, id: i64, change: impl FnOnce(&mut Draft)) -> Result<Option<Draft>> {
        let Some(Finding { content: mut draft, .. }) = self.finding(id)? else {
            return Ok(None);
        };
        change(&mut draft);
        let detail = draft.detail.as_ref().and_then(|detail| serde_json::to_string(detail).ok());
        self.execute("UPDATE findings SET detail = ?2 WHERE id = ?1", params![id, detail])?;
        Ok(Some(draft))
    }

    fn set_symbols(&self, id: i64, draft: &Draft) -> Result<()> {
        let uid: String = self.value("SELECT uid FROM findings WHERE id = ?1", params![id])?;
        let symbols = symbols_with(draft, &self.words_of_sources(&uid)?);
        let sql = "SELECT 1 FROM findings WHERE id = ?1 AND symbols IS NOT ?2";
        if self.connection.prepare_cached(sql)?.exists(params![id, symbols])? {
            self.execute("UPDATE findings SET symbols = ?1 WHERE id = ?2", params![symbols, id])?;
        }
        Ok(())
    }

    /// References to a new domain need its row.
    pub(super) fn ensure_domain(&self, domain: Option<&str>) -> Result<()> {
        let Some(domain) = domain else {
            return Ok(());
        };
        self.run(
            "INSERT OR IGNORE INTO domains (id, name) VALUES (?1, ?2)",
            [domain, &display_name(domain)],
        )
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

impl Store {
    /// Completes rows that were written by hand or converted: identity, fingerprint, symbols. What is there is kept.
    pub(super) fn complete(&self) -> Result<()> {
        let sql = "SELECT id FROM findings WHERE symbols IS NULL AND id > ?1 ORDER BY id LIMIT 500";
        let mut after = i64::MIN;
        loop {
            let ids: Vec<i64> = self.all(sql, params![after])?;
            let Some(&last) = ids.last() else {
                return Ok(());
            };
            after = last;
            ids.into_iter().try_for_each(|id| self.complete_row(id))?;
        }
    }

    pub(super) fn is_complete(&self) -> Result<bool> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM findings INDEXED BY findings_todo WHERE symbols IS NULL)";
        self.value(sql, params![])
    }

    fn complete_row(&self, id: i64) -> Result<()> {
        let Some(finding) = self.finding(id)? else {
            return Ok(());
        };
        // The fingerprint is of the content last stored: a row edited by hand stays until its source changes.
        let taken = |uid: &str| {
            let sql = "SELECT 1 FROM findings WHERE uid = ?1 AND id <> ?2";
            self.connection.prepare_cached(sql)?.exists(params![uid, id])
        };
        let uid = if finding.uid.is_empty() {
            free_uid(&uid_of(&finding.content), taken)?
        } else {
            finding.uid
        };
        let symbols = symbols_with(&finding.content, &self.words_of_sources(&uid)?);
        let sql =
            "UPDATE findings SET uid = ?2, fingerprint = coalesce(fingerprint, ?3), symbols = ?4,
            key = coalesce(key, ?5) WHERE id = ?1";
        let (fingerprint, key) = (finding.content.fingerprint(), key_of(&finding.content));
        let values = params![id, uid, fingerprint, symbols, key];
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}
