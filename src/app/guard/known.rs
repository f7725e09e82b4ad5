//! What the guard knows where it found something: what a person lifted or locked, and what this session
//! was told. Read in one go, and only then; what is said afterwards goes into the log.

use std::collections::BTreeSet;

use crate::app::{App, transcript_end};
use crate::files;
use crate::guard::{Finding, Level, Rule};
use crate::hook::Event;
use crate::lean;
use crate::learn::transcript::{Body, Speaker};
use crate::model::{GuardEntry, LiftRecord};
use crate::store::{StoreError, time_text};
use crate::text::{clean, hash, one_line, scrub, without_private};

/// How much is told of what was tried already.
const MOST_TRIED: usize = 3;

/// What the log says of a change that the person was asked about, and that was made then.
pub const AGREED: &str = "the person agreed to it";

/// Whether edits are guarded at all.
pub fn is_on(app: &App) -> bool {
    app.config.guard_enabled
}

/// What is known; nothing where there is no database.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Full names of declarations whose statements must stay.
    pub locked: BTreeSet<String>,
    /// The words of their statements, as they were locked.
    pub locked_words: BTreeSet<String>,
    lifts: Vec<LiftRecord>,
    /// What was said in this session, or, where the client sent no id of one, about this use of a tool.
    said: Vec<GuardEntry>,
    /// Why it is not known, in a sentence.
    pub trouble: Option<String>,
}

impl Known {
    pub fn load(app: &mut App, event: &Event) -> Self {
        let (place, identity) = (app.place(), app.project_identity());
        let now = time_text(app.now);
        let known = match app.existing_store() {
            Ok(Some(store)) => (|| {
                let named = place.as_deref().zip(identity.as_deref());
                let locks = named.map(|(place, name)| store.locks(place, name)).transpose()?;
                let locks = locks.unwrap_or_default();
                let statements = locks.iter().filter_map(|lock| lock.statement.as_deref());
                let words = statements.flat_map(|text| lean::words(text).map(str::to_owned));
                Ok(Self {
                    locked_words: words.collect(),
                    locked: locks.into_iter().map(|lock| lock.declaration).collect(),
                    lifts: store.lifts_for_edit(place.as_deref(), &now, &event.tool_use)?,
                    said: store.guard_said(&event.session, &event.tool_use)?,
                    trouble: None,
                })
            })(),
            Ok(None) => Ok(Self::default()),
            Err(error) => Err(error),
        };
        known.unwrap_or_else(|error| Self { trouble: Some(unread(app, &error)), ..Self::default() })
    }

    /// The lift that lets a finding in a file pass: one for the declaration before one for the file.
    pub fn lift(&self, finding: &Finding, file: &str) -> Option<&LiftRecord> {
        let covers = |lift: &&LiftRecord| {
            let name = &lift.declaration;
            Rule::from_code(&lift.rule) == Some(finding.rule)
                && lift.file.as_deref().map_or(name.is_some(), |own| own == file)
                && (name.is_none() || *name == finding.declaration || *name == finding.new_name)
        };
        self.lifts.iter().filter(covers).min_by_key(|lift| lift.declaration.is_none())
    }

    /// What was said by the rule of a finding about its declaration; of one without a name, in the same
    /// file in the same words.
    fn said<'k>(&'k self, finding: &Finding, file: &str) -> Vec<&'k GuardEntry> {
        let name = finding.declaration.as_deref().unwrap_or_default();
        let detail = stored(&finding.detail);
        let is_said = |row: &&GuardEntry| {
            row.rule == finding.rule.code()
                && row.declaration == name
                && (!name.is_empty() || (row.file.as_deref() == Some(file) && row.detail == detail))
        };
        self.said.iter().filter(is_said).collect()
    }

    /// How often the same was refused in this session before this use of a tool.
    pub fn times(&self, event: &Event, finding: &Finding, file: &str) -> usize {
        let said = self.said(finding, file).into_iter();
        let refused = said.filter(|row| matches!(row.level.as_str(), "deny" | "ask"));
        let uses: BTreeSet<&str> = refused.map(|row| row.tool_use.as_str()).collect();
        uses.iter().filter(|tool_use| **tool_use != event.tool_use).count()
    }

    /// Whether a remark was not made in this session yet.
    pub fn is_news(&self, finding: &Finding, file: &str) -> bool {
        // A false lemma that was told may come again as a copy under another name, which nobody was told.
        let any_words = finding.rule != Rule::FalseLemma;
        !self.said(finding, file).iter().any(|row| {
            (any_words || row.detail == finding.detail)
                && row.level == finding.level.as_str()
                && row.event != "PreToolUse"
        })
    }

    /// Whether the person was asked about this use of a tool, which went on: so the answer was yes.
    pub fn was_agreed(&self, event: &Event, finding: &Finding, file: &str) -> bool {
        let asked = self.before(event, |row| row.level == "ask");
        self.said(finding, file).iter().any(|row| asked.contains(row))
    }

    /// Whether the person agreed to the same of this declaration of this file before: that holds for the session.
    pub fn agrees(&self, event: &Event, finding: &Finding, file: &str) -> bool {
        !event.session.is_empty()
            && finding.declaration.as_deref().is_some_and(|name| !name.is_empty())
            && self.said(finding, file).iter().any(|row| {
                row.file.as_deref() == Some(file)
                    && row.level == Level::Off.as_str()
                    && row.event == "PostToolUse"
                    && row.detail == AGREED
            })
    }

    /// Whether a lift let it pass earlier in this session, or the answer to an edit told it.
    pub fn is_settled(&self, finding: &Finding, file: &str) -> bool {
        self.said.iter().any(|row| {
            row.rule == finding.rule.code()
                && row.declaration == finding.declaration.as_deref().unwrap_or_default()
                && row.file.as_deref() == Some(file)
                && (row.level == Level::Off.as_str()
                    || (row.event == "PostToolUse" && row.tool.as_deref() != Some("Bash")))
        })
    }

    /// What was said about this use of a tool before it ran.
    pub fn before(
        &self,
        event: &Event,
        is_wanted: impl Fn(&GuardEntry) -> bool,
    ) -> Vec<&GuardEntry> {
        let about = |row: &&GuardEntry| {
            !event.tool_use.is_empty()
                && row.tool_use == event.tool_use
                && row.event == "PreToolUse"
                && is_wanted(row)
        };
        self.said.iter().filter(about).collect()
    }

    /// A name as the guard refused it in this session, where only its end was given.
    pub fn full_name(&self, rule: Rule, name: &str) -> String {
        let end = format!(".{name}");
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for row in self.said.iter().filter(|row| row.rule == rule.code()) {
            if row.declaration == name || row.declaration.ends_with(&end) {
                names.insert(&row.declaration);
            }
        }
        let only = names.first().filter(|_| names.len() == 1);
        (*only.unwrap_or(&name)).to_owned()
    }
}

