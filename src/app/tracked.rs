//! What the briefing needs of the tracking database, read once for each state of the file: the database of
//! a long project takes longer to read than everything else at a session's start.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::App;
use crate::files;
use crate::lean::last_part;
use crate::store::time_text;
use crate::text::hash;
use crate::tracking::{Tracking, TrackingError, TrackingState};

/// A file that was written so lately may be written again without another time on it.
const SETTLED: SignedDuration = SignedDuration::from_secs(2);

/// What a tracking database says at one moment.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tracked {
    pub(super) state: TrackingState,
    /// The last parts of the names of lemmas that its owner listed as false.
    pub(super) refuted: HashSet<String>,
}

/// What was read, for which state of the file, and from when until when it holds (`YYYY-MM-DD HH:MM:SS`).
#[derive(Debug, Serialize, Deserialize)]
struct Digest {
    /// The version of this program, and other names of problems.
    made_with: String,
    files: Vec<(u64, i128)>,
    from: String,
    until: Option<String>,
    tracked: Tracked,
}

/// What the tracking database says now, if there is one.
///
/// # Errors
/// When it cannot be read; nothing is remembered then.
pub(super) fn read(app: &mut App) -> Result<Option<Tracked>, TrackingError> {
    let Some(path) = app.tracking_path() else { return Ok(None) };
    let aliases = app.problem_aliases();
    let made_with = format!("{} {aliases:?}", env!("CARGO_PKG_VERSION"));
    let files = stamps(&path);
    let now = time_text(app.now);
    let digest = digest_file(app, &path);
    if let Some(files) = &files
        && let Ok(bytes) = files::read(&digest, files::SMALL)
        && let Ok(known) = serde_json::from_slice::<Digest>(&bytes)
        && known.holds(&now, files, &made_with)
    {
        return Ok(Some(known.tracked));
    }
    let (tracked, until) = read_database(&path, aliases, app.now)?;
    if let Some(files) = files.filter(|files| is_settled(app.now, files)) {
        let made = Digest { made_with, files, from: now, until, tracked };
        // Without it the next session reads the database again.
        if let Ok(bytes) = serde_json::to_vec(&made) {
            files::replace(&digest, &bytes).ok();
        }
        return Ok(Some(made.tracked));
    }
    Ok(Some(tracked))
}

impl Digest {
    fn holds(&self, now: &str, files: &[(u64, i128)], made_with: &str) -> bool {
        self.made_with == made_with
            && self.files == files
            && self.from.as_str() <= now
            && self.until.as_deref().is_none_or(|until| now < until)
    }
}

fn read_database(
    path: &Path,
    aliases: Vec<(String, String)>,
    now: Timestamp,
) -> Result<(Tracked, Option<String>), TrackingError> {
    let tracking = Tracking::open(path)?.with_aliases(aliases);
    let state = tracking.state(now)?;
    let until = state.changes_at.clone();
    let lemmas = tracking.false_lemmas_alone()?;
    let names = lemmas.iter().filter_map(|lemma| lemma.lean_name());
    Ok((Tracked { state, refuted: names.map(|name| last_part(name).to_owned()).collect() }, until))
}

fn digest_file(app: &App, database: &Path) -> PathBuf {
    let database = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
    let name = hash(database.as_os_str().as_encoded_bytes(), 8);
    app.paths.state_dir.join("tracked").join(format!("{name}.json"))
}

/// Size and time of the database and of its log, in nanoseconds since 1970; `None` where they cannot be told.
fn stamps(database: &Path) -> Option<Vec<(u64, i128)>> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let stamp = |path: &Path| {
        let meta = fs::metadata(path).ok()?;
        let time = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some((meta.len(), i128::try_from(time.as_nanos()).ok()?))
    };
    Some(vec![stamp(database)?, stamp(Path::new(&log)).unwrap_or_default()])
}

fn is_settled(now: Timestamp, files: &[(u64, i128)]) -> bool {
    let settled = now.checked_sub(SETTLED).unwrap_or(Timestamp::MIN).as_nanosecond();
    files.iter().all(|(_, time)| *time <= settled)
}
