//! Statements that say less than their names, by their lexemes: true whatever the mathematics is, or finite. The
//! propositions that their file defines are unfolded.

use std::collections::HashMap;

use super::signature::{self, ends};
use super::{DeclKind, Declaration, Outline, Token, TokenKind, is_or_ends_in, last_part, lex};
use crate::text::{self, is_among, vocabulary};

vocabulary! {
    Triviality {
        ExcludedMiddle = "`P ∨ ¬P`",
        /// `answer(P) ↔ P`, `a = a ∨ Q`, `¬False`, `(∃ f, P f) ∨ ∃ f, ¬P f`.
        Tautology = "a tautology",
        True = "`True`",
        Assumed = "what it assumes",
        /// `def Foo (G : Graph) : Prop := ∃ k, 2 ^ k = 8` says nothing of `G`.
        Ignored = "a claim that ignores its argument",
        Vacuous = "a vacuous claim",
        Finite = "finitely many cases",
        Numbers = "a case in numbers",
        /// All that it says is about one finite type; the name may say no more.
        FiniteType = "one finite type",
    }
}

impl Triviality {
    /// Of the problem; a case may be all that is asked.
    pub fn says_nothing(self) -> bool {
        !matches!(self, Self::Finite | Self::Numbers | Self::FiniteType)
    }
}

#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// Names of the variables and hypotheses with their types, also those behind `∀`, in order.
    pub variables: Vec<(&'a str, Vec<&'a str>)>,
    /// Of the variables in round brackets.
    explicit: Vec<&'a str>,
    classes: Vec<Vec<&'a str>>,
    goal: Vec<&'a str>,
    claim: Vec<&'a str>,
}

pub fn triviality(statement: &str) -> Option<Triviality> {
    of_parts(&parts(statement))
}

/// As the statement stands, or once the propositions that its file defines are unfolded.
pub fn triviality_in(statement: &str, meanings: &Meanings<'_>) -> Option<Triviality> {
    let words = lexemes(statement);
    let parts = Parts::of(&words);
    let unfolded = || {
        let words = meanings.unfolded(&words, DEPTH);
        let mut parts = Parts::of(&words);
        let names = meanings.names_of_fields(&parts);
        let classes = parts.classes.iter().map(|of| ("_", of));
        let all = parts.variables.iter().map(|(name, of)| (*name, of)).chain(classes);
        let fields: Vec<_> =
            all.flat_map(|(name, of)| meanings.fields_of(name, of, &names)).collect();
        parts.variables.extend(fields.into_iter().map(|field| ("_", field)));
        of_parts(&parts)
    };
    of_parts(&parts)
        .or_else(unfolded)
        .or_else(|| meanings.is_ignoring(bare(&parts.goal)).then_some(Triviality::Ignored))
}

fn of_parts(parts: &Parts<'_>) -> Option<Triviality> {
    let goal = bare(&parts.goal);
    if goal.first().is_some_and(|word| ["let", "have"].contains(word)) {
        return None;
    }
    if goal == ["True"] {
        return Some(Triviality::True);
    }
    if let Some((left, right)) = split(goal, "∨")
        && (negates(left, right) || negates(right, left))
    {
        return Some(Triviality::ExcludedMiddle);
    }
    let is_type = |word: &str| {
        parts
            .variables
            .iter()
            .any(|(name, of)| *name == word && of.first().is_some_and(|it| is_sort(it)))
    };
    // Of a type that is any type, that it has an element is no more than of numbers.
    let bound = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| goal.get(before));
        before == Some(&":") && goal.get(at + 1) == Some(&",")
    };
    let of_numbers: Vec<&str> = goal
        .iter()
        .enumerate()
        .map(|(at, word)| if bound(at) && is_type(word) { "ℕ" } else { *word })
        .collect();
    if is_true(&of_numbers) || parts.variables.iter().any(|(_, of)| is_false(of)) {
        return Some(Triviality::Tautology);
    }
    let is_claimed = |of: &[&str]| {
        same_up_to_bound_names(bare(of), goal)
            || same_up_to_bound_names(bare(of), bare(&parts.claim))
    };
    let is_denied = |of: &[&str]| denied(of).is_some_and(is_claimed);
    let assumed = |of: &[&str]| {
        let refuted = split_first(of, "→").filter(|(_, end)| *end == ["False"]);
        is_claimed(of)
            || parts.is_instance(of)
            || universal(of).is_some_and(|of| is_claimed(&of) || parts.is_instance(&of))
            || denied(of).is_some_and(|of| is_denied(bare(of)))
            || refuted.is_some_and(|(left, _)| is_denied(bare(left)))
    };
    if !goal.is_empty() && parts.conditions().any(assumed) {
        return Some(Triviality::Assumed);
    }
    if parts.is_vacuous() {
        return Some(Triviality::Vacuous);
    }
    parts.finite().or_else(|| parts.is_of_numbers().then_some(Triviality::Numbers))
}

/// `∀ I J, P I J` and `∀ A B, P A B`.
fn same_up_to_bound_names(one: &[&str], other: &[&str]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (ours, theirs) = (quantified(one), quantified(other));
    let place = |names: &[&str], name: &str| names.iter().position(|own| *own == name);
    one.iter().zip(other).all(|(one, other)| {
        // `I.carrier` speaks of `I`.
        let split = |word: &'_ &str| word.find('.').unwrap_or(word.len());
        let ((our, field), (their, other_field)) =
            (one.split_at(split(one)), other.split_at(split(other)));
        let at = place(&ours, our);
        at == place(&theirs, their) && field == other_field && (at.is_some() || our == their)
    })
}

/// The names that its quantifiers bind, each once.
fn quantified<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| is_quantifier(word)) {
        let rest = words.get(at + 1..).unwrap_or_default();
        let mut parts = Parts::default();
        parts.bound(at_depth_0(rest, |word| word == ",").map_or(&[], |end| &rest[..end]));
        for (name, _) in parts.variables {
            if name != "_" && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// One of its variables is a given number, below one, of one residue class, or lives on so many points: it says less
/// than the same without that.
pub fn is_special_case(statement: &str) -> bool {
    let parts = parts(statement);
    let is_limited = |(name, _): &(&str, Vec<&str>)| {
        let limits = parts.limits(name);
        limits.is_given || (limits.is_discrete && limits.most.is_some())
    };
    let is_residue = |of: &[&str]| match of {
        [_, "%", modulus, "=", of] | [_, "≡", of, "[", _, modulus, "]"] => {
            // Odd and even numbers are whole subjects.
            is_number(modulus) && *modulus != "2" && is_number(of)
        }
        _ => false,
    };
    let is_small = |(_, of): &(&str, Vec<&str>)| {
        let is_on = |words: &[&str]| {
            let on = ["SimpleGraph", "Finset", "Set", "Perm", "Digraph", "Hypergraph"];
            matches!(words, [of, "(", "Fin", points, ")"] if on.contains(of) && is_number(points))
        };
        // `Fin 4 → Fin 4 → Prop`
        let is_relation = |of: &[&str]| match of {
            ["Fin", points, "→", .., "Prop" | "Bool"] => is_number(points),
            _ => false,
        };
        of.windows(5).any(is_on) || is_relation(bare(of))
    };
    // `p.natDegree = 3`, `Module.finrank ℝ V = 2`, `Fintype.card V = 4`
    let is_of_dimension = |of: &[&str]| {
        let measures = |word: &str| {
            ["natDegree", "degree", "finrank"].contains(&last_part(word))
                || ["Fintype.card", "Nat.card"].contains(&word)
        };
        let [left @ .., "=", value] = of else { return false };
        is_number(value) && left.first().is_some_and(|first| measures(first))
    };
    parts.variables.iter().any(|it| is_limited(it) || is_small(it))
        || parts.conditions().any(|of| is_residue(of) || is_of_dimension(of))
}

/// Between which numbers a variable lies, by the hypotheses that say so in numerals.
#[derive(Debug, Clone, Copy, Default)]
struct Limits {
    least: Option<i128>,
    most: Option<i128>,
    is_given: bool,
    /// So many numbers are between two limits as their difference says; not where its type is unknown.
    is_discrete: bool,
}

impl Limits {
    fn from(&mut self, least: Option<i128>) {
        self.least = self.least.max(least);
    }

    fn to(&mut self, most: Option<i128>) {
        self.most = self.most.into_iter().chain(most).min();
    }
}

/// What a claim about given numbers consists of, beside numerals and the names that it binds.
const OF_NUMBERS: &str = "∃ : , ( ) = < ≤ > ≥ ≠ ∣ ∧ ∨ + * - ^ % / ℕ ℤ ℚ ℝ Nat Int Rat Real";
const OF_A_NUMBER: [&str; 8] =
    ["Prime", "Even", "Odd", "Coprime", "Squarefree", "gcd", "lcm", "IsSquare"];

fn negates(one: &[&str], other: &[&str]) -> bool {
    denied(one).is_some_and(|denied| bare(denied) == bare(other))
}

/// `P` of `¬P`, but not of `¬P → Q`.
fn denied<'w, 'a>(words: &'w [&'a str]) -> Option<&'w [&'a str]> {
    let denied = words.strip_prefix(&["¬"])?;
    let reaches = |by: &&str| split_first(denied, by).is_none();
    ["→", "↔", "∧", "∨"].iter().all(reaches).then_some(denied)
}

