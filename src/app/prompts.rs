//! Prompts of the person's own: files in `prompts/` beside the person's configuration, used instead of the
//! ones that are built in. A project can bring none: it could otherwise say what a model is asked.

use std::path::{Path, PathBuf};

use super::App;
use crate::files;
use crate::learn::prompt::{FORMS, Form, Template};

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
fn text(app: &App, name: &str) -> Result<Option<String>, String> {
    let path = file(app, name);
    match files::text(&path, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(&path, &format!("cannot be read: {error}"))),
    }
}

/// What a model is asked for an answer of this form with: the person's own prompt, else the one that is
/// built in.
///
/// # Errors
/// One sentence, when the person's own prompt cannot be used. The built-in one is not put in its place:
/// who replaced it does not want it.
pub fn template(app: &App, form: &Form) -> Result<Template, String> {
    match text(app, form.prompt)? {
        None => Ok(Template::built_in(form)),
        Some(text) => {
            Template::own(form, &text).map_err(|reason| unusable(&file(app, form.prompt), &reason))
        }
    }
}

/// The person's own prompts, each with what is wrong with it.
pub fn overrides(app: &App) -> Vec<Override> {
    let own = FORMS.into_iter().filter(|form| file(app, form.prompt).exists());
    own.map(|form| Override {
        name: form.prompt,
        path: file(app, form.prompt),
        problem: template(app, form).err(),
    })
    .collect()
}

fn unusable(path: &Path, reason: &str) -> String {
    format!(
        "the prompt `{}` {reason}: mend it, or remove it to use the built-in one",
        path.display()
    )
}
