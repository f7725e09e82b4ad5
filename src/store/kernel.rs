//! What Lean said about the declarations of files, and whether that still holds.

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::{Result, Store, Writer, rows};
use crate::model::{
    Draft, KernelCounts, KernelDetail, KernelVerdict, Kind, REPLAY_REFUSES, is_usual_axiom,
};

/// What is stale of a file that is no longer there, for example on another branch.
pub const FILE_GONE: &str = "its file is gone";

/// The kind of a check that is about the negation of a refuted statement, `¬ NAME`.
pub const NEGATION: &str = "negation";

/// A file of the project as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Its stable path.
    pub file: String,
    pub hash: String,
    pub size: u64,
    pub mtime_ns: i64,
}

/// A file that Lean was asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFile {
    #[serde(flatten)]
    pub seen: SeenFile,
    pub module: String,
    /// Files of the project that it imports, also by others.
    pub imports: Vec<SeenFile>,
    pub toolchain: String,
    pub manifest: String,
    pub replayed: bool,
    pub checked_at: String,
    pub problem: Option<String>,
    pub stale: Option<String>,
}

/// What Lean said about one declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCheck {
    pub name: String,
    pub kind: String,
    pub line: u64,
    /// Of its statement as text; stored, and not told.
    #[serde(skip_serializing)]
    pub key: Option<String>,
    /// The same of its statement with everything printed.
    #[serde(skip_serializing)]
    pub elaborated: String,
    pub verdict: KernelVerdict,
    pub statement: String,
    pub axioms: Vec<String>,
    /// Its own text shows no gap.
    pub complete: bool,
    /// The toolchain that accepted it before, where Lean does no longer, or now reads the same text as another statement.
    #[serde(skip_serializing, default)]
    pub held: Option<String>,
}

impl Store {
    pub(super) fn kernel_counts(&self, project: Option<&str>) -> Result<KernelCounts> {
        let project = project.unwrap_or_default();
        let sql = format!(
            "SELECT c.name, c.held IS NOT NULL AND c.verdict <> 'accepted' AS lost, c.held IS NOT NULL AS held,
         f.stale IS NOT NULL AS stale
         FROM kernel_files f JOIN kernel_checks c ON c.project = f.project AND c.file = f.file
         WHERE f.project = ?1 AND f.stale IS NOT '{FILE_GONE}' AND c.kind IN ('theorem', 'lemma')
         AND (c.verdict = 'accepted' OR c.held IS NOT NULL) ORDER BY c.name"
        );
        let all: Vec<(String, bool, bool, bool)> = self.all(&sql, params![project])?;
        let hidden = "SELECT c.name FROM kernel_files f
         JOIN kernel_checks c ON c.project = f.project AND c.file = f.file
         WHERE f.project = ?1 AND f.stale IS NULL AND c.kind = 'theorem' AND c.verdict = 'open' AND c.complete
         ORDER BY c.name";
        let refused = format!(
        "SELECT file FROM kernel_files WHERE project = ?1 AND stale IS NULL AND problem LIKE '{REPLAY_REFUSES}%'
         ORDER BY file"
    );
        let held = || all.iter().filter(|(_, _, held, stale)| *held && !stale);
        let lost = held().filter(|(_, lost, ..)| *lost);
        let changed = held().filter(|(_, lost, ..)| !lost);
        Ok(KernelCounts {
            accepted: all.len() as u64,
            stale: all.iter().filter(|(.., stale)| *stale).count() as u64,
            lost: lost.map(|(name, ..)| name.clone()).collect(),
            changed: changed.map(|(name, ..)| name.clone()).collect(),
            hidden: self.all(hidden, params![project])?,
            refused: self.all(&refused, params![project])?,
        })
    }

    /// Of the theorems that the counts call accepted, on how many days Lean accepted how many first.
    pub fn kernel_accepted(&self, project: Option<&str>) -> Result<Vec<(String, u64)>> {
        let sql = format!(
            "SELECT substr(coalesce(a.at, f.checked_at), 1, 10) AS day, count(*)
             FROM kernel_files f JOIN kernel_checks c ON c.project = f.project AND c.file = f.file
             LEFT JOIN kernel_accepted a ON a.project = c.project AND a.file = c.file AND a.name = c.name
             WHERE f.project = ?1 AND f.stale IS NOT '{FILE_GONE}' AND c.kind IN ('theorem', 'lemma')
             AND (c.verdict = 'accepted' OR c.held IS NOT NULL) GROUP BY day ORDER BY day"
        );
        self.all(&sql, params![project.unwrap_or_default()])
    }

