//! `mk certify`: a result proves what a sketch asked, for Lean itself. Both are compiled by themselves; statements are
//! compared as Lean elaborates them, with the definitions of the two files that they speak of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::ask::{self, Answer, Query, words};
use super::check::{Compiled, Files, Told, Unasked, compile, told};
use super::lake::{Lake, complaint};
use super::{limits, may_run};
use crate::app::App;
use crate::app::lean_files;
use crate::files;
use crate::lean;
use crate::learn::results;
use crate::model::{KernelVerdict, verdict_of};
use crate::store::time_text;
use crate::text::{clip, hash, one_line, plural};
use crate::ui::layout::Page;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, UsageError};

const STATEMENT_COLUMNS: usize = 400;

/// What stands before a private name of either file.
const PRIVATE: &str = "_private.MkUnit.0.";

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
    text: String,
    compiled: Compiled,
    /// By whole names.
    answers: BTreeMap<String, Answer>,
    imports: Vec<String>,
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
        may_run(app, &root)?;
        let lake =
            Lake::around(&root, app.environment.text("PATH").unwrap_or_default(), limits(app)?)?;
        let (receipt, notes) = match examine(app, &lake, &sketch, &result) {
            Ok(done) => done,
            Err(error) => {
                out.note(&format!("mk: {error:#}"));
                return Ok(Exit::Trouble);
            }
        };
        if let Some(before) = &before
            && let Some(difference) = difference(before, &receipt)
        {
            out.note(&format!("mk: the receipt does not hold any more: {difference}"));
            return Ok(Exit::Failed);
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

/// The first thing in which two examinations differ, but the time.
fn difference(before: &Receipt, now: &Receipt) -> Option<String> {
    let verdict = |receipt: &Receipt| (receipt.certified, receipt.problems.clone());
    let parts = [
        ("the sketch", before.sketch.sha256 == now.sketch.sha256),
        ("the result", before.result.sha256 == now.result.sha256),
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
    app: &App,
    lake: &Lake,
    sketch: &Path,
    result: &Path,
) -> anyhow::Result<(Receipt, Vec<String>)> {
    let read = |path: &Path| -> anyhow::Result<(String, Document)> {
        let bytes = lean_files::bytes(path)
            .map_err(|why| anyhow::anyhow!("`{}`: {why}", path.display()))?;
        let document = Document { path: path.to_owned(), sha256: hash(&bytes, 32) };
        Ok((lean::decode(&bytes).text, document))
    };
    let (asked, sketch) = read(sketch)?;
    let (answered, result) = read(result)?;
    let mut notes = Vec::new();
    if let Some(made) = results::toolchain(&answered)
        && !made.ends_with(&lake.toolchain)
    {
        notes.push(format!(
            "the result says that it was made with `{made}`; this project uses {}",
            lake.toolchain
        ));
    }
    let at = time_text(app.now);
    let nonce = hash(format!("{at} {} {}", std::process::id(), result.sha256), 6);
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
    let plain = files.prints(&from) || files.prints(&to);
    let asks = match side(lake, &asked, folders.0.path(), (&nonce, plain)) {
        Ok(side) => side,
        Err(Unasked::Refused(why) | Unasked::Impossible(why)) => bail!("the sketch: {why}"),
    };
    let answers = match side(lake, &answered, folders.1.path(), (&nonce, plain)) {
        Ok(side) => side,
        Err(Unasked::Refused(why)) => {
            receipt.problems.push(why);
            return Ok((receipt, notes));
        }
        Err(Unasked::Impossible(why)) => bail!("the result: {why}"),
    };
    receipt.problems.extend(files.tampering(&to));
    receipt.problems.extend(clash(lake, &asks.imports, &answers.imports)?);
    match files.replayed(&answers.compiled, &files.imported(&to)) {
        Ok(()) => {}
        Err(Unasked::Refused(why)) => receipt.problems.push(why),
        Err(Unasked::Impossible(why)) => bail!("the result: {why}"),
    }
    let allowed = &app.config.guard_allow_axioms;
    let theorems =
        asks.answers.values().filter(|one| one.kind == "theorem" || one.problem.is_some());
    for asked in theorems {
        let answered = answers.answers.get(&asked.name);
        let problem = compare(lake, &nonce, (&asks, asked), (&answers, answered), allowed)?.err();
        receipt.theorems.push(Theorem {
            name: ask::private_part(&asked.name).unwrap_or(&asked.name).to_owned(),
            statement: clip(&one_line(&asked.statement), STATEMENT_COLUMNS),
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

fn side(
    lake: &Lake,
    text: &str,
    folder: &Path,
    (nonce, plain): (&str, bool),
) -> Result<Side, Unasked> {
    let compiled = compile(lake, text, folder)?;
    let (told, imports) = told(lake, &compiled, text, (nonce, plain))?;
    let answers = told.into_iter().map(|Told { answer, is_private, .. }| {
        let name =
            if is_private { format!("{PRIVATE}{}", answer.name) } else { answer.name.clone() };
        let axioms = answer.axioms.iter().map(|axiom| whole(axiom)).collect();
        (name.clone(), Answer { name, elaborated: whole(&answer.elaborated), axioms, ..answer })
    });
    let answers = answers.collect();
    Ok(Side { text: text.to_owned(), compiled, answers, imports })
}

/// What a file says of itself, with its private names as in what it was compiled to.
fn whole(said: &str) -> String {
    said.replace(ask::PRIVATE, PRIVATE)
}

/// A name that both import means the same in both if all these modules can be imported together.
fn clash(lake: &Lake, asked: &[String], answered: &[String]) -> anyhow::Result<Option<String>> {
    let more: Vec<&String> = asked.iter().filter(|one| !answered.contains(one)).collect();
    if more.is_empty() {
        return Ok(None);
    }
    let modules: BTreeSet<&String> = asked.iter().chain(answered).collect();
    let mut text = String::new();
    for module in modules {
        writeln!(text, "import {module}").ok();
    }
    let ran = lake.lean(&["--stdin"], &text, None)?;
    let why = (ran.code != Some(0)).then(|| complaint(&ran));
    Ok(why.map(|why| format!("what the two files import does not go together: {why}")))
}

/// Whether one theorem of the result is what the sketch asked for; else why not.
fn compare(
    lake: &Lake,
    nonce: &str,
    (asks, asked): (&Side, &Answer),
    (answers, answered): (&Side, Option<&Answer>),
    allowed: &[String],
) -> anyhow::Result<Result<(), String>> {
    let Some(answered) = answered else {
        return Ok(Err("the result has none of this name".to_owned()));
    };
    if let Some(problem) = asked.problem.as_ref().or(answered.problem.as_ref()) {
        return Ok(Err(format!("Lean's answer says nothing: {problem}")));
    }
    if answered.kind != "theorem" {
        return Ok(Err(
            format!("in the result it is an {}", answered.kind).replace("an def", "a def")
        ));
    }
    let is_same = canonical(&asked.elaborated) == canonical(&answered.elaborated);
    if !is_same && !implies(lake, answers, asked, nonce)? {
        let said = clip(&one_line(&answered.statement), STATEMENT_COLUMNS);
        return Ok(Err(format!("its statement is another one: {said}")));
    }
    match verdict_of(&answered.axioms, allowed) {
        (KernelVerdict::Accepted, _) => {}
        (KernelVerdict::Open, _) => return Ok(Err("it rests on `sorry`".to_owned())),
        (_, others) => return Ok(Err(format!("it relies on {}", others.join(", ")))),
    }
    let mine = definitions(lake, asks, &asked.elaborated, nonce)?;
    let theirs = definitions(lake, answers, &asked.elaborated, nonce)?;
    let (Some(mine), Some(theirs)) = (mine, theirs) else {
        return Ok(Err("a definition that it speaks of cannot be read".to_owned()));
    };
    let names: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
    let other = names.into_iter().find(|name| mine.get(*name) != theirs.get(*name));
    Ok(match other {
        Some(name) => Err(format!("it speaks of `{name}`, which is defined differently")),
        None => Ok(()),
    })
}

/// Whether Lean takes the theorem of the result as a proof of what the sketch states, up to definitions and universes. The
/// statement is pasted as it was printed; only where it comes out again as it went in, it was read as it was meant.
fn implies(lake: &Lake, answers: &Side, asked: &Answer, nonce: &str) -> anyhow::Result<bool> {
    let name = format!("mk_asked_{nonce}");
    let statement = one_line(&asked.elaborated);
    let levels =
        if asked.levels.is_empty() { String::new() } else { format!(".{{{}}}", asked.levels) };
    let theorem = format!("theorem _root_.{name}{levels} : {statement} := @{}", asked.name);
    let head =
        format!("import {}\nset_option autoImplicit false\n{theorem}", answers.compiled.module);
    let query = Query::new(&head, &[name], nonce, true);
    let ran = lake.lean(&["--json", "--stdin"], &query.text, answers.compiled.folder.as_deref())?;
    let read = query.read(&ran.stdout, str::to_owned);
    Ok(read.first().is_some_and(|read| {
        read.problem.is_none()
            && !read.axioms.iter().any(|name| name == "sorryAx")
            && canonical(&read.elaborated) == canonical(&asked.elaborated)
    }))
}

/// The constants of a file that a printed term speaks of, also by others of them, each as Lean prints it. `None` where
/// one cannot be read.
fn definitions(
    lake: &Lake,
    side: &Side,
    term: &str,
    nonce: &str,
) -> anyhow::Result<Option<BTreeMap<String, String>>> {
    let mut found = BTreeMap::new();
    let Some(mut waiting) = own_names(side, term) else { return Ok(None) };
    let import = format!("import {}", side.compiled.module);
    while !waiting.is_empty() {
        let (private, public): (Vec<String>, Vec<String>) =
            std::mem::take(&mut waiting).into_iter().partition(|name| name.starts_with(PRIVATE));
        for (head, names) in [(&import, public), (&side.text, private)] {
            if names.is_empty() {
                continue;
            }
            let written = |name: &String| ask::private_part(name).unwrap_or(name).to_owned();
            let asked: Vec<String> = names.iter().map(written).collect();
            let query = Query::contents(head, &asked, nonce);
            let ran =
                lake.lean(&["--json", "--stdin"], &query.text, side.compiled.folder.as_deref())?;
            let Some(contents) = query.read_contents(&ran.stdout) else { return Ok(None) };
            for (name, content) in names.into_iter().zip(contents) {
                let content = whole(&content);
                let own = own_names(side, &content);
                // Another may answer to the same name.
                let Some(own) = own.filter(|own| own.contains(&name)) else { return Ok(None) };
                waiting.extend(own);
                found.insert(name, canonical(&content));
            }
        }
        waiting.retain(|name| !found.contains_key(name));
    }
    Ok(Some(found))
}

/// The constants of a printed term that the file itself declares, and those that Lean made for them: `f.match_1` has the
/// patterns of `f`, and `f._f` its recursion. `None` where one cannot be asked about.
fn own_names(side: &Side, term: &str) -> Option<BTreeSet<String>> {
    let mut own = BTreeSet::new();
    for word in words(term) {
        // Universes follow a dot.
        let word = word.trim_end_matches('.');
        let part = word.strip_prefix(PRIVATE);
        if part.is_none() && word.starts_with("_private.") {
            return None;
        }
        // `C.mk` and `C.rec` say what `C` is.
        let mut is_own = part.is_some();
        let mut name = word;
        loop {
            if side.answers.contains_key(name) {
                own.insert(name.to_owned());
                is_own = true;
            }
            match name.rsplit_once('.') {
                Some((before, _)) => name = before,
                None => break,
            }
        }
        if is_own {
            own.insert(word.to_owned());
        }
    }
    let is_writable = |name: &String| ask::is_name(ask::private_part(name).unwrap_or(name));
    own.iter().all(is_writable).then_some(own)
}

/// A term that Lean printed in full, with bound names numbered and layout gone.
fn canonical(term: &str) -> String {
    let words = words(term);
    let mut bound: Vec<(String, usize)> = Vec::new();
    let mut heights = Vec::new();
    let mut count = 0;
    let mut text = String::new();
    let mut at = 0;
    // Names that stand before the colon of a group of binders, or alone after `fun`.
    let mut awaits = false;
    while let Some(word) = words.get(at) {
        at += 1;
        match word.as_str() {
            "(" | "{" | "[" | "⟨" | "⦃" => {
                let names = words.get(at..).unwrap_or_default();
                let length = names.iter().take_while(|one| is_plain_name(one)).count();
                let is_group = awaits && names.get(length).is_some_and(|one| one == ":");
                let names = names.get(..length).filter(|_| is_group).unwrap_or_default();
                text += word;
                for name in names {
                    count += 1;
                    bound.push((name.clone(), count));
                    write!(text, " ${count}").ok();
                }
                at += names.len();
                // The names of a group hold on behind it, up to the end of what is around it.
                heights.push((bound.len(), awaits));
                awaits = false;
            }
            ")" | "}" | "]" | "⟩" | "⦄" => {
                if let Some((height, waited)) = heights.pop() {
                    awaits = waited;
                    bound.truncate(height);
                }
                text += word;
            }
            "fun" | "∀" | "λ" | "let" | "have" => {
                awaits = true;
                text += word;
                text.push(' ');
            }
            "," | "=>" | "↦" | ":=" => {
                awaits = false;
                text += word;
            }
            name if awaits && is_plain_name(name) => {
                count += 1;
                bound.push((name.to_owned(), count));
                write!(text, " ${count}").ok();
            }
            name => {
                let number =
                    bound.iter().rev().find(|(one, _)| one == name).map(|(_, number)| *number);
                match number {
                    Some(number) => write!(text, " ${number}").ok(),
                    None => write!(text, " {name}").ok(),
                };
            }
        }
    }
    text
}

fn is_plain_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '«')
        && !matches!(word, "fun" | "let" | "have" | "Type" | "Sort" | "Prop")
        && (word.starts_with('«') || !word.contains('.'))
}

/// What leanprover/comparator reads.
fn comparator(app: &App, receipt: &Receipt) -> anyhow::Result<String> {
    let module = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<&str> = receipt.theorems.iter().map(|one| one.name.as_str()).collect();
    let mut axioms = vec!["propext", "Quot.sound", "Classical.choice"];
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
    page.labelled(1, "Lean", &format!("{}, elaborated and replayed", receipt.toolchain));
    for problem in &receipt.problems {
        page.paragraph(1, &format!("The result: {problem}"));
    }
    page.blank();
    for one in &receipt.theorems {
        let mark =
            if one.problem.is_none() { paint(Tone::Good, "✓") } else { paint(Tone::Bad, "✗") };
        page.line(1, &format!("{mark} {}", clip(&one.name, page.room(1).saturating_sub(2))));
        page.paragraph(2, &one.statement);
        match &one.problem {
            Some(problem) => page.paragraph(2, problem),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_names_and_layout_do_not_count() {
        let same = [
            ("∀ (n : Nat), @Eq.{1} Nat n n", "∀ (m : Nat),\n  @Eq.{1} Nat m m"),
            ("∀ {p q : Prop}, And p q", "∀ {a b : Prop}, And a b"),
            ("@Exists.{1} Nat (fun (x : Nat) => P x)", "@Exists.{1} Nat (fun (y : Nat) => P y)"),
            ("(∀ (n : Nat), P n) → ∀ (n : Nat), Q n", "(∀ (a : Nat), P a) → ∀ (b : Nat), Q b"),
        ];
        for (one, other) in same {
            assert_eq!(canonical(one), canonical(other), "{one}");
        }
        let different = [
            ("∀ (n m : Nat), @LE.le.{0} Nat i n m", "∀ (n m : Nat), @LE.le.{0} Nat i m n"),
            ("∀ (n : Nat), P n", "∀ (n : Int), P n"),
            ("∀ (n : Nat), P n", "∀ {n : Nat}, P n"),
            ("∀ (n : Nat), P m", "∀ (m : Nat), P m"),
            ("∀ (x : Nat), (∀ (y : Nat), P y) → P x", "∀ (x : Nat), (∀ (y : Nat), P y) → P y"),
            ("A.f n", "B.f n"),
        ];
        for (one, other) in different {
            assert_ne!(canonical(one), canonical(other), "{one}");
        }
    }
}