/// Whatever its names stand for.
fn is_true(words: &[&str]) -> bool {
    let words = bare(words);
    if let Some(scope) = scope(words, &["∀", "∃"]) {
        let binder = words.strip_suffix(scope).unwrap_or_default();
        return ((words.first() == Some(&"∀") || is_about_some_number(binder)) && is_true(scope))
            || is_answer(binder, scope);
    }
    if let Some((left, right)) = split(words, "↔") {
        return asked(left) == asked(right)
            || (is_true(left) && is_true(right))
            || (is_false(left) && is_false(right));
    }
    if let Some((left, right)) = split_first(words, "→") {
        return is_true(right) || is_false(left);
    }
    if let Some((left, right)) = split_first(words, "∨") {
        let (one, other) = of_the_same(left, right).unwrap_or((left, right));
        let is_excluded = negates(one, other) || negates(other, one);
        return is_excluded || is_true(left) || is_true(right);
    }
    if let Some((left, right)) = split_first(words, "∧") {
        return is_true(left) && is_true(right);
    }
    match words {
        ["True"] => true,
        ["¬", rest @ ..] => is_false(rest),
        _ => ["=", "≤", "≥", "∣", "⊆"].iter().any(|by| has_equal_sides(words, by)),
    }
}

/// `P` and `Q` of `∃ x, P` and `∃ x, Q`.
fn of_the_same<'w, 'a>(
    left: &'w [&'a str],
    right: &'w [&'a str],
) -> Option<(&'w [&'a str], &'w [&'a str])> {
    let (left, right) = (bare(left), bare(right));
    let (one, other) = (scope(left, &["∃"])?, scope(right, &["∃"])?);
    let is_same = left.strip_suffix(one)? == right.strip_suffix(other)?;
    is_same.then_some((one, other))
}

/// `∃ C : ℝ, P`: some number there is.
/// `∃ b : Bool, b = true ↔ P`, whatever `P` is.
fn is_answer(binder: &[&str], scope: &[&str]) -> bool {
    let ["∃", name, ":", "Bool" | "Prop", ","] = binder else { return false };
    let is_it = |side: &[&str]| matches!(bare(side), [one] | [one, "=", "true" | "false" | "True" | "False"] if one == name);
    split(scope, "↔").is_some_and(|(left, right)| {
        (is_it(left) && !right.contains(name)) || (is_it(right) && !left.contains(name))
    })
}

fn is_about_some_number(words: &[&str]) -> bool {
    let of = words.iter().skip_while(|word| **word != ":").nth(1);
    of.is_some_and(|of| ["ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Rat", "Real"].contains(of))
}

fn is_false(words: &[&str]) -> bool {
    let words = bare(words);
    if let Some(scope) = scope(words, &["∃"]) {
        return is_false(scope);
    }
    let splits = ["↔", "→", "∨"].iter().any(|by| split_first(words, by).is_some());
    if let Some((left, right)) = split_first(words, "∧").filter(|_| !splits) {
        return is_false(left) || is_false(right);
    }
    match words {
        ["False"] => true,
        ["¬", rest @ ..] if !splits => is_true(rest),
        _ => !splits && ["≠", "<", ">"].iter().any(|by| has_equal_sides(words, by)),
    }
}

fn has_equal_sides(words: &[&str], by: &str) -> bool {
    split(words, by).is_some_and(|(left, right)| !left.is_empty() && asked(left) == asked(right))
}

/// What stands behind a quantifier and its variables.
fn scope<'w, 'a>(words: &'w [&'a str], quantifiers: &[&str]) -> Option<&'w [&'a str]> {
    let is_bound = words.first().is_some_and(|word| quantifiers.contains(word));
    let comma = at_depth_0(words, |word| word == ",").filter(|_| is_bound)?;
    words.get(comma + 1..)
}

/// How often definitions are unfolded in one another, and how long a statement may become, in lexemes.
const DEPTH: usize = 3;
const LONGEST: usize = 2_000;

/// The propositions that a file defines, by the last parts of their names.
#[derive(Debug, Default)]
pub struct Meanings<'a> {
    defined: HashMap<&'a str, Vec<Meaning<'a>>>,
    /// Also its classes.
    structures: HashMap<&'a str, Structure<'a>>,
}

#[derive(Debug)]
struct Structure<'a> {
    arguments: Vec<&'a str>,
    /// With their types.
    fields: Vec<(&'a str, Vec<&'a str>)>,
}

#[derive(Debug)]
struct Meaning<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    written: &'a str,
    body: Vec<&'a str>,
    /// Its body speaks of something that is not said where the definition is used.
    is_open: bool,
}

impl<'a> Meanings<'a> {
    pub fn of(text: &'a str, outline: &'a Outline) -> Self {
        let variables = variables(text, outline);
        let meaning = |one: &'a Declaration| {
            let words = lexemes(one.statement(text));
            let colon = at_depth_0(&words, |word| word == ":")?;
            let written = one.body(text)?;
            let body = lexemes(written);
            let is_term = words.get(colon + 1..) == Some(&["Prop"])
                && !["by", "|", "where"].contains(body.first()?);
            let mut parts = Parts::default();
            parts.binders(words.get(..colon).unwrap_or_default());
            let own = |name: &str| parts.variables.iter().any(|(own, _)| *own == name);
            let around = variables.variables.iter().filter(|(name, _)| !own(name));
            let implicit =
                parts.variables.iter().filter(|(name, _)| !parts.explicit.contains(name));
            let bound = bound_in(&body);
            let is_open = around.chain(implicit).any(|(name, of)| {
                let is_type = of.first().is_none_or(|of| is_sort(of));
                !is_type && !bound.contains(name) && body.iter().any(|word| speaks_of(word, name))
            });
            let name = one.name.as_deref()?;
            let arguments = parts.explicit;
            is_term.then_some(Meaning { name, arguments, written, body, is_open })
        };
        let structure = |one: &'a Declaration| {
            let words = lexemes(one.statement(text));
            let end = at_depth_0(&words, |word| ["where", ":=", "extends"].contains(&word));
            let mut parts = Parts::default();
            parts.binders(words.get(..end.unwrap_or(words.len())).unwrap_or_default());
            let structure =
                Structure { arguments: parts.explicit, fields: fields(one.body(text)?) };
            Some((last_part(one.name.as_deref()?), structure))
        };
        let of_kind = |kinds: [DeclKind; 2]| {
            outline.declarations.iter().filter(move |one| kinds.contains(&one.kind))
        };
        let mut defined: HashMap<&str, Vec<Meaning<'_>>> = HashMap::new();
        for one in of_kind([DeclKind::Def, DeclKind::Abbrev]).filter_map(meaning) {
            defined.entry(last_part(one.name)).or_default().push(one);
        }
        Self {
            defined,
            structures: of_kind([DeclKind::Structure, DeclKind::Class])
                .filter_map(structure)
                .collect(),
        }
    }

    /// That of the only definition with this name.
    fn meaning_of(&self, word: &str) -> Option<&Meaning<'a>> {
        let mut found = self.defined.get(last_part(word))?.iter();
        found.next().filter(|one| found.next().is_none() && is_or_ends_in(one.name, word))
    }

    fn structure_of(&self, of: &[&str]) -> Option<&Structure<'a>> {
        self.structures.get(last_part(held(of).first()?))
    }

    /// `D.F` for each variable `D` of a structure of the file with a field `F`.
    fn names_of_fields(&self, parts: &Parts<'_>) -> Vec<String> {
        let named = parts.variables.iter().filter(|(name, _)| *name != "_");
        let of_one = |(name, of): &(&str, Vec<&str>)| {
            let fields = self.structure_of(of).map(|it| it.fields.as_slice()).unwrap_or_default();
            fields.iter().map(|(field, _)| format!("{name}.{field}")).collect::<Vec<_>>()
        };
        named.flat_map(of_one).collect()
    }

    /// What a variable of a type of the file brings along: the types of its fields, which name one another.
    fn fields_of<'w>(
        &'w self,
        owner: &str,
        of: &[&'w str],
        names: &'w [String],
    ) -> Vec<Vec<&'w str>> {
        let Some(Structure { arguments, fields }) = self.structure_of(of) else {
            return Vec::new();
        };
        let given =
            given(held(of).get(1..).unwrap_or_default(), arguments.len()).unwrap_or_default();
        let whole = |word: &'w str| {
            let is_it = |name: &&String| {
                name.strip_prefix(owner).and_then(|rest| rest.strip_prefix('.')) == Some(word)
            };
            names.iter().find(is_it).map_or(word, String::as_str)
        };
        let field = |(_, of): &(&'w str, Vec<&'w str>)| {
            let of: Vec<&str> = put(of, arguments, &given).into_iter().map(whole).collect();
            self.unfolded(&of, DEPTH)
        };
        fields.iter().map(field).collect()
    }

    /// A statement with the `variable`s that it takes in, if one of them assumes something: a hypothesis, a class of
    /// the file or one that says something: `Fact p.Prime`.
    pub fn with_assumed(
        &self,
        declaration: &Declaration,
        text: &str,
        spelled: &str,
    ) -> Option<String> {
        let statement = declaration.statement(text);
        let name = declaration.name_span.as_ref()?.end - declaration.statement_span.start;
        let (name, own) = statement.split_at_checked(name)?;
        let (all, own_words) = (lexemes(spelled), lexemes(own));
        let taken = all.get(..all.len().checked_sub(own_words.len())?)?;
        let mut parts = Parts::default();
        parts.binders(taken);
        let is_of_file = |of: &Vec<&str>| {
            let head = of.first().map(|head| last_part(head));
            head.is_some_and(|it| self.defined.contains_key(it) || self.structures.contains_key(it))
        };
        let mut types = parts.variables.iter().map(|(_, of)| of);
        let says = |of: &Vec<&str>| is_of_file(of) || is_proposition(of);
        let assumes =
            types.any(|of| is_condition(of) || is_of_file(of)) || parts.classes.iter().any(says);
        let own_at = words(spelled).count().checked_sub(words(own).count())?;
        let own_from = words(spelled).nth(own_at)?.start;
        let taken = spelled.get(..own_from).filter(|_| assumes)?;
        Some(format!("{name} {} {}", taken.trim(), own.trim_start()))
    }

    fn unfolded<'w>(&'w self, words: &[&'w str], depth: usize) -> Vec<&'w str> {
        let mut all = Vec::with_capacity(words.len());
        let mut rest = words;
        while let Some((&word, after)) = rest.split_first() {
            rest = after;
            let meaning = self.meaning_of(word).filter(|it| depth > 0 && !it.is_open);
            let given = meaning.and_then(|it| given(after, it.arguments.len()));
            let is_safe = |meaning: &Meaning<'_>, given: &[&[&str]]| {
                // Its arguments are replaced.
                let mut bound = bound_in(&meaning.body);
                bound.retain(|name| !meaning.arguments.contains(name));
                let is_caught = |word: &&str| bound.iter().any(|name| speaks_of(word, name));
                all.len() < LONGEST && !given.iter().copied().flatten().any(is_caught)
            };
            let found = meaning.zip(given);
            let Some((meaning, given)) = found.filter(|(it, given)| is_safe(it, given)) else {
                all.push(word);
                continue;
            };
            rest = after.get(given.iter().map(|one| one.len()).sum()..).unwrap_or_default();
            all.push("(");
            let body = put(&meaning.body, &meaning.arguments, &given);
            all.extend(self.unfolded(&body, depth - 1));
            all.push(")");
        }
        all
    }

    /// A claim that is nothing but a proposition which says nothing of what it is given, or speaks through one that is
    /// true of anything.
    fn is_ignoring(&self, goal: &[&str]) -> bool {
        // Before an arrow it asks for nothing, and the rest says more.
        let is_plain = !goal.iter().any(|word| ["→", "↔", "¬"].contains(word));
        let mut defined = goal.iter().filter_map(|word| self.meaning_of(word));
        if is_plain && defined.any(|one| !one.arguments.is_empty() && is_true(&one.body)) {
            return true;
        }
        let meaning = goal.first().and_then(|word| self.meaning_of(word));
        meaning.is_some_and(|meaning| {
            let is_given = given(goal.get(1..).unwrap_or_default(), meaning.arguments.len())
                .is_some_and(|all| {
                    all.iter().map(|one| one.len()).sum::<usize>() + 1 == goal.len()
                });
            let is_ignored = |name: &&str| {
                !name.starts_with('_')
                    && !meaning.body.iter().any(|word| word.split('.').any(|part| part == *name))
            };
            is_given && meaning.arguments.iter().any(is_ignored)
        })
    }

    /// `Name := body` for the first of them in a claim that is hardly more than its name.
    pub fn told(&self, statement: &str) -> Option<String> {
        const FEW: usize = 8;
        let words = lexemes(statement);
        let parts = Parts::of(&words);
        let goal = bare(&parts.goal);
        let (name, meaning) = goal
            .iter()
            .filter(|_| goal.len() <= FEW)
            .find_map(|word| Some((last_part(word), self.meaning_of(word)?)))?;
        let body = text::one_line(meaning.written.trim_start_matches(":="));
        Some(text::clean(&format!("{name} := {}", body.trim())))
    }
}

