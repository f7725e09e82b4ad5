//! What the guard goes by beside the two texts: the configuration, what a person lifted or locked, what
//! this session was told, lemmas that are false. What it says goes into its log.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::app::{App, tracked, transcript_end};
use crate::config::Config;
use crate::files;
use crate::guard::{FalseLemma, Finding, Level, Policy, Rule};
use crate::hook::{Event, Occasion};
use crate::lean;
use crate::learn::transcript::{Body, Speaker};
use crate::model::{self, Confidence, Draft, GuardEntry, LiftRecord};
use crate::store::{StoreError, time_text};
use crate::text::{clean, clip_middle, hash, one_line, scrub, without_private};

const MOST_TRIED: usize = 3;

/// Rows of one answer that the log keeps.
const MOST_ROWS: usize = 50;

/// False lemmas of either database that are looked for; the newest count.
const MOST_FALSE: usize = 500;

/// A shorter statement of another project means too little without its definitions, in characters.
const LEAST_ELSEWHERE: usize = 12;

/// What the log says of a change that the person was asked about, and that was made then.
const AGREED: &str = "the person agreed to it";

/// What is said of a change of a statement to another change of which the person agreed.
const AGREED_TO_ANOTHER: &str = "; the person agreed to another statement of it";

/// Longer statements are told in part, and by a hash of the whole, in characters.
const LONGEST_AGREED: usize = 300;

pub(crate) fn is_on(app: &App) -> bool {
    app.config.guard_enabled
}

/// The policy for an event: in unattended work nobody is asked.
pub(super) fn policy(app: &App, event: &Event) -> Policy {
    let policy = configured(&app.config);
    let unattended = (!event.attended).then_some(Level::Deny);
    Policy { answer: policy.answer.or(unattended), ..policy }
}

fn configured(config: &Config) -> Policy {
    let answer = match config.guard_ask.as_str() {
        "deny" => Some(Level::Deny),
        "note" => Some(Level::Warn),
        _ => None,
    };
    let allowed = config.guard_allow_axioms.clone();
    Policy { levels: config.guard_levels.clone(), answer, allowed, ..Policy::default() }
}

/// The rules that refuse by themselves, and do not as things are configured.
pub(crate) fn lifted(app: &App) -> Vec<&'static str> {
    let policy = configured(&app.config);
    let denies = |rule: &Rule| rule.default_level() == Level::Deny;
    let lifted = Rule::guarded().filter(denies).filter(|rule| policy.level(*rule) < Level::Deny);
    lifted.map(Rule::code).collect()
}

#[derive(Default)]
pub(super) struct Known {
    locked: BTreeSet<String>,
    /// See [`crate::guard::Policy::locked_words`].
    locked_words: BTreeMap<String, String>,
    lifts: Vec<LiftRecord>,
    /// Rows of this session, or, where the client sent no id of one, about this use of a tool.
    said: Vec<GuardEntry>,
    /// Why it is not known, in a sentence.
    pub(super) trouble: Option<String>,
}

impl Known {
    pub(super) fn load(app: &mut App, event: &Event) -> Self {
        Self::read(app, event).unwrap_or_else(|error| {
            let trouble = Some(unread(app, &error));
            Self { trouble, ..Self::default() }
        })
    }

    fn read(app: &mut App, event: &Event) -> Result<Self, StoreError> {
        let (place, identity) = (app.place(), app.project_identity());
        let now = time_text(app.now);
        let Some(store) = app.existing_store()? else { return Ok(Self::default()) };
        let named = place.as_deref().zip(identity.as_deref());
        let locks = named.map(|(place, name)| store.locks(place, name)).transpose()?;
        let locks = locks.unwrap_or_default();
        let words = locks.iter().flat_map(|lock| {
            // A short word of a statement is a variable, or among what it rests on.
            let said = lean::words(lock.statement.as_deref().unwrap_or_default());
            let held =
                said.filter(|word| word.len() > 2).chain(lock.rests_on.iter().map(String::as_str));
            held.map(|word| (word.to_owned(), lock.declaration.clone()))
        });
        Ok(Self {
            locked_words: words.collect(),
            locked: locks.into_iter().map(|lock| lock.declaration).collect(),
            lifts: store.lifts_for_edit(place.as_deref(), &now, &event.tool_use)?,
            said: store.guard_said(&event.session, &event.tool_use)?,
            trouble: None,
        })
    }

