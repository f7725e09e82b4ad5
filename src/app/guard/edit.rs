//! Edits of files by the client's tools: refused before they are written, looked at again after.
//!
//! Before an edit nothing but the log is touched, and the database is opened only where it can change
//! the answer. After it, lifts that hold for one edit are used up, and remarks are made.

use std::fs;
use std::path::PathBuf;

use super::known::{self, Known};
use super::session::Session;
use super::{failing, lemmas, protected_paths, renamed_lemmas, settings, texts};
use crate::app::App;
use crate::guard::{
    Baseline, Finding, Level, Policy, Rule, Tense, Verdict, coaching, is_lean, is_lockable,
    judge_comparison, may_be_back,
};
use crate::hook::{Event, FileUse, Reply};
use crate::lean::{Comparison, last_part};

/// After so many refusals the same one comes with other advice.
const COACHED_AFTER: usize = 2;

/// Remarks of one edit that are made; the others are counted.
const MOST_REMARKS: usize = 5;

/// Findings of one edit that are looked up and kept in the log.
const MOST_KEPT: usize = 50;

/// One edit of one file.
struct Case<'a> {
    event: &'a Event,
    path: PathBuf,
    /// The file as the log and lifts spell it.
    name: String,
    tense: Tense,
}

/// What is said about it.
struct Judged {
    verdict: Verdict,
    /// What a lift let pass, with the number of the lift.
    passed: Vec<(Finding, i64)>,
    known: Known,
    /// Whether a proof that would be lost was written in this session.
    is_of_session: bool,
}

/// Answers to an edit that is about to be made.
pub fn before(app: &mut App, event: &Event, file: &FileUse) -> Reply {
    let Some(case) = Case::of(app, event, file, Tense::Would) else { return Reply::Silence };
    if let Some(what) = case.ours(app, file) {
        let judged = case.settings(app, what);
        return case.refuse(app, &judged);
    }
    let Some(edit) = file.edit.as_ref().filter(|_| is_lean(&case.path)) else {
        return Reply::Silence;
    };
    let texts = match texts::ahead(&case.path, edit) {
        Ok(Some(texts)) if texts.before != texts.after => texts,
        Ok(_) => return Reply::Silence,
        Err(cause) => {
            case.not_read(app, &cause);
            return Reply::Silence;
        }
    };
    let comparison = Comparison::of(&texts.before, &texts.after);
    let judged = case.judged(app, &comparison, true, settings::levels(&app.config));
    case.refuse(app, &judged)
}

/// Answers to an edit that was made.
pub fn after(app: &mut App, event: &Event, file: &FileUse) -> Reply {
    let Some(case) = Case::of(app, event, file, Tense::Has) else { return Reply::Silence };
    if let Some(what) = case.ours(app, file) {
        let judged = case.settings(app, what);
        return case.report(app, &judged, Vec::new());
    }
    if !is_lean(&case.path) {
        return Reply::Silence;
    }
    let texts = match texts::behind(&case.path, file) {
        Ok(texts) => texts,
        Err(cause) => return case.not_looked(app, &cause),
    };
    if texts.whole
        && let Some(session) = Session::of(app, &event.session)
    {
        session.keep_first(&case.path, &texts.before);
    }
    if texts.before == texts.after {
        return Reply::Silence;
    }
    let unread = app.existing_store().err().map(|error| known::unread(app, &error));
    let mut policy = settings::levels(&app.config);
    policy.false_lemmas = lemmas::false_lemmas(app);
    let comparison = Comparison::of(&texts.before, &texts.after);
    let mut judged = case.judged(app, &comparison, texts.whole, policy);
    if let Some(session) = Session::of(app, &event.session) {
        failing::attempted(&session, &case.path, &comparison);
    }
    judged.known.trouble = judged.known.trouble.or(unread);
    let moved = renamed_lemmas::notice(app, &texts.before, &texts.after);
    case.report(app, &judged, moved)
}

impl<'a> Case<'a> {
    /// The case, unless edits are not guarded.
    fn of(app: &App, event: &'a Event, file: &FileUse, tense: Tense) -> Option<Self> {
        let path = match &event.cwd {
            Some(folder) => folder.join(&file.path),
            None => file.path.clone(),
        };
        // A link may have any name.
        let path = match fs::canonicalize(&path) {
            Ok(real) if !is_lean(&path) && is_lean(&real) => real,
            _ => path,
        };
        let name = app.project.stable_path(&path);
        known::is_on(app).then_some(Self { event, path, name, tense })
    }

