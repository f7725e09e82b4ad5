//! `mk allow`: lifts a rule of the guard. A person's decision.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::app::App;
use crate::app::guard::declared;
use crate::app::guard::lifts::{self, Asked, Request};
use crate::app::guard::permission::{self, Does, PersonDecision};
use crate::render;
use crate::ui::{Exit, Out, UsageError, person};

/// Lift a rule of the guard for a declaration or a file: for one edit, or for a while
///
/// A person's decision: in a terminal the name is typed again. In a session of Claude Code the agent
/// can run it as one plain command with a reason; the client then asks you, and your yes counts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk allow Erdos.main --rule proof-lost --reason \"rewriting it without omega\"
  mk allow Main.lean --rule statement-changed --for 30m
  mk allow --list --all
  mk allow --revoke 3

Rules: proof-lost, progress-lost, policy-changed, statement-changed, ... (`mk config list`)")]
pub(crate) struct Args {
    /// Full name of a declaration, or a file
    #[arg(value_name = "DECL|FILE", required_unless_present_any = ["list", "revoke"])]
    target: Option<String>,
    /// The rule to lift
    #[arg(long, value_name = "RULE", required_unless_present_any = ["list", "revoke"])]
    rule: Option<String>,
    /// For one edit within a day (default)
    #[arg(long, conflicts_with = "for")]
    once: bool,
    /// For a time: 30m, 2h, 7d; 90 days at most
    #[arg(long = "for", value_name = "TIME")]
    r#for: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Only in this file
    #[arg(long, value_name = "FILE")]
    file: Option<String>,
    /// List the lifts that hold
    #[arg(long, conflicts_with_all = ["target", "rule", "revoke"])]
    list: bool,
    /// List those that are over, too
    #[arg(long, requires = "list")]
    all: bool,
    /// Take a lift back
    #[arg(long, value_name = "ID", conflicts_with_all = ["target", "rule"])]
    revoke: Option<i64>,
}

#[derive(Serialize)]
struct Answer<'a> {
    granted: bool,
    id: Option<i64>,
    rule: &'a str,
    declaration: Option<&'a str>,
    file: Option<&'a str>,
}

/// What is said in a session, where the command itself decides nothing.
const IN_SESSION: &str = "Nothing is lifted: in a session of Claude Code the client's dialog has to ask you, and \
    it did not ask about this. Typed with `!` this does nothing: use a terminal.";

impl Args {
    pub(crate) fn does(self) -> Does {
        match (self.list, self.revoke) {
            (true, _) => Does::Reads,
            (_, Some(_)) => Does::Writes,
            _ => Does::Decides(PersonDecision::Allow(self.asked())),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.list {
            let lifts = lifts::list(app, self.all)?;
            out.answer(&BTreeMap::from([("lifts", &lifts)]), |width| {
                render::guard::lifts(&lifts, self.all, width, app.now)
            })?;
            return Ok(Exit::Done);
        }
        if let Some(id) = self.revoke {
            anyhow::ensure!(lifts::revoke(app, id)?, "there is no lift {id} that still holds");
            out.answer(&serde_json::json!({ "revoked": id }), |_| {
                format!("lift {id} is taken back\n")
            })?;
            return Ok(Exit::Done);
        }
        let request = self.asked().request(app, app.environment.current_dir.as_deref());
        let request = request.map_err(UsageError)?;
        if app.environment.inside_client() {
            return in_session(app, &request, out);
        }
        person::require(app, "lifting a rule")?;
        warn_of_name(app, &request, out);
        out.note(&format!("{} for {}, {}", request.rule, request.target(), request.holds()));
        person::require_name(app, out, "lifting a rule", request.name())?;
        let project = app.place();
        let id = lifts::grant(app, &request.record(project.as_deref(), app.now, "terminal"))?;
        if out.json {
            out.object(&granted(&request, Some(id)))?;
        } else {
            let (target, holds) = (request.target(), request.holds());
            out.print(&format!("{} is lifted for {target}, {holds} (lift {id})\n", request.rule))?;
        }
        Ok(Exit::Done)
    }

    fn asked(self) -> Asked {
        Asked {
            target: self.target.unwrap_or_default(),
            rule: self.rule.unwrap_or_default(),
            once: self.once,
            period: self.r#for,
            reason: self.reason,
            file: self.file,
        }
    }
}

fn granted(request: &Request, id: Option<i64>) -> Answer<'_> {
    Answer {
        granted: id.is_some(),
        id,
        rule: request.rule.code(),
        declaration: request.declaration.as_deref(),
        file: request.file.as_deref(),
    }
}

/// The hook records what the person agreed to as soon as this command has ended.
fn in_session(app: &mut App, request: &Request, out: &mut Out) -> anyhow::Result<Exit> {
    if out.json {
        out.object(&granted(request, None))?;
    } else if let Some(asked) = permission::was_asked(app, request) {
        let (rule, target, holds) = (asked.rule, asked.target(), asked.holds());
        out.print(&format!("You agreed: {rule} is lifted for {target}, {holds}.\n"))?;
    } else {
        out.print(&format!("{IN_SESSION}\n"))?;
    }
    Ok(Exit::Done)
}

/// A lift for a name that nothing has would never let anything pass.
fn warn_of_name(app: &App, request: &Request, out: &mut Out) {
    let Some(name) = &request.declaration else { return };
    let search = declared::find(app, name, request.file.as_deref());
    if search.places.is_empty() {
        let hint = search.hint();
        out.note(&format!("mk: no Lean file of this project declares `{name}`{hint}"));
    }
}
