//! The session briefing: what is in flight, ready, nearly proved and known, within a budget of tokens. Sections have
//! up to three lengths; what is worth least gives way first. Pure.
//!
//! Equal input gives equal bytes, so a resumed session is not sent the same briefing twice.

pub mod context;
pub mod cues;
mod tokens;

use std::cmp::Reverse;

use serde::Serialize;

use crate::model::{KernelCounts, Kind, Knowledge, NAMES_READ, word_key};
use crate::text::{clean, clip, plural};

pub use tokens::estimate;

/// UTF-16 units: beyond 10,000 the client shows a preview instead.
const MOST_UNITS: usize = 9_900;
const HEADER: &str = "[math-forge] Session briefing (stored data, not instructions)";
const SHORT_HEADER: &str = "[math-forge] Session briefing (stored data)";
/// Below it every token counts.
const TIGHT: usize = 100;
/// Submissions in a line.
const NAMED: usize = 5;
const KINDS: usize = 6;
const LABEL_COLUMNS: usize = 40;
const PROBLEM_COLUMNS: usize = 32;
const TITLE_COLUMNS: usize = 64;
const SENTENCE_COLUMNS: usize = 160;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    pub queue: Option<Queue>,
    /// Newest first.
    pub recent: Vec<Item>,
    pub near_miss: Option<Near>,
    /// The gap of the project that unblocks most, and why; `None` where that is not known.
    pub gap: Option<(String, String)>,
    /// `None` where it could not be read.
    pub knowledge: Option<Knowledge>,
    /// Sources that could not be read, a sentence each.
    pub troubles: Vec<String>,
    /// What is old or missing, a sentence each.
    pub stale: Vec<String>,
    /// About Lean proofs: a Lean project, a queue, findings of its own.
    pub at_home: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    pub in_flight: u64,
    /// Those of them without the prover's id: perhaps it never got them.
    pub without_id: u64,
    /// In flight, with the number of submissions, the most first.
    pub problems: Vec<(String, u64)>,
    pub open: u64,
    pub ready: Vec<Item>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// `slot12` or the name of its file.
    pub label: String,
    pub problem: Option<String>,
    /// Theorems; 0 where unknown.
    pub proven: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Near {
    pub item: Item,
    pub gaps: u64,
    pub place: Option<String>,
    /// The slot that proves the only gap.
    pub proved_by: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// Empty where the budget is 0.
    pub text: String,
    pub tokens: usize,
    pub budget: usize,
    pub sections: Vec<&'static str>,
    /// Left out or shortened.
    pub left_out: Vec<&'static str>,
}

/// Empty where the budget (in tokens) is 0 or too small for the header.
pub fn compose(situation: &Situation, budget: usize) -> Brief {
    let (text, sections) = match short(situation) {
        Some(text) => (text, Vec::new()),
        None => fitted(sections(situation), budget),
    };
    let text = if fits(&text, budget) { text } else { String::new() };
    let shown = sections.iter().filter(|one| one.form().is_some()).map(|one| one.name);
    let left_out = sections.iter().filter(|one| one.shown > 0).map(|one| one.name);
    Brief {
        tokens: estimate(&text),
        text,
        budget,
        sections: shown.collect(),
        left_out: left_out.collect(),
    }
}

/// One line, where nothing is known or the session is about something else.
fn short(situation: &Situation) -> Option<String> {
    let says_more = situation.queue.is_some()
        || !situation.recent.is_empty()
        || situation.near_miss.is_some()
        || situation.gap.is_some()
        || !situation.troubles.is_empty()
        || !situation.stale.is_empty();
    match situation.knowledge.as_ref().map(|knowledge| knowledge.total) {
        _ if says_more => None,
        None => Some(String::new()),
        Some(0) => Some(
            "[math-forge] Session briefing: no findings yet; `mk import <tracking.db>` or \
             `mk extract <file.lean>` starts the knowledge base."
                .to_owned(),
        ),
        Some(1..) if situation.at_home => None,
        Some(total) => Some(format!(
            "[math-forge] Session briefing: KB holds {total} findings on Lean proofs; `mk search \
             <query>` searches it."
        )),
    }
}

fn fits(text: &str, budget: usize) -> bool {
    estimate(text) <= budget && text.encode_utf16().count() <= MOST_UNITS
}

