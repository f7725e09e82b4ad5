//! Projects: where they were seen, and which names mean the same one.
//!
//! Rows keep the identity they were stored under. What asks for a project asks for all names of it, so
//! that a merge can be undone and nothing has to be rewritten.

use std::collections::BTreeMap;

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::findings::{LIVE, fact_key};
use super::{Result, Store, Writer};
use crate::model::Draft;

/// Aliases that are followed at most; more make a circle that somebody wrote by hand.
const MOST_STEPS: usize = 16;

/// All names of the project whose identity a parameter holds, as a subquery for `IN`. NULL has none.
pub(super) fn names(parameter: &str) -> String {
    format!(
        "(WITH RECURSIVE same(name) AS (VALUES({parameter}) UNION SELECT alias.alias
         FROM project_aliases alias JOIN same ON alias.identity = same.name) SELECT name FROM same)"
    )
}

/// Whether a column names the project whose identity a parameter holds, or both name none: 1 or 0.
pub(super) fn is_here(column: &str, parameter: &str) -> String {
    let names = names(&format!("coalesce({parameter}, '')"));
    format!("(coalesce({column}, '') IN {names})")
}

/// The same, and whatever names no project; all where the parameter is null.
pub(super) fn is_of(column: &str, parameter: &str) -> String {
    let is_here = is_here(column, parameter);
    format!("({parameter} IS NULL OR coalesce({column}, '') = '' OR {is_here})")
}

/// The places of the same folder: that in a parameter, and those from where it was moved.
pub(super) fn places(parameter: &str) -> String {
    format!(
        "(SELECT {parameter} UNION SELECT before.place FROM project_places before
         JOIN project_places now ON before.mark = now.mark WHERE now.place = {parameter})"
    )
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPlace {
    pub place: String,
    /// The identity that the folder gives itself.
    pub identity: String,
    /// What tells the folder from others on its disk.
    #[serde(skip_serializing)]
    pub mark: Option<String>,
    pub package: Option<String>,
    pub root_commit: Option<String>,
    pub remotes: Vec<String>,
    pub first_seen: String,
    pub last_seen: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectUse {
    pub findings: u64,
    pub last_change: Option<String>,
}

impl Store {
    /// The identity under which a project is known by now. A folder without a remote that nothing is
    /// known of is the one with the same mark, from where it was moved.
    pub fn project(&self, identity: &str, mark: Option<&str>) -> Result<String> {
        // Whether anything is known of a name: where it leads, or that it stands alone.
        let known = "SELECT EXISTS (SELECT 1 FROM project_aliases WHERE alias = ?1)";
        if !identity.starts_with('/') || self.value(known, params![identity])? {
            return self.canonical(identity);
        }
        let sql = "SELECT identity FROM project_places WHERE mark = ?1 AND place <> ?2
            ORDER BY first_seen, place LIMIT 1";
        let moved: Option<String> = self.first(sql, params![mark, identity])?;
        self.canonical(moved.as_deref().unwrap_or(identity))
    }

    /// The name that an identity has by now: aliases are followed to their end.
    fn canonical(&self, identity: &str) -> Result<String> {
        let sql = "SELECT identity FROM project_aliases WHERE alias = ?1 AND identity <> alias";
        let mut name = identity.to_owned();
        for _ in 0..MOST_STEPS {
            match self.first(sql, params![name])? {
                Some(next) => name = next,
                None => return Ok(name),
            }
        }
        Ok(identity.to_owned())
    }

    pub fn project_names(&self, identity: &str) -> Result<Vec<String>> {
        self.all(&format!("SELECT * FROM {} ORDER BY 1", names("?1")), params![identity])
    }

    pub fn project_places(&self) -> Result<Vec<ProjectPlace>> {
        self.all("SELECT * FROM project_places ORDER BY place", params![])
    }

    /// Every name that is another project's.
    pub fn project_aliases(&self) -> Result<Vec<String>> {
        self.all("SELECT alias FROM project_aliases WHERE alias <> identity", params![])
    }

    /// What is stored under each identity, aliases not followed.
    pub fn project_uses(&self) -> Result<BTreeMap<String, ProjectUse>> {
        let uses: Vec<(String, u64, Option<String>)> = self.all(
            "SELECT project, count(*), max(coalesce(updated_at, created_at)) FROM findings
             WHERE project <> '' GROUP BY project",
            params![],
        )?;
        let named = |(name, findings, last_change)| (name, ProjectUse { findings, last_change });
        Ok(uses.into_iter().map(named).collect())
    }
}

impl Writer<'_> {
    /// The draft of a fact with the name of its project under which the fact is stored already, so that
    /// a merged project has one value of a key.
    pub(super) fn under_known_name(&self, draft: &Draft) -> Result<Draft> {
        let (Some(fact), Some(project)) = (draft.fact(), &draft.project) else {
            return Ok(draft.clone());
        };
        let sql = format!(
            "SELECT project FROM findings WHERE key = ?2 AND finding_type = 'fact' AND status IN {LIVE}
             AND project IN {} ORDER BY project IS ?1 DESC, evidence IS 'person' DESC, id DESC LIMIT 1",
            names("?1")
        );
        let key = fact_key(&fact.category, &fact.key);
        let known = self.first(&sql, params![project, key])?;
        Ok(Draft { project: known.or_else(|| draft.project.clone()), ..draft.clone() })
    }

    /// Notes that a project was seen in a folder. A commit that is not known leaves the known one.
    pub fn see_project(&self, seen: &ProjectPlace) -> Result<()> {
        let more: [(&str, &dyn ToSql); 3] =
            [("mark", &seen.mark), ("first_seen", &self.now), ("last_seen", &self.now)];
        let again = "ON CONFLICT (place) DO UPDATE SET identity = excluded.identity, mark = excluded.mark,
            package = excluded.package, root_commit = CASE WHEN mark IS excluded.mark
            THEN coalesce(excluded.root_commit, root_commit) ELSE excluded.root_commit END,
            remotes = excluded.remotes, last_seen = excluded.last_seen,
            first_seen = CASE WHEN mark IS excluded.mark THEN first_seen ELSE excluded.first_seen END";
        self.put_row("INSERT INTO project_places", seen, &more, again)
    }

    /// Makes `alias` another name of `identity`; one that would make a circle is left out, and what a
    /// person decided stays unless it is a person who decides.
    pub fn alias_project(&self, alias: &str, identity: &str, by_person: bool) -> Result<()> {
        if alias != identity && self.project_names(alias)?.iter().any(|n| n == identity) {
            return Ok(());
        }
        self.run(
            "INSERT INTO project_aliases (alias, identity, origin, at)
                 VALUES (?1, ?2, CASE WHEN ?3 THEN 'person' ELSE 'seen' END, ?4)
                 ON CONFLICT (alias) DO UPDATE SET identity = ?2, origin = excluded.origin, at = ?4
                 WHERE ?3 OR (origin = 'seen' AND identity <> ?2)",
            params![alias, identity, by_person, self.now],
        )
    }

    /// Takes back an alias that was found, not decided.
    pub fn forget_seen_alias(&self, alias: &str) -> Result<()> {
        let sql = "DELETE FROM project_aliases WHERE alias = ?1 AND origin = 'seen'";
        self.run(sql, [alias])
    }
}