    pub(super) fn lock(&mut self, policy: &mut Policy) {
        policy.locked = std::mem::take(&mut self.locked);
        policy.locked_words = std::mem::take(&mut self.locked_words);
    }

    /// Whether a person agreed to a finding in a file or lifted its rule; what the log has of it is
    /// added. After a yes to another statement nobody is asked again, but a remark is left.
    pub(super) fn excuse(
        &self,
        event: &Event,
        file: &str,
        finding: &mut Finding,
        passed: &mut Vec<GuardEntry>,
    ) -> bool {
        match self.agrees(event, finding, file) {
            Some(true) => return true,
            Some(false) if finding.level > Level::Warn => {
                finding.level = Level::Warn;
                finding.detail.push_str(AGREED_TO_ANOTHER);
            }
            _ => {}
        }
        let off = GuardEntry { level: Level::Off.as_str().to_owned(), ..entry(finding, file) };
        let lift = self.lift(finding, file).map(|lift| lift.id);
        let was_agreed = || finding.level > Level::Warn && self.was_agreed(event, finding, file);
        let agreed = (lift.is_none() && was_agreed()).then(|| agreed(finding));
        let is_excused = lift.is_some() || agreed.is_some();
        let detail = agreed.unwrap_or_else(|| off.detail.clone());
        passed.extend(is_excused.then_some(GuardEntry { detail, lift, ..off }));
        is_excused
    }

    /// The lift that lets a finding in a file pass: one for the declaration before one for the file.
    fn lift(&self, finding: &Finding, file: &str) -> Option<&LiftRecord> {
        let covers = |lift: &&LiftRecord| {
            let name = &lift.declaration;
            Rule::from_code(&lift.rule) == Some(finding.rule)
                && lift.file.as_deref().map_or(name.is_some(), |own| own == file)
                && (name.is_none() || *name == finding.declaration || *name == finding.new_name)
        };
        self.lifts.iter().filter(covers).min_by_key(|lift| lift.declaration.is_none())
    }

    /// What was said by the rule of a finding about its declaration; of one without a name, in the same
    /// file in the same words. Of what is the guard's own the file says enough.
    fn said<'k>(&'k self, finding: &Finding, file: &str) -> Vec<&'k GuardEntry> {
        let name = finding.declaration.as_deref().unwrap_or_default();
        let detail = stored(&finding.detail);
        let is_said = |row: &&GuardEntry| {
            row.rule == finding.rule.code()
                && row.declaration == name
                && (!name.is_empty()
                    || (row.file.as_deref() == Some(file)
                        && (finding.rule == Rule::PolicyChanged || row.detail == detail)))
        };
        self.said.iter().filter(is_said).collect()
    }

    /// How often the same was refused in this session before this use of a tool.
    pub(super) fn times(&self, event: &Event, finding: &Finding, file: &str) -> usize {
        let said = self.said(finding, file).into_iter();
        let refused = said.filter(|row| matches!(row.level.as_str(), "deny" | "ask"));
        let uses: BTreeSet<&str> = refused.map(|row| row.tool_use.as_str()).collect();
        uses.iter().filter(|tool_use| **tool_use != event.tool_use).count()
    }

    pub(super) fn is_news(&self, finding: &Finding, file: &str) -> bool {
        // A false lemma may come again as a copy under another name, which was not told; nor was another statement.
        let any_words =
            finding.rule != Rule::FalseLemma && !finding.detail.ends_with(AGREED_TO_ANOTHER);
        !self.said(finding, file).iter().any(|row| {
            (any_words || row.detail == finding.detail)
                && row.level == finding.level.as_str()
                && row.event != "PreToolUse"
        })
    }

    /// Whether the person was asked about this use of a tool, which went on: so the answer was yes.
    fn was_agreed(&self, event: &Event, finding: &Finding, file: &str) -> bool {
        let went_on = !matches!(event.occasion, Occasion::PreToolUse(_));
        let asked = self.before(event, |row| row.level == "ask");
        went_on && self.said(finding, file).iter().any(|row| asked.contains(row))
    }

    /// Whether the person agreed to the same of this declaration of this file before, which holds for the session; and
    /// whether that was about this very statement.
    fn agrees(&self, event: &Event, finding: &Finding, file: &str) -> Option<bool> {
        let agreed = stored(&agreed(finding));
        let is_named = finding.declaration.as_deref().is_some_and(|name| !name.is_empty());
        let said = self.said(finding, file).into_iter().filter(|row| {
            row.file.as_deref() == Some(file)
                && row.level == Level::Off.as_str()
                && row.event == "PostToolUse"
                && row.detail.starts_with(AGREED)
        });
        let said = said.filter(|_| is_named && !event.session.is_empty());
        said.map(|row| row.detail == agreed).max()
    }

    /// Whether a lift let it pass earlier in this session, or the answer to an edit told it.
    pub(super) fn is_settled(&self, finding: &Finding, file: &str) -> bool {
        self.said(finding, file).iter().any(|row| {
            row.file.as_deref() == Some(file)
                && (row.level == Level::Off.as_str()
                    || (row.event == "PostToolUse" && row.tool.as_deref() != Some("Bash")))
        })
    }

    pub(super) fn before(
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
    pub(super) fn full_name(&self, rule: Rule, name: &str) -> String {
        let rows = self.said.iter().filter(|row| row.rule == rule.code());
        let names = rows.map(|row| row.declaration.as_str());
        let names: BTreeSet<&str> = names.filter(|n| lean::is_or_ends_in(n, name)).collect();
        let only = names.first().filter(|_| names.len() == 1);
        (*only.unwrap_or(&name)).to_owned()
    }
}

