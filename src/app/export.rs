//! `mk export`: everything that is known, a record a line.

use super::App;
use crate::store::Exported;

/// Gives every record to `take`, in the order of their uids: equal knowledge gives equal lines.
///
/// # Errors
/// When the database cannot be read, or `take` fails.
pub fn run(
    app: &mut App,
    take: &mut dyn FnMut(&Exported) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let store = app.store()?;
    let mut count = 0;
    for id in store.ids_by_uid()? {
        let Some(record) = store.exported(id)? else { continue };
        take(&record)?;
        count += 1;
    }
    Ok(count)
}
