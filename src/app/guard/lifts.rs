//! Lifting a rule: what may be asked for, granting it, listing it, taking it back.

use std::path::Path;

use jiff::{SignedDuration, SpanRelativeTo, Timestamp};
use serde::Serialize;

use super::protected_paths;
use crate::app::App;
use crate::guard::Rule;
use crate::model::LiftRecord;
use crate::store::time_text;
use crate::text::span;
use crate::text::{clean, nearest, one_line, plural, scrub};

/// How long a lift for one edit waits for that edit.
const ONCE_HOLDS: SignedDuration = SignedDuration::from_hours(24);

/// A lift holds for this long at most.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 90);

/// What somebody asks for, in the words of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A declaration's full name, or a file.
    pub target: String,
    pub rule: String,
    /// For one edit; without a time this is what is meant.
    pub once: bool,
    /// For how long: `30m`, `2h`, `7d`.
    pub period: Option<String>,
    pub reason: String,
    /// The file in which the declaration stands.
    pub file: Option<String>,
}

/// A lift that may be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub rule: Rule,
    /// Full name of the declaration; `None` for the whole file.
    pub declaration: Option<String>,
    /// The file, as the guard's log spells it.
    pub file: Option<String>,
    /// For how long; `None` for one edit.
    pub period: Option<SignedDuration>,
    /// Why, in one line; empty for nothing.
    pub reason: String,
}

impl Asked {
    /// The lift that is asked for. Paths are relative to `folder`.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub fn request(&self, app: &App, folder: Option<&Path>) -> Result<Request, String> {
        let rule = rule(&self.rule)?;
        if self.once && self.period.is_some() {
            return Err("`--once` and `--for` exclude each other".to_owned());
        }
        let period = self.period.as_deref().map(period).transpose()?;
        let target = one_line(&self.target);
        if target.is_empty() {
            return Err("it takes a declaration or a file".to_owned());
        }
        let stable =
            |name: &str| app.project.stable_path(&protected_paths::named(app, folder, name));
        let is_file = is_path(&target) || protected_paths::named(app, folder, &target).is_file();
        if is_file && self.file.is_some() {
            return Err(format!("`{target}` is a file already: leave `--file` away"));
        }
        Ok(Request {
            rule,
            file: if is_file { Some(stable(&target)) } else { self.file.as_deref().map(stable) },
            declaration: (!is_file).then_some(target),
            period,
            reason: one_line(&scrub(&self.reason)),
        })
    }
}

fn rule(code: &str) -> Result<Rule, String> {
    let codes = || Rule::guarded().map(Rule::code);
    if code.trim().is_empty() {
        let codes: Vec<&str> = codes().collect();
        return Err(format!("it takes `--rule`, one of {}", codes.join(", ")));
    }
    let rule = Rule::from_code(code).filter(|rule| Rule::guarded().any(|one| one == *rule));
    rule.ok_or_else(|| {
        let code = clean(code);
        if let Some(near) = nearest(&code, codes()) {
            return format!("there is no rule `{code}` (do you mean `{near}`?)");
        }
        let codes: Vec<&str> = codes().collect();
        format!("there is no rule `{code}`; there are {}", codes.join(", "))
    })
}

