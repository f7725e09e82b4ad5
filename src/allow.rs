//! `mk allow`: lifts a rule of the guard. A person's decision.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, SpanRelativeTo, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::guard::protected_paths;
use crate::guard::Rule;
use crate::lock;
use crate::model::LiftRecord;
use crate::store::time_text;
use crate::text::{clean, one_line, plural, scrub, span};
use crate::ui::layout::{Column, Page};
use crate::ui::time::ago;
use crate::ui::{Exit, Out, UsageError, person};

/// Lift a rule of the guard for a declaration or a file: for one edit, or for a while
///
/// A person's decision: in a terminal, you type the name again. In a Claude Code session, the agent
/// can run it as one plain command with a reason, and the client asks you.
#[derive(Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = "Examples:
  mk allow Erdos.main --rule proof-lost --reason \"rewriting it without omega\"
  mk allow Main.lean --rule statement-changed --for 30m
  mk allow --list --all
  mk allow --revoke 3

Rules: proof-lost, progress-lost, policy-changed, statement-changed, ... (`mk config`)")]
pub struct Args {
    /// Full name of a declaration, or a file
    #[arg(value_name = "DECL|FILE", required_unless_present_any = ["list", "revoke"])]
    target: Option<String>,
    /// The rule to lift
    #[arg(long, value_name = "RULE", required_unless_present_any = ["list", "revoke"])]
    rule: Option<String>,
    /// For one edit within a day (default)
    #[arg(long, conflicts_with = "for")]
    once: bool,
    /// For a time: 30m, 2h, 7d; at most 90 days
    #[arg(long = "for", value_name = "TIME")]
    r#for: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Only in this file
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// List the lifts in force
    #[arg(long, conflicts_with_all = ["target", "rule", "revoke"])]
    list: bool,
    /// Include lifts that have ended
    #[arg(long, requires = "list")]
    all: bool,
    /// Revoke a lift
    #[arg(long, value_name = "ID", conflicts_with_all = ["target", "rule"])]
    revoke: Option<i64>,
}

/// The command itself decides nothing there.
const IN_SESSION: &str = "In a Claude Code session the client's dialog lifts a rule, if it asked you. Typed with \
    `!`, this does nothing: use a terminal.\n";

/// How long a lift for one edit waits for that edit.
const ONCE_HOLDS: SignedDuration = SignedDuration::from_hours(24);

const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 90);

