//! The tools: each is a command of `mk`. What clap says of the command's arguments is the tool's schema, and a call
//! goes through clap, so that there is one description of both.

use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches as _};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::app::guard::project_files::real;
use crate::text::{clean, clip, nearest};
use crate::ui::{Exit, Out};
use crate::{
    audit, briefing, diff, failed, find, next, note, outline, premises, search, show, strategies,
    verify,
};

pub(super) struct Tool {
    /// The command's name, too.
    pub(super) name: &'static str,
    /// What a model reads when it chooses.
    pub(super) about: &'static str,
    /// Arguments of the command that are not offered.
    without: &'static [&'static str],
    /// What is said to the command in each call.
    always: &'static [&'static str],
    arguments: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &mut App, &mut Out) -> anyhow::Result<Exit>,
}

macro_rules! tools {
    ($($name:literal, $arguments:ty, without $without:expr, always $always:expr, $about:literal;)*) => {
        pub(super) const TOOLS: &[Tool] = &[$(Tool {
            name: $name,
            about: $about,
            without: &$without,
            always: &$always,
            arguments: <$arguments>::augment_args,
            run: |matches, app, out| <$arguments>::from_arg_matches(matches)?.run(app, out),
        },)*];
    };
}

tools! {
    "search", search::Args, without ["explain", "verbose"], always [],
        "Search what is known: proved theorems, techniques, failed approaches, false lemmas, decisions. Use it before \
         you try a proof. Any text is a valid query; a filter alone lists the newest.";
    "find", find::Args, without ["all"], always [],
        "Everything known about one problem or slot: its status, results, failures, false lemmas, submissions.";
    "failed", failed::Args, without [], always [],
        "Approaches that failed and lemmas that are false, with why and what to do instead. Use it before you state a \
         lemma or go down a road.";
    "strategies", strategies::Args, without [], always [],
        "Techniques of proved theorems, by how often they worked; of a domain or a problem.";
    "show", show::Args, without [], always [],
        "Findings in full, with their sources, by the ids that other tools answer, by a declaration's name or a fact's key.";
    "brief", briefing::Args, without [], always [],
        "The briefing of this project: what is in flight, nearly proved, refuted, tried, and the next step.";
    "next", next::Args, without [], always [],
        "The gaps of the project, those first that unblock most, each with why; what is false as it stands is named.";
    "premises", premises::Args, without [], always [],
        "Search Lean's library, Mathlib and the project, in their installed versions, for declarations: by words, names, \
         patterns such as `_ * (_ ^ _)`, or a goal as Lean prints it.";
    "outline", outline::Args, without [], always [],
        "Declarations of Lean files with their statements, gaps (sorry) and what has to be trusted (axioms).";
    "diff", diff::Args, without [], always [],
        "What changed in each declaration between two versions of a Lean file: statements, proofs lost or gained.";
    "audit", audit::Args, without ["sarif", "rules", "notes"], always [],
        "What is unproved or taken on trust in Lean files; with `base` or `staged`, what got worse. It reads text and \
         does not run Lean.";
    "verify", verify::Args,
        without ["changed", "stale", "replay", "build", "again", "jobs", "dry_run", "known"], always ["--known"],
        "What the project's own Lean said about declarations when it was asked, and whether that still holds. It does \
         not run Lean.";
    "note", note::Args, without [], always [],
        "Note a decision, dead end, gotcha or preference for later sessions. It is a proposal that waits until a person \
         confirms it.";
}

/// Bytes of the arguments of a call.
const LONGEST: usize = 64 << 10;

impl Tool {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    pub(super) fn reads(&self) -> bool {
        self.name != "note"
    }

    pub(super) fn command(&self) -> clap::Command {
        // Options of the command line that go with all commands are not offered, but may be named by others.
        let json = Arg::new("json").long("json").action(ArgAction::SetTrue).hide(true);
        (self.arguments)(clap::Command::new(self.name).no_binary_name(true).arg(json))
    }

