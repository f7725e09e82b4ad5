//! The command line: the list of commands; each is a feature, with its arguments, its run and its view.
//!
//! Exit codes: 0 done, 1 failed, 2 usage. `mk hook` and a bare `mk` never answer 2: Claude Code reads
//! it as "block".

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::app::App;
use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::guard::snapshot;
use crate::app::learn::work;
use crate::facts::{self, ExpireArgs, ask};
use crate::paths::Environment;
use crate::ui::layout::wrap;
use crate::ui::{Exit, Out, UsageError};
use crate::{
    add, allow, audit, briefing, capture, demo, diff, doctor, export, extract, failed, find,
    forget, gc, guard_log, import, init, jobs, list, lock, mcp, next, note, outline, premises,
    problem, projects, queue, renames, report, review, search, settings, show, stats, strategies,
    trust, verify, why,
};

mod call;
mod completions;
mod hook;
mod status;

#[cfg(test)]
pub(crate) use call::read as read_call;

/// Memory and guardrails for AI agents that prove theorems in Lean 4.
#[derive(Debug, Parser)]
#[command(name = "mk", version, max_term_width = 100, arg_required_else_help = false)]
#[command(
    after_help = "`mk` alone shows the current state and the next step; `mk COMMAND --help` has examples."
)]
struct Cli {
    /// Knowledge database to use instead of the configured one
    #[arg(long, global = true, value_name = "FILE", help_heading = "Databases")]
    db: Option<PathBuf>,
    /// Tracking database to use instead of the configured one
    #[arg(long, global = true, value_name = "FILE", help_heading = "Databases")]
    tracking: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The commands, in the order in which they are listed, each with its arguments, and with what it does to
/// the hook that decides whether a session may run it.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($arguments:ty): $does:expr,)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$about])* $name($arguments),)*
            /// Answers a hook of Claude Code: JSON on stdin, JSON or nothing on stdout, always exit 0
            #[command(hide = true)]
            Hook,
        }

        impl Command {
            fn does(self) -> Does {
                match self {
                    $(Self::$name(arguments) => ($does)(arguments),)*
                    Self::Hook => Does::Writes,
                }
            }
        }

        fn dispatch(command: Command, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
            match command {
                $(Command::$name(arguments) => arguments.run(app, out),)*
                Command::Hook => Ok(Exit::Done),
            }
        }
    };
}

/// What `mk --help` lists, as people look for it; the other commands are named below the list.
const GROUPS: [(&str, &str); 5] = [
    ("Ask", "search find premises problem next failed strategies show report"),
    ("Lean files", "audit verify"),
    ("Guard", "guard allow lock"),
    ("Learn", "extract import review"),
    ("Upkeep", "init config doctor"),
];

/// The command line, its help in groups.
fn command() -> clap::Command {
    let command = Cli::command();
    let about = |name: &str| command.find_subcommand(name)?.get_about().map(ToString::to_string);
    let heading = command.get_styles().get_header();
    let mut page = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        writeln!(page, "\n{heading}{title}:{heading:#}").ok();
        for name in names.split(' ') {
            writeln!(page, "  {name:<12}{}", about(name).unwrap_or_default()).ok();
        }
    }
    let is_listed =
        |one: &&str| GROUPS.iter().any(|(_, names)| names.split(' ').any(|n| n == *one));
    let others =
        command.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name);
    let others: Vec<&str> = others.filter(|one| !is_listed(one)).collect();
    let others = wrap(&others.join(", "), 88).join("\n  ");
    write!(page, "\n{heading}More:{heading:#}\n  {others}\n").ok();
    write!(page, "\n{heading}Options:{heading:#}\n{{options}}{{after-help}}").ok();
    command.help_template(page)
}

fn reads<T>(_: T) -> Does {
    Does::Reads
}

fn writes<T>(_: T) -> Does {
    Does::Writes
}

fn terminal(what: &'static str) -> Does {
    Does::Decides(PersonDecision::Terminal(what))
}

