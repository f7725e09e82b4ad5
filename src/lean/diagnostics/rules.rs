//! Which kind of message a text is: a table from the wording of Lean and Lake to a kind, a reason, and the
//! name that matters (the unknown identifier, the tactic, the type class). The wording changes from version
//! to version: a row holds only the words that stayed.

use super::Reason::{self, Coercion, MissingMathematics, Structure};
use super::shape;
use crate::text::is_among;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) word: &'static str,
    pub(super) name: Option<String>,
    pub(super) reason: Option<Reason>,
    /// What of the message belongs to its signature, beside kind and name.
    pub(super) detail: Detail,
}

/// What of a message tells it from others of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    None,
    Goal,
    Types,
    Block,
    Head,
}

#[derive(Debug, Clone, Copy)]
enum Name {
    Nowhere,
    Quoted,
    /// The first name in quotes after these words.
    After(&'static str),
    Is(&'static str),
    First,
    Head,
}

use Name::{After, First, Head, Is, Nowhere, Quoted};

/// What stands in the message's beginning, in lower case: any of what ` | ` parts, all of what ` & ` joins; `^`
/// ties words to the start.
type Rule = (&'static str, &'static str, Option<Reason>, Name, Detail);

const MATHS: Option<Reason> = Some(MissingMathematics);
const API: Option<Reason> = Some(Reason::Api);
const STRUCT: Option<Reason> = Some(Structure);
const CAST: Option<Reason> = Some(Coercion);
const TIME: Option<Reason> = Some(Reason::Timeout);
const INFRA: Option<Reason> = Some(Reason::Infrastructure);

#[rustfmt::skip]
const AROUND: &[Rule] = &[
    ("unknown module prefix", "unknown-module", INFRA, Quoted, Detail::None),
    ("object file & does not exist", "missing-olean", INFRA, After("of module"), Detail::None),
    ("bad import", "bad-import", INFRA, Quoted, Detail::None),
    ("incompatible header | invalid header", "stale-olean", INFRA, Nowhere, Detail::None),
    ("imports are out of date", "stale-imports", INFRA, Nowhere, Detail::None),
    ("no such file or directory", "missing-file", INFRA, Nowhere, Detail::None),
    ("unknown package", "unknown-package", INFRA, Quoted, Detail::None),
    ("unknown target | unknown executable", "unknown-target", INFRA, Quoted, Detail::None),
    ("no configuration file | package configuration has errors", "lake-configuration", INFRA, Nowhere, Detail::Head),
    ("manifest", "lake-manifest", INFRA, Nowhere, Detail::Head),
    ("toolchain & not installed | no default toolchain", "toolchain", INFRA, Nowhere, Detail::None),
    ("could not resolve host | could not download | failed to download | failed to fetch", "network", INFRA, Nowhere, Detail::None),
    ("external command & exited with", "external-command", INFRA, Quoted, Detail::None),
    ("out of memory | bad_alloc | memory exhausted", "out-of-memory", INFRA, Nowhere, Detail::None),
    ("stack overflow", "stack-overflow", INFRA, Nowhere, Detail::None),
    ("no space left", "disk-full", INFRA, Nowhere, Detail::None),
    ("^lean exited with code", "killed", INFRA, Nowhere, Detail::None),
    ("^internal panic", "panic", INFRA, Nowhere, Detail::Head),
];

#[rustfmt::skip]
const INSIDE: &[Rule] = &[
    ("maximum number of heartbeats | (deterministic) timeout", "timeout", TIME, After(" at "), Detail::None),
    ("maximum recursion depth", "recursion-depth", TIME, Nowhere, Detail::None),
    ("maximum number of steps", "steps", TIME, First, Detail::None),
    ("tactic took more than", "too-slow", TIME, Nowhere, Detail::None),
    ("^unknown identifier | ^unknown constant | ^unknown declaration", "unknown-identifier", API, Quoted, Detail::None),
    ("^unknown namespace", "unknown-namespace", API, Quoted, Detail::None),
    ("^unknown attribute", "unknown-attribute", API, Nowhere, Detail::Head),
    ("^unknown option", "unknown-option", API, Quoted, Detail::None),
    ("unknown tactic", "unknown-tactic", API, Nowhere, Detail::Head),
    ("invalid field & environment does not contain", "invalid-field", API, After("does not contain"), Detail::None),
    ("^invalid field notation", "invalid-field-notation", API, Nowhere, Detail::Head),
    ("^invalid field", "invalid-field", API, Quoted, Detail::None),
    ("invalid argument name", "invalid-argument", API, Quoted, Detail::Head),
    ("is not a field of structure", "unknown-field", API, Quoted, Detail::Head),
    ("fields missing", "missing-fields", API, Nowhere, Detail::Head),
    ("invalid dotted identifier", "dotted-identifier", API, Quoted, Detail::None),
    ("^invalid projection", "invalid-projection", API, Nowhere, Detail::Head),
    ("^ambiguous", "ambiguous", API, Nowhere, Detail::Block),
    ("^function expected", "function-expected", API, Head, Detail::None),
    ("^invalid `⟨...⟩` notation | ^invalid constructor", "anonymous-constructor", API, Nowhere, Detail::Head),
    ("insufficient & arguments | too many & arguments | too many & provided", "wrong-arguments", API, Nowhere, Detail::Head),
    ("has been deprecated", "deprecated", API, Quoted, Detail::None),
    ("unsolved goals", "unsolved-goals", MATHS, Nowhere, Detail::Goal),
    ("motive is not type correct", "motive", STRUCT, Nowhere, Detail::None),
    ("did not find instance of the pattern | did not find an occurrence | did not find a rewrite", "pattern-not-found", STRUCT, Is("rw"), Detail::Block),
    ("found a counter-example", "counter-example", MATHS, Nowhere, Detail::None),
    ("proved that the proposition & is false", "false-proposition", MATHS, Quoted, Detail::Block),
    ("linarith failed", "tactic-failed", MATHS, First, Detail::Goal),
    ("omega could not", "tactic-failed", MATHS, Is("omega"), Detail::Goal),
    ("ring failed", "tactic-failed", MATHS, Is("ring"), Detail::Goal),
    ("made no progress", "no-progress", MATHS, First, Detail::Goal),
    ("^no progress made", "no-progress", MATHS, Nowhere, Detail::Goal),
    ("^no goals", "no-goals", STRUCT, Nowhere, Detail::None),
    ("could not close the goal", "tactic-failed", MATHS, First, Detail::Goal),
    ("unable to prove", "tactic-failed", MATHS, First, Detail::Head),
    ("failed to prove", "tactic-failed", MATHS, First, Detail::Goal),
    ("could not prove", "tactic-failed", MATHS, Quoted, Detail::Head),
    ("could not establish", "not-established", MATHS, Nowhere, Detail::Head),
    ("fail to show termination | structural recursion | termination", "termination", STRUCT, Nowhere, Detail::None),
    ("^application type mismatch", "argument-mismatch", STRUCT, Nowhere, Detail::Types),
    ("type mismatch", "type-mismatch", STRUCT, Nowhere, Detail::Types),
    ("mismatch", "mismatch", STRUCT, Nowhere, Detail::Head),
    ("could not coerce | cannot coerce", "coercion", CAST, Nowhere, Detail::Head),
    ("failed to synthesize | could not synthesize", "no-instance", STRUCT, Head, Detail::Block),
    ("typeclass instance problem is stuck", "stuck-instance", STRUCT, Head, Detail::Block),
    ("type class instance expected | ^not an instance", "instance-expected", STRUCT, Head, Detail::Block),
    ("don't know how to synthesize", "placeholder", STRUCT, Nowhere, Detail::Goal),
    ("failed to infer", "not-inferred", STRUCT, Nowhere, Detail::Head),
    ("deriving handlers", "deriving", STRUCT, Quoted, Detail::None),
    ("unexpected token | unexpected identifier | unexpected end of input", "parse", STRUCT, Nowhere, Detail::Head),
    ("unexpected syntax", "parse", STRUCT, Nowhere, Detail::Block),
    ("^unterminated | ^expected", "parse", STRUCT, Nowhere, Detail::Head),
    ("universe", "universe", STRUCT, Nowhere, Detail::Head),
    ("not definitionally equal", "not-defeq", STRUCT, Nowhere, Detail::Head),
    ("is not defeq to", "not-defeq", STRUCT, Nowhere, Detail::Block),
    ("could not unify | failed to unify", "not-unified", STRUCT, First, Detail::Types),
    ("could not find", "not-found", STRUCT, Nowhere, Detail::Head),
    ("cannot be used | can only be used", "misused", STRUCT, Quoted, Detail::Head),
    ("has metavariables", "metavariables", STRUCT, Nowhere, Detail::Head),
    ("not the type of a function", "function-expected", API, Nowhere, Detail::None),
    ("invalid index", "wrong-arguments", API, Nowhere, Detail::Head),
    ("^cannot add attribute", "attribute-refused", STRUCT, Nowhere, Detail::Head),
    ("^cannot run", "misused", STRUCT, Quoted, Detail::Head),
    ("rfl tactic failed", "tactic-failed", STRUCT, Is("rfl"), Detail::Goal),
    ("has already been declared", "already-declared", STRUCT, Nowhere, Detail::None),
    ("noncomputable | code generator", "noncomputable", STRUCT, Nowhere, Detail::None),
    ("cannot be generalized", "not-generalized", STRUCT, Nowhere, Detail::None),
    ("has not been provided", "missing-alternative", STRUCT, Quoted, Detail::None),
    ("invalid alternative name", "unknown-alternative", STRUCT, Quoted, Detail::None),
    ("redundant alternative", "redundant-alternative", STRUCT, Nowhere, Detail::None),
    ("missing cases", "missing-cases", STRUCT, Nowhere, Detail::None),
    ("invalid binder annotation", "binder-annotation", STRUCT, Head, Detail::None),
    ("has not been implemented", "not-implemented", STRUCT, Nowhere, Detail::Head),
    ("is not an equality", "wrong-goal", STRUCT, Nowhere, Detail::Head),
    ("is not of the form | could not match", "wrong-form", STRUCT, Quoted, Detail::Head),
    ("supports only", "unsupported", STRUCT, Quoted, Detail::Head),
    ("is a dependent function", "dependent-function", STRUCT, Nowhere, Detail::None),
    ("not supported", "unsupported", STRUCT, Nowhere, Detail::Head),
    ("invalid occurrence", "parse", STRUCT, Nowhere, Detail::Head),
    ("declaration uses `sorry`", "sorry", MATHS, Nowhere, Detail::None),
];

/// Tactics that decide or search: their failure means that the step does not follow by them. The
/// failure of any other tactic means that it does not fit the goal.
const DECIDERS: &str = "abel aesop assumption bound bv_decide contradiction continuity decide exact? field_simp \
    fun_prop gcongr grind group hint interval_cases linarith linear_combination measurability \
    native_decide nlinarith noncomm_ring norm_num omega polyrith positivity ring ring_nf simp \
    simp_all simpa solve_by_elim tauto trivial";

const CASTS: &str = "norm_cast push_cast exact_mod_cast lift zify qify";

pub(super) fn classify(text: &str) -> Kind {
    let text = text.strip_prefix("uncaught exception: ").unwrap_or(text);
    let beginning = beginning(text);
    let low = beginning.to_ascii_lowercase();
    let rules = AROUND.iter().chain(INSIDE);
    for (phrases, word, reason, name, detail) in rules {
        if holds(&low, phrases) {
            let name = name_of(*name, &beginning, text);
            let reason = shape::coerced(text, word).then_some(Coercion).or(*reason);
            return Kind { word, name, reason, detail: *detail };
        }
    }
    let plain = |word, reason, detail| Kind { word, name: None, reason, detail };
    // `mod_cast has type ... but is expected to have type ...`
    if shape::types(text).is_some() {
        let reason = shape::coerced(text, "type-mismatch").then_some(Coercion).or(STRUCT);
        return plain("type-mismatch", reason, Detail::Types);
    }
    tactic(&low, &beginning).unwrap_or_else(|| plain("other", None, Detail::Head))
}

pub(super) fn is_from_lake(text: &str) -> bool {
    let low = beginning(text).to_ascii_lowercase();
    AROUND.iter().any(|(phrases, ..)| holds(&low, phrases))
}

/// Whether a kind is about the machine and says all by itself: nothing of a proof is in it.
pub(super) fn says_all(kind: &str) -> bool {
    let plain = AROUND
        .iter()
        .filter(|(.., name, detail)| matches!(name, Name::Nowhere) && *detail == Detail::None);
    plain.into_iter().any(|(_, word, ..)| *word == kind)
}

fn holds(low: &str, phrases: &str) -> bool {
    let holds_one = |phrase: &str| match phrase.trim_ascii().strip_prefix('^') {
        Some(phrase) => low.starts_with(phrase),
        None => low.contains(phrase.trim_ascii()),
    };
    phrases.split('|').any(|all| all.split('&').all(holds_one))
}

/// ``Tactic `x` failed ...``, `x failed ...` and the like.
fn tactic(low: &str, beginning: &str) -> Option<Kind> {
    let failed = low.contains("failed") || low.contains("cannot ") || low.starts_with("tactic ");
    if !failed {
        return None;
    }
    let quoted = shape::quoted(beginning);
    let named = low.starts_with("tactic `") || low.starts_with('`') || low.contains("` tactic");
    let name = if named {
        quoted?.split(' ').next()?.to_owned()
    } else {
        let word = beginning.split([' ', ':']).next()?;
        let known = is_among(word, DECIDERS) || is_among(word, CASTS);
        known.then(|| word.to_owned())?
    };
    let reason = if is_among(&name, CASTS) {
        Coercion
    } else if is_among(&name, DECIDERS) {
        MissingMathematics
    } else {
        Structure
    };
    Some(Kind {
        word: "tactic-failed",
        name: Some(name),
        reason: Some(reason),
        detail: Detail::Goal,
    })
}

fn beginning(text: &str) -> String {
    const MOST_CHARS: usize = 400;
    let of_a_goal = |line: &str| line.contains(" : ") || line.starts_with(['⊢']);
    let mut lines = text.lines().take_while(|line| !line.trim().is_empty()).take(4);
    let first = lines.next().unwrap_or_default();
    let others = lines.take_while(|line| !of_a_goal(line));
    let joined = std::iter::once(first).chain(others).map(str::trim).collect::<Vec<_>>().join(" ");
    let cut: String = joined.chars().take(MOST_CHARS).collect();
    shape::one_kind_of_quotes(&cut)
}

fn name_of(name: Name, beginning: &str, text: &str) -> Option<String> {
    match name {
        Name::Nowhere => None,
        Name::Quoted => shape::quoted(beginning).and_then(global),
        Name::After(words) => {
            let at = beginning.find(words)? + words.len();
            let rest = beginning.get(at..)?;
            let bare = || rest.split_whitespace().next().map(|word| word.trim_matches([',', '.']));
            shape::quoted(rest).or_else(bare).and_then(global)
        }
        Name::Is(word) => Some(word.to_owned()),
        Name::First => {
            let word = beginning.split([' ', ':', ',']).next()?;
            let word = if word.eq_ignore_ascii_case("tactic") || word.starts_with('`') {
                shape::quoted(beginning)?.split(' ').next()?
            } else {
                word
            };
            Some(word.to_owned())
        }
        Name::Head => shape::head_of_block(text),
    }
}

/// A name that means the same in another proof.
fn global(name: &str) -> Option<String> {
    (!shape::is_local(name)).then(|| name.to_owned())
}