    /// What a client may say: of other projects only where they are open.
    fn offers(&self, arg: &Arg, only_here: bool) -> bool {
        let id = arg.get_id().as_str();
        let is_kept = arg.is_hide_set() || self.without.contains(&id);
        !is_kept && (id != "project" || !only_here)
    }

    /// JSON Schema of the arguments.
    pub(super) fn schema(&self, only_here: bool) -> JsonObject {
        let command = self.command();
        let offered = || command.get_arguments().filter(|arg| self.offers(arg, only_here));
        let properties: Map<String, Value> =
            offered().map(|arg| (arg.get_id().to_string(), property(arg))).collect();
        let required: Vec<&str> = offered()
            .filter(|arg| arg.is_required_set())
            .map(|arg| arg.get_id().as_str())
            .collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), json!(required));
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }

    /// Runs the command. What is wrong with the arguments is said like what the command complains about.
    pub(super) fn call(
        &self,
        given: &JsonObject,
        app: &mut App,
        out: &mut Out,
    ) -> anyhow::Result<Exit> {
        let command = self.command();
        let words = self.words(&command, given, app).map_err(anyhow::Error::msg)?;
        let matches = command.try_get_matches_from(words).map_err(|error| {
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            anyhow::anyhow!("{}", clean(text))
        })?;
        (self.run)(&matches, app, out)
    }

    /// The words of the command line that says the same.
    pub(super) fn words(
        &self,
        command: &clap::Command,
        given: &JsonObject,
        app: &mut App,
    ) -> Result<Vec<OsString>, String> {
        let only_here = app.only_here;
        let offered = || command.get_arguments().filter(|arg| self.offers(arg, only_here));
        for name in given.keys() {
            let names = || offered().map(|arg| arg.get_id().as_str());
            if !names().any(|one| one == name) {
                let meant = nearest(name, names()).map(|near| format!(" (do you mean `{near}`?)"));
                let all = || format!("; there are {}", names().collect::<Vec<_>>().join(", "));
                let name = clip(&clean(name), 40);
                return Err(format!(
                    "{} has no argument `{name}`{}",
                    self.name,
                    meant.unwrap_or_else(all)
                ));
            }
        }
        let mut options: Vec<OsString> = self.always.iter().map(OsString::from).collect();
        let mut positional: Vec<OsString> = vec!["--".into()];
        let mut length = 0;
        for arg in offered() {
            let values = values(arg, given.get(arg.get_id().as_str()).unwrap_or(&Value::Null))?;
            length += values.iter().map(String::len).sum::<usize>();
            if length > LONGEST {
                return Err(format!(
                    "the arguments have more than {} KB: shorten them",
                    LONGEST >> 10
                ));
            }
            for value in values {
                if only_here && names_file(arg) && !is_inside(&value, app) {
                    let value = clip(&clean(&value), 80);
                    return Err(format!("`{value}` is outside of this project: name files in it"));
                }
                match arg.get_long() {
                    None => positional.push(value.into()),
                    Some(long) if is_flag(arg) => options.push(format!("--{long}").into()),
                    Some(long) => options.push(format!("--{long}={value}").into()),
                }
            }
        }
        Ok(options.into_iter().chain(positional).collect())
    }
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

fn is_of<T: 'static>(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<T>()
}