/// What the log says of a finding to which the person agreed, with the statement that it was about.
fn agreed(finding: &Finding) -> String {
    match &finding.restated {
        None => AGREED.to_owned(),
        Some((_, new)) if new.chars().count() > LONGEST_AGREED => {
            format!("{AGREED}: {} ({})", clip_middle(new, LONGEST_AGREED), hash(new, 12))
        }
        Some((_, new)) => format!("{AGREED}: {new}"),
    }
}

pub(super) fn unread(app: &App, error: &StoreError) -> String {
    app.log.line(app.now, "guard", &format!("the database was not read: {error}"));
    format!(
        "The knowledge database could not be read, so lifts, locks and false lemmas are ignored now: {error}."
    )
}

/// The log's row for a finding in a file (as [`crate::project::Project::stable_path`] spells it).
pub(super) fn entry(finding: &Finding, file: &str) -> GuardEntry {
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

/// Writes to the log, and uses up the lifts that let something pass, in one transaction.
pub(super) fn log(app: &mut App, event: &Event, entries: Vec<GuardEntry>) {
    // What is only about to happen may not happen.
    let is_done = !matches!(event.occasion, Occasion::PreToolUse(_));
    let lifts: Vec<i64> =
        entries.iter().filter(|_| is_done).filter_map(|entry| entry.lift).collect();
    write(app, event, entries, &lifts);
}

/// The same with lifts that are known. It never fails: what goes wrong is a line in the log file.
pub(super) fn write(app: &mut App, event: &Event, mut entries: Vec<GuardEntry>, lifts: &[i64]) {
    entries.truncate(MOST_ROWS);
    if (entries.is_empty() && lifts.is_empty()) || app.database.path().is_none() {
        return;
    }
    // Where the client sent no id, the time stands for it.
    let tool_use = match event.tool_use.as_str() {
        "" => format!("at {}", app.now),
        id => id.to_owned(),
    };
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
pub(super) fn stored(detail: &str) -> String {
    scrub(&without_private(detail)).into_owned()
}

pub(super) fn count_rest(lines: &mut Vec<String>, most: usize) {
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    lines.extend((more > 0).then(|| format!("And {more} more like this.")));
}

/// What the knowledge base says was tried for a declaration, a line each.
pub(super) fn tried(app: &mut App, finding: &Finding) -> Vec<String> {
    let name = finding.declaration.as_deref().filter(|_| finding.rule != Rule::FalseLemma);
    let (Some(name), Ok(Some(store))) = (name, app.existing_store()) else { return Vec::new() };
    let found = store.failed(Some(name), None, MOST_TRIED).unwrap_or_default().findings.into_iter();
    let line = |finding: model::Finding| {
        let why = finding.content.why_failed.as_deref().map(one_line).unwrap_or_default();
        let title = one_line(&finding.content.title);
        clean(&if why.is_empty() { title } else { format!("{title}: {why}") })
    };
    found.map(line).collect()
}

pub(super) fn prompt_names(event: &Event, name: &str) -> bool {
    let records = transcript_end::records(event);
    let prompt = records.iter().rev().find_map(|record| match &record.body {
        Body::Said(text) if record.speaker == Speaker::Person => Some(text),
        _ => None,
    });
    let name = lean::last_part(name);
    prompt.is_some_and(|text| lean::words(text).any(|word| lean::last_part(word) == name))
}

/// Whether something is said for the first time in a session, known without the database: it may be
/// about the database. Where that cannot be remembered, it is said again.
pub(super) fn first_time(app: &App, session: &str, what: &str) -> bool {
    if session.is_empty() {
        return true;
    }
    let mark = app.paths.state_dir.join("said").join(hash(format!("{session}\n{what}"), 16));
    files::create(&mark, b"").unwrap_or(true)
}

/// The false lemmas to look for in this project, from both databases: its own by name and by
/// statement, those of other projects by statement. What cannot be read is logged and left out.
pub fn false_lemmas(app: &mut App) -> Vec<FalseLemma> {
    let project = app.project_identity();
    let stored = (|| {
        let Some(store) = app.existing_store()? else { return Ok(Default::default()) };
        let here = project.as_deref().map(|project| store.project_names(project)).transpose()?;
        Ok((here.unwrap_or_default(), store.false_lemmas(MOST_FALSE)?))
    })();
    let stored = stored.map_err(|error: StoreError| error.to_string());
    let told = tracked::false_lemmas(app).map_err(|error| error.to_string());
    for error in [stored.as_ref().err(), told.as_ref().err()].into_iter().flatten() {
        app.log.line(app.now, "guard", &format!("false lemmas were not read: {error}"));
    }
    let (here, stored): (Vec<String>, _) = stored.unwrap_or_default();
    let told = told.unwrap_or_default().into_iter().take(MOST_FALSE);
    let known = stored.into_iter().chain(told).map(|lemma| known(lemma, &here));
    let mut seen = HashSet::new();
    let mut is_new = |lemma: &FalseLemma| {
        let words: String = lemma.statement.split_whitespace().collect();
        seen.insert((lemma.name.clone(), words, lemma.elsewhere))
    };
    let says_something = |lemma: &FalseLemma| {
        if lemma.elsewhere {
            lemma.statement.chars().count() >= LEAST_ELSEWHERE
        } else {
            !lemma.name.is_empty() || !lemma.statement.is_empty()
        }
    };
    known.filter(|lemma| says_something(lemma) && is_new(lemma)).collect()
}

fn known(lemma: Draft, here: &[String]) -> FalseLemma {
    // What can stand in a Lean text.
    let name = lemma.theorem_name.filter(|name| !name.contains(char::is_whitespace));
    let instead = lemma.correct_approach.filter(|text| !text.is_empty());
    FalseLemma {
        elsewhere: lemma.project.as_ref().is_some_and(|project| !here.contains(project)),
        name: name.unwrap_or_default(),
        claimed: lemma.confidence != Confidence::Disproven,
        statement: trimmed(lemma.theorem_statement),
        key: lemma.key.and_then(|key| key.parse().ok()),
        counterexample: trimmed(lemma.counterexample),
        why: trimmed(lemma.why_failed),
        instead: trimmed(instead.or(lemma.avoid_pattern)),
    }
}

fn trimmed(text: Option<String>) -> String {
    text.map(|text| text.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    #[test]
    fn the_policy_is_what_is_configured() {
        let dir = tempfile::tempdir().unwrap();
        let user = dir.path().join("config.toml");
        let text = "[guard]\nallow_axioms = [\"A.*\"]\n[guard.levels]\nproof_lost = \"ask\"\n\
                    axiom-added = \"DENY\"\nfalse-lemma = \"strict\"\n[audit]\ndeny = [\"gaps,axiom\"]\n\
                    allow = [\"axiom=A.*\"]\n";
        std::fs::write(&user, text).unwrap();
        let none = dir.path().join("none");
        let config = Config::load(&user, &none, &Environment::of(&[]));
        assert_eq!(config.problems.len(), 1, "{:?}", config.problems);
        let policy = configured(&config);
        let levels = [(Rule::AxiomAdded, Level::Deny), (Rule::ProofLost, Level::Ask)];
        assert_eq!(policy.levels, levels.into());
        assert_eq!(policy.allowed, ["A.*"]);
        assert_eq!((config.audit_deny.len(), config.audit_allow.len()), (1, 1));
    }
}