    pub fn kernel_files(&self, project: Option<&str>) -> Result<Vec<KernelFile>> {
        self.all(
            "SELECT * FROM kernel_files WHERE project = ?1 ORDER BY file",
            params![project.unwrap_or_default()],
        )
    }

    pub fn kernel_file(&self, project: Option<&str>, file: &str) -> Result<Option<KernelFile>> {
        self.first(
            "SELECT * FROM kernel_files WHERE project = ?1 AND file = ?2",
            params![project.unwrap_or_default(), file],
        )
    }

    /// Files to ask Lean about: where something changed since, and the prover's answers that it was never asked about, the
    /// newest first.
    pub fn kernel_due(&self, project: Option<&str>, most: usize) -> Result<Vec<String>> {
        self.all(
            "SELECT file FROM (
                 SELECT file, checked_at AS at FROM kernel_files WHERE project = ?1 AND stale IS NOT NULL
                 UNION ALL SELECT file, max(happened) FROM finding_sources s
                 WHERE project = ?1 AND evidence = 'prover' AND file <> 'tracking.db' AND NOT EXISTS
                 (SELECT 1 FROM kernel_files k WHERE k.project = s.project AND k.file = s.file)
                 GROUP BY file)
             ORDER BY at DESC, file LIMIT ?2",
            params![project.unwrap_or_default(), rows::most(most)],
        )
    }

    pub fn kernel_checks(&self, project: Option<&str>, file: &str) -> Result<Vec<KernelCheck>> {
        self.all(
            "SELECT * FROM kernel_checks WHERE project = ?1 AND file = ?2 ORDER BY line, name",
            params![project.unwrap_or_default(), file],
        )
    }
}

