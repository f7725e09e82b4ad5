//! `mk certify`: a result proves what a sketch asked, for Lean itself. Both are compiled by themselves; statements are
//! compared as Lean elaborates them, with the definitions of the two files that they speak of.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::ask::{self, Answer, Compared, Print};
use super::check::{self, ALONE, Compiled, Files, Unasked, compile, told};
use super::lake::Lake;
use super::may_run;
use crate::app::App;
use crate::app::git::Repository;
use crate::app::lean_files;
use crate::files;
use crate::lean;
use crate::learn::results;
use crate::model::{KernelVerdict, USUAL_AXIOMS, slot_of, verdict_of};
use crate::store::time_text;
use crate::text::{clip, hash, one_line, plural};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, UsageError};

const STATEMENT_COLUMNS: usize = 400;

/// What modules begin with in which a theorem of the result is taken for what the sketch states.
const IMPLIED: &str = "MkImplied";

/// Certify that a result proves what a sketch asked
///
/// For every theorem of the sketch, the result must have one of the same name with the same statement
/// for Lean: elaborated with the result's own definitions, `open`s and instances, it must come out as
/// it did in the sketch, and the definitions of the file that it speaks of must be the same. Its proof
/// may rest only on the usual axioms (and those of `guard.allow_axioms`), and the compiled result must
/// pass a replay in an empty environment.
///
/// Both files are compiled in the Lake package around the result, into a temporary folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk certify sketches/Tuza.lean results/tuza_result.lean
  mk certify Sketch.lean Result.lean --receipt tuza.json
  mk certify --check tuza.json            the same again, from the receipt
  mk certify Sketch.lean Result.lean --comparator comparator.json