/// What the `variable`s of a file bind.
fn variables<'a>(text: &'a str, outline: &Outline) -> Parts<'a> {
    let mut found = Parts::default();
    let mut at = 0;
    for span in outline.declarations.iter().map(|one| one.span.clone()) {
        let between = text.get(at..span.start).unwrap_or_default();
        at = at.max(span.end);
        if between.contains("variable") {
            let words = lexemes(between);
            for command in words.split(|word| *word == "variable").skip(1) {
                let mut length = 0;
                while command.get(length).is_some_and(|word| is_open(word)) {
                    length += closing(command.get(length..).unwrap_or_default()) + 1;
                }
                found.binders(command.get(..length).unwrap_or(command));
            }
        }
    }
    found
}

fn is_sort(of: &str) -> bool {
    ["Type", "Type*", "Sort", "Sort*"].contains(&of)
}

/// `G` and `G.Adj` speak of `G`.
fn speaks_of(word: &str, name: &str) -> bool {
    word.split('.').next() == Some(name)
}

/// The names that quantifiers and functions bind anywhere in it, with what stands between them and their comma.
fn bound_in<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut bound = Vec::new();
    let mut is_binding = false;
    for word in words {
        is_binding = match *word {
            "fun" | "λ" | "∑" | "∏" => true,
            "," | "=>" | "↦" => false,
            word => is_binding || is_quantifier(word),
        };
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        bound.extend((is_binding && is_name).then_some(*word));
    }
    bound
}

/// The body of a definition with what is given in place of its arguments.
fn put<'w>(body: &[&'w str], arguments: &[&str], given: &[&[&'w str]]) -> Vec<&'w str> {
    let given = |word: &str| given.get(arguments.iter().position(|name| *name == word)?).copied();
    let put = |word: &&'w str| -> Vec<&'w str> {
        // `G.Adj` of the argument `G`.
        let (head, field) = word.split_at(word.find('.').unwrap_or(word.len()));
        match given(head) {
            None => vec![*word],
            Some([same]) if *same == head => vec![*word],
            Some(given) => {
                given.iter().copied().chain(Some(field).filter(|it| !it.is_empty())).collect()
            }
        }
    };
    body.iter().flat_map(put).collect()
}

/// A structure's fields: each begins a line, as far to the right as the first.
fn fields(body: &str) -> Vec<(&str, Vec<&str>)> {
    let all = signature::lexemes(body);
    let begins = || all.iter().filter(|one| one.first && one.text(body) != "where");
    let margin = begins().map(super::sig::Sig::column).min();
    let begins = begins().filter(|one| Some(one.column()) == margin).map(super::sig::Sig::start);
    let starts: Vec<usize> = begins.chain([body.len()]).collect();
    let field = |ends: &[usize]| {
        let words = lexemes(body.get(*ends.first()?..*ends.last()?)?);
        let words = bare(&words);
        let colon = at_depth_0(words, |word| word == ":")?;
        let of = words.get(colon + 1..)?.to_vec();
        let names = words.get(..colon)?.iter().filter(|word| !is_open(word) && !is_close(word));
        Some(names.map(|name| (*name, of.clone())).collect::<Vec<_>>())
    };
    starts.windows(2).filter_map(field).flatten().collect()
}

/// The arguments behind a name: names, numbers and groups in brackets.
fn given<'w, 'a>(mut rest: &'w [&'a str], count: usize) -> Option<Vec<&'w [&'a str]>> {
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let (one, after) = rest.split_at_checked(argument(rest)?)?;
        all.push(one);
        rest = after;
    }
    Some(all)
}

/// `b < a` of `a > b`, `a ≤ x` and `x < b` of `x ∈ Set.Ico a b`.
fn compared<'a>(condition: &[&'a str]) -> Vec<Vec<&'a str>> {
    match bare(condition) {
        [a, ">", b] => vec![vec![b, "<", a]],
        [a, "≥", b] => vec![vec![b, "≤", a]],
        [x, "∈", set, least_and_most @ ..] => {
            let range = (last_part(set) == "range").then_some([None, Some("<")]);
            let sides = range.or_else(|| ends(set)).unwrap_or_default();
            if sides == [None, None] || sides.iter().flatten().count() != least_and_most.len() {
                return vec![condition.to_vec()];
            }
            let least = sides[0].zip(least_and_most.first()).map(|(by, end)| vec![*end, by, *x]);
            let most = sides[1].zip(least_and_most.last()).map(|(by, end)| vec![*x, by, *end]);
            least.into_iter().chain(most).collect()
        }
        other => vec![other.to_vec()],
    }
}

/// `∀ n, P n → Q n` for `¬∃ n, P n ∧ ¬Q n`: there is no counterexample.
fn universal<'a>(condition: &[&'a str]) -> Option<Vec<&'a str>> {
    let exists = bare(condition.strip_prefix(&["¬"])?);
    let inner = scope(exists, &["∃"])?;
    let binder = exists.strip_suffix(inner)?.get(1..)?;
    let mut words = vec!["∀"];
    words.extend(binder);
    if let Some(inner) = universal(&[&["¬"], inner].concat()) {
        words.extend(inner);
        return Some(words);
    }
    let mut all = conjuncts(inner);
    let denied = all.iter().rposition(|one| one.first() == Some(&"¬"));
    let claim = match denied {
        Some(at) => bare(all.remove(at).get(1..)?),
        None => &["False"],
    };
    for condition in all {
        words.extend(["("].iter().chain(condition).chain(&[")", "→"]));
    }
    words.extend(claim);
    Some(words)
}