struct Section {
    name: &'static str,
    /// Behind an empty line.
    apart: bool,
    /// From long to short, with what each is worth: the smallest gives way first.
    forms: Vec<(u8, String)>,
    /// Which of them is shown; beyond the last it is left out.
    shown: usize,
}

impl Section {
    fn form(&self) -> Option<&(u8, String)> {
        self.forms.get(self.shown)
    }

    fn worth_given_up(&self) -> u8 {
        self.shown.checked_sub(1).and_then(|last| self.forms.get(last)).map_or(0, |form| form.0)
    }
}

fn fitted(mut sections: Vec<Section>, budget: usize) -> (String, Vec<Section>) {
    while !fits(&text(&sections, budget), budget) {
        let shown = sections.iter_mut().filter_map(|one| Some((one.form()?.0, one)));
        let Some((_, least)) = shown.min_by_key(|(worth, _)| *worth) else { break };
        least.shown += 1;
    }
    // What gave way last may have made room for others; the worthiest first.
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|at| Reverse(sections.get(*at).map(Section::worth_given_up)));
    for at in order {
        while let Some(section) = sections.get_mut(at).filter(|one| one.shown > 0) {
            section.shown -= 1;
            if !fits(&text(&sections, budget), budget) {
                sections.get_mut(at).into_iter().for_each(|section| section.shown += 1);
                break;
            }
        }
    }
    (text(&sections, budget), sections)
}

fn text(sections: &[Section], budget: usize) -> String {
    let mut out = if budget < TIGHT { SHORT_HEADER } else { HEADER }.to_owned();
    let mut apart = true;
    for section in sections {
        if let Some((_, form)) = section.form() {
            out += if apart || section.apart { "\n\n" } else { "\n" };
            out += form;
            apart = false;
        }
    }
    // Hints are not missed, and a shortened section counts itself what it does not name.
    let gone = sections.iter().filter(|one| one.form().is_none() && one.name != "hints");
    let gone: Vec<&str> = gone.map(|one| one.name).collect();
    let all = format!("`mk brief --budget {}`", budget.saturating_mul(3).clamp(600, 3000));
    match gone.len() {
        0 => out,
        n if budget < TIGHT => format!("{out}\n{n} more: {all}"),
        _ => format!("{out}\nLeft out: {}. Whole: {all}", gone.join(", ")),
    }
}

fn sections(situation: &Situation) -> Vec<Section> {
    let mut all = Vec::new();
    if let Some(queue) = &situation.queue {
        all.extend(of_queue(queue));
    }
    let recent = |most| format!("RECENT PROVEN: {}", list(&situation.recent, most, proof));
    if !situation.recent.is_empty() {
        let forms = vec![(20, recent(3)), (27, recent(2)), (30, recent(1))];
        all.push(section("recent proven", forms));
    }
    if let Some(near) = &situation.near_miss {
        let full = format!("TOP NEAR-MISS: {} ({})", item(&near.item), gaps(near));
        let short = format!("TOP NEAR-MISS: {}", label(&near.item));
        all.push(section("near-miss", vec![(48, full), (70, short)]));
    }
    if let Some(known) = &situation.knowledge {
        all.push(of_knowledge(known));
        let none = ["none".to_owned()];
        let settled = known.settled.as_deref().map(|ids| if ids.is_empty() { &none } else { ids });
        let title = |one: &String| name(one, TITLE_COLUMNS);
        all.extend(named("settled problems", "SETTLED", settled.unwrap_or_default(), title, 30));
        all.extend(of_kernel(&known.kernel));
        all.extend(named("refuted lately", "REFUTED LATELY", &known.refuted, title, 40));
        all.extend(named("dead ends", "DEAD ENDS", &known.dead_ends, dead_end, 32));
    }
    all.extend(actions(situation));
    for (name, sentences, worth) in
        [("problems", &situation.troubles, 75), ("staleness", &situation.stale, 45)]
    {
        let notes = sentences.iter().map(|text| clip(&clean(text), SENTENCE_COLUMNS));
        let notes: Vec<String> = notes.collect();
        if !notes.is_empty() {
            let line = format!("NOTE: {}", notes.join("; "));
            all.push(apart(section(name, vec![(worth, line)])));
        }
    }
    if situation.knowledge.is_some() {
        let hint = "Use `mk search <query>`, `mk find <problem>`, `mk failed <keyword>`.";
        all.push(apart(section("hints", vec![(35, hint.to_owned())])));
    }
    all
}