impl Args {
    pub(crate) fn does(self) -> Does {
        match (self.list, self.revoke) {
            (true, _) => Does::Reads,
            (_, Some(_)) => Does::Writes,
            _ => Does::Decides(PersonDecision::Allow(Box::new(self))),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.list {
            let lifts = list(app, self.all)?;
            out.answer(&BTreeMap::from([("lifts", &lifts)]), |width| {
                view(&lifts, self.all, width, app.now)
            })?;
            return Ok(Exit::Done);
        }
        if let Some(id) = self.revoke {
            let is_revoked = app.write(|writer| writer.revoke(id))?;
            anyhow::ensure!(is_revoked, "there is no lift {id} in force");
            out.answer(&serde_json::json!({ "revoked": id }), |_| {
                format!("lift {id} was revoked\n")
            })?;
            return Ok(Exit::Done);
        }
        let request = self.request(app, app.environment.current_dir.as_deref());
        let request = request.map_err(UsageError)?;
        if app.environment.inside_client() {
            // The hook records what the person agreed to as soon as this command has ended.
            return out.answer(&request.answer(None), |_| IN_SESSION.to_owned());
        }
        person::require(app, "lifting a rule")?;
        let (rule, target, holds) = (request.rule, request.target(), request.holds());
        // A lift for a name that nothing has would never let anything pass.
        if let Some(name) = &request.declaration
            && let Some(meant) = lock::undeclared(app, name, request.file.as_deref())
        {
            out.note(&format!("mk: no Lean file of this project declares `{name}`{meant}"));
        }
        out.note(&format!("{rule} for {target}, {holds}"));
        let name = request.declaration.as_deref().or(request.file.as_deref()).unwrap_or_default();
        person::require_name(app, out, "lifting a rule", name)?;
        let project = app.place();
        let lift = request.record(project.as_deref(), app.now, "terminal");
        let id = app.write(|writer| writer.grant(&lift))?;
        out.answer(&request.answer(Some(id)), |_| {
            format!("{rule} is lifted for {target}, {holds} (lift {id})\n")
        })
    }

    /// The lift that is asked for; paths are relative to `folder`. `Err` says what is wrong.
    pub fn request(&self, app: &App, folder: Option<&Path>) -> Result<Request, String> {
        let rule = Rule::guarded_by(self.rule.as_deref().unwrap_or_default())?;
        if self.once && self.r#for.is_some() {
            return Err("use either `--once` or `--for`".to_owned());
        }
        let period = self.r#for.as_deref().map(period).transpose()?;
        let target = one_line(self.target.as_deref().unwrap_or_default());
        if target.is_empty() {
            return Err("name a declaration or a file".to_owned());
        }
        let stable =
            |name: &str| app.project.stable_path(&protected_paths::named(app, folder, name));
        let is_file = is_path(&target) || protected_paths::named(app, folder, &target).is_file();
        if is_file && self.file.is_some() {
            return Err(format!("`{target}` is already a file: omit `--file`"));
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    pub rule: Rule,
    pub declaration: Option<String>,
    pub file: Option<String>,
    #[serde(skip)]
    pub period: Option<SignedDuration>,
    #[serde(skip)]
    pub reason: String,
}

#[derive(Serialize)]
struct Answer<'a> {
    granted: bool,
    id: Option<i64>,
    #[serde(flatten)]
    request: &'a Request,
}

/// Whether a word can only be a path: a name of Lean has no `/`, and none ends like these.
fn is_path(word: &str) -> bool {
    let ends = ["lean", "toml", "json", "db"];
    let is_end = |end: &std::ffi::OsStr| ends.iter().any(|known| end.eq_ignore_ascii_case(known));
    word.contains('/') || Path::new(word).extension().is_some_and(is_end)
}

/// `30m`, `2h`, `7d`, `1w`.
fn period(text: &str) -> Result<SignedDuration, String> {
    match span(text.trim())
        .and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok())
    {
        Some(period) if period.is_positive() && period <= LONGEST => Ok(period),
        Some(period) if period.is_positive() => Err("a lift lasts at most 90 days".to_owned()),
        _ => Err(format!("`{}` is not a time span: use 30m, 2h or 7d", clean(text.trim()))),
    }
}

impl Request {
    /// `` `A.foo` ``, `` `A.foo` in `A.lean` ``, `` the file `A.lean` ``.
    pub fn target(&self) -> String {
        match (&self.declaration, &self.file) {
            (Some(name), Some(file)) => format!("`{name}` in `{file}`"),
            (Some(name), None) => format!("`{name}`"),
            (None, file) => format!("the file `{}`", file.as_deref().unwrap_or_default()),
        }
    }