/// The names behind `∃`, and of what they are said to exist; none where more is asked of them: `∃ k > 0, p`.
fn existential<'w, 'a>(words: &'w [&'a str]) -> (Vec<&'a str>, &'w [&'a str]) {
    let words = bare(words);
    let Some(inner) = scope(words, &["∃"]) else { return (Vec::new(), words) };
    let mut bound = Parts::default();
    bound.bound(words.get(1..words.len() - inner.len() - 1).unwrap_or_default());
    let mut names: Vec<&str> = bound.variables.iter().map(|(name, _)| *name).collect();
    if names.contains(&"_") || bound.variables.iter().any(|(_, of)| is_condition(of)) {
        return (Vec::new(), words);
    }
    let (more, inner) = existential(inner);
    names.extend(more);
    (names, inner)
}

/// What the bound names of a statement stand for in another one that it speaks of; `open` names of the other may be
/// anything there.
fn instance<'w, 'a>(
    mut theirs: &'w [&'a str],
    mut ours: &'w [&'a str],
    is_bound: &dyn Fn(&str) -> bool,
    open: &[&str],
) -> Option<Vec<(&'a str, &'a str)>> {
    let mut meant: Vec<(&str, &str)> = Vec::new();
    let mut given: Vec<(&str, &[&str])> = Vec::new();
    while let Some((our, after)) = ours.split_first() {
        let their = theirs.first()?;
        let mut length = 1;
        if open.contains(our) {
            // As an argument it is one term, as an operand it may be an application.
            let is_operand = after.first().is_none_or(|next| !is_argument(next));
            length = argument(theirs)?;
            while is_operand && let Some(more) = theirs.get(length..).and_then(argument) {
                length += more;
            }
            let is = theirs.get(..length)?;
            match given.iter().find(|(name, _)| name == our) {
                Some((_, value)) if *value != is => return None,
                Some(_) => {}
                None => given.push((our, is)),
            }
        } else {
            match meant.iter().find(|(name, _)| name == their) {
                Some((_, value)) if value == our => {}
                None if is_bound(their) => meant.push((their, our)),
                None if their == our => {}
                _ => return None,
            }
        }
        (theirs, ours) = (theirs.get(length..)?, after);
    }
    theirs.is_empty().then_some(meant)
}

fn replaced<'a>(words: &[&'a str], meant: &[(&'a str, &'a str)]) -> Vec<&'a str> {
    let value = |word: &&str| meant.iter().find(|(name, _)| name == word).map(|it| it.1);
    words.iter().map(|word| value(word).unwrap_or(word)).collect()
}

/// How long the argument is with which something begins: a name, a number or a group in brackets.
fn argument(words: &[&str]) -> Option<usize> {
    let first = words.first().filter(|first| is_argument(first))?;
    Some(if is_open(first) { closing(words) + 1 } else { 1 })
}

fn is_argument(word: &str) -> bool {
    is_open(word) || word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

impl Parts<'_> {
    /// `∀ k > 0, Foo k` where `Foo n` is the goal and `0 < n` another hypothesis: the claim itself is assumed; so it is
    /// by `∀ k > 0, Foo k (f k)` where the goal is `∃ m, Foo n m`. A hypothesis with a condition that the claim has not,
    /// as in a step of an induction, says less.
    fn is_instance(&self, of: &[&str]) -> bool {
        let mut assumed = Parts::default();
        assumed.take(existential(of).1);
        let is_bound = |word: &str| assumed.variables.iter().any(|(name, _)| *name == word);
        if assumed.variables.is_empty() {
            return false;
        }
        let whole = || instance(&assumed.goal, &self.goal, &is_bound, &[]);
        let (witnesses, claim) = existential(&self.goal);
        let (theirs, held) = existential(&assumed.goal);
        let is_own = |word: &str| is_bound(word) && !theirs.contains(&word);
        let core = || instance(held, claim, &is_own, &witnesses).filter(|_| !witnesses.is_empty());
        let Some(mut meant) = whole().or_else(core) else { return false };
        // What stands in the types of those: the `m` of `M : Foo m`.
        for at in 0..meant.len() {
            let (their, our) = meant[at];
            let theirs = assumed.variables.iter().find(|(name, _)| *name == their);
            let ours = self.variables.iter().find(|(name, _)| *name == our);
            if let (Some((_, theirs)), Some((_, ours))) = (theirs, ours) {
                let is_known = |of: &[&str]| !matches!(of, [] | ["_"]);
                match instance(theirs, ours, &is_bound, &[]) {
                    Some(more) => meant.extend(more),
                    // Of numbers of another kind, or of other things, it says nothing.
                    None if is_known(theirs) && is_known(ours) => return false,
                    None => {}
                }
            }
        }
        let ours = self.variables.iter().flat_map(|(_, of)| compared(of));
        let ours: Vec<Vec<&str>> = ours.map(|of| self.normal(of)).collect();
        // That something can be computed is asked of nothing.
        let asks = |of: &[&str]| {
            of.first().is_some_and(|of| !of.starts_with("Decidable") && *of != "Fintype")
        };
        let conditions = || assumed.variables.iter().filter(|(name, of)| *name == "_" && asks(of));
        // The `N` of `∀ N, ∀ k ≤ N, Foo k` may be any.
        let is_any = |word: &str| {
            let is_said = |(_, of): &&(&str, Vec<&str>)| of.contains(&word);
            is_bound(word)
                && meant.iter().all(|(name, _)| *name != word)
                && conditions().filter(is_said).count() == 1
        };
        // `∀ (β) [Subsingleton β], P β` is said of less than `P α`.
        let has = |class: &Vec<&str>| {
            !asks(class) || self.classes.iter().any(|own| *own == replaced(class, &meant))
        };
        if !assumed.classes.iter().all(has) {
            return false;
        }
        let mut asked = conditions().flat_map(|(_, of)| compared(&replaced(of, &meant)));
        asked.all(|of| {
            let is_met = matches!(of.as_slice(), [_, "<" | "≤", most] if is_any(most));
            is_met || is_true(&of) || ours.contains(&self.normal(of))
        })
    }

    /// `0 < n` for `1 ≤ n` and `n ≠ 0` of a natural number.
    fn normal<'w>(&self, condition: Vec<&'w str>) -> Vec<&'w str> {
        match condition.as_slice() {
            ["1", "≤", n] | [n, "≠", "0"] | ["0", "≠", n] if self.is_natural(n) => {
                vec!["0", "<", n]
            }
            _ => condition,
        }
    }

    fn is_natural(&self, name: &str) -> bool {
        let mut types = self.variables.iter().filter(|(own, _)| *own == name);
        types.all(|(_, of)| matches!(bare(of), [] | ["_" | "ℕ" | "Nat" | "ℕ+" | "PNat"]))
    }

    fn conditions(&self) -> impl Iterator<Item = &[&str]> {
        self.variables.iter().flat_map(|(_, of)| conjuncts(held(of)))
    }

    fn limits(&self, name: &str) -> Limits {
        let mut limits = Limits::default();
        let types = self.variables.iter().filter(|(own, _)| *own == name);
        let types: Vec<&[&str]> = types.map(|(_, of)| bare(of)).collect();
        if name == "_" || types.iter().any(|of| is_condition(of)) {
            return limits;
        }
        let is_natural = self.is_natural(name);
        limits.is_discrete = is_natural || types.iter().all(|of| matches!(of, ["ℤ" | "Int"]));
        limits.least = is_natural.then_some(0);
        let listed = self.conditions().filter(|of| matches!(of, [own, "∈", ..] if *own == name));
        for (least, most) in listed.filter_map(|of| listed_in(of.get(2..)?)) {
            limits.from(Some(least));
            limits.to(Some(most));
            limits.is_given = true;
        }
        for condition in self.conditions().flat_map(compared) {
            let Some((at, by)) = condition
                .iter()
                .enumerate()
                .find_map(|(at, word)| ["=", "<", "≤"].contains(word).then_some((at, *word)))
            else {
                continue;
            };
            let (left, right) = (&condition[..at], &condition[at + 1..]);
            let strict = i128::from(by == "<");
            limits.is_given |= by == "=" && left == [name] && is_constant(right);
            if left == [name]
                && let Some(value) = number(right)
            {
                limits.to(Some(value - strict));
                limits.is_given |= by == "=";
            } else if right == [name]
                && let Some(value) = number(left)
            {
                limits.from(Some(value + strict));
                limits.is_given |= by == "=";
            }
        }
        limits
    }

    /// No numbers meet its hypotheses, or one of them denies another.
    fn is_vacuous(&self) -> bool {
        // `∀ x < 0` may speak of real numbers.
        let is_spelled = |name: &str| {
            let mut types = self.variables.iter().filter(|(own, _)| *own == name);
            types.all(|(_, of)| !matches!(bare(of), [] | ["_"]))
        };
        let is_empty = |name: &str| {
            let limits = self.limits(name);
            let ends = limits.least.zip(limits.most).filter(|_| limits.is_discrete);
            ends.is_some_and(|(least, most)| least > most) && is_spelled(name)
        };
        let has_no_values =
            |of: &[&str]| matches!(bare(of), ["Empty" | "PEmpty" | "False"] | ["Fin", "0"]);
        let mut variables = self.variables.iter();
        variables.any(|(name, of)| has_no_values(of) || is_empty(name))
            || self
                .conditions()
                .any(|one| self.conditions().any(|other| !other.is_empty() && negates(one, other)))
    }

    /// Nothing in it is arbitrary: `∃ p, p.Prime ∧ 2 < p`, `Nat.Prime 7`. A number in it is more than an exponent. An
    /// equation in several unknowns may be deep: `∃ x y z : ℤ, x ^ 3 + y ^ 3 + z ^ 3 = 42`.
    fn is_of_numbers(&self) -> bool {
        if !self.variables.is_empty() {
            return false;
        }
        let goal = &self.goal;
        let bound = bound_in(goal);
        let unknowns = bound.iter().filter(|word| !is_among(word, OF_NUMBERS)).count();
        let is_known = |word: &str| {
            let (head, last) = (word.split('.').next().unwrap_or(word), last_part(word));
            let is_named = |name: &str| bound.contains(&name);
            number(&[word]).is_some()
                || is_among(word, OF_NUMBERS)
                || is_named(word)
                || (OF_A_NUMBER.contains(&last)
                    && (head == last || head == "Nat" || head == "Int" || is_named(head)))
        };
        let has_number = goal.iter().enumerate().any(|(at, word)| {
            let is_exponent = at.checked_sub(1).and_then(|at| goal.get(at)) == Some(&"^");
            !is_exponent && number(&[word]).is_some_and(|value| value > 0)
        });
        unknowns <= 1 && has_number && goal.iter().all(|word| is_known(word))
    }

    fn finite(&self) -> Option<Triviality> {
        let is_name = |of: &[&str]| of.iter().any(|word| word.chars().all(char::is_alphanumeric));
        let is_bound = |name: &str| {
            let limits = self.limits(name);
            limits.is_given
                || (limits.is_discrete && limits.least.is_some() && limits.most.is_some())
        };
        let is_fin = |of: &[&str]| {
            let fins = of.windows(2).filter(|pair| pair[0] == "Fin" && is_number(pair[1])).count();
            let all = of.iter().filter(|word| **word == "Fin").count();
            let infinite = ["ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Nat", "Int", "Type", "Type*", "Sort"];
            fins > 0 && fins == all && !of.iter().any(|word| infinite.contains(word))
        };
        let (mut counted, mut is_type) = (0, true);
        for (name, of) in &self.variables {
            let is_hypothesis = *name == "_" || is_condition(of);
            let dotted = of.iter().any(|word| word.contains('.') && !word.ends_with('.'));
            if is_hypothesis || (dotted && !is_fin(of)) {
                continue;
            }
            if !(is_fin(of) || is_bound(name)) {
                // `hP : Packs G P` cannot be told from a variable, but it speaks of others.
                let others = self.variables.iter().any(|(other, _)| of.contains(other));
                if others && is_name(of) {
                    continue;
                }
                return None;
            }
            is_type &= is_fin(of);
            counted += 1;
        }
        let kind = if is_type { Triviality::FiniteType } else { Triviality::Finite };
        (counted > 0 && !self.goal.contains(&"∀")).then_some(kind)
    }
}