    /// What of the guard's own the edit changes.
    fn ours(&self, app: &App, file: &FileUse) -> Option<&'static str> {
        let what = protected_paths::own(app, &self.path);
        if what.is_some() || !protected_paths::is_settings(&self.path) {
            return what;
        }
        let texts = match self.tense {
            Tense::Would => texts::ahead(&self.path, file.edit.as_ref()?).ok()?,
            _ => texts::behind(&self.path, file).ok(),
        };
        texts.and_then(|texts| protected_paths::settings_edit(&texts.before, &texts.after))
    }

    /// An edit of what belongs to the guard itself.
    fn settings(&self, app: &mut App, what: &str) -> Judged {
        let level = settings::levels(&app.config).level(Rule::PolicyChanged);
        let finding = Finding::of_file(Rule::PolicyChanged, level, what);
        Judged::of(Verdict::of(vec![finding]), Known::load(app, self.event), self.event, &self.name)
    }

    /// Judges a change once. What the session and the person know is looked at only where it can
    /// matter: the locks before, because they decide what a change of a statement is, the rest after.
    fn judged(
        &self,
        app: &mut App,
        comparison: &Comparison<'_>,
        is_whole: bool,
        mut policy: Policy,
    ) -> Judged {
        if policy.answer.is_none() && !self.event.attended {
            policy.answer = Some(Level::Deny);
        }
        let whole = is_whole.then(|| comparison.before());
        let (session, path) = (Session::of(app, &self.event.session), &self.path);
        let first = || {
            // What was not seen before is seen now for the first time.
            let kept = |session: &Session| {
                let text = session.first_text(path).or_else(|| whole.map(str::to_owned));
                text.as_deref().map(Baseline::of)
            };
            session.as_ref().and_then(kept).unwrap_or_default()
        };
        policy.failing = session.as_ref().map(|one| failing::noted(one, path)).unwrap_or_default();
        let needs_beginning = may_be_back(comparison) || !policy.failing.is_empty();
        if needs_beginning {
            policy.baseline = first();
            policy.failing = policy.failing.without(&policy.baseline);
        }
        let mut known = None;
        if is_lockable(comparison) {
            let mut loaded = Known::load(app, self.event);
            policy.locked = std::mem::take(&mut loaded.locked);
            policy.locked_words = std::mem::take(&mut loaded.locked_words);
            known = Some(loaded);
        }
        let verdict = judge_comparison(comparison, &policy);
        let matters = match self.tense {
            Tense::Would => verdict.decision > Level::Warn,
            _ => verdict.decision > Level::Off,
        };
        if matters && known.is_none() {
            known = Some(Known::load(app, self.event));
        }
        let mut judged = Judged::of(verdict, known.unwrap_or_default(), self.event, &self.name);
        let refused = judged.verdict.refused().into_iter();
        let mut lost = refused.filter(|one| one.rule == Rule::ProofLost).peekable();
        if lost.peek().is_some() && !needs_beginning {
            policy.baseline = first();
        }
        let is_new = |name: &str| policy.baseline.began_without(name);
        judged.is_of_session = lost.any(|one| one.declaration.as_deref().is_some_and(is_new));
        judged
    }

    /// The answer before the edit.
    fn refuse(&self, app: &mut App, judged: &Judged) -> Reply {
        let refused = judged.verdict.refused();
        if refused.is_empty() {
            return self.tell_trouble(app, judged);
        }
        let kept = refused.iter().take(MOST_KEPT);
        let entries = kept.map(|finding| known::entry(finding, &self.name)).collect();
        let reason = self.reason(app, judged, &judged.verdict);
        if judged.known.trouble.is_none() {
            known::log(app, self.event, entries, &[]);
        }
        match judged.verdict.decision {
            Level::Ask => Reply::Ask { reason },
            _ => Reply::Deny { reason },
        }
    }

    /// The answer after the edit. `said` are sentences beside the findings.
    fn report(&self, app: &mut App, judged: &Judged, said: Vec<String>) -> Reply {
        let known = &judged.known;
        let passed = judged.passed.iter();
        let mut entries: Vec<_> =
            passed.map(|(finding, lift)| known::passed(finding, &self.name, *lift)).collect();
        let mut refused = Vec::new();
        let mut remarks = Vec::new();
        for (index, finding) in judged.verdict.findings.iter().enumerate() {
            if index >= MOST_KEPT && finding.level < Level::Deny {
                remarks.push(finding.sentence(self.tense));
                continue;
            }
            let mut entry = known::entry(finding, &self.name);
            if finding.level > Level::Warn && known.was_agreed(self.event, finding, &self.name) {
                Level::Off.as_str().clone_into(&mut entry.level);
                known::AGREED.clone_into(&mut entry.detail);
            } else if finding.level == Level::Deny {
                refused.push(finding.clone());
            } else if known.is_news(finding, &self.name) {
                remarks.push(finding.sentence(self.tense));
            } else {
                continue;
            }
            entries.push(entry);
        }
        let more = remarks.len().saturating_sub(MOST_REMARKS);
        remarks.truncate(MOST_REMARKS);
        if more > 0 {
            remarks.push(format!("And {more} more of the kind."));
        }
        remarks.extend(said);
        entries.truncate(MOST_KEPT);
        let block = (!refused.is_empty()).then(|| {
            let verdict = Verdict { findings: refused, decision: Level::Deny };
            self.reason(app, judged, &verdict)
        });
        let lifts: Vec<i64> = judged.passed.iter().map(|(_, lift)| *lift).collect();
        if known.trouble.is_none() {
            known::log(app, self.event, entries, &lifts);
        }
        match block {
            Some(reason) => Reply::Block { reason: format!("{reason}\n{}", remarks.join("\n")) },
            None if remarks.is_empty() => self.tell_trouble(app, judged),
            None => {
                let mut text = format!("math-forge: {}", remarks.join("\n"));
                if let Some(trouble) = self.new_trouble(app, judged) {
                    text.push('\n');
                    text.push_str(trouble);
                }
                Reply::Note(text)
            }
        }
    }

    /// The text of a refusal; from the third one on with other advice.
    fn reason(&self, app: &mut App, judged: &Judged, verdict: &Verdict) -> String {
        let mut again = None;
        for finding in verdict.refused().into_iter().take(MOST_REMARKS) {
            let times = judged.known.times(self.event, finding, &self.name);
            if times >= COACHED_AFTER && again.is_none_or(|(_, most)| times > most) {
                again = Some((finding, times));
            }
        }
        let mut text = match again {
            Some((finding, times)) => {
                let way = verdict.last_way(&self.name);
                let advice = coaching(finding, times, &known::tried(app, finding), &way);
                format!("{}\n{advice}", verdict.told(self.tense, false))
            }
            None => verdict.reason(self.tense, &self.name),
        };
        if verdict.decision == Level::Ask {
            let names = verdict.refused().into_iter().filter_map(|one| one.declaration.as_deref());
            let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
            if !names.is_empty() {
                text.push_str("\nYes holds in this session for what is named here.");
            }
            if let Some(name) = names.iter().find(|n| known::prompt_names(self.event, n)) {
                let said = format!(" The last prompt names `{}`.", last_part(name));
                text.push_str(&said);
            }
        }
        if judged.is_of_session {
            text.push_str(failing::WAY);
        }
        if let Some(trouble) = &judged.known.trouble {
            text.push('\n');
            text.push_str(trouble);
        }
        text
    }

    /// What the person is told about the database, once in a session.
    fn tell_trouble(&self, app: &App, judged: &Judged) -> Reply {
        self.new_trouble(app, judged)
            .map_or(Reply::Silence, |trouble| Reply::Tell(format!("math-forge: {trouble}")))
    }

    fn new_trouble<'j>(&self, app: &App, judged: &'j Judged) -> Option<&'j str> {
        let trouble = judged.known.trouble.as_deref()?;
        known::first_time(app, &self.event.session, "database").then_some(trouble)
    }

    /// What the person is told where the edit could not be looked at, once for a file and session.
    fn not_looked(&self, app: &App, cause: &str) -> Reply {
        self.not_read(app, cause);
        if !known::first_time(app, &self.event.session, &format!("file {}", self.name)) {
            return Reply::Silence;
        }
        Reply::Tell(format!("math-forge did not look at the edit of `{}`: {cause}.", self.name))
    }

    fn not_read(&self, app: &App, cause: &str) {
        let line = format!("did not look at an edit of {}: {cause}", self.path.display());
        app.log.line(app.now, "guard", &line);
    }
}

impl Judged {
    /// Lets pass what a person lifted or agreed to.
    fn of(verdict: Verdict, known: Known, event: &Event, file: &str) -> Self {
        let mut passed = Vec::new();
        let mut findings = verdict.findings;
        findings.retain(|finding| {
            if known.agrees(event, finding, file) {
                return false;
            }
            let lift = known.lift(finding, file).map(|lift| (finding.clone(), lift.id));
            let stays = lift.is_none();
            passed.extend(lift);
            stays
        });
        Self { verdict: Verdict::of(findings), passed, known, is_of_session: false }
    }
}