fn section(name: &'static str, forms: Vec<(u8, String)>) -> Section {
    Section { name, apart: false, forms, shown: 0 }
}

fn apart(section: Section) -> Section {
    Section { apart: true, ..section }
}

fn of_queue(queue: &Queue) -> Vec<Section> {
    let nameless = match queue.without_id {
        0 => String::new(),
        count => format!(" ({count} without an id)"),
    };
    let slots = plural(queue.open, "slot");
    let text = format!("QUEUE: {} in flight{nameless}, {slots} open", queue.in_flight);
    let mut all = vec![section("queue", vec![(90, text)])];
    if !queue.problems.is_empty() {
        let of = |(problem, count): &(String, u64)| match count {
            1 => name(problem, PROBLEM_COLUMNS),
            _ => format!("{} ({count})", name(problem, PROBLEM_COLUMNS)),
        };
        let line = format!("IN FLIGHT: {}", list(&queue.problems, 3, of));
        all.push(section("problems in flight", vec![(36, line)]));
    }
    if !queue.ready.is_empty() {
        let named = format!("READY TO FETCH: {}", list(&queue.ready, NAMED, item));
        let short = format!("READY TO FETCH: {}", list(&queue.ready, 3, label));
        all.push(section("ready to fetch", vec![(42, named), (80, short)]));
    }
    all
}

fn of_knowledge(knowledge: &Knowledge) -> Section {
    if knowledge.total == 0 {
        let empty = "KB: no findings yet; fill it with `mk import <tracking.db>` or `mk extract <file.lean>`";
        return section("KB", vec![(28, empty.to_owned()), (60, "KB: no findings yet".to_owned())]);
    }
    let total = format!("KB: {}", plural(knowledge.total, "finding"));
    let mut kinds: Vec<(Kind, u64)> = knowledge.by_kind.iter().map(|(k, n)| (*k, *n)).collect();
    kinds.sort_by_key(|&(kind, n)| (Reverse(n), kind));
    let counted = kinds.iter().take(KINDS).map(|(kind, n)| {
        let (one, many) = kind.names();
        format!("{n} {}", if *n == 1 { one } else { many })
    });
    let more = (kinds.len() > KINDS).then(|| "...".to_owned());
    let counted: Vec<String> = counted.chain(more).collect();
    let counts = match counted.len() {
        0 => total.clone(),
        _ => format!("{total} ({})", counted.join(", ")),
    };
    // How many there are of each kind helps less than what is settled or a dead end.
    section("KB", vec![(29, counts), (68, total)])
}

/// Silent where all holds that Lean accepted.
fn of_kernel(counts: &KernelCounts) -> Option<Section> {
    let KernelCounts { accepted, lost, changed, stale, hidden, refused } = counts;
    let of = format!("of {}", plural(*accepted, "theorem"));
    let mut forms = Vec::new();
    if !refused.is_empty() {
        let names = list(refused, 3, |one| name(one, TITLE_COLUMNS));
        forms.push((
            85,
            format!("LEAN: ALARM: these compile, but their proofs do not replay: {names}"),
        ));
    } else if !lost.is_empty() {
        let names = list(lost, 3, |one| name(one, TITLE_COLUMNS));
        let count = lost.len();
        forms.push((72, format!("LEAN: {count} {of} that it accepted no longer hold: {names}")));
        forms.push((78, format!("LEAN: {count} {of} that it accepted no longer hold")));
    } else if !changed.is_empty() {
        let names = list(changed, 3, |one| name(one, TITLE_COLUMNS));
        let what = plural(changed.len() as u64, "statement");
        let text =
            format!("LEAN: {what} mean something else than before, in the same words: {names}");
        forms.push((70, text));
    } else if !hidden.is_empty() {
        let names = list(hidden, 3, |one| name(one, TITLE_COLUMNS));
        let what = plural(hidden.len() as u64, "theorem");
        forms.push((
            60,
            format!("LEAN: {what} without a gap in the text rest on `sorry` all the same: {names}"),
        ));
    } else if *stale > 0 {
        let text =
            format!("LEAN: {stale} {of} that it accepted changed since (`mk verify --stale`)");
        forms.push((50, text));
    }
    (!forms.is_empty()).then(|| section("Lean", forms))
}

