//! The names that moved in packages, by the revision that was read.

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, Writer};
use crate::model::Rename;

const COLUMNS: &str = "old, new, since, message, package, nullif(revision, '') AS revision,
    file, line, protected, exact";

/// Revisions of one package that are kept.
const MOST_REVISIONS: i64 = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RenamePackage {
    pub name: String,
    pub revision: Option<String>,
    /// When it was read, `YYYY-MM-DD HH:MM:SS` in UTC; set by the store.
    #[serde(skip_serializing)]
    pub read_at: String,
    pub files: u64,
    pub names: u64,
    /// Names that moved; counted by the store.
    pub renames: u64,
}

impl Store {
    pub fn rename_packages(&self) -> Result<Vec<RenamePackage>, StoreError> {
        self.all(
            "SELECT package AS name, nullif(revision, '') AS revision, read_at, files, names,
             (SELECT count(*) FROM renames r WHERE r.package = p.package
              AND r.revision = p.revision) AS renames
             FROM rename_packages p ORDER BY package, read_at DESC",
            params![],
        )
    }

    /// What moved away from names that end in this part, in all packages and revisions.
    pub fn renames_ending(&self, last: &str) -> Result<Vec<Rename>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM renames WHERE old_last = ?1 ORDER BY id");
        self.all(&sql, params![last])
    }

    pub fn renames_in(&self, package: &RenamePackage) -> Result<Vec<Rename>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM renames WHERE package = ?1 AND revision = ?2 ORDER BY id"
        );
        self.all(&sql, params![package.name, package.revision.as_deref().unwrap_or_default()])
    }
}

impl Writer<'_> {
    /// Replaces what is known of a package in a revision; the oldest of many revisions is dropped.
    pub fn put_renames(
        &self,
        package: &RenamePackage,
        renames: &[&Rename],
    ) -> Result<(), StoreError> {
        let revision = package.revision.as_deref().unwrap_or_default();
        let key = params![package.name, revision];
        self.connection.execute("DELETE FROM renames WHERE package = ?1 AND revision = ?2", key)?;
        for rename in renames {
            let last = rename.old.rsplit('.').next().unwrap_or_default();
            let more: [(&str, &dyn ToSql); 3] =
                [("package", &package.name), ("revision", &revision), ("old_last", &last)];
            self.put_row("INSERT INTO renames", rename, &more, "")?;
        }
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.connection.execute(
            "INSERT OR REPLACE INTO rename_packages (package, revision, read_at, files, names)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![package.name, revision, self.now, count(package.files), count(package.names)],
        )?;
        self.connection.execute(
            "DELETE FROM rename_packages WHERE package = ?1 AND revision NOT IN (SELECT revision
             FROM rename_packages WHERE package = ?1 ORDER BY read_at DESC, revision LIMIT ?2)",
            params![package.name, MOST_REVISIONS],
        )?;
        self.connection.execute(
            "DELETE FROM renames WHERE package = ?1 AND revision NOT IN (SELECT revision
             FROM rename_packages WHERE package = ?1)",
            [&package.name],
        )?;
        Ok(())
    }
}
