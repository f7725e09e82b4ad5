//! The reader of Lean text against what Lean's own parser saw. The data lies beside the project.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use math_forge::lean::{self, DeclKind, Declaration, Outline};
use serde_json::Value;

use crate::env::shared_data;

fn data() -> Option<PathBuf> {
    shared_data("lean_truth")
}

fn rows(path: PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(n: u64) -> usize {
    usize::try_from(n).unwrap()
}

fn offset(value: &Value) -> usize {
    number(value.as_u64().unwrap())
}

/// The truth of `rows`, its offsets moved back by a byte order mark that `decode` takes away.
fn without_mark(truth: &mut Value) {
    match truth {
        Value::Number(number) => {
            let moved = number.as_u64().unwrap().saturating_sub(3);
            *truth = Value::from(moved);
        }
        Value::Array(items) => items.iter_mut().for_each(without_mark),
        Value::Object(fields) => fields.values_mut().for_each(without_mark),
        _ => {}
    }
}

/// Hits out of all, per thing that is measured; prints what was missed.
#[derive(Default)]
struct Score(BTreeMap<&'static str, (usize, usize)>);

impl Score {
    fn note(&mut self, what: &'static str, hit: bool, miss: impl FnOnce() -> String) {
        let entry = self.0.entry(what).or_default();
        entry.1 += 1;
        if hit {
            entry.0 += 1;
        } else {
            eprintln!("  missed {what}: {}", miss());
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    fn at_least(&self, what: &str, percent: f64) {
        let (hits, all) = self.0[what];
        let score = 100.0 * hits as f64 / all as f64;
        eprintln!("{what}: {hits} of {all} = {score:.2} % (at least {percent} %)");
        assert!(score >= percent, "{what}: {score:.3} % is below {percent} %");
    }
}

/// The truth's kinds are Lean's syntax nodes.
fn node(kind: DeclKind) -> &'static str {
    match kind {
        DeclKind::Def => "definition",
        DeclKind::Problem => "theorem",
        DeclKind::Determine | DeclKind::ClassAbbrev => "abbrev",
        DeclKind::Class => "structure",
        DeclKind::ClassInductive => "classInductive",
        kind => kind.as_str(),
    }
}

/// The declaration that the truth means by a keyword's offset: for Lean `local instance` begins
/// at `local`, and `class abbrev` is an `abbrev`.
fn at_keyword<'a>(outline: &'a Outline, text: &str, key: usize) -> Option<&'a Declaration> {
    let local = text[key..].starts_with("local") || text[key..].starts_with("scoped");
    outline.declarations.iter().find(|d| {
        let own = d.statement_span.start;
        own == key
            || (local && own > key && own < key + 30)
            || (d.kind == DeclKind::ClassAbbrev && own + "class ".len() == key)
    })
}

fn declarations(truth: &Value, text: &str, outline: &Outline, score: &mut Score) {
    let file = truth["file"].as_str().unwrap();
    let mut seen = HashSet::new();
    for decl in truth["decls"].as_array().unwrap() {
        if decl["in_quotation"].as_bool().unwrap() {
            continue;
        }
        let key = offset(&decl["kw"]);
        let found = at_keyword(outline, text, key);
        seen.insert(found.map_or(key, |d| d.statement_span.start));
        let right = found.is_some_and(|d| {
            let name = d.name_span.clone();
            node(d.kind) == decl["kind"].as_str().unwrap()
                && name.clone().map(|span| &text[span]) == decl["name"].as_str()
                && name.map(|span| span.start) == decl["name_start"].as_u64().map(number)
        });
        score.note("declarations", right, || format!("{file} {decl} found {found:?}"));
        // Where its parser did not know an attribute, the truth's head begins after it.
        let start = offset(&decl["start"]);
        if start < key && !text[..start].trim_end().ends_with(']') {
            let head = found.is_some_and(|d| d.span.start == start);
            score.note("heads", head, || format!("{file} {decl} found {found:?}"));
        }
    }
    for d in &outline.declarations {
        let compared = !matches!(d.kind, DeclKind::Alias | DeclKind::IrreducibleDef);
        if compared && !d.kind.is_wanted() {
            let real = seen.contains(&d.statement_span.start);
            score.note("declarations that exist", real, || format!("{file} {d:?}"));
        }
    }
}

fn gaps(truth: &Value, text: &str, outline: &Outline, score: &mut Score) {
    let expected: Vec<usize> =
        truth["sorry_offsets"].as_array().unwrap().iter().map(offset).collect();
    let found: Vec<usize> = outline
        .gaps()
        .iter()
        .filter(|gap| &text[gap.span.clone()] == "sorry")
        .map(|gap| gap.span.start)
        .collect();
    let file = truth["file"].as_str().unwrap();
    score.note("files with every sorry", expected == found, || {
        format!("{file} expected {expected:?} found {found:?}")
    });
}

/// Comments that follow each other are one for the truth.
fn comments(truth: &Value, text: &str, outline: &Outline, score: &mut Score) {
    let file = truth["file"].as_str().unwrap();
    let starts: HashSet<usize> = outline.comments.iter().map(|range| range.start).collect();
    let ends: HashSet<usize> = outline.comments.iter().map(|range| range.end).collect();
    let plain = truth["comments"].as_array().unwrap().iter();
    let docs = truth["literals"].as_array().unwrap().iter();
    let docs = docs.filter(|l| matches!(l[2].as_str(), Some("doc" | "moddoc")));
    let tokens = lean::lex(text);
    for range in plain.chain(docs) {
        let range = offset(&range[0])..offset(&range[1]);
        let inside = tokens.iter().skip_while(|token| token.start < range.start);
        let mut inside = inside.take_while(|token| token.start < range.end);
        let whole = starts.contains(&range.start)
            && ends.contains(&range.end)
            && inside.all(|token| token.kind.is_comment() || token.kind.is_trivia());
        score.note("comments", whole, || format!("{file} {range:?}"));
    }
}

fn literals(truth: &Value, text: &str, score: &mut Score) {
    let file = truth["file"].as_str().unwrap();
    let tokens = lean::lex(text);
    let starts: HashSet<usize> = tokens.iter().map(|token| token.start).collect();
    let ends: HashSet<usize> = tokens.iter().map(|token| token.end).collect();
    for literal in truth["literals"].as_array().unwrap() {
        let range = offset(&literal[0])..offset(&literal[1]);
        let hit = starts.contains(&range.start) && ends.contains(&range.end);
        score.note("literals", hit, || format!("{file} {literal} {:?}", &text[range.clone()]));
    }
}

fn scopes(truth: &Value, outline: &Outline, score: &mut Score) {
    let file = truth["file"].as_str().unwrap();
    let ends = outline.problems.is_empty();
    score.note("files without a problem", ends, || format!("{file} {:?}", outline.problems));
}

#[test]
fn outlines_are_what_lean_saw() {
    let Some(data) = data() else { return };
    let mut score = Score::default();
    for mut truth in rows(data.join("lean_gt/gt.jsonl")) {
        let path = data
            .join("lean_gt/files")
            .join(truth["repo"].as_str().unwrap())
            .join(truth["file"].as_str().unwrap());
        let bytes = fs::read(path).unwrap();
        let decoded = lean::decode(&bytes);
        if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
            without_mark(&mut truth);
        }
        let text = decoded.text;
        let outline = lean::outline(&text);
        declarations(&truth, &text, &outline, &mut score);
        gaps(&truth, &text, &outline, &mut score);
        comments(&truth, &text, &outline, &mut score);
        literals(&truth, &text, &mut score);
        scopes(&truth, &outline, &mut score);
    }
    score.at_least("declarations", 99.5);
    score.at_least("heads", 99.5);
    score.at_least("declarations that exist", 99.5);
    score.at_least("files with every sorry", 99.5);
    score.at_least("comments", 100.0);
    score.at_least("literals", 99.5);
    score.at_least("files without a problem", 99.0);
}