fn takes_many(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
        || arg.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// Words of a text, which the command joins.
fn is_text(arg: &Arg) -> bool {
    arg.is_positional() && is_of::<String>(arg) && arg.get_value_delimiter().is_none()
}

fn property(arg: &Arg) -> Value {
    let kind = if is_flag(arg) {
        "boolean"
    } else if is_of::<u32>(arg) || is_of::<usize>(arg) {
        "integer"
    } else {
        "string"
    };
    let mut one = json!({ "type": kind });
    let words = arg.get_possible_values();
    if !words.is_empty() && !is_flag(arg) && !arg.is_hide_possible_values_set() {
        one["enum"] = words.iter().map(clap::builder::PossibleValue::get_name).collect();
    }
    let mut property = one;
    if takes_many(arg) && !is_text(arg) {
        property = json!({ "type": "array", "items": property });
    }
    if let Some(help) = arg.get_help() {
        property["description"] = json!(help.to_string());
    }
    if let [value] = arg.get_default_values()
        && kind == "integer"
    {
        property["default"] = json!(value.to_str().and_then(|text| text.parse::<u64>().ok()));
    }
    property
}

/// What is said of one argument; nothing for `null` and for a flag that is off.
fn values(arg: &Arg, given: &Value) -> Result<Vec<String>, String> {
    let wrong = |wanted: &str| Err(format!("`{}` has to be {wanted}", arg.get_id()));
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match given {
        Value::Null => Ok(Vec::new()),
        Value::Bool(is_on) if is_flag(arg) => Ok(is_on.then(String::new).into_iter().collect()),
        _ if is_flag(arg) => wrong("true or false"),
        Value::Array(all) if takes_many(arg) => {
            all.iter().map(one).collect::<Option<_>>().map_or_else(|| wrong("a list of texts"), Ok)
        }
        _ => one(given).map_or_else(|| wrong("a text or a number"), |text| Ok(vec![text])),
    }
}

/// Whether a value is the path of a file, or begins with one.
fn names_file(arg: &Arg) -> bool {
    is_of::<PathBuf>(arg) || arg.get_id() == "at"
}

fn is_inside(value: &str, app: &App) -> bool {
    value == "/dev/null" || real(&app.here().join(value)).starts_with(real(&app.project.root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::guard::permission::Does;
    use crate::cli::read_call;
    use crate::paths::Environment;

    /// What a session may do in Bash without asking, a tool may do, and nothing else, whatever its arguments say.
    #[test]
    fn no_tool_decides_or_writes() {
        let dir = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[("MK_HOME", dir.path().to_str().unwrap())]);
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut app = App::new(environment, now, None, None).unwrap();
        for tool in TOOLS {
            let command = tool.command();
            for odd in ["x", "--remove", "--db=y", "--build", "-x", "resolve"] {
                let mut given = JsonObject::new();
                // Of what excludes each other only one is said.
                let is_said =
                    |arg: &&Arg| !["base", "at", "kernel"].contains(&arg.get_id().as_str());
                let offered = command.get_arguments().filter(|arg| tool.offers(arg, false));
                for arg in offered.filter(is_said) {
                    let value = match property(arg)["type"].as_str() {
                        Some("boolean") => json!(true),
                        Some("integer") => json!(3),
                        Some("array") => json!([odd, odd]),
                        // A word that is none of the kinds is no command line.
                        _ if tool.name == "note" && arg.get_id() == "kind" => json!("decision"),
                        _ => json!(odd),
                    };
                    given.insert(arg.get_id().to_string(), value);
                }
                let words = tool.words(&command, &given, &mut app).unwrap();
                let words = words.into_iter().map(|word| word.into_string().unwrap());
                let line: Vec<String> =
                    std::iter::once(tool.name.to_owned()).chain(words).collect();
                let does = read_call(&line).unwrap_or_else(|| panic!("{line:?}")).does;
                let expected = if tool.reads() { Does::Reads } else { Does::Proposes };
                assert_eq!(does, expected, "{line:?}");
            }
        }
    }

    #[test]
    fn tools_are_described() {
        for tool in TOOLS {
            tool.command().debug_assert();
            let schema = Value::Object(tool.schema(false));
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{} {name}", tool.name);
            }
            assert!(
                !tool.about.is_empty()
                    && tool.without.iter().all(|id| {
                        tool.command().get_arguments().any(|arg| arg.get_id() == *id)
                    })
            );
        }
    }
}