Exit code 0: certified. 1: not. 3: Lean could not be asked.")]
pub(crate) struct Args {
    /// What was asked
    #[arg(required_unless_present = "check")]
    sketch: Option<PathBuf>,
    /// What was answered
    #[arg(required_unless_present = "check")]
    result: Option<PathBuf>,
    /// Examine what a receipt says again
    #[arg(long, value_name = "RECEIPT", conflicts_with_all = ["sketch", "result"])]
    check: Option<PathBuf>,
    /// Write a receipt: hashes, statements, axioms and the verdict, as JSON
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
    /// Write a configuration for leanprover/comparator
    #[arg(long, value_name = "FILE")]
    comparator: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Document {
    path: PathBuf,
    sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Receipt {
    sketch: Document,
    result: Document,
    toolchain: String,
    manifest: String,
    /// `replayed`: elaborated, and the compiled result checked again in an empty environment.
    method: String,
    certified: bool,
    /// What stands against the result as a whole.
    problems: Vec<String>,
    theorems: Vec<Theorem>,
    at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Theorem {
    name: String,
    statement: String,
    /// Of the statement with everything printed.
    elaborated: String,
    axioms: Vec<String>,
    problem: Option<String>,
}

struct Side {
    compiled: Compiled,
    /// By whole names; both files are compiled under one name.
    answers: BTreeMap<String, Answer>,
    /// Statements to read, where nothing changes how they are printed.
    printed: HashMap<String, ask::Statement>,
}

/// Both, with what the result imports.
struct Pair<'a> {
    files: Files<'a>,
    imported: Vec<PathBuf>,
    asks: Side,
    answers: Side,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let before = self.check.as_deref().map(read_receipt).transpose()?;
        let named = || self.sketch.as_deref().zip(self.result.as_deref());
        let then = before.as_ref().map(|it| (it.sketch.path.as_path(), it.result.path.as_path()));
        let Some((sketch, result)) = then.or_else(named) else {
            return Err(UsageError("certify needs a sketch and a result".to_owned()).into());
        };
        let full = |path: &Path| {
            path.canonicalize().map_err(|_| anyhow!("there is no file `{}`", path.display()))
        };
        let (sketch, result) = (full(sketch)?, full(result)?);
        let folder = result.parent().unwrap_or(Path::new("/"));
        let root = Lake::root(folder).or_else(|| Lake::root(&app.project.start));
        let Some(root) = root else {
            bail!(
                "`{}` is in no Lake package: certify inside the project whose Lean is to be asked",
                result.display()
            );
        };
        if let Some(before) = &before {
            for (what, then) in [("sketch", &before.sketch), ("result", &before.result)] {
                if read(&then.path)?.1.sha256 != then.sha256 {
                    return Ok(expired(out, &format!("the {what} changed")));
                }
            }
        }
        may_run(app, &root)?;
        let examined = Lake::at(&root, app).and_then(|lake| examine(app, &lake, &sketch, &result));
        let (receipt, notes) = match examined {
            Ok(done) => done,
            Err(error) => {
                out.note(&format!("mk: {error:#}"));
                return Ok(Exit::Trouble);
            }
        };
        if let Some(before) = &before
            && let Some(difference) = difference(before, &receipt)
        {
            return Ok(expired(out, &difference));
        }
        if let Some(path) = &self.receipt {
            let text = serde_json::to_string_pretty(&receipt)? + "\n";
            files::replace(path, text.as_bytes())
                .with_context(|| format!("could not write `{}`", path.display()))?;
        }
        if let Some(path) = &self.comparator {
            files::replace(path, comparator(app, &receipt)?.as_bytes())
                .with_context(|| format!("could not write `{}`", path.display()))?;
        }
        for note in notes {
            out.note(&format!("mk: {note}"));
        }
        out.answer(&receipt, |width| view(&receipt, width))?;
        Ok(if receipt.certified { Exit::Done } else { Exit::Failed })
    }
}

fn read_receipt(path: &Path) -> anyhow::Result<Receipt> {
    let text = files::text(path, files::LONG)
        .with_context(|| format!("could not read `{}`", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("`{}` is no receipt of mk certify", path.display()))
}

fn expired(out: &mut Out, why: &str) -> Exit {
    out.note(&format!("mk: the receipt does not hold any more: {why}"));
    Exit::Failed
}

fn read(path: &Path) -> anyhow::Result<(String, Document)> {
    let bytes = lean_files::bytes(path).map_err(|why| anyhow!("`{}`: {why}", path.display()))?;
    let document = Document { path: path.to_owned(), sha256: hash(&bytes, 32) };
    Ok((lean::decode(&bytes).text, document))
}

/// That the sketch is not what git had when it was sent, as far as the tracking database knows when that was.
fn changed_since_sent(
    app: &mut App,
    sketch: (&Path, &str),
    result: (&Path, &str),
) -> Option<String> {
    let tracking = app.tracking().ok()??;
    let statements = lean::Statements::of(result.1);
    let request = results::request(result.1, statements.outline(), None);
    let stable = app.project.stable_path(result.0);
    let slot = slot_of(&result.0.file_name()?.to_string_lossy());
    let (row, _) = tracking.ledger.join(request.as_deref(), &stable, slot)?;
    let sent = row.submitted_at.as_ref().or(row.created_at.as_ref())?;
    let repository = Repository::around(sketch.0.parent()?)?;
    let path = sketch.0.strip_prefix(repository.root()).ok()?.to_str()?;
    let before = format!("--before={sent} +0000");
    let commit = repository
        .run(["log", "-1", "--format=%h", &before, "--end-of-options", "HEAD", "--", path])
        .ok()?;
    let commit = String::from_utf8(commit).ok()?.trim().to_owned();
    let then = repository.show(Some(commit.as_str()).filter(|it| !it.is_empty())?, sketch.0)?;
    let then = lean::decode(&then).text;
    let code = |text: &str| -> Vec<String> {
        lean::code(text).iter().map(|token| token.text(text).to_owned()).collect()
    };
    (code(&then) != code(sketch.1)).then(|| {
        format!("the sketch is not what git had when it was sent ({sent}): `git diff {commit} -- {path}`")
    })
}

/// The first thing in which two examinations differ, but the time.
fn difference(before: &Receipt, now: &Receipt) -> Option<String> {
    let verdict = |receipt: &Receipt| (receipt.certified, receipt.problems.clone());
    let parts = [
        ("the toolchain", before.toolchain == now.toolchain),
        ("the manifest of packages", before.manifest == now.manifest),
        ("what Lean says", before.theorems == now.theorems),
        ("the verdict", verdict(before) == verdict(now)),
    ];
    let other = parts.into_iter().find(|(_, is_same)| !is_same);
    other.map(|(what, _)| format!("{what} changed"))
}

/// The receipt, and what the reader should know first.
fn examine(
    app: &mut App,
    lake: &Lake,
    sketch: &Path,
    result: &Path,
) -> anyhow::Result<(Receipt, Vec<String>)> {
    let (asked, sketch) = read(sketch)?;
    let (answered, result) = read(result)?;
    let mut notes = Vec::new();
    notes.extend(changed_since_sent(app, (&sketch.path, &asked), (&result.path, &answered)));
    if let Some(made) = results::toolchain(&answered)
        && !made.ends_with(&lake.toolchain)
    {
        notes.push(format!(
            "the result says that it was made with `{made}`; this project uses {}",
            lake.toolchain
        ));
    }
    let at = time_text(app.now);
    let folders = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mut receipt = Receipt {
        sketch,
        result,
        toolchain: lake.toolchain.clone(),
        manifest: lake.manifest.clone(),
        method: "replayed".to_owned(),
        certified: false,
        problems: Vec::new(),
        theorems: Vec::new(),
        at,
    };
    let files = Files::new(&app.project, lake);
    let (from, to) = (receipt.sketch.path.clone(), receipt.result.path.clone());
    for (what, path) in [("sketch", &from), ("result", &to)] {
        if let Err(Unasked::Refused(why) | Unasked::Impossible(why)) =
            files.imports_are_built(path, false)
        {
            bail!("the {what}: {why}");
        }
    }
    let asks = match side(lake, &asked, folders.0.path(), files.prints(&from)) {
        Ok(side) => side,
        Err(Unasked::Refused(why) | Unasked::Impossible(why)) => bail!("the sketch: {why}"),
    };
    let answers = match side(lake, &answered, folders.1.path(), files.prints(&to)) {
        Ok(side) => side,
        Err(Unasked::Refused(why)) => {
            receipt.problems.push(why);
            return Ok((receipt, notes));
        }
        Err(Unasked::Impossible(why)) => bail!("the result: {why}"),
    };
    let imported = files.imported(&to);
    match files.replayed(&answers.compiled, &imported) {
        Ok(()) => {}
        Err(Unasked::Refused(why)) => receipt.problems.push(why),
        Err(Unasked::Impossible(why)) => bail!("the result: {why}"),
    }
    let fields = lean::skim(&asked);
    let pair = Pair { files, imported, asks, answers };
    let allowed = &app.config.guard_allow_axioms;
    for (asked, answered, compared) in pair.compared()? {
        if check::is_field(&fields, asked.name()) {
            continue;
        }
        let problem = match (answered, compared) {
            (Some(answered), Some(compared)) => {
                let statement = pair.answers.statement(answered);
                problem(asked, answered, &compared, &statement, allowed)
            }
            _ => Some("the result has none of this name".to_owned()),
        };
        receipt.theorems.push(Theorem {
            name: asked.name().to_owned(),
            statement: pair.asks.statement(asked),
            elaborated: hash(&asked.elaborated, 16),
            axioms: answered.map(|one| one.axioms.clone()).unwrap_or_default(),
            problem,
        });
    }
    if receipt.theorems.is_empty() {
        receipt.problems.push("the sketch states no theorem".to_owned());
    }
    receipt.certified =
        receipt.problems.is_empty() && receipt.theorems.iter().all(|one| one.problem.is_none());
    Ok((receipt, notes))
}

fn side(lake: &Lake, text: &str, folder: &Path, prints: bool) -> Result<Side, Unasked> {
    let compiled = compile(lake, text, folder, ALONE)?;
    let answers: BTreeMap<String, Answer> = told(lake, &compiled)?
        .into_iter()
        .map(|(answer, _)| (answer.whole.clone(), answer))
        .collect();
    let theorems = answers.values().filter(|one| one.kind == "theorem" && !prints);
    let theorems: Vec<&str> = theorems.map(|one| one.whole.as_str()).collect();
    let printed = ask::statements(lake, &compiled, &theorems, Print::ToRead)?;
    Ok(Side { compiled, answers, printed })
}

impl Side {
    /// To be read.
    fn statement(&self, of: &Answer) -> String {
        let printed =
            self.printed.get(&of.whole).map(|it| clip(&one_line(&it.text), STATEMENT_COLUMNS));
        printed.unwrap_or_else(|| clip(&check::statement(of), STATEMENT_COLUMNS))
    }
}

/// Why a theorem of the result is not what the sketch asked for.
fn problem(
    asked: &Answer,
    answered: &Answer,
    compared: &Compared,
    statement: &str,
    allowed: &[String],
) -> Option<String> {
    if let Some(problem) = asked.problem.as_ref().or(answered.problem.as_ref()) {
        return Some(format!("Lean's answer says nothing: {problem}"));
    }
    if answered.kind != "theorem" {
        let article = if answered.kind.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
        return Some(format!("in the result it is {article} {}", answered.kind));
    }
    if *compared == Compared::OtherStatement {
        return Some(format!("its statement is another one: {statement}"));
    }
    match verdict_of(&answered.axioms, allowed) {
        (KernelVerdict::Accepted, _) => {}
        (KernelVerdict::Open, _) => return Some("it rests on `sorry`".to_owned()),
        (_, others) => return Some(format!("it relies on {}", others.join(", "))),
    }
    let Compared::OtherDefinition(name) = compared else { return None };
    let name = ask::private_part(name).unwrap_or(name);
    Some(format!("it speaks of `{name}`, which is defined differently"))
}

/// A theorem of the sketch, the result's of this name, and how they compare.
type Question<'a> = (&'a Answer, Option<&'a Answer>, Option<Compared>);

impl Pair<'_> {
    fn compared(&self) -> anyhow::Result<Vec<Question<'_>>> {
        let (lake, sketch, result) = (self.files.lake, &self.asks.compiled, &self.answers.compiled);
        let is_theorem = |one: &&Answer| one.kind == "theorem" || one.problem.is_some();
        let theorems = self.asks.answers.values().filter(is_theorem);
        let questions: Vec<(&Answer, Option<&Answer>)> =
            theorems.map(|asked| (asked, self.answers.answers.get(&asked.whole))).collect();
        let both = questions.iter().filter(|(_, answered)| answered.is_some());
        let both: Vec<(&str, &str)> =
            both.map(|(asked, _)| (asked.whole.as_str(), asked.whole.as_str())).collect();
        let mut compared = ask::compared(lake, sketch, result, &both)?.into_iter();
        let questions = questions.into_iter().enumerate().map(|(nth, (asked, answered))| {
            let compared = match (answered, answered.and_then(|_| compared.next())) {
                (Some(answered), Some(Compared::OtherStatement)) => {
                    Some(self.implied(&format!("{IMPLIED}{nth}"), asked, answered)?)
                }
                (_, compared) => compared,
            };
            Ok((asked, answered, compared))
        });
        questions.collect()
    }