/// Labels of real changes carry the full names of the declarations that changed.
#[test]
fn names_of_changed_declarations_are_found() {
    let Some(data) = data() else { return };
    let mut score = Score::default();
    for pair in rows(data.join("events/pairs.jsonl")) {
        let read = |which: &str| {
            let blob = format!("events/blobs/{}.lean", pair[which].as_str().unwrap());
            lean::outline(&lean::decode(&fs::read(data.join(blob)).unwrap()).text)
        };
        let outlines = [read("blob_before"), read("blob_after")];
        for label in pair["labels"].as_array().unwrap() {
            let name = label[0].as_str().unwrap();
            let known = outlines.iter().all(|outline| {
                outline.declarations.iter().any(|d| d.name.as_deref() == Some(name))
            });
            score.note("labelled names", known, || {
                let path = &pair["path_after"];
                format!("{path} {name} {}", label[1])
            });
        }
        for (outline, count) in outlines.iter().zip(["nsorry_before", "nsorry_after"]) {
            let sorries = outline.gaps().iter().filter(|g| g.span.len() == "sorry".len()).count();
            let expected = offset(&pair[count]);
            score.note("versions with every sorry", sorries == expected, || {
                format!("{} {count} {expected} found {sorries}", pair["path_after"])
            });
        }
    }
    // Four labels of files with an open namespace lack it.
    score.at_least("labelled names", 97.5);
    // One file has a `sorry` after `#exit`, where Lean does not read on.
    score.at_least("versions with every sorry", 99.5);
}

/// Full names of Mathlib's declarations, with the lines of their keywords or names.
#[test]
fn full_names_are_those_of_the_library() {
    let Some(data) = data() else { return };
    let packed = fs::File::open(data.join("retrieval/corpus_small.jsonl.gz")).unwrap();
    let mut text = String::new();
    let mut reader = flate2::read::GzDecoder::new(packed);
    std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
    let mut score = Score::default();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let path = data.join("lean_gt/files/mathlib4").join(row["file"].as_str().unwrap());
        let Ok(bytes) = fs::read(path) else { continue };
        let outline = lean::outline(&lean::decode(&bytes).text);
        let name = row["name"].as_str().unwrap();
        let known = outline.declarations.iter().any(|d| d.name.as_deref() == Some(name));
        score.note("full names", known, || format!("{} {name}", row["file"]));
    }
    score.at_least("full names", 99.0);
}
