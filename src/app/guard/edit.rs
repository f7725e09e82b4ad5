//! Edits of files by the client's tools: refused before they are written, looked at again after.
//!
//! Before an edit nothing but the log is touched, and the database is opened only where it can change
//! the answer. After it, lifts that hold for one edit are used up, and remarks are made.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::policy::{self, Decisions};
use super::session::Session;
use super::{broken, lemmas, moved, own, texts, told};
use crate::app::App;
use crate::guard::{
    Decision, Finding, Level, Policy, Rule, Tense, Verdict, coaching, is_lean, judge_comparison,
    may_be_back,
};
use crate::hook::{Answered, Event, FileUse, Reply};
use crate::lean::{ChangeKind, Comparison};
use crate::model::GuardEntry;

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
    /// Why lifts and locks are not known.
    trouble: Option<String>,
    /// What the file proved when it was first seen, where a proof would be lost.
    proved_first: Option<BTreeSet<String>>,
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
    let judged = case.judged(app, &comparison, policy::levels(app));
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
    let unread = app.existing_store().err().map(|error| policy::unread(app, &error));
    let mut policy = policy::levels(app);
    policy.false_lemmas = lemmas::false_lemmas(app);
    let comparison = Comparison::of(&texts.before, &texts.after);
    let mut judged = case.judged(app, &comparison, policy);
    judged.trouble = judged.trouble.or(unread);
    let moved = moved::notice(app, &texts.before, &texts.after);
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
        policy::is_on(app).then_some(Self { event, path, name, tense })
    }

    /// What of the guard's own the edit changes.
    fn ours(&self, app: &App, file: &FileUse) -> Option<&'static str> {
        let what = own::own(app, &self.path);
        if what.is_some() || !own::is_settings(&self.path) {
            return what;
        }
        let texts = match self.tense {
            Tense::Would => texts::ahead(&self.path, file.edit.as_ref()?).ok()?,
            _ => texts::behind(&self.path, file).ok(),
        };
        texts.and_then(|texts| own::settings_edit(&texts.before, &texts.after))
    }

    /// An edit of what belongs to the guard itself.
    fn settings(&self, app: &mut App, what: &str) -> Judged {
        let rule = Rule::PolicyChanged;
        let finding = Finding {
            rule,
            level: policy::levels(app).level(rule),
            kind: None,
            declaration: None,
            new_name: None,
            line: None,
            detail: what.to_owned(),
            lost: None,
        };
        let mut judged = Judged::of(Verdict::of(vec![finding]));
        let decisions = judged.decisions(app, self);
        judged.excuse(&decisions);
        judged
    }

    /// Judges a change, and finds out what the answer speaks of.
    fn judged(&self, app: &mut App, comparison: &Comparison<'_>, policy: Policy) -> Judged {
        let mut judged = self.judge(app, comparison, policy);
        let session = &self.event.session;
        let verdict = (&judged.verdict, comparison);
        judged.proved_first = broken::proved_first(app, session, &self.path, verdict);
        judged
    }

    /// Judges a change; looks at what the session and the person know only where that can matter.
    fn judge(&self, app: &mut App, comparison: &Comparison<'_>, mut policy: Policy) -> Judged {
        if may_be_back(comparison) {
            policy.baseline = policy::baseline(app, &self.event.session, &self.path);
        }
        let mut judged = Judged::of(judge_comparison(comparison, &policy));
        let loses = |finding: &Finding| {
            matches!(finding.rule, Rule::ProofLost | Rule::ProgressLost | Rule::SearchLeft)
        };
        if judged.verdict.findings.iter().any(loses) {
            policy.broken = broken::of(app, &self.event.session, &self.path);
        }
        let matters = match self.tense {
            Tense::Would => judged.verdict.decision > Decision::Warn,
            _ => judged.verdict.decision > Decision::Silent,
        };
        let mut decisions = Decisions::default();
        if matters || is_lockable(comparison) {
            decisions = judged.decisions(app, self);
            policy.locked = std::mem::take(&mut decisions.locked);
        }
        if !policy.broken.is_empty() || !policy.locked.is_empty() {
            judged.verdict = judge_comparison(comparison, &policy);
        }
        judged.excuse(&decisions);
        judged
    }

    /// The answer before the edit.
    fn refuse(&self, app: &mut App, judged: &Judged) -> Reply {
        let refused = judged.verdict.refused();
        if refused.is_empty() {
            return self.tell_trouble(app, judged);
        }
        let entries: Vec<GuardEntry> = {
            let kept = refused.iter().take(MOST_KEPT);
            kept.map(|finding| told::entry(finding, &self.name)).collect()
        };
        let reason = self.reason(app, judged, &judged.verdict);
        if judged.trouble.is_none() {
            told::log(app, self.event, &entries);
        }
        match judged.verdict.decision {
            Decision::Ask => Reply::Ask { reason },
            _ => Reply::Deny { reason },
        }
    }

    /// The answer after the edit. `said` are sentences beside the findings.
    fn report(&self, app: &mut App, judged: &Judged, said: Vec<String>) -> Reply {
        let mut entries = Vec::new();
        for (finding, lift) in &judged.passed {
            let level = Level::Off.as_str().to_owned();
            let lift = Some(*lift);
            entries.push(GuardEntry { level, lift, ..told::entry(finding, &self.name) });
        }
        let mut refused = Vec::new();
        let mut remarks = Vec::new();
        for (index, finding) in judged.verdict.findings.iter().enumerate() {
            if index >= MOST_KEPT && finding.level < Level::Deny {
                remarks.push(finding.sentence_in(self.tense));
                continue;
            }
            let mut entry = told::entry(finding, &self.name);
            if finding.level == Level::Deny {
                refused.push(finding.clone());
            } else if finding.level == Level::Ask
                && told::was_agreed(app, self.event, finding, &self.name)
            {
                Level::Off.as_str().clone_into(&mut entry.level);
                "the person agreed to it".clone_into(&mut entry.detail);
            } else if told::is_news(app, self.event, finding, &self.name) {
                remarks.push(finding.sentence_in(self.tense));
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
            let verdict = Verdict { findings: refused, decision: Decision::Deny };
            self.reason(app, judged, &verdict)
        });
        let lifts: Vec<i64> = judged.passed.iter().map(|(_, lift)| *lift).collect();
        if judged.trouble.is_none() {
            told::log_and_spend(app, self.event, &entries, &lifts);
        }
        let event = Answered::PostToolUse;
        match block {
            Some(reason) => {
                Reply::Block { event, reason: format!("{reason}\n{}", remarks.join("\n")) }
            }
            None if remarks.is_empty() => self.tell_trouble(app, judged),
            None => {
                let mut text = format!("math-forge: {}", remarks.join("\n"));
                if let Some(trouble) = self.new_trouble(app, judged) {
                    text.push('\n');
                    text.push_str(trouble);
                }
                Reply::Note { event, text }
            }
        }
    }

    /// The text of a refusal; from the third one on with other advice.
    fn reason(&self, app: &mut App, judged: &Judged, verdict: &Verdict) -> String {
        let mut again = None;
        if judged.trouble.is_none() {
            for finding in verdict.refused().into_iter().take(MOST_REMARKS) {
                let times = told::times(app, self.event, finding, &self.name);
                if times >= COACHED_AFTER && again.is_none_or(|(_, most)| times > most) {
                    again = Some((finding, times));
                }
            }
        }
        let mut text = match again {
            Some((finding, times)) => {
                let tried = told::tried(app, finding);
                let advice = coaching(finding, times, &tried);
                format!("{}\n{advice}", verdict.told(self.tense, false))
            }
            None => verdict.reason_in(self.tense, &self.name),
        };
        if broken::may_be(judged.proved_first.as_ref(), verdict) {
            text.push_str(broken::WAY);
        }
        if let Some(trouble) = &judged.trouble {
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
        let trouble = judged.trouble.as_deref()?;
        told::first_time(app, &self.event.session, "database").then_some(trouble)
    }

    /// What the person is told where the edit could not be looked at, once for a file and session.
    fn not_looked(&self, app: &App, cause: &str) -> Reply {
        self.not_read(app, cause);
        if !told::first_time(app, &self.event.session, &format!("file {}", self.name)) {
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
    fn of(verdict: Verdict) -> Self {
        Self { verdict, passed: Vec::new(), trouble: None, proved_first: None }
    }

    /// Lets pass what a person lifted.
    fn excuse(&mut self, decisions: &Decisions) {
        let mut findings = std::mem::take(&mut self.verdict.findings);
        findings.retain(|finding| {
            let lift = decisions.covering(finding).map(|lift| (finding.clone(), lift.id));
            let stays = lift.is_none();
            self.passed.extend(lift);
            stays
        });
        self.verdict = Verdict::of(findings);
    }

    /// Reads lifts and locks; what is in the way becomes a sentence.
    fn decisions(&mut self, app: &mut App, case: &Case<'_>) -> Decisions {
        policy::decisions(app, &case.path, &case.event.tool_use).unwrap_or_else(|error| {
            self.trouble = Some(policy::unread(app, &error));
            Decisions::default()
        })
    }
}

/// Whether a lock could forbid something of it.
fn is_lockable(comparison: &Comparison<'_>) -> bool {
    comparison.changes.iter().any(|change| {
        let named = matches!(
            change.change,
            ChangeKind::StatementChanged
                | ChangeKind::Removed
                | ChangeKind::Renamed
                | ChangeKind::Moved
        );
        named && change.name.is_some()
    })
}