    /// Whether Lean takes the theorem of the result as a proof of what the sketch states, up to definitions and
    /// universes. The statement is pasted as it was printed; what Lean made of it must be what it was.
    fn implied(&self, module: &str, asked: &Answer, answered: &Answer) -> anyhow::Result<Compared> {
        let (lake, sketch) = (self.files.lake, &self.asks.compiled);
        let other = Ok(Compared::OtherStatement);
        let asked = asked.whole.as_str();
        let mut printed = ask::statements(lake, sketch, &[asked], Print::InFull)?;
        let (Some(statement), Some(folder)) =
            (printed.remove(asked), &self.answers.compiled.folder)
        else {
            return other;
        };
        let name = "mk_asked";
        let levels = Some(statement.levels).filter(|it| !it.is_empty());
        let levels = levels.map_or_else(String::new, |levels| format!(".{{{levels}}}"));
        let text = format!(
            "import {ALONE}\nset_option autoImplicit false\ntheorem _root_.{name}{levels} : {} := @{asked}\n",
            one_line(&statement.text)
        );
        let compiled = match compile(lake, &text, folder, module) {
            Ok(compiled) => compiled,
            Err(Unasked::Refused(_)) => return other,
            Err(Unasked::Impossible(why)) => bail!("the result: {why}"),
        };
        let Ok(proof) = ask::answers(lake, &compiled, &[name.to_owned()]) else { return other };
        let is_proof = proof.first().is_some_and(|it| {
            it.kind == "theorem" && it.axioms.iter().all(|axiom| answered.axioms.contains(axiom))
        });
        if !is_proof || self.files.replayed(&compiled, &self.imported).is_err() {
            return other;
        }
        let compared = ask::compared(lake, sketch, &compiled, &[(asked, name)])?;
        Ok(compared.into_iter().next().unwrap_or(Compared::OtherStatement))
    }
}