impl Writer<'_> {
    /// Takes the place of what Lean said about the file before.
    pub fn put_kernel(
        &self,
        project: Option<&str>,
        of: &KernelFile,
        checks: &[KernelCheck],
    ) -> Result<()> {
        let project = project.unwrap_or_default();
        let before: Option<(String, String)> = self.first(
            "SELECT toolchain, manifest FROM kernel_files WHERE project = ?1 AND file = ?2",
            params![project, of.seen.file],
        )?;
        let (toolchain, manifest) = before.unwrap_or_default();
        // Another Lean, or another version of a package, may write the same statement in other terms.
        let is_comparable = (&toolchain, &manifest) == (&of.toolchain, &of.manifest);
        self.execute(
            "INSERT OR IGNORE INTO kernel_accepted SELECT c.project, c.file, c.name, f.checked_at
             FROM kernel_checks c JOIN kernel_files f ON f.project = c.project AND f.file = c.file
             WHERE c.project = ?1 AND c.file = ?2 AND c.verdict = 'accepted'",
            params![project, of.seen.file],
        )?;
        let more: [(&str, &dyn ToSql); 2] = [("project", &project), ("stale", &None::<String>)];
        self.put_row("INSERT OR REPLACE INTO kernel_files", of, &more, "")?;
        let held: Vec<(String, String, Option<String>, String)> = self.all(
            "SELECT name, coalesce(held, ?3), key, elaborated FROM kernel_checks WHERE project = ?1 AND file = ?2
             AND (held IS NOT NULL OR verdict = 'accepted')",
            params![project, of.seen.file, toolchain],
        )?;
        self.execute(
            "DELETE FROM kernel_checks WHERE project = ?1 AND file = ?2",
            params![project, of.seen.file],
        )?;
        for check in checks {
            let held = held.iter().find(|(name, ..)| *name == check.name);
            let held = held.filter(|(_, _, key, elaborated)| {
                check.verdict != KernelVerdict::Accepted
                    || (is_comparable
                        && key.is_some()
                        && *key == check.key
                        && *elaborated != check.elaborated)
            });
            let held = held.map(|(_, toolchain, ..)| toolchain);
            let more: [(&str, &dyn ToSql); 5] = [
                ("project", &project),
                ("file", &of.seen.file),
                ("key", &check.key),
                ("elaborated", &check.elaborated),
                ("held", &held),
            ];
            self.put_row("INSERT OR REPLACE INTO kernel_checks", check, &more, "")?;
        }
        self.execute(
            "DELETE FROM kernel_accepted WHERE project = ?1 AND file = ?2 AND name NOT IN
             (SELECT name FROM kernel_checks WHERE project = ?1 AND file = ?2
              AND (verdict = 'accepted' OR held IS NOT NULL))",
            params![project, of.seen.file],
        )?;
        self.remake(project, &[&of.seen.file])
    }

    /// What changed since Lean was asked about these files; nothing where it holds again.
    pub fn set_stale(&self, project: Option<&str>, files: &[(&str, Option<&str>)]) -> Result<()> {
        let project = project.unwrap_or_default();
        for (file, stale) in files {
            self.execute(
                "UPDATE kernel_files SET stale = ?3 WHERE project = ?1 AND file = ?2",
                params![project, file, stale],
            )?;
        }
        let files: Vec<&str> = files.iter().map(|(file, _)| *file).collect();
        self.remake(project, &files)
    }

    /// What Lean said about the declaration that this source states.
    pub(super) fn kernel_word(&self, file: &str, draft: &Draft) -> Result<Option<KernelDetail>> {
        let name = match (&draft.theorem_name, draft.kind) {
            (Some(name), Kind::Theorem) => name.clone(),
            (Some(name), Kind::FalseLemma) => format!("¬ {name}"),
            _ => return Ok(None),
        };
        let project = draft.project.as_deref().unwrap_or_default();
        // A statement with another key was read again since.
        let sql = "SELECT c.verdict, c.file, c.axioms, f.replayed, f.toolchain, f.checked_at AS at, c.statement,
             f.problem, coalesce(f.stale, CASE WHEN c.key <> ?4 THEN 'its statement changed' END) AS stale
             FROM kernel_checks c JOIN kernel_files f ON f.project = c.project AND f.file = c.file
             WHERE c.project = ?1 AND c.file = ?2 AND c.name = ?3";
        let mut word: Option<KernelDetail> =
            self.first(sql, params![project, file, name, draft.key])?;
        if let Some(word) = &mut word {
            word.axioms.retain(|name| !is_usual_axiom(name));
        }
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(file: &str) -> SeenFile {
        SeenFile { file: file.to_owned(), ..SeenFile::default() }
    }

    #[test]
    fn the_day_on_which_lean_accepted_first_is_kept() {
        use KernelVerdict::{Accepted, Open};
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&dir.path().join("k.db")).unwrap();
        for (day, file, verdicts, expected) in [
            ("2026-01-05", "A", [Accepted, Open], "2026-01-05 1"),
            ("2026-02-06", "A", [Accepted, Accepted], "2026-01-05 1, 2026-02-06 1"),
            ("2026-03-07", "B", [Open, Accepted], "2026-01-05 1, 2026-02-06 1, 2026-03-07 1"),
            // Lost, but it held: the counts tell both.
            ("2026-04-08", "A", [Open, Accepted], "2026-01-05 1, 2026-02-06 1, 2026-03-07 1"),
            ("2026-05-09", "A", [Accepted, Accepted], "2026-01-05 1, 2026-02-06 1, 2026-03-07 1"),
        ] {
            let at = format!("{day} 10:00:00");
            let of = KernelFile { seen: seen(file), checked_at: at, ..KernelFile::default() };
            let check = |(name, verdict): (&str, KernelVerdict)| KernelCheck {
                name: name.to_owned(),
                kind: "theorem".to_owned(),
                verdict,
                ..KernelCheck::default()
            };
            let checks: Vec<KernelCheck> =
                ["one", "two"].into_iter().zip(verdicts).map(check).collect();
            let now = "2026-06-01T00:00:00Z".parse().unwrap();
            store.write(now, |writer| writer.put_kernel(None, &of, &checks)).unwrap();
            let found = store.kernel_accepted(None).unwrap();
            let found: Vec<String> =
                found.into_iter().map(|(day, count)| format!("{day} {count}")).collect();
            assert_eq!(found.join(", "), expected, "{day}");
        }
        let gone = KernelFile { seen: seen("A"), ..KernelFile::default() };
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        store.write(now, |writer| writer.put_kernel(None, &gone, &[])).unwrap();
        let left: u64 = store.value("SELECT count(*) FROM kernel_accepted", &[]).unwrap();
        assert_eq!(left, 0, "of declarations that are gone nothing is kept");
    }
}