/// Of `∀ x ∈ s, ...`.
const BINDER_PREDICATES: [&str; 12] = ["<", "≤", "∈", ">", "≥", "≠", "∉", "⊆", "⊂", "⊇", "⊃", "∣"];

/// A hypothesis has a relation in its type, a variable has not.
pub fn is_condition(of: &[&str]) -> bool {
    let relations = ["=", "<", "≤", ">", "≥", "∈", "≠", "∣", "¬", "∧", "∨", "↔", "∃", "⊆"];
    of.iter().any(|word| relations.contains(word))
}

/// A class is, by the custom of Mathlib.
fn is_proposition(class: &[&str]) -> bool {
    let head = class.first().map_or("", |head| last_part(head));
    let is = head.strip_prefix("Is").and_then(|rest| rest.chars().next());
    is.is_some_and(char::is_uppercase)
        || ["Fact", "Nontrivial", "Infinite", "Finite"].contains(&head)
}

/// What is assumed by `Nonempty P`, `PLift P`, `Fact P`.
fn held<'w, 'a>(of: &'w [&'a str]) -> &'w [&'a str] {
    match bare(of) {
        ["Nonempty" | "PLift" | "Fact" | "Inhabited", of @ ..] => held(of),
        of => of,
    }
}

/// What stands between the `∧` of a hypothesis.
fn conjuncts<'w, 'a>(words: &'w [&'a str]) -> Vec<&'w [&'a str]> {
    let words = bare(words);
    match split_first(words, "∧") {
        Some((left, right)) => [bare(left)].into_iter().chain(conjuncts(right)).collect(),
        None => vec![words],
    }
}

/// A value that needs no variable to be told: `∅`, `⊤`, `Set.univ`.
fn is_constant(words: &[&str]) -> bool {
    matches!(bare(words), [one] if ["∅", "⊥", "⊤", "univ"].contains(&last_part(one)))
}

/// The value of a numeral, `-5` or `10 ^ 6`.
fn number(words: &[&str]) -> Option<i128> {
    const LARGEST: i128 = 1 << 100;
    let value = match bare(words) {
        ["-", rest @ ..] => -number(rest)?,
        [base, "^", power] => number(&[base])?.checked_pow(power.parse().ok()?)?,
        [one] => one.replace('_', "").parse().ok()?,
        _ => return None,
    };
    (value.abs() < LARGEST).then_some(value)
}

/// The least and the greatest of `{3, 5, 7}`, perhaps with its type.
fn listed_in(set: &[&str]) -> Option<(i128, i128)> {
    let set = bare(set);
    let end = at_depth_0(set, |word| word == ":").unwrap_or(set.len());
    let inside = set.get(..end)?.strip_prefix(&["{"])?.strip_suffix(&["}"])?;
    let numbers: Option<Vec<i128>> = inside.split(|word| *word == ",").map(number).collect();
    let numbers = numbers?;
    Some((*numbers.iter().min()?, *numbers.iter().max()?))
}

fn is_number(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| first.is_ascii_digit())
}

/// `∀ᶠ`, `∃ᵐ` and `∃!` as one word each: they are other quantifiers. `∀ᵉ` binds as `∀` does.
fn lexemes(statement: &str) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    let mut end = 0;
    for token in words(statement) {
        let word = token.text(statement);
        let is_mark = token.start == end && ["ᶠ", "ᵐ", "!", "ᵉ", "'"].contains(&word);
        match all.last_mut().filter(|last| is_mark && ["∀", "∃"].contains(last)) {
            Some(_) if word == "ᵉ" => {}
            Some(last) => {
                *last = statement.get(token.start - last.len()..token.end).unwrap_or(last);
            }
            None => all.push(word),
        }
        end = token.end;
    }
    all
}

fn words(statement: &str) -> impl Iterator<Item = Token> {
    let is_word = |token: &Token| !token.kind.is_trivia() && token.kind != TokenKind::DocComment;
    lex(statement).into_iter().filter(is_word)
}

pub fn parts(statement: &str) -> Parts<'_> {
    Parts::of(&lexemes(statement))
}