    /// How long it holds, in the largest unit that says it exactly.
    pub fn holds(&self) -> String {
        let Some(minutes) = self.period.map(|period| period.as_mins()) else {
            return "for one edit, within a day".to_owned();
        };
        let length = match minutes {
            _ if minutes % 1_440 == 0 => plural(minutes / 1_440, "day"),
            _ if minutes % 60 == 0 => plural(minutes / 60, "hour"),
            _ => plural(minutes, "minute"),
        };
        format!("for {length}")
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

    fn answer(&self, id: Option<i64>) -> Answer<'_> {
        Answer { granted: id.is_some(), id, request: self }
    }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct LiftView {
    state: &'static str,
    #[serde(flatten)]
    lift: LiftRecord,
}

/// The lifts that hold in this project; with `all` the others too.
fn list(app: &mut App, all: bool) -> anyhow::Result<Vec<LiftView>> {
    let project = app.place();
    let now = time_text(app.now);
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let lifts = store.lifts(project.as_deref())?.into_iter();
    let views = lifts.map(|lift| LiftView { state: state(&lift, &now), lift });
    Ok(views.filter(|view| all || view.state == "open").collect())
}

/// `open`, `spent`, `revoked` or `expired`.
pub(crate) fn state(lift: &LiftRecord, now: &str) -> &'static str {
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

fn view(lifts: &[LiftView], all: bool, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if lifts.is_empty() {
        let none = if all {
            "No rule was ever lifted here."
        } else {
            "All rules are in force: nothing is lifted."
        };
        page.paragraph(1, none);
        return page.into_text();
    }
    let columns = [
        Column::number("ID"),
        Column::text("RULE", 0),
        Column::text("FOR", 16),
        Column::text("HOLDS", 10),
        Column::text("GRANTED", 0),
        Column::text("REASON", 12),
    ];
    let rows = lifts.iter().map(|LiftView { state, lift }| {
        let target = match (&lift.declaration, &lift.file) {
            (Some(name), Some(file)) => format!("{name} in {file}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => "-".to_owned(),
        };
        let until = lift.expires_at.as_deref().map(|end| end.get(..16).unwrap_or(end));
        let holds = match (*state, lift.once, until) {
            ("open", true, _) => "one edit".to_owned(),
            ("open", false, Some(end)) => format!("until {end} UTC"),
            ("open", false, None) => "until revoked".to_owned(),
            ("spent", ..) => "used up".to_owned(),
            ("revoked", ..) => "taken back".to_owned(),
            _ => "over".to_owned(),
        };
        let granted = format!("{}, {}", ago(&lift.granted_at, now), lift.granted_by);
        vec![lift.id.to_string(), lift.rule.clone(), target, holds, granted, lift.reason.clone()]
    });
    page.table(1, &columns, rows);
    page.into_text()
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

    fn asked(line: &[&str]) -> Result<Args, String> {
        let words: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        let call = crate::cli::read_call(&words).expect("a command of mk");
        match call.does {
            Does::Decides(PersonDecision::Allow(asked)) => call.wrong.map_or(Ok(*asked), Err),
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
            (&["allow", " ", "--rule", "proof-lost"], "name a declaration or a file"),
            (&["allow", "a", "--rule"], "a value is required for '--rule <RULE>'"),
            (&["allow", "a", "--force"], "unexpected argument '--force' found"),
            (&["allow", "a", "--rule", "proof-lost", "--for", "soon"], "`soon` is not a time"),
            (&["allow", "a", "--rule", "proof-lost", "--for", "0m"], "`0m` is not a time"),
            (
                &["allow", "a", "--rule", "proof-lost", "--for", "99w"],
                "a lift lasts at most 90 days",
            ),
            (
                &["allow", "a", "--rule", "proof-lost", "--for", "1h", "--once"],
                "the argument '--for <TIME>' cannot be used with '--once'",
            ),
            (
                &["allow", "a.lean", "--rule", "proof-lost", "--file", "b"],
                "`a.lean` is already a file",
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
        let id = app.write(|writer| writer.grant(&lift)).unwrap();
        assert_eq!(list(&mut app, false).unwrap()[0].state, "open");
        let now = app.now;
        let revoke = |app: &mut App| app.store().unwrap().write(now, |w| w.revoke(id)).unwrap();
        assert!(revoke(&mut app));
        assert!(!revoke(&mut app));
        assert_eq!(list(&mut app, false).unwrap(), []);
        assert_eq!(list(&mut app, true).unwrap()[0].state, "revoked");
        assert_eq!(state(&lift, "2026-02-02 12:00:00"), "expired");
    }
}