/// Whether a word can only be a path: a name of Lean has no `/`, and none ends like these.
fn is_path(word: &str) -> bool {
    let ends = ["lean", "toml", "json", "db"];
    word.contains('/')
        || Path::new(word)
            .extension()
            .is_some_and(|end| ends.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// `30m`, `2h`, `7d`, `1w`.
fn period(text: &str) -> Result<SignedDuration, String> {
    match span(text.trim())
        .and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok())
    {
        Some(period) if period.is_positive() && period <= LONGEST => Ok(period),
        Some(period) if period.is_positive() => Err("a lift holds for 90 days at most".to_owned()),
        _ => Err(format!("`{}` is no time: say 30m, 2h or 7d", clean(text.trim()))),
    }
}

impl Request {
    /// What it is lifted for, with its kind where that helps: `` `A.foo` ``, `` the file `A.lean` ``.
    pub fn target(&self) -> String {
        match (&self.declaration, &self.file) {
            (Some(name), Some(file)) => format!("`{name}` in `{file}`"),
            (Some(name), None) => format!("`{name}`"),
            (None, file) => format!("the file `{}`", file.as_deref().unwrap_or_default()),
        }
    }

    /// How long it holds, in words.
    pub fn holds(&self) -> String {
        match self.period {
            None => "for one edit, within a day".to_owned(),
            Some(period) => format!("for {}", length(period)),
        }
    }

    /// The name that a person types again.
    pub fn name(&self) -> &str {
        self.declaration.as_deref().or(self.file.as_deref()).unwrap_or_default()
    }

    pub fn record(&self, project: Option<&str>, now: Timestamp, granted_by: &str) -> LiftRecord {
        let ends = now.checked_add(self.period.unwrap_or(ONCE_HOLDS)).ok();
        LiftRecord {
            granted_by: granted_by.to_owned(),
            project: project.map(str::to_owned),
            rule: self.rule.code().to_owned(),
            declaration: self.declaration.clone(),
            file: self.file.clone(),
            once: self.period.is_none(),
            expires_at: ends.map(time_text),
            reason: self.reason.clone(),
            ..LiftRecord::default()
        }
    }
}

/// In the largest unit that says it exactly.
fn length(period: SignedDuration) -> String {
    let minutes = period.as_mins();
    match minutes {
        _ if minutes % 1_440 == 0 => plural(minutes / 1_440, "day"),
        _ if minutes % 60 == 0 => plural(minutes / 60, "hour"),
        _ => plural(minutes, "minute"),
    }
}

/// Grants a lift and returns its number.
///
/// # Errors
/// When there is no store, or it cannot be written.
pub fn grant(app: &mut App, lift: &LiftRecord) -> anyhow::Result<i64> {
    let now = app.now;
    Ok(app.store()?.write(now, |writer| writer.grant(lift))?)
}

/// Takes a lift back; `false` if there is none that is open.
///
/// # Errors
/// When there is no store, or it cannot be written.
pub fn revoke(app: &mut App, id: i64) -> anyhow::Result<bool> {
    let now = app.now;
    Ok(app.store()?.write(now, |writer| writer.revoke(id))?)
}

/// A lift with what has become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiftView {
    /// `open`, `spent`, `revoked` or `expired`.
    pub state: &'static str,
    #[serde(flatten)]
    pub lift: LiftRecord,
}

/// The lifts that hold in this project; with `all` the others too.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &mut App, all: bool) -> anyhow::Result<Vec<LiftView>> {
    let project = app.place();
    let now = time_text(app.now);
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let lifts = store.lifts(project.as_deref())?.into_iter();
    let views = lifts.map(|lift| LiftView { state: state(&lift, &now), lift });
    Ok(views.filter(|view| all || view.state == "open").collect())
}