impl<'a> Parts<'a> {
    fn of(words: &[&'a str]) -> Self {
        let end = at_depth_0(words, |word| word == ":=").unwrap_or(words.len());
        let words = words.get(..end).unwrap_or_default();
        let mut parts = Parts::default();
        let Some(colon) = at_depth_0(words, |word| word == ":") else { return parts };
        parts.binders(words.get(..colon).unwrap_or_default());
        parts.claim = words.get(colon + 1..).unwrap_or_default().to_vec();
        parts.take(words.get(colon + 1..).unwrap_or_default());
        parts.unwrap_subtypes();
        parts
    }

    /// `F : {x // P x}` assumes `P F`, where `F`, `F.1` and `F.val` are taken for the same.
    fn unwrap_subtypes(&mut self) {
        let subtype = |(name, of): &(&'a str, Vec<&'a str>)| {
            let inner = bare(of).strip_prefix(&["{"])?.strip_suffix(&["}"])?;
            let bar = at_depth_0(inner, |word| word == "//")?;
            let (bound, holds) = (*inner.first()?, inner.get(bar + 1..)?);
            let put = |word: &&'a str| if *word == bound { *name } else { *word };
            Some((*name, holds.iter().map(put).collect::<Vec<_>>()))
        };
        let found: Vec<_> = self.variables.iter().filter_map(subtype).collect();
        if found.is_empty() {
            return;
        }
        let is_one = |word: &str| found.iter().any(|(name, _)| *name == word);
        let plain =
            |word: &'a str| word.strip_suffix(".val").filter(|it| is_one(it)).unwrap_or(word);
        for words in [&mut self.goal, &mut self.claim] {
            let mut out: Vec<&'a str> = Vec::with_capacity(words.len());
            for word in words.iter().copied().filter(|word| *word != "↑").map(plain) {
                match (out.as_slice(), word) {
                    ([.., name, "."], "1") if is_one(name) => drop(out.pop()),
                    _ => out.push(word),
                }
            }
            *words = out;
        }
        let holds = |(_, holds): &(&str, Vec<&'a str>)| ("_", holds.clone());
        let assumed: Vec<_> = found.iter().map(holds).collect();
        self.variables.extend(assumed);
    }

    fn binders(&mut self, mut rest: &[&'a str]) {
        while let Some(open) = rest.iter().position(|word| is_open(word)) {
            let group = rest.get(open..).unwrap_or_default();
            let length = closing(group);
            let inside = group.get(1..length).unwrap_or_default();
            if group.first() == Some(&"[") {
                // `[Fact P]` assumes `P`, `[h : Setting]` what the class says.
                let colon = at_depth_0(inside, |word| word == ":").map_or(0, |at| at + 1);
                let class = inside.get(colon..).unwrap_or_default();
                let assumed = class.strip_prefix(&["Fact"]).unwrap_or_default();
                self.variables.push(("_", assumed.to_vec()));
                self.classes.push(class.to_vec());
            } else {
                let before = self.variables.len();
                self.bound(inside);
                if group.first() == Some(&"(") {
                    let names = self.variables.iter().skip(before).map(|(name, _)| *name);
                    self.explicit.extend(names);
                }
            }
            rest = group.get(length + 1..).unwrap_or_default();
        }
    }

    fn variable(&mut self, words: &[&'a str]) {
        let colon = at_depth_0(words, |word| word == ":").unwrap_or(words.len());
        let of = words.get(colon + 1..).unwrap_or_default();
        for name in words.get(..colon).unwrap_or_default() {
            self.variables.push((name, of.to_vec()));
        }
    }

    /// What `∀` binds: `(x : T) ...`, `x < n`, `x y : T`.
    fn bound(&mut self, bound: &[&'a str]) {
        if bound.first().is_some_and(|word| is_open(word)) {
            return self.binders(bound);
        }
        let said = |word: &str| word == ":" || BINDER_PREDICATES.contains(&word);
        let at = at_depth_0(bound, said).filter(|at| bound.get(*at) != Some(&":"));
        let Some(at) = at else {
            return self.variable(bound);
        };
        let (names, said) = bound.split_at_checked(at).unwrap_or_default();
        for name in names {
            self.variables.push((name, vec!["_"]));
            self.variables
                .push(("_", std::iter::once(*name).chain(said.iter().copied()).collect()));
        }
    }

    /// Takes what stands before the goal: `∀ x, ...`, `A → ...`.
    fn take(&mut self, mut rest: &[&'a str]) {
        loop {
            rest = bare(rest);
            if rest.first().is_some_and(|word| ["let", "have"].contains(word)) {
                break;
            }
            if rest.first() == Some(&"∀") {
                let Some(comma) = at_depth_0(rest, |word| word == ",") else { break };
                let bound = rest.get(1..comma).unwrap_or_default();
                let before = self.variables.len();
                self.bound(bound);
                let (known, new) = self.variables.split_at(before);
                let is_known = |(name, _): &(&str, Vec<&str>)| {
                    *name != "_" && known.iter().any(|(other, _)| other == name)
                };
                // What was said of the outer one holds of another thing.
                if new.iter().any(is_known) {
                    self.variables.truncate(before);
                    break;
                }
                rest = rest.get(comma + 1..).unwrap_or_default();
            } else if let Some((left, right)) = split_first(rest, "→") {
                self.variables.push(("_", left.to_vec()));
                rest = right;
            } else {
                break;
            }
        }
        self.goal = rest.to_vec();
    }
}

fn is_open(word: &str) -> bool {
    ["(", "{", "[", "⦃", "⟨"].contains(&word)
}

fn is_close(word: &str) -> bool {
    [")", "}", "]", "⦄", "⟩"].contains(&word)
}

fn at_depth_0(words: &[&str], is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    words.iter().position(|word| {
        let is_it = depth == 0 && !is_open(word) && is_it(word);
        if is_close(word) {
            depth = depth.saturating_sub(1);
        } else {
            depth += usize::from(is_open(word));
        }
        is_it
    })
}

/// Where the bracket with which a group begins is closed; its length where it is not.
fn closing(group: &[&str]) -> usize {
    let inside = group.get(1..).unwrap_or_default();
    at_depth_0(inside, is_close).map_or(group.len(), |at| at + 1)
}

fn bare<'w, 'a>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    while words.first() == Some(&"(") && closing(words) + 1 == words.len() {
        words = words.get(1..words.len() - 1).unwrap_or_default();
    }
    words
}

fn is_quantifier(word: &str) -> bool {
    word.starts_with(['∀', '∃'])
}

/// Outside of brackets, and of what a quantifier reaches over.
fn split_first<'w, 'a>(words: &'w [&'a str], by: &str) -> Option<(&'w [&'a str], &'w [&'a str])> {
    let at = at_depth_0(words, |word| {
        word == by || is_quantifier(word) || ["fun", "λ", "∑", "∏"].contains(&word)
    })?;
    (words.get(at) == Some(&by)).then_some((words.get(..at)?, words.get(at + 1..)?))
}

/// The two sides of a relation that stands once.
fn split<'w, 'a>(words: &'w [&'a str], by: &str) -> Option<(&'w [&'a str], &'w [&'a str])> {
    let (left, right) = split_first(words, by)?;
    split_first(right, by).is_none().then_some((left, right))
}

/// A side of `answer(P) ↔ P` without the word `answer`.
fn asked<'w, 'a>(side: &'w [&'a str]) -> &'w [&'a str] {
    let side = bare(side);
    if side.first() == Some(&"answer") { bare(side.get(1..).unwrap_or_default()) } else { side }
}

#[cfg(test)]
mod tests {
    use super::Triviality::{
        Assumed, ExcludedMiddle, Finite, FiniteType, Ignored, Numbers, Tautology, True, Vacuous,
    };
    use super::*;