commands! {
    Search(search::Args): reads,
    Find(find::Args): reads,
    Premises(premises::Args): reads,
    #[command(alias = "problems")]
    Problem(problem::Args): problem::Args::does,
    Next(next::Args): reads,
    Failed(failed::Args): reads,
    Strategies(strategies::Args): reads,
    Show(show::Args): reads,
    Status(status::Args): reads,
    Stats(stats::Args): reads,
    Brief(briefing::Args): reads,
    Why(why::Args): reads,
    Outline(outline::Args): reads,
    Audit(audit::Args): reads,
    Guard(guard_log::Args): reads,
    Allow(allow::Args): allow::Args::does,
    Lock(lock::Args): lock::Args::does,
    Renames(renames::Args): reads,
    Mcp(mcp::Args): writes,
    Note(note::Args): |_| Does::Proposes,
    Review(review::Args): review::Args::does,
    Confirm(review::ConfirmArgs): review::ConfirmArgs::does,
    Drop(review::DropArgs): review::DropArgs::does,
    List(list::Args): reads,
    Diff(diff::Args): reads,
    Verify(verify::Args): |args: verify::Args| if args.known { Does::Reads } else { Does::Writes },
    Certify(verify::certify::Args): writes,
    Extract(extract::Args): extract::Args::does,
    ExtractAll(ask::Args): writes,
    Lessons(list::LessonArgs): reads,
    Playbooks(list::PlaybookArgs): reads,
    Facts(facts::Args): facts::Args::does,
    Expire(ExpireArgs): |args: ExpireArgs| if args.dry_run { Does::Reads } else { Does::Writes },
    Jobs(jobs::Args): jobs::Args::does,
    Import(import::Args): writes,
    Export(export::Args): reads,
    Add(add::Args): writes,
    Queue(queue::Args): queue::Args::does,
    Report(report::Args): writes,
    Config(settings::Args): settings::Args::does,
    Init(init::Args): writes,
    Trust(trust::Args): |args: trust::Args| if args.remove { Does::Writes } else { terminal("mk trust") },
    Projects(projects::Args): projects::Args::does,
    Doctor(doctor::Args): |args: doctor::Args| if args.fix { Does::Writes } else { Does::Reads },
    Index(premises::IndexArgs): reads,
    Gc(gc::Args): |args: gc::Args| if args.dry_run { Does::Reads } else { Does::Writes },
    Forget(forget::Args): |args: forget::Args| if args.dry_run { Does::Reads } else { terminal("mk forget") },
    Demo(demo::Args): writes,
    Completions(completions::Args): reads,
    #[command(hide = true)]
    Capture(capture::Args): writes,
    #[command(hide = true)]
    Learn(work::Args): writes,
    #[command(hide = true)]
    Snapshot(snapshot::Args): writes,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let environment = Environment::from_process();
    let now = clock(&environment);
    // Before clap, which would answer a wrong command line with 2.
    if let Some(call) = hook::Call::parse(&arguments) {
        call.run(environment, now);
        return ExitCode::SUCCESS;
    }
    let mut out = Out::for_process(&environment);
    // clap looks for a command of that name.
    let asks_for_help =
        matches!(&*arguments, [_, help, end] if help == "help" && (end == "--help" || end == "-h"));
    let most = if asks_for_help { 2 } else { arguments.len() };
    let mut words = arguments.into_iter().take(most);
    let program = words.next().unwrap_or_default();
    let mut words: Vec<OsString> = words.collect();
    call::second_name(&mut words);
    let parsed = command().try_get_matches_from(std::iter::once(program).chain(words));
    let exit = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => run(cli, environment, now, &mut out),
        Err(error) => {
            let usage = error.use_stderr();
            error.print().ok();
            if usage { Exit::Usage } else { Exit::Done }
        }
    };
    exit.into()
}

/// The time at which this process began. Tests that compare recorded output set it, as ranks and
/// ages would change from day to day; a release build does not listen.
#[allow(clippy::disallowed_methods, reason = "the one place where the clock is read")]
fn clock(environment: &Environment) -> jiff::Timestamp {
    let set = environment.text("MK_NOW").filter(|_| cfg!(debug_assertions));
    set.and_then(|time| time.parse().ok()).unwrap_or_else(|| {
        jiff::Timestamp::try_from(std::time::SystemTime::now()).unwrap_or(jiff::Timestamp::MAX)
    })
}

fn run(cli: Cli, environment: Environment, now: jiff::Timestamp, out: &mut Out) -> Exit {
    out.json = cli.json;
    let app = App::new(environment, now, cli.db.as_deref(), cli.tracking.as_deref());
    let result = app.and_then(|mut app| {
        app.clock = Some(clock);
        match cli.command {
            Some(command) => dispatch(command, &mut app, out),
            None => status::run(&mut app, out),
        }
    });
    finish(result, out)
}

/// Turns the end of a command into an exit code; says what failed, once, on stderr.
fn finish(result: anyhow::Result<Exit>, out: &mut Out) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            out.note(&format!("mk: {error:#}"));
            if error.is::<UsageError>() { Exit::Usage } else { Exit::Failed }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_consistent() {
        command().debug_assert();
    }
}
