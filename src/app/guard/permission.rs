//! Leave for commands: which calls of `mk` may run without asking, and asking the person inside a session.
//! One plain call of `mk` that decides something opens the client's own dialog, and what the person
//! agreed to is recorded when the command has run.

use std::path::{Path, PathBuf};

use super::known::{self, Known};
use super::project_files::real;
use super::protected_paths;
use crate::allow::{self, Request};
use crate::app::App;
use crate::guard::{self, Level};
use crate::hook::{Event, Reply};
use crate::model::GuardEntry;
use crate::review;
use crate::shell;
use crate::text::{clean, clip};

#[derive(Debug)]
pub struct Call {
    pub does: Does,
    /// Why it would not run, in a sentence; then `does` is what it was meant to do.
    pub wrong: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Does {
    Reads,
    /// What it adds restricts only the agent, or waits for the person.
    Proposes,
    Takes(Vec<PathBuf>),
    Decides(PersonDecision),
    Writes,
}

#[derive(Debug, PartialEq, Eq)]
pub enum PersonDecision {
    Allow(Box<allow::Args>),
    /// `mk confirm`, `mk drop`, under all their names, `mk facts set`, `mk problem resolve` or `alias`.
    Knowledge(review::Asked),
    /// One that cannot be asked for in a session, as it is called: `mk trust`.
    Terminal(&'static str),
}

/// Reads the words after `mk`; `None` where they name no command of it.
pub type ReadCall = fn(&[String]) -> Option<Call>;

const HOW: &str = "`mk allow NAME --rule RULE --reason \"WHY\"` as one plain command (NAME is a \
    declaration or a file)";

/// Where questions to the person stand in the log: these are none of the guard's rules, so that they
/// do not count as refusals.
const ASKED: &str = "asked-to-lift";
const DECIDE: &str = "asked-to-decide";

const NOT_ASKED: &str = "math-forge: to ask the person, run one plain command: `mk confirm ID`, `mk drop \
    ID` or \
    `mk facts set KEY VALUE` for at most five findings or proposals that are not decided yet, or `mk problem resolve ID` \
    or `mk problem alias ID OTHER` for a known problem. `mk review list` and `mk list` show the ids; what is too long for \
    a dialog is decided in a terminal.";

/// The answer to a command that is about to run: it may pass where all of it is understood and needs no
/// leave; it is a question or a refusal where it asks for a person's decision or changes what is the
/// guard's own. `None` for every other command.
pub fn before(app: &mut App, event: &Event, command: &str, read: ReadCall) -> Option<Reply> {
    let is_ours = is_ours(app);
    if let Some(words) = guard::plain_mk(command, &is_ours)
        && let Some(Call { does: Does::Decides(decision), wrong }) = read(&words)
    {
        return Some(asked_about(app, event, command, decision, wrong.as_deref()));
    }
    if command.contains("mk")
        && guard::may_pass(&shell::read(command), is_ours, |words, folders| {
            may_run(app, event, read(words), folders)
        })
    {
        let reason =
            "math-forge: this only reads, locks statements or extracts files of the project";
        return Some(Reply::Allow { reason: reason.to_owned() });
    }
    let hidden = hidden(command, read).map(|reason| Reply::Deny { reason });
    hidden.or_else(|| protected_paths::before_command(app, event, command))
}

/// Whether a program is our `mk`: by its bare name, or as the launcher or the link to this program.
fn is_ours(app: &App) -> impl Fn(&str) -> bool + use<> {
    let launcher = app.environment.path("CLAUDE_PLUGIN_ROOT").map(|root| root.join("bin/mk"));
    let link = app.paths.bin_dir().join("mk");
    move |program| {
        let path = Path::new(program);
        program == "mk" || path == link || launcher.as_deref() == Some(path)
    }
}

fn may_run(app: &App, event: &Event, call: Option<Call>, folders: &[String]) -> bool {
    match call {
        Some(Call { does: Does::Reads | Does::Proposes, wrong: None }) => true,
        Some(Call { does: Does::Takes(files), wrong: None }) => {
            let mut starts = vec![event.cwd.clone().unwrap_or_else(|| app.project.start.clone())];
            for folder in folders.iter().take(4) {
                // It may not be there, and the command goes on.
                let inner: Vec<PathBuf> = starts.iter().map(|start| start.join(folder)).collect();
                starts.extend(inner);
            }
            let root = real(&app.project.root);
            let is_inside = |path: PathBuf| {
                let text = path.to_string_lossy();
                let is_odd = text.contains(['*', '?', '[', '{']) && text.contains("..");
                !is_odd && real(&path).starts_with(&root)
            };
            folders.len() <= 4
                && starts
                    .iter()
                    .flat_map(|start| files.iter().map(|file| start.join(file)))
                    .all(is_inside)
        }
        _ => false,
    }
}

/// Why a command that hides a person's decision among other things is refused.
fn hidden(command: &str, read: ReadCall) -> Option<String> {
    /// Calls in one command that are read.
    const MOST: usize = 200;
    let calls = guard::hidden_calls(command);
    let decision = calls.iter().take(MOST).find_map(|words| match read(words)?.does {
        Does::Decides(decision) => Some(decision),
        _ => None,
    });
    match decision {
        Some(PersonDecision::Terminal(what)) => Some(not_here(what)),
        Some(PersonDecision::Allow(_)) => Some(format!(
            "math-forge: lifting a rule is the person's decision. Ask for it with {HOW}, no pipe, \
             variable or other command."
        )),
        Some(PersonDecision::Knowledge(_)) => Some(NOT_ASKED.to_owned()),
        None if calls.len() > MOST => Some(format!(
            "math-forge: more than {MOST} calls of mk in one command are not checked; use several commands."
        )),
        None => None,
    }
}

fn not_here(what: &str) -> String {
    format!(
        "math-forge: `{what}` is the person's decision and cannot be made in a session. Say what you \
         need and why; the person can run it in a terminal outside of Claude Code."
    )
}

fn asked_about(
    app: &mut App,
    event: &Event,
    command: &str,
    decision: PersonDecision,
    wrong: Option<&str>,
) -> Reply {
    let entry = |rule: &str| GuardEntry {
        rule: rule.to_owned(),
        level: Level::Ask.as_str().to_owned(),
        detail: command.to_owned(),
        ..GuardEntry::default()
    };
    let refused = match decision {
        PersonDecision::Terminal(what) => not_here(what),
        PersonDecision::Allow(asked) => match requested(app, event, &asked, wrong) {
            Ok(request) => {
                let reason = dialog(&request);
                let declaration = request.declaration.unwrap_or_default();
                let entry = GuardEntry { file: request.file, declaration, ..entry(ASKED) };
                known::log(app, event, vec![entry]);
                return Reply::ask(reason);
            }
            Err(reason) => {
                format!("math-forge: `mk allow` was not understood: {reason}. Ask with {HOW}.")
            }
        },
        PersonDecision::Knowledge(asked) => match review::question(app, &asked) {
            // What the person saw: it may change while the dialog is open.
            Some((reason, print)) if wrong.is_none() => {
                let entry = GuardEntry { declaration: print, ..entry(DECIDE) };
                known::log(app, event, vec![entry]);
                return Reply::ask(reason);
            }
            _ => NOT_ASKED.to_owned(),
        },
    };
    Reply::Deny { reason: refused }
}

fn requested(
    app: &mut App,
    event: &Event,
    asked: &allow::Args,
    wrong: Option<&str>,
) -> Result<Request, String> {
    let mut request = asked.request(app, event.cwd.as_deref())?;
    if let Some(wrong) = wrong {
        return Err(wrong.to_owned());
    }
    if request.reason.is_empty() {
        return Err("it needs `--reason \"...\"`: the person decides by it".to_owned());
    }
    if let Some(name) = &request.declaration {
        request.declaration = Some(Known::load(app, event).full_name(request.rule, name));
    }
    Ok(request)
}

/// What stands in the dialog. Where nobody can be asked, the agent gets it as a refusal.
fn dialog(request: &Request) -> String {
    format!(
        "math-forge: lifting {} for {} ({}) is the person's decision.\nWhat the rule stops: {}.\n\
         Reason given: \"{}\".\nWithout the person's yes it stays in force.",
        request.rule,
        clean(&request.target()),
        request.holds(),
        request.rule.summary(),
        clip(&clean(&request.reason), 300),
    )
}

/// Records what the person agreed to, after the command has run, and says so; uses up a lift under
/// which the command changed what is the guard's own. `None` for every other command.
pub fn record(app: &mut App, event: &Event, command: &str, read: ReadCall) -> Option<Reply> {
    let call = guard::plain_mk(command, is_ours(app)).and_then(|words| read(&words));
    let Some(Call { does: Does::Decides(decision), wrong: None }) = call else {
        protected_paths::after_command(app, event, command);
        return None;
    };
    let known = Known::load(app, event);
    let detail = known::stored(command);
    let is_question =
        |row: &GuardEntry| [ASKED, DECIDE].contains(&row.rule.as_str()) && row.detail == detail;
    let question = known.before(event, is_question).first().map(|row| (*row).clone());
    let unasked = |what: &str| {
        format!(
            "math-forge: nothing is {what}: there is no record that the person was asked about exactly \
             this command."
        )
    };
    let text = match (decision, question) {
        (PersonDecision::Terminal(_), _) => return None,
        (PersonDecision::Allow(asked), question) => granted(app, event, &asked, question, unasked)?,
        (PersonDecision::Knowledge(_), None) => unasked("decided"),
        (PersonDecision::Knowledge(asked), Some(question)) => {
            review::decide_from_dialog(app, &asked, &question.declaration).unwrap_or_else(|error| {
                app.log.line(app.now, "review", &format!("a yes was not recorded: {error:#}"));
                format!("math-forge: the person agreed, but nothing was changed: {error:#}")
            })
        }
    };
    Some(Reply::Note(text))
}

fn granted(
    app: &mut App,
    event: &Event,
    asked: &allow::Args,
    question: Option<GuardEntry>,
    unasked: impl Fn(&str) -> String,
) -> Option<String> {
    let mut request = requested(app, event, asked, None).ok()?;
    let Some(question) = question else { return Some(unasked("lifted")) };
    // As it stood in the dialog, whatever the log says by now.
    if request.declaration.is_some() {
        request.declaration = Some(question.declaration).filter(|name| !name.is_empty());
    }
    let project = app.place();
    let mut lift = request.record(project.as_deref(), app.now, "dialog");
    lift.session = Some(event.session.clone()).filter(|session| !session.is_empty());
    lift.tool_use = Some(event.tool_use.clone());
    Some(match app.write(|writer| writer.grant(&lift)) {
        Ok(id) => format!(
            "math-forge: the person agreed. {} is lifted for {}, {} (lift {id}). Every other rule \
             holds as before.",
            request.rule,
            clean(&request.target()),
            request.holds()
        ),
        Err(error) => {
            app.log.line(app.now, "guard", &format!("a lift was not recorded: {error:#}"));
            format!(
                "math-forge: the person agreed, but the lift could not be recorded ({error:#}); the \
                 rule holds."
            )
        }
    })
}