    #[test]
    fn what_settles_nothing() {
        for (statement, expected) in [
            ("theorem a : Foo ∨ ¬ Foo", Some(ExcludedMiddle)),
            ("theorem a (n : ℕ) : ¬(Foo n) ∨ Foo n", Some(ExcludedMiddle)),
            ("theorem a : (∀ n, Foo n) ∨ ¬ (∀ n, Foo n)", Some(ExcludedMiddle)),
            ("theorem a : Foo ∨ ¬ Bar", None),
            ("theorem a : answer(Foo) ↔ Foo", Some(Tautology)),
            ("theorem a : answer(∃ n, Foo n) ↔\n    ∃ n, Foo n", Some(Tautology)),
            ("theorem a : answer(True) ↔ Foo", None),
            ("theorem a : Foo ↔ Foo := by", Some(Tautology)),
            ("theorem a (x : ℕ) : x + 1 = x + 1", Some(Tautology)),
            ("theorem a (x : ℕ) : x + 1 = 1 + x", None),
            ("theorem a : ∃ x, x = x ∧ Foo x", None),
            ("theorem a : ∀ a b c : ℕ, a = a ∨ b = c", Some(Tautology)),
            ("theorem a : ¬ (False)", Some(Tautology)),
            ("theorem a : ∀ n, n ≤ n ∧ (Foo n → True)", Some(Tautology)),
            ("theorem a (x : ℕ) : ¬ (∃ y, Foo y ∧ y < y)", Some(Tautology)),
            ("theorem a : ∀ n, n ≤ n ∧ Foo n", None),
            ("theorem a : ¬ a = a ∨ Foo", None),
            ("theorem a : Foo ∧ False → False ∨ Foo", Some(Tautology)),
            ("theorem a : Foo ∨ ∀ x, Bar x → True", Some(Tautology)),
            ("theorem a : Foo ∨ ∃ x, Bar x → Foo", None),
            ("lemma a {n : ℕ} (h : 0 < n) : True", Some(True)),
            ("theorem a (h : ∀ n, Foo n) : ∀ n, Foo n", Some(Assumed)),
            ("theorem a (h : Foo) : (Foo)", Some(Assumed)),
            ("theorem a : Foo → Foo", Some(Assumed)),
            (
                "theorem a (h : ∀ k > 0, ∃ M : Matrix (Fin (4 * k)), Foo M) (n : ℕ) (hn : 0 < n) :\n    \
                 ∃ M : Matrix (Fin (4 * n)), Foo M",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ k : ℕ, 2 < k → Foo k) (n : ℕ) (hn : n > 2) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo n", Some(Assumed)),
            ("theorem a (n : ℕ) (ih : ∀ m < n, Foo m) : Foo n", None),
            ("theorem a (n : ℕ) (ih : ∀ m, 3 < m → Foo m) (hn : 2 < n) : Foo n", None),
            ("theorem a (h : ∀ k, Foo k k) (n m : ℕ) : Foo n m", None),
            ("theorem a (h : ∀ k, Foo k) (n : ℕ) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (h : Foo n) : Foo (n + 1)", None),
            ("theorem a (n : ℕ) (hn : n = 7) : Foo n", Some(Finite)),
            ("theorem a : ∀ n < 40, Foo n", Some(Finite)),
            ("theorem a : ∀ n ≤ 40, n.Prime → Foo n", Some(Finite)),
            ("theorem a : ∀ n ∈ Finset.range 300, Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Finset.Icc 1 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Set.Icc 1 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : n ∈ Set.Iio 9) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : 1 < n ∧ n < 10 ^ 6) : Foo n", Some(Finite)),
            ("theorem a (n : ℕ) (h : 1000 ≥ n) : Foo n", Some(Finite)),
            ("theorem a (n : ℤ) (h : -3 ≤ n) (h' : n ≤ 3) : Foo n", Some(Finite)),
            ("theorem a (n : ℤ) (h : n ≤ 3) : Foo n", None),
            ("theorem a (x : ℝ) (h : 0 ≤ x) (h' : x ≤ 1) : Foo x", None),
            ("theorem a (x : ℝ) (h : x ∈ Set.Icc 0 1) : Foo x", None),
            ("theorem a (C : ℝ) (h : C = 1) : Foo C", Some(Finite)),
            ("theorem a (F : Finset X) (h : F = ∅) : Foo F", Some(Finite)),
            ("theorem a (F H : Finset X) (h : F = H) : Foo F", None),
            ("theorem a (n : ℕ) (h : n < 0) : Foo n", Some(Vacuous)),
            ("theorem a (n : ℕ) (h : n < 5) (h' : 7 < n) (k : ℕ) : Foo n k", Some(Vacuous)),
            ("theorem a (n : ℕ) (h : Bar n) (h' : ¬ Bar n) : Foo n", Some(Vacuous)),
            ("theorem a (x : ℝ) (h : x < 0) : Foo x", None),
            ("theorem a (x : ℝ) (h : 0 < x) (h' : x < 1) : Foo x", None),
            ("theorem a : ∃ p, p.Prime ∧ 2 < p", Some(Numbers)),
            ("theorem a : Nat.Prime 7", Some(Numbers)),
            ("theorem a : (1 / 2 : ℚ) + 1 / 3 < 1", Some(Numbers)),
            ("theorem a : True ↔ (P n ∨ True)", Some(Tautology)),
            ("theorem a [Fact (Foo n)] : Foo n", Some(Assumed)),
            ("theorem a [Fact n.Prime] : Foo n", None),
            ("theorem a (h : Foo n ∧ True) : Foo n", Some(Assumed)),
            ("theorem a (h : ¬Foo n → False) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ n, ∀ _ : 2 < n, Foo n) (n : ℕ) (hn : 2 < n) : Foo n", Some(Assumed)),
            ("theorem a : ∀ n ∈ ({3, 5, 7} : Finset ℕ), Foo n", Some(Finite)),
            ("theorem a : ∀ n ∈ ({k, 5} : Finset ℕ), Foo n", None),
            ("theorem a (n : Empty) : Foo n", Some(Vacuous)),
            ("theorem a : False ↔ P n ∧ False", Some(Tautology)),
            ("theorem a : True ↔ P n", None),
            ("theorem a (T : Tree) : (∃ f, Bound T f) ∨ ∃ f, ¬ Bound T f", Some(Tautology)),
            ("theorem a (T : Tree) : (∃ f, Bound T f) ∨ ∃ f, ¬ Bound f T", None),
            ("theorem a : ∃ C : ℝ, P C ∨ C = C", Some(Tautology)),
            ("theorem a : ∃ x : Foo, x = x", None),
            ("theorem a {V : Type*} [Nonempty V] (G : Graph V) : ∃ v : V, True", Some(Tautology)),
            ("theorem a {V : Type*} (G : Graph V) : ∃ v : V, G.Adj v v ∨ v = v", Some(Tautology)),
            ("theorem a {V : Type*} (G : Graph V) : ∃ v : V, G.Adj v v", None),
            ("theorem a : ∃ v : Counterexample, True", None),
            ("theorem a (h : ∀ k ≤ n, Foo k) : Foo n", Some(Assumed)),
            ("theorem a (h : ∀ k < n, Foo k) : Foo n", None),
            (
                "theorem a (f : ℕ → ℕ) (h : ∀ n, 1 ≤ n → P n (f n)) : ∀ n ≥ 1, ∃ k, P n k",
                Some(Assumed),
            ),
            ("theorem a (h : ∃ f : ℕ → ℕ, ∀ n, P n (f n)) (n : ℕ) : ∃ k, P n k", Some(Assumed)),
            (
                "theorem a (f : ℕ → ℕ) (h : ∀ n, n < f n ∧ P n) : ∀ n, ∃ k, n < k ∧ P n",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ n, n ≠ 0 → P n) : ∀ n ≥ 1, P n", Some(Assumed)),
            ("theorem a (h : ∀ x : ℝ, 1 ≤ x → P x) : ∀ x : ℝ, 0 < x → P x", None),
            (
                "theorem a (h : ∀ N, ∀ n ∈ Finset.Icc 1 N, P n) (n : ℕ) (hn : 0 < n) : P n",
                Some(Assumed),
            ),
            (
                "theorem a (h : ∀ A B : Set ℕ, ∃ x, Q A B x) : (∀ I J : Set ℕ, ∃ y, Q I J y)",
                Some(Assumed),
            ),
            ("theorem a (h : ∀ A B : Set ℕ, ∃ x, Q A B x) : (∀ I J : Set ℤ, ∃ y, Q I J y)", None),
            ("theorem a (h : ∃ A B : Set ℕ, Q A B) : ∃ I J : Set ℕ, Q J I", None),
            ("theorem a (h : ∀ N, ∀ n < N, P n) : ∀ n, P n", Some(Assumed)),
            ("theorem a (h : ¬∃ n, P n ∧ ¬Q n) (n : ℕ) (hn : P n) : Q n", Some(Assumed)),
            (
                "theorem a (h : ¬∃ n, ∃ k, P n ∧ R k ∧ ¬Q n k) : ∀ n k, P n → R k → Q n k",
                Some(Assumed),
            ),
            ("theorem a (h : ¬∃ n, P n ∧ ¬Q n) (n : ℕ) : Q n", None),
            (
                "theorem a (n : ℕ) (hn : Odd n) (L : Sq n) (h : ∀ m, Odd m → ∀ M : Sq m, P M) : P L",
                Some(Assumed),
            ),
            ("theorem a (n : ℕ) (L : Sq n) (h : ∀ m, Odd m → ∀ M : Sq m, P M) : P L", None),
            (
                "theorem a (h : ¬∃ (n : ℕ) (G : Foo (Fin n)) (_ : DecidableRel G.R), P G ∧ ¬Q G) : \
                 ∀ (n : ℕ) (G : Foo (Fin n)) [DecidableRel G.R], P G → Q G",
                Some(Assumed),
            ),
            ("theorem a : ∃ b : Bool, b = true ↔ Foo", Some(Tautology)),
            ("theorem a : ∃ p : Prop, Foo ↔ p", Some(Tautology)),
            ("theorem a : ∃ n : ℕ, n = 1 ↔ Foo n", None),
            ("theorem a (h : ∀ N, N < 9 → ∀ n < N, P n) : ∀ n, P n", None),
            ("theorem a (h : ∀ n, n.Prime → ∃ k, P n k) : ∀ n, ∃ k, P n k", None),
            ("theorem a (h : ∀ n, P n 0) : ∀ n, ∃ k > 0, P n k", None),
            ("theorem a (h : ∀ n, ∃ k, P n k) (n k : ℕ) : ∃ m, P k m ∧ P n k", None),
            ("theorem a (f : ℕ → ℕ) (h : ∀ n, P n (f n)) : ∀ n, ∃ k, P k n", None),
            ("theorem a (h : Nonempty (PLift Foo)) : Foo", Some(Assumed)),
            ("theorem a (h : Nonempty V) : Foo V", None),
            ("theorem a : ∃ x y z : ℤ, x ^ 3 + y ^ 3 + z ^ 3 = 42", None),
            ("theorem a : ∃ x y z : ℕ, 0 < x ∧ x ^ 2 + y ^ 2 = z ^ 2", None),
            ("theorem a : ∃ n, Foo n ∧ 2 < n", None),
            ("theorem a : ¬ ∃ n, n.Prime ∧ 7 < n", None),
            ("theorem a : ∃ C, ∀ n, n < C ∨ 2 < n", None),
            ("theorem a (f : ℕ → ℕ) : ∃ n, 2 < n", None),
            ("theorem a : ∀ c : Fin 9 → Fin 2, ∃ u v : Fin 9, c u = c v", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) [DecidableRel G.Adj] : Foo G", Some(FiniteType)),
            ("theorem a (G : SimpleGraph (Fin 9)) (hk : Packs G) (k : ℕ) : Foo G k", None),
            ("theorem a (n : ℕ) (hn : 7 < n) : Foo n", None),
            ("theorem a (n : ℕ) (hn : n < m) : Foo n", None),
            ("theorem a {V : Type*} [Fintype V] (G : SimpleGraph V) : Foo G", None),
            ("theorem a (n k : ℕ) (hk : k = 4) : Foo n k", None),
            ("theorem a {V W : Type*} (e : V ≃ W) : size V = size W", None),
            ("theorem a (f : P → C) (g : ¬P → C) : pick f g = pick g f", None),
            ("theorem a (h : ∀ x, P x) : ∀ᵐ x ∂μ, P x", None),
            ("theorem a (h : ∀ᶠ n in atTop, P n) (n : ℕ) : P n", None),
            ("theorem a (x y : ℕ) (h : ∀ᵉ (x ∈ S) (y ∈ T), P x y) (hx : x ∈ S) : P x y", None),
            (
                "theorem a (h : ∀ᵉ (s ∈ S) (t ∈ T), P s t) (x y : ℕ) (hx : x ∈ S) (hy : y ∈ T) : P x y",
                Some(Assumed),
            ),
            ("theorem a (i : ℕ) (h : ∀ j ≠ i, P j) : P i", None),
            ("theorem a (x : Circle) (h : ∀ t : ℝ, P t) : P x", None),
            ("theorem a (α : Type*) (h : ∀ (β : Type*) [Small β], P β) : P α", None),
            (
                "theorem a (α : Type*) [Small α] (h : ∀ (β : Type*) [Small β], P β) : P α",
                Some(Assumed),
            ),
            ("theorem a (x : ℕ) (h : P x) : ∀ x, P x", None),
            ("theorem a (h : ∃ y, Q y) : ∃! y, Q y", None),
            ("theorem a (h : Q) : let F : ℕ → ℕ := id; Q", None),
            ("theorem a (w : T) : (∃ f, P f ∧ Q f w) ∨ ∃ f, ¬P f ∧ Q f w", None),
            ("theorem a : ∀ n, Foo n", None),
            ("theorem a : Foo", None),
            ("theorem a", None),
            ("", None),
        ] {
            assert_eq!(triviality(statement), expected, "{statement}");
        }
    }