/// What has become of a lift by now.
pub fn state(lift: &LiftRecord, now: &str) -> &'static str {
    if lift.revoked_at.is_some() {
        "revoked"
    } else if lift.spent_at.is_some() {
        "spent"
    } else if lift.expires_at.as_deref().is_some_and(|end| end <= now) {
        "expired"
    } else {
        "open"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Environment;

    fn app(folder: &Path) -> App {
        let home = folder.join("home");
        let environment = Environment::of(&[
            ("MK_HOME", home.to_str().unwrap()),
            ("CLAUDE_PROJECT_DIR", folder.to_str().unwrap()),
        ]);
        let now = "2026-02-01T12:00:00Z".parse().unwrap();
        App::new(environment, now, None, None).unwrap()
    }

    use crate::app::guard::permission::{Does, PersonDecision};

    fn asked(line: &[&str]) -> Result<Asked, String> {
        let words: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        let call = crate::cli::read_call(&words).expect("a command of mk");
        match call.does {
            Does::Decides(PersonDecision::Allow(asked)) => call.wrong.map_or(Ok(asked), Err),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_may_be_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let app = app(dir.path());
        let request = |line: &[&str]| {
            asked(line).and_then(|asked| asked.request(&app, Some(&app.project.start)))
        };
        let shown = |line: &[&str]| {
            request(line).map(|r| format!("{} {} {} {}", r.rule, r.target(), r.holds(), r.reason))
        };
        for (line, expected) in [
            (
                &["allow", "A.foo'", "--rule", "Proof_Lost", "--reason", "a\nb"][..],
                "proof-lost `A.foo'` for one edit, within a day a b",
            ),
            (
                &["allow", "--rule=proof-lost", "foo", "--once"],
                "proof-lost `foo` for one edit, within a day ",
            ),
            (
                &["allow", "foo", "--rule", "axiom-added", "--for", "1h"],
                "axiom-added `foo` for 1 hour ",
            ),
            (
                &["allow", "sub/../A.lean", "--rule", "proof-lost", "--for", "90m"],
                "proof-lost the file `A.lean` for 90 minutes ",
            ),
            (
                &["allow", "foo", "--rule", "proof-lost", "--file", "B/A.lean", "--for", "2d"],
                "proof-lost `foo` in `B/A.lean` for 2 days ",
            ),
        ] {
            let shown = shown(line).map(|text| text.replace("sub/../", ""));
            assert_eq!(shown.as_deref(), Ok(expected), "{line:?}");
        }
        for (line, expected) in [
            (&["allow", "foo"][..], "the following required arguments were not provided"),
            (
                &["allow", "foo", "--rule", "prof-lost"],
                "there is no rule `prof-lost` (do you mean `proof-lost`?)",
            ),
            (&["allow", "foo", "--rule", "zzz"], "there is no rule `zzz`; there are proof-lost"),
            (
                &["allow", "--rule", "proof-lost"],
                "the following required arguments were not provided",
            ),
            (&["allow", "a", "b", "--rule", "proof-lost"], "unexpected argument 'b' found"),
            (&["allow", " ", "--rule", "proof-lost"], "it takes a declaration or a file"),
            (&["allow", "a", "--rule"], "a value is required for '--rule <RULE>'"),
            (&["allow", "a", "--force"], "unexpected argument '--force' found"),
            (&["allow", "a", "--rule", "proof-lost", "--for", "soon"], "`soon` is no time"),
            (&["allow", "a", "--rule", "proof-lost", "--for", "0m"], "`0m` is no time"),
            (&["allow", "a", "--rule", "proof-lost", "--for", "99w"], "a lift holds for 90 days"),
            (
                &["allow", "a", "--rule", "proof-lost", "--for", "1h", "--once"],
                "the argument '--for <TIME>' cannot be used with '--once'",
            ),
            (
                &["allow", "a.lean", "--rule", "proof-lost", "--file", "b"],
                "`a.lean` is a file already",
            ),
        ] {
            let error = request(line).unwrap_err();
            assert!(error.starts_with(expected), "{line:?}: {error}");
        }
    }

    #[test]
    fn lifts_are_granted_listed_and_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut app = app(dir.path());
        assert_eq!(list(&mut app, true).unwrap(), []);
        let request = asked(&["allow", "foo", "--rule", "proof-lost"]).unwrap();
        let request = request.request(&app, None).unwrap();
        let lift = request.record(Some("p"), app.now, "terminal");
        assert!(lift.once && lift.expires_at.as_deref() == Some("2026-02-02 12:00:00"));
        let id = grant(&mut app, &lift).unwrap();
        assert_eq!(list(&mut app, false).unwrap()[0].state, "open");
        assert!(revoke(&mut app, id).unwrap());
        assert!(!revoke(&mut app, id).unwrap());
        assert_eq!(list(&mut app, false).unwrap(), []);
        assert_eq!(list(&mut app, true).unwrap()[0].state, "revoked");
        assert_eq!(state(&lift, "2026-02-02 12:00:00"), "expired");
    }
}
