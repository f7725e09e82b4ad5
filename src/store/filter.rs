//! Restricts a search without slowing it down: a filter that few findings pass chooses the rows by its own index, any
//! other is checked in the narrow index `findings_filter`, never in the long rows.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::query::quoted;
use super::question::SearchQuery;
use super::{problems, projects};

/// At most so many findings pass one of its conditions.
const NARROW: i64 = 20_000;

const HAS_TAG: &str = "instr(',' || lower(replace(f.tags, ', ', ',')) || ',', ',' || ? || ',') > 0";

#[derive(Debug, Default)]
pub(super) struct Filter {
    /// Empty or begins with `AND`; refers to `findings_fts`, and to `f` where joined.
    pub(super) conditions: String,
    pub(super) values: Vec<Value>,
    /// The same on `f` alone, for a search without words.
    pub(super) plain: String,
    /// The conditions choose the rows.
    pub(super) is_narrow: bool,
    pub(super) is_empty: bool,
    needs_join: bool,
    /// Part of the full-text expression.
    tags: String,
}

struct Condition {
    sql: String,
    values: Vec<Value>,
}

impl Filter {
    pub(super) fn new(connection: &Connection, request: &SearchQuery) -> rusqlite::Result<Self> {
        let mut filter = Self::default();
        let conditions = conditions(connection, request)?;
        filter.is_empty = conditions.iter().any(|condition| condition.sql.ends_with("IN ()"));
        for condition in &conditions {
            filter.is_narrow = filter.is_narrow || is_narrow(connection, condition)?;
        }
        let sql: Vec<&str> = conditions.iter().map(|condition| condition.sql.as_str()).collect();
        let sql = sql.join(" AND ");
        filter.plain.clone_from(&sql);
        filter.values = conditions.into_iter().flat_map(|condition| condition.values).collect();
        if !sql.is_empty() {
            filter.needs_join = !filter.is_narrow;
            filter.conditions = if filter.is_narrow {
                format!("AND +findings_fts.rowid IN (SELECT f.id FROM findings f WHERE {sql})")
            } else {
                format!("AND {sql}")
            };
        }
        filter.add_tags(request);
        Ok(filter)
    }

    pub(super) fn is_none(&self) -> bool {
        self.plain.is_empty() && self.tags.is_empty()
    }

    /// The index finds the tag's words, the row whether it is that tag.
    fn add_tags(&mut self, request: &SearchQuery) {
        for tag in &request.tags {
            if tag.chars().any(char::is_alphanumeric) {
                self.tags.extend([" AND (tags : ", &quoted(tag), ")"]);
            }
            self.needs_join = true;
            self.conditions.push_str(" AND ");
            self.conditions.push_str(HAS_TAG);
            self.plain.push_str(if self.plain.is_empty() { "" } else { " AND " });
            self.plain.push_str(HAS_TAG);
            self.values.push(Value::Text(tag.trim().to_lowercase()));
        }
    }

    pub(super) fn join(&self, needed: bool) -> &'static str {
        if needed || self.needs_join {
            "CROSS JOIN findings f INDEXED BY findings_filter ON f.id = findings_fts.rowid"
        } else {
            ""
        }
    }

    pub(super) fn expression(&self, expression: &str) -> String {
        if self.tags.is_empty() {
            expression.to_owned()
        } else {
            format!("({expression}){}", self.tags)
        }
    }
}

fn conditions(connection: &Connection, request: &SearchQuery) -> rusqlite::Result<Vec<Condition>> {
    let mut conditions = Vec::new();
    let mut is_one_of = |column: &str, words: Vec<String>| {
        let marks = vec!["?"; words.len()].join(", ");
        let values = words.into_iter().map(Value::Text).collect();
        conditions.push(Condition { sql: format!("f.{column} IN ({marks})"), values });
    };
    if !request.kinds.is_empty() {
        let kinds = request.kinds.iter().map(|kind| kind.as_str().to_owned());
        is_one_of("finding_type", kinds.collect());
    }
    if let Some(domain) = &request.domain {
        is_one_of("domain_id", vec![domain.clone()]);
    }
    if let Some(problem) = &request.problem {
        is_one_of("problem_id", problems::spellings(connection, problem)?);
    }
    if let Some(confidence) = request.confidence {
        is_one_of("confidence", vec![confidence.as_str().to_owned()]);
    }
    if let Some(project) = &request.project {
        conditions.push(Condition {
            sql: format!("f.project IN {}", projects::names("?")),
            values: vec![Value::Text(project.clone())],
        });
    }
    if let Some(since) = &request.since {
        conditions.push(Condition {
            sql: "f.created_at >= ?".to_owned(),
            values: vec![Value::Text(since.trim_end_matches('Z').replace('T', " "))],
        });
    }
    Ok(conditions)
}

fn is_narrow(connection: &Connection, condition: &Condition) -> rusqlite::Result<bool> {
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM findings f WHERE {} LIMIT {})",
        condition.sql,
        NARROW + 1
    );
    let values = params_from_iter(condition.values.iter());
    let count: i64 = connection.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?;
    Ok(count <= NARROW)
}