    #[test]
    fn a_given_or_bounded_number_makes_a_special_case() {
        for (statement, expected) in [
            ("theorem a (n k : ℕ) (hk : k = 4) : Foo n k", true),
            ("theorem a (C : ℝ) (x : ℝ) (h : C = 1) : Foo C x", true),
            ("theorem a (n k : ℕ) (hk : k ≤ 4) : Foo n k", true),
            ("theorem a (x y : ℝ) (h : x ≤ 1) : Foo x y", false),
            ("theorem a (n k : ℕ) (hk : 4 < k) : Foo n k", false),
            ("theorem a (n : ℕ) (h : n % 24 = 1) : Foo n", true),
            ("theorem a : ∀ n : ℕ, n ≡ 3 [MOD 4] → Foo n", true),
            ("theorem a (p : ℂ[X]) (hp : p.natDegree = 3) : Foo p", true),
            ("theorem a (h : Module.finrank ℝ V = 2) : Foo V", true),
            ("theorem a (V) [Fintype V] (h : Fintype.card V = 4) : Foo V", true),
            ("theorem a (s : Finset V) (h : s.card = 4) : Foo s", false),
            ("theorem a (A : Fin 4 → Fin 4 → Prop) : Foo A", true),
            ("theorem a (A : Fin n → Fin n → Prop) : Foo A", false),
            ("theorem a (h : Module.finrank ℝ V = n) : Foo V", false),
            ("theorem a (n : ℕ) (h : n % 2 = 1) : Foo n", false),
            ("theorem a (n : ℕ) (h : n % 24 ≠ 1) : Foo n", false),
            ("theorem a (n m : ℕ) (h : n % m = 1) : Foo n", false),
            ("theorem a (n k : ℕ) (hk : k < n) : Foo n k", false),
            ("theorem a (G : SimpleGraph (Fin 7)) : Foo G", true),
            ("theorem a : ∀ 𝓕 : Finset (Finset (Fin 4)), Foo 𝓕", true),
            ("theorem a (n : ℕ) (G : SimpleGraph (Fin n)) : Foo G", false),
            ("theorem a (x : Fin 2 → ℝ) : Foo x", false),
        ] {
            assert_eq!(is_special_case(statement), expected, "{statement}");
        }
    }

    #[test]
    fn definitions_of_the_file_are_unfolded() {
        let file = "def Beal : Prop := ∀ a b c : ℕ, a = a ∨ b = c\n\
                    def Bad (x y : ℤ) : Prop := False\n\
                    def Deep (n : ℕ) : Prop := ¬ Bad n (n + 1)\n\
                    def Holds (P : Prop) : Prop := P ↔ P\n\
                    def Fine (n : ℕ) : Prop := n < 2 ^ n\n\
                    def Empty (s : Finset ℕ) : Prop := True\n\
                    def Loop : Prop := ¬ Loop\n\
                    def Free (G : Graph) : Prop := ∀ a b, a ≠ b → ¬ (G.Adj a b ∧ G.Adj b a)\n\
                    def Cycle (G : Graph) : Prop := ∃ k l : ℕ, l = 2 ^ k\n\
                    def Count (n : ℕ) : ℕ := n\n\
                    structure Setting (n : ℕ) : Prop where\n  -- kept\n  pos : 0 < n\n  \
                    main : ∀ k : ℕ,\n    Big k n\n\
                    class Given where\n  all : ∀ n, Fine n\n\
                    def Works (n k : ℕ) : Prop := n ∣ k ^ 2\n\
                    structure Input where\n  witness : ℕ → ℕ\n  works : ∀ n ≥ 1, Works n (witness n)\n\
                    def Nil (s : Set ℕ) : Prop := ∀ x ∈ s, Good x\n\
                    def Both : Prop := ∀ s t : Set ℕ, Nil s → Nil t → Nil (s ∪ t)\n\
                    structure Family (n : ℕ) where\n  F : Finset ℕ\n  (lo hi : ℕ)\n  main : ∀ x ∈ F, Big x lo\n";
        let outline = crate::lean::outline(file);
        let meanings = Meanings::of(file, &outline);
        for (statement, expected) in [
            ("theorem main : Beal", Some(Tautology)),
            ("theorem main (x y : ℤ) : ¬ Bad x y", Some(Tautology)),
            ("theorem main (x : ℤ) : ¬ Bad x", None),
            ("theorem main : ∀ n, Deep n", Some(Tautology)),
            ("theorem main (n : ℕ) : Holds (Fine n)", Some(Tautology)),
            ("theorem main (n : ℕ) : Fine n", None),
            ("theorem main : Loop", None),
            ("theorem main (G : Graph) (h : 3 ≤ G.minDegree) : Cycle G", Some(Ignored)),
            ("theorem main (G : Graph) : Cycle G ∧ Fine 3", None),
            ("theorem main (G : Graph) (h : Free G) : Free G", Some(Assumed)),
            ("theorem main (G : Graph) (h : Free G) : Free (G.induce {v}ᶜ)", None),
            ("theorem main (G H : Graph) (h : Free G) : Free H", None),
            ("theorem main (n : ℕ) : Count n = n", None),
            ("theorem main (n k : ℕ) (h : Setting n) : Big k n", Some(Assumed)),
            ("theorem main (m : ℕ) (h : Setting m) : ∀ k : ℕ, Big k m", Some(Assumed)),
            ("theorem main (n k : ℕ) (h : Setting n) : Big n k", None),
            ("theorem main (n : ℕ) [Given] : Fine n", Some(Assumed)),
            ("theorem main (D : Family 3) : ∀ x ∈ D.F, Big x D.lo", Some(Assumed)),
            ("theorem main (D : Family 3) (x : ℕ) (hx : x ∈ D.F) : Big x D.lo", Some(Assumed)),
            ("theorem main (D : Family 3) : ∀ x ∈ D.F, Big x D.hi", None),
            ("theorem main (D E : Family 3) : ∀ x ∈ D.F, Big x E.lo", None),
            ("theorem main (F : {F // Closed F ∧ Dense F}) : Dense F.1", Some(Assumed)),
            ("theorem main (F : {F : Finset ℕ // Closed F}) (x : ℕ) : Closed F.val", Some(Assumed)),
            ("theorem main (n : {n : ℕ // 0 < n ∧ Fine n}) : Fine n.1", Some(Assumed)),
            ("theorem main (F : {F // Closed F}) : Dense F.1", None),
            ("theorem main (F G : {F // Closed F}) (h : Dense G.1) : Dense F.1", None),
            ("theorem main (h : Nonempty (PLift Given)) : ∀ n, Fine n", Some(Assumed)),
            ("theorem main (n : ℕ) : ∃ s, Empty s ∧ Fine n", Some(Ignored)),
            ("theorem main (n : ℕ) : (∀ s, Empty s → Big s n) ∧ Fine n", None),
            ("theorem main (n : ℕ) [g : Given] : Fine n ∧ 0 < n", None),
            ("theorem main (h : ∀ a b : Set ℕ, Nil a → Nil b → Nil (a ∪ b)) : Both", Some(Assumed)),
            ("theorem main (h : ∀ a b : Set ℕ, Nil a → Nil b → Nil (a ∩ b)) : Both", None),
            ("theorem main (d : Input) : ∀ n ≥ 1, ∃ k, Works n k", Some(Assumed)),
            ("theorem main (d : Input) : ∀ n ≥ 1, ∃ k, Works k n", None),
        ] {
            assert_eq!(triviality_in(statement, &meanings), expected, "{statement}");
        }
        let file = "variable (A : Set ℕ)\n\ndef Thin (s : ℕ) : Prop := s ∈ A\n\
                    def Least (a : ℕ) : Prop := ∀ b, b ≤ a → a ≤ b\n\
                    namespace Sheaf\ndef Good (n : ℕ) : Prop := 0 < n\nend Sheaf\n";
        let outline = crate::lean::outline(file);
        let meanings_elsewhere = Meanings::of(file, &outline);
        for statement in [
            "theorem main (A B : Set ℕ) (s : ℕ) (h : A.Thin s) (hAB : A ⊆ B) : B.Thin s",
            "theorem main (b : ℕ) : Least b",
            "theorem main (n : ℕ) : Sheaf.Good n ↔ Presheaf.Good n",
        ] {
            assert_eq!(triviality_in(statement, &meanings_elsewhere), None, "{statement}");
        }
        let told = meanings.told("theorem main (n : ℕ) : Fine n");
        assert_eq!(told.as_deref(), Some("Fine := n < 2 ^ n"));
        assert_eq!(meanings.told("theorem main (n : ℕ) : n < 2 ^ n"), None);
    }
}