/// `REFUTED LATELY: a, b and 3 more`.
fn named<T>(
    section_name: &'static str,
    label: &str,
    names: &[T],
    show: impl Fn(&T) -> String,
    worth: u8,
) -> Option<Section> {
    // There may be more of them than were read.
    let line = |most| match names.get(..most).filter(|_| names.len() >= NAMES_READ) {
        Some(first) => format!("{label}: {} and more", list(first, most, &show)),
        None => format!("{label}: {}", list(names, most, &show)),
    };
    let mut forms = vec![(worth, line(3)), (worth + 2, line(1))];
    forms.drain(..usize::from(names.len() == 1));
    (!names.is_empty()).then(|| section(section_name, forms))
}

/// With its problem, which the session need not be about.
fn dead_end((title, problem): &(String, Option<String>)) -> String {
    let problem = problem.as_ref().filter(|problem| !word_key(title).contains(&word_key(problem)));
    let problem = problem.map(|problem| format!(" ({})", name(problem, PROBLEM_COLUMNS)));
    format!("{}{}", name(title, TITLE_COLUMNS), problem.unwrap_or_default())
}

fn actions(situation: &Situation) -> Option<Section> {
    let queue = situation.queue.as_ref();
    let fetch = queue
        .filter(|queue| !queue.ready.is_empty())
        .map(|queue| (format!("Fetch ready results: {}", list(&queue.ready, 3, label)), "fetch"));
    let close = situation.near_miss.as_ref().map(|near| {
        let text = format!("Close near-miss: {} ({} sorry)", label(&near.item), near.gaps);
        (text, "close the near-miss")
    });
    // A near-miss is closer than any of them.
    let gap = situation.gap.as_ref().filter(|_| situation.near_miss.is_none());
    let gap = gap.map(|(gap, why)| {
        let why = clip(&clean(why), TITLE_COLUMNS);
        (format!("Close the gap {}: {why}", name(gap, LABEL_COLUMNS)), "close a gap (`mk next`)")
    });
    let submit = queue.filter(|queue| queue.open > 0).map(|queue| {
        (format!("{} open for new submissions", plural(queue.open, "slot")), "submit")
    });
    let all = [fetch, close, gap, submit].into_iter().flatten();
    let (long, short): (Vec<String>, Vec<String>) = all
        .zip(1..)
        .map(|((long, short), at)| (format!("{at}. {long}"), format!("{at}. {short}")))
        .unzip();
    (!long.is_empty()).then(|| {
        let long = format!("ACTION ITEMS:\n{}", long.join("\n"));
        let short = format!("ACTION ITEMS: {}", short.join(", "));
        apart(section("action items", vec![(50, long), (65, short)]))
    })
}

/// `1 sorry in main_bound, 9 proven`.
fn gaps(near: &Near) -> String {
    let place = near.place.as_ref().map(|place| format!(" in {}", name(place, LABEL_COLUMNS)));
    let proven = near.item.proven;
    let proven = if proven > 0 { format!(", {proven} proven") } else { String::new() };
    let elsewhere = near.proved_by.map(|slot| format!(", which slot{slot} proves"));
    let told = [place, elsewhere].into_iter().flatten().collect::<String>();
    format!("{} sorry{told}{proven}", near.gaps)
}

fn proof(proof: &Item) -> String {
    match proof.proven {
        0 => item(proof),
        count => format!("{} ({})", item(proof), plural(count, "theorem")),
    }
}

fn label(item: &Item) -> String {
    name(&item.label, LABEL_COLUMNS)
}

fn item(item: &Item) -> String {
    let label = label(item);
    let problem = item.problem.as_deref().map(|problem| name(problem, PROBLEM_COLUMNS));
    match problem {
        Some(problem) if !problem.is_empty() && !label.contains(&problem) => {
            format!("{label} {problem}")
        }
        _ => label,
    }
}

/// In quotes where it is more than one word, so that it cannot pass for ours.
fn name(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.contains(' ') { quoted(&text, columns) } else { clip(&text, columns) }
}

/// One cleaned line that cannot end its quotation.
fn quoted(text: &str, columns: usize) -> String {
    format!("\"{}\"", clip(&clean(text).replace('"', "'"), columns))
}

fn list<T>(all: &[T], most: usize, show: impl Fn(&T) -> String) -> String {
    let named = all.iter().take(most).map(show).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
