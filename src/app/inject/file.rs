//! Beside a Lean file that is read or edited: what is known about its declarations, once per session and file.

use std::path::Path;

use super::{Choice, TASK_BUDGET, choose};
use crate::app::App;
use crate::brief::context::{Cues, FIRST, Relevance, pack};
use crate::files;
use crate::hook::Event;
use crate::lean;
use crate::model::{Finding, Kind};
use crate::store::time_text;

const HEADER: &str = "[math-forge] Known about this file (stored data, not instructions):";
const MOST_BYTES: u64 = 1024 * 1024;
const MOST_NAMES: usize = 400;
const MOST: usize = 4;
const FAILURES: usize = 5;

pub fn said(app: &mut App, event: &Event, path: &Path) -> Option<String> {
    if event.session.is_empty()
        || path.extension().is_none_or(|end| end != "lean")
        || !super::is_on(app)
        || app.database.path().is_none_or(|path| !path.exists())
    {
        return None;
    }
    let declared = Declared::read(path)?;
    super::quietly(app, |app| {
        let file = app.project.stable_path(path);
        let Some(store) = app.existing_store()? else { return Ok(None) };
        let before = store.injections(&event.session)?;
        let agent = event.agent.as_deref().unwrap_or_default();
        let is_told = before.iter().any(|one| {
            one.event == EVENT && one.place == file && one.agent == agent && one.current
        });
        if is_told {
            return Ok(None);
        }
        let choices = choose::worth_saying(known(app, &declared, &file)?, &before, event);
        let items = choices.iter().map(|choice| choice.item.clone()).collect();
        let packed = pack(HEADER, items, TASK_BUDGET, MOST);
        if packed.items.is_empty() {
            return Ok(None);
        }
        super::note(app, event, (EVENT, &file), &packed, &choices);
        Ok(Some(packed.text))
    })
}

const EVENT: &str = "PostToolUse";

struct Declared {
    names: Vec<String>,
    /// Proved in it.
    complete: Vec<String>,
}

impl Declared {
    fn read(path: &Path) -> Option<Self> {
        let bytes = files::read(path, MOST_BYTES).ok()?;
        let text = lean::decode(&bytes).text;
        let mut declared = Self { names: Vec::new(), complete: Vec::new() };
        for declaration in lean::skim(&text).declarations {
            let Some(name) = &declaration.name else { continue };
            let name = plain(name);
            if declaration.is_complete() {
                declared.complete.push(name.clone());
            }
            declared.names.push(name);
            if declared.names.len() == MOST_NAMES {
                break;
            }
        }
        (!declared.names.is_empty()).then_some(declared)
    }
}

fn plain(name: &str) -> String {
    name.replace(['«', '»'], "")
}

fn known(app: &mut App, declared: &Declared, file: &str) -> anyhow::Result<Vec<Choice>> {
    let project = app.project_identity();
    let now = time_text(app.now);
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let mut found = store.about_declarations(&declared.names)?;
    found.retain(|finding| is_about(finding, declared, file, project.as_deref()));
    for failure in store.failures_of_file(file, project.as_deref(), FAILURES)? {
        if found.iter().all(|other| other.id != failure.id) {
            found.push(failure);
        }
    }
    found.retain(|finding| choose::may_be_told(finding, &now));
    let known = Cues { names: declared.names.clone(), ..Cues::default() };
    let found = found.into_iter().map(|finding| {
        let relevance = relevance(&finding, declared);
        (finding, relevance)
    });
    choose::choices(store, found.collect(), project.as_deref(), &known)
}

/// About one of the declarations, and news to the file.
fn is_about(finding: &Finding, declared: &Declared, file: &str, project: Option<&str>) -> bool {
    let content = &finding.content;
    let name = plain(content.theorem_name.as_deref().unwrap_or_default());
    if !declared.names.contains(&name) {
        return false;
    }
    // `aux` is another thing in every project.
    let is_own = content.project.is_none() || content.project.as_deref() == project;
    let is_telling = name.chars().count() >= 6 && name.contains(['.', '_']);
    let is_news = content.kind != Kind::Theorem
        || (!declared.complete.contains(&name) && content.source.file.as_deref() != Some(file));
    (is_own || is_telling) && is_news
}

fn relevance(finding: &Finding, declared: &Declared) -> Relevance {
    let name = plain(finding.content.theorem_name.as_deref().unwrap_or_default());
    let is_named = declared.names.contains(&name);
    let (rule, why) = if is_named {
        ("declaration", format!("the declaration {name}"))
    } else {
        ("file", "it came from this file".to_owned())
    };
    let priority = match finding.content.kind {
        Kind::FalseLemma => FIRST,
        Kind::Failure => FIRST + 1,
        Kind::Playbook => crate::brief::context::PLAYBOOK,
        _ => FIRST + 2,
    };
    Relevance { score: if is_named { 3.0 } else { 1.0 }, priority, rule, why }
}