/// Puts the cause into the log, and says what it means.
pub fn unread(app: &App, error: &StoreError) -> String {
    app.log.line(app.now, "guard", &format!("the database was not read: {error}"));
    format!(
        "The knowledge database could not be read, so lifted rules, locked statements and false \
         lemmas do not count now: {error}."
    )
}

/// The log's row for a finding in a file (as [`crate::project::Project::stable_path`] spells it).
pub fn entry(finding: &Finding, file: &str) -> GuardEntry {
    GuardEntry {
        file: Some(file.to_owned()),
        rule: finding.rule.code().to_owned(),
        level: finding.level.as_str().to_owned(),
        declaration: finding.declaration.clone().unwrap_or_default(),
        line: finding.line.map(|line| line as u64),
        detail: finding.detail.clone(),
        ..GuardEntry::default()
    }
}

/// The row for one that a lift let pass.
pub fn passed(finding: &Finding, file: &str, lift: i64) -> GuardEntry {
    let level = Level::Off.as_str().to_owned();
    GuardEntry { level, lift: Some(lift), ..entry(finding, file) }
}

/// Writes to the log, and uses up in the same transaction the lifts that let something pass. It never
/// fails: what goes wrong is a line in the log file.
pub fn log(app: &mut App, event: &Event, mut entries: Vec<GuardEntry>, lifts: &[i64]) {
    if (entries.is_empty() && lifts.is_empty()) || app.database.path().is_none() {
        return;
    }
    // The client sent no id: the time stands for it.
    let tool_use = Some(event.tool_use.clone()).filter(|id| !id.is_empty());
    let tool_use = tool_use.unwrap_or_else(|| format!("at {}", app.now));
    let project = app.is_in_project().then(|| app.project.identity.clone());
    for entry in &mut entries {
        entry.session.clone_from(&event.session);
        entry.tool_use.clone_from(&tool_use);
        entry.agent.clone_from(&event.agent);
        entry.event.clone_from(&event.name);
        entry.tool.clone_from(&event.tool);
        entry.project.clone_from(&project);
        entry.detail = stored(&entry.detail);
    }
    let now = app.now;
    let written = app.store().and_then(|store| {
        Ok(store.write(now, |writer| {
            writer.log_guard(&entries)?;
            lifts.iter().try_for_each(|lift| writer.spend(*lift, &tool_use).map(drop))
        })?)
    });
    if let Err(error) = written {
        app.log.line(now, "guard", &format!("its log was not written: {error:#}"));
    }
}

/// A detail, a command for example, as the log keeps it: without secrets.
pub fn stored(detail: &str) -> String {
    scrub(&without_private(detail)).into_owned()
}

/// What the knowledge base says was tried for a declaration, a line each.
pub fn tried(app: &mut App, finding: &Finding) -> Vec<String> {
    let Some(name) = finding.declaration.clone().filter(|_| finding.rule != Rule::FalseLemma)
    else {
        return Vec::new();
    };
    let found = match app.existing_store() {
        Ok(Some(store)) => store.failed(Some(&name), MOST_TRIED),
        _ => return Vec::new(),
    };
    let line = |finding: crate::model::Finding| {
        let why = finding.content.why_failed.as_deref().map(one_line).unwrap_or_default();
        let title = one_line(&finding.content.title);
        clean(&if why.is_empty() { title } else { format!("{title}: {why}") })
    };
    found.unwrap_or_default().into_iter().map(line).collect()
}

/// Whether the person's last prompt names a declaration.
pub fn prompt_names(event: &Event, name: &str) -> bool {
    let records = transcript_end::records(event);
    let prompt = records.iter().rev().find_map(|record| match &record.body {
        Body::Said(text) if record.speaker == Speaker::Person => Some(text),
        _ => None,
    });
    let name = lean::last_part(name);
    prompt.is_some_and(|text| lean::words(text).any(|word| lean::last_part(word) == name))
}

/// Whether something is said for the first time in a session. Without a database, for what is said
/// about the database; where it cannot be remembered, it is said again.
pub fn first_time(app: &App, session: &str, what: &str) -> bool {
    if session.is_empty() {
        return true;
    }
    let mark = app.paths.state_dir.join("said").join(hash(format!("{session}\n{what}"), 16));
    files::create(&mark, b"").unwrap_or(true)
}
