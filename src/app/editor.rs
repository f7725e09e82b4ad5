//! The person's own editor.

use std::io::Write as _;

use anyhow::Context as _;

use super::{App, background};
use crate::files;

/// Lets the person edit a text in `VISUAL`, `EDITOR` or vi; the text as it is saved.
pub fn edit(app: &App, text: &str) -> anyhow::Result<String> {
    let environment = &app.environment;
    // As git does.
    let editor = environment.text("VISUAL").or_else(|| environment.text("EDITOR")).unwrap_or("vi");
    let mut file = tempfile::Builder::new()
        .prefix("mk-")
        .suffix(".txt")
        .tempfile()
        .context("could not make a file to edit")?;
    file.write_all(text.as_bytes()).context("could not make a file to edit")?;
    // Closed, because some editors replace the file.
    let path = file.into_temp_path();
    let ended_well = background::foreground(editor, &path)
        .with_context(|| format!("could not start the editor `{editor}`"))?;
    anyhow::ensure!(ended_well, "the editor `{editor}` ended with an error");
    files::text(&path, files::SMALL).context("could not read what was edited")
}