/// What leanprover/comparator reads.
fn comparator(app: &App, receipt: &Receipt) -> anyhow::Result<String> {
    let module = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<&str> = receipt.theorems.iter().map(|one| one.name.as_str()).collect();
    let mut axioms = USUAL_AXIOMS.to_vec();
    axioms.extend(app.config.guard_allow_axioms.iter().map(String::as_str));
    let config = serde_json::json!({
        "challenge_module": module(&receipt.sketch.path),
        "solution_module": module(&receipt.result.path),
        "theorem_names": names,
        "permitted_axioms": axioms,
        "enable_nanoda": false,
    });
    Ok(serde_json::to_string_pretty(&config)? + "\n")
}

fn view(receipt: &Receipt, width: usize) -> String {
    let mut page = Page::new(width);
    let (tone, said) = if receipt.certified {
        (Tone::Good, "Certified: the result proves what the sketch asked")
    } else {
        (Tone::Bad, "Not certified")
    };
    page.line(1, &paint(tone, said));
    page.rule();
    page.labelled(1, "Sketch", &receipt.sketch.path.display().to_string());
    page.labelled(1, "Result", &receipt.result.path.display().to_string());
    let is_replayed = receipt.problems.is_empty();
    let how = if is_replayed { ", elaborated and replayed" } else { "" };
    page.labelled(1, "Lean", &format!("{}{how}", receipt.toolchain));
    for problem in &receipt.problems {
        page.paragraph(1, &format!("The result: {problem}"));
    }
    page.blank();
    for one in &receipt.theorems {
        let is_good = one.problem.is_none() && is_replayed;
        let mark = if is_good { paint(Tone::Good, "✓") } else { paint(Tone::Bad, "✗") };
        page.line(1, &format!("{mark} {}", clip(&one.name, page.room(1).saturating_sub(2))));
        page.paragraph(2, &one.statement);
        match &one.problem {
            Some(problem) => page.paragraph(2, problem),
            None if !is_replayed => {}
            None if one.axioms.is_empty() => page.hint("  from no axioms"),
            None => page.hint(&format!("  from {}", one.axioms.join(", "))),
        }
    }
    let failed = receipt.theorems.iter().filter(|one| one.problem.is_some()).count();
    page.blank();
    let all = plural(receipt.theorems.len() as u64, "theorem");
    page.line(1, &if failed == 0 { all } else { format!("{all}, {failed} not as asked") });
    page.into_text()
}
