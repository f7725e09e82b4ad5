//! Prompts of the person's own: files in `prompts/` beside the person's configuration, used instead of the
//! ones that are built in. A project can bring none: it could otherwise say what a model is asked.

use std::path::{Path, PathBuf};

use super::App;
use crate::files;
use crate::learn::facts::Template;
use crate::learn::playbooks;

/// Names of the prompts that can be replaced; the file has `.md` behind it.
pub const NAMES: [&str; 3] = ["facts", "lesson", "playbooks"];

/// A longer file is no prompt: it would be sent before every text.
const LONGEST: u64 = 64 * 1024;

/// A prompt of the person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    pub name: &'static str,
    pub path: PathBuf,
    pub problem: Option<String>,
}

/// The folder of the person's prompts.
pub fn folder(app: &App) -> PathBuf {
    app.paths.config_file.with_file_name("prompts")
}

/// The file of a prompt, whether there is one or not.
fn file(app: &App, name: &str) -> PathBuf {
    folder(app).join(format!("{name}.md"))
}

/// The text of the person's own prompt; `None` where there is none, and the built-in one counts.
///
/// # Errors
/// One sentence, when the file is there and cannot be used.
pub fn text(app: &App, name: &str) -> Result<Option<String>, String> {
    let path = file(app, name);
    match files::text(&path, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(&path, &format!("cannot be read: {error}"))),
    }
}

/// What a model is asked for facts with.
///
/// # Errors
/// One sentence, when the person's own prompt cannot be used. The built-in one is not put in its place:
/// who replaced it does not want it.
pub fn facts(app: &App) -> Result<Template, String> {
    match text(app, "facts")? {
        None => Ok(Template::default()),
        Some(text) => {
            Template::check(&text).map_err(|reason| unusable(&file(app, "facts"), &reason))
        }
    }
}

/// What a model is asked for playbook entries with.
///
/// # Errors
/// As for [`facts`].
pub fn playbooks(app: &App) -> Result<playbooks::Template, String> {
    match text(app, "playbooks")? {
        None => Ok(playbooks::Template::default()),
        Some(text) => playbooks::Template::check(&text)
            .map_err(|reason| unusable(&file(app, "playbooks"), &reason)),
    }
}

/// The person's own prompt for wording a lesson; `None` for the built-in one.
///
/// # Errors
/// As for [`facts`].
pub fn lesson(app: &App) -> Result<Option<String>, String> {
    let Some(text) = text(app, "lesson")? else { return Ok(None) };
    Template::check_places(&text).map_err(|reason| unusable(&file(app, "lesson"), &reason))?;
    Ok(Some(text))
}

/// The person's own prompts, each with what is wrong with it.
pub fn overrides(app: &App) -> Vec<Override> {
    let is_there = |name: &&str| file(app, name).exists();
    let problem = |name: &str| match name {
        "facts" => facts(app).err(),
        "lesson" => lesson(app).err(),
        _ => playbooks(app).err(),
    };
    let found = NAMES.into_iter().filter(is_there);
    found.map(|name| Override { name, path: file(app, name), problem: problem(name) }).collect()
}

fn unusable(path: &Path, reason: &str) -> String {
    format!(
        "the prompt `{}` {reason}: mend it, or remove it to use the built-in one",
        path.display()
    )
}
