//! What is no loss of this session's: what git took away, what the person let pass, what was said
//! before.

use std::collections::HashSet;
use std::path::Path;

use super::lost::{Found, Look, Read, Reported, is_known};
use super::policy::{self, Decisions};
use super::session::{Kept, key, text_of};
use super::{moves, told};
use crate::app::App;
use crate::app::git::Repository;
use crate::guard::{Finding, Level, Policy};
use crate::model::GuardEntry;
use crate::store::LogFilter;

/// Files for which lifts of their own are looked up; for more only those of declarations count.
const MOST_LOOKED_UP: usize = 50;

/// A file under the name that the log has for it.
type Named = (String, Read);

impl Look<'_> {
    /// Drops what git itself took away after the text that the file is compared with: a script may
    /// have pulled or checked out.
    pub(super) fn drop_moved(
        &self,
        git: Option<&Repository>,
        policy: &Policy,
        lost: &mut Vec<Named>,
    ) {
        let (Some(git), Some(start)) = (git, self.start) else { return };
        let mut revisions: Vec<(i64, String)> = moves::since(&start.root, start.head_log)
            .into_iter()
            .map(|one| (one.at, one.revision))
            .collect();
        // Back to what was committed at the start, the uncommitted work gone.
        revisions.extend(start.revision.clone().map(|revision| (i64::MAX, revision)));
        for (at, revision) in revisions {
            let paths: Vec<&Path> =
                lost.iter().map(|(_, read)| read.candidate.path.as_path()).collect();
            let Ok(texts) = git.show_all(&revision, &paths) else { continue };
            for ((_, read), bytes) in lost.iter_mut().zip(texts) {
                let text = bytes.and_then(|bytes| text_of(&bytes));
                read.drop_moved(at, text.as_deref(), policy);
            }
            let (moved, rest): (Vec<Named>, Vec<Named>) =
                std::mem::take(lost).into_iter().partition(|(_, read)| read.losses.is_empty());
            *lost = rest;
            for (_, read) in moved {
                self.session.keep(Kept::Moved, &read.candidate.path, &read.bytes);
                self.session.forget(Kept::Last, &read.candidate.path);
            }
        }
    }

    /// Finds what no lift lets pass and what was not said before. What a lift lets pass is in the
    /// log, and uses up a lift that holds once.
    pub(super) fn excuse(
        &self,
        app: &mut App,
        lost: Vec<Named>,
        reported: &Reported,
        found: &mut Found,
    ) {
        let (mut passed, mut spent) = (Vec::new(), Vec::new());
        let decided = self.decided(app);
        let root = app.project.root.clone();
        let everywhere = self.decisions(app, &root, found);
        for (index, (name, read)) in lost.into_iter().enumerate() {
            let path = read.candidate.path.clone();
            let own = (index < MOST_LOOKED_UP).then(|| self.decisions(app, &path, found));
            let decisions = own.as_ref().unwrap_or(&everywhere);
            let mut losses = read.losses.clone();
            losses.retain(|(finding, is_last)| {
                if let Some(lift) = decisions.covering(finding) {
                    let level = Level::Off.as_str().to_owned();
                    let row = told::entry(finding, &name);
                    passed.push(GuardEntry { level, lift: Some(lift.id), ..row });
                    spent.extend(lift.once.then_some(lift.id));
                    return false;
                }
                // Lost again, after it was there again, it is another loss.
                let said = !is_last && decided.contains(&row_key(finding, &name));
                !said && !is_known(reported, &path, finding)
            });
            match read.into_lost(name, losses) {
                Ok(lost) => found.lost.push(lost),
                // All of it was let pass: this is the file's state from now on.
                Err(read) if !reported.contains_key(&key(&path)) => drop(self.keep(&read)),
                Err(_) => {}
            }
        }
        told::log_and_spend(app, self.event, &passed, &spent);
    }

    fn decisions(&self, app: &mut App, path: &Path, found: &mut Found) -> Decisions {
        policy::decisions(app, path, &self.event.tool_use).unwrap_or_else(|error| {
            found.trouble = Some(policy::unread(app, &error));
            Decisions::default()
        })
    }

    /// What a lift let pass earlier in this session, or the answer to an edit told.
    fn decided(&self, app: &mut App) -> HashSet<RowKey> {
        let filter =
            LogFilter { session: Some(self.event.session.clone()), ..LogFilter::default() };
        let Ok(Some(store)) = app.existing_store() else { return HashSet::new() };
        let mut rows = store.guard_log(&filter).unwrap_or_default();
        rows.retain(|row| {
            let passed = row.level == Level::Off.as_str();
            let told = row.event == "PostToolUse" && row.tool.as_deref() != Some("Bash");
            passed || told
        });
        let key = |row: GuardEntry| (row.rule, row.declaration, row.file.unwrap_or_default());
        rows.into_iter().map(key).collect()
    }
}

/// Rule, declaration and file of a row of the log.
type RowKey = (String, String, String);

fn row_key(finding: &Finding, file: &str) -> RowKey {
    let name = finding.declaration.clone().unwrap_or_default();
    (finding.rule.code().to_owned(), name, file.to_owned())
}
