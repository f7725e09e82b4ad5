//! The sections of a briefing, each in up to three lengths.

use super::{Item, Near, Queue, Situation};
use crate::model::{Kind, Knowledge, headline};
use crate::text::{clean, clip};

pub(super) struct Section {
    pub name: &'static str,
    /// Behind an empty line.
    pub apart: bool,
    /// From long to short.
    pub forms: Vec<Form>,
}

pub(super) struct Form {
    /// The smallest gives way first.
    pub worth: u8,
    pub text: String,
}

/// Submissions in a line.
const NAMED: usize = 5;
const KINDS: usize = 6;
const LABEL_COLUMNS: usize = 40;
const PROBLEM_COLUMNS: usize = 32;
const TITLE_COLUMNS: usize = 64;
const SENTENCE_COLUMNS: usize = 160;

pub(super) fn sections(situation: &Situation) -> Vec<Section> {
    let (queue, known) = (situation.queue.as_ref(), situation.knowledge.as_ref());
    [
        queue.map(queue_section),
        queue.and_then(in_flight_section),
        queue.and_then(ready_section),
        recent_section(situation),
        situation.near_miss.as_ref().map(near_miss_section),
        known.map(knowledge_section),
        known.and_then(|known| {
            let none = vec!["none".to_owned()];
            let settled = known.settled.as_ref()?;
            let settled = if settled.is_empty() { &none } else { settled };
            named("settled problems", "SETTLED", settled, 24)
        }),
        known.and_then(|known| named("refuted lately", "REFUTED LATELY", &known.refuted, 40)),
        known.and_then(|known| named("dead ends", "DEAD ENDS", &known.dead_ends, 22)),
        actions_section(situation),
        sentences("problems", &situation.troubles, 75),
        sentences("staleness", &situation.stale, 45),
        known.map(|_| hints_section()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn section(name: &'static str, forms: Vec<(u8, String)>) -> Section {
    let forms = forms.into_iter().map(|(worth, text)| Form { worth, text }).collect();
    Section { name, apart: false, forms }
}

fn queue_section(queue: &Queue) -> Section {
    let nameless = match queue.without_id {
        0 => String::new(),
        count => format!(" ({count} without an id)"),
    };
    let text =
        format!("QUEUE: {} in flight{nameless}, {} open", queue.in_flight, slots(queue.open));
    section("queue", vec![(90, text)])
}

/// `IN FLIGHT: bridges_12 (2), tori_3 (1)`.
fn in_flight_section(queue: &Queue) -> Option<Section> {
    let of =
        |(problem, count): &(String, u64)| format!("{} ({count})", name(problem, PROBLEM_COLUMNS));
    let line = format!("IN FLIGHT: {}", list(&queue.problems, 3, of));
    (!queue.problems.is_empty()).then(|| section("problems in flight", vec![(36, line)]))
}

fn ready_section(queue: &Queue) -> Option<Section> {
    (!queue.ready.is_empty()).then(|| {
        let named = list(&queue.ready, NAMED, item);
        let short = list(&queue.ready, 3, label);
        let forms = vec![
            (42, format!("READY TO FETCH: {named}")),
            (80, format!("READY TO FETCH: {short}")),
        ];
        section("ready to fetch", forms)
    })
}

fn recent_section(situation: &Situation) -> Option<Section> {
    (!situation.recent.is_empty()).then(|| {
        let line = |most| {
            let proofs = list(&situation.recent, most, |proof| {
                let counted = count(proof.theorems, "theorem", "theorems");
                if proof.theorems == 0 {
                    item(&proof.item)
                } else {
                    format!("{} ({counted})", item(&proof.item))
                }
            });
            format!("RECENT PROVEN: {proofs}")
        };
        section("recent proven", vec![(20, line(3)), (27, line(2)), (30, line(1))])
    })
}

/// `REFUTED LATELY: a, b and 3 more`.
fn named(section_name: &'static str, label: &str, names: &[String], worth: u8) -> Option<Section> {
    let line = |most| format!("{label}: {}", list(names, most, |one| name(one, TITLE_COLUMNS)));
    let forms = [3, 1].into_iter().filter(|most| *most == 1 || names.len() > 1);
    let forms = forms.map(|most| (if most == 1 { worth + 2 } else { worth }, line(most))).collect();
    (!names.is_empty()).then(|| section(section_name, forms))
}

fn near_miss_section(near: &Near) -> Section {
    let full = format!("TOP NEAR-MISS: {} ({})", item(&near.item), gaps(near));
    let short = format!("TOP NEAR-MISS: {}", label(&near.item));
    section("near-miss", vec![(48, full), (70, short)])
}

/// `1 sorry in main_bound, 9 proven`.
fn gaps(near: &Near) -> String {
    let place = near.place.as_ref().map(|place| format!(" in {}", name(place, LABEL_COLUMNS)));
    let proven = (near.proven > 0).then(|| format!(", {} proven", near.proven));
    format!("{} sorry{}{}", near.gaps, place.unwrap_or_default(), proven.unwrap_or_default())
}

fn knowledge_section(knowledge: &Knowledge) -> Section {
    let total = count(knowledge.total, "finding", "findings");
    if knowledge.total == 0 {
        let empty = "KB: no findings yet; fill it with `mk import <tracking.db>` or `mk extract <file.lean>`";
        return section("KB", vec![(28, empty.to_owned()), (60, "KB: no findings yet".to_owned())]);
    }
    let mut kinds: Vec<(Kind, u64)> = knowledge.by_kind.iter().map(|(k, n)| (*k, *n)).collect();
    kinds.sort_by_key(|&(kind, n)| (std::cmp::Reverse(n), kind));
    let mut counted: Vec<_> = kinds.iter().map(|&(kind, n)| kind_count(kind, n)).collect();
    if counted.len() > KINDS {
        counted.truncate(KINDS);
        counted.push("...".to_owned());
    }
    let counts = match counted.len() {
        0 => format!("KB: {total}"),
        _ => format!("KB: {total} ({})", counted.join(", ")),
    };
    let newest: Vec<_> = knowledge
        .newest
        .iter()
        .map(|(id, badge, title)| {
            let title = headline(badge, title);
            format!("#{id} {} {}", clean(badge), quoted(title, TITLE_COLUMNS))
        })
        .collect();
    let mut forms = Vec::new();
    if newest.len() > 1 {
        forms.push((25, format!("{counts}\n  newest: {}", newest.join("; "))));
    }
    forms.extend(newest.first().map(|one| (32, format!("{counts}\n  newest: {one}"))));
    forms.push((60, counts));
    forms.push((68, format!("KB: {total}")));
    section("KB", forms)
}

fn kind_count(kind: Kind, n: u64) -> String {
    let (one, many) = kind.names();
    count(n, one, many)
}

fn actions_section(situation: &Situation) -> Option<Section> {
    let mut long = Vec::new();
    let mut short = Vec::new();
    if let Some(queue) = situation.queue.as_ref().filter(|queue| !queue.ready.is_empty()) {
        long.push(format!("Fetch ready results: {}", list(&queue.ready, 3, label)));
        short.push("fetch".to_owned());
    }
    if let Some(near) = &situation.near_miss {
        long.push(format!("Close near-miss: {} ({} sorry)", label(&near.item), near.gaps));
        short.push("close the near-miss".to_owned());
    }
    if let Some(queue) = situation.queue.as_ref().filter(|queue| queue.open > 0) {
        long.push(format!("{} open for new submissions", slots(queue.open)));
        short.push("submit".to_owned());
    }
    let number = |actions: &[String], sep: &str| {
        let numbered = actions.iter().enumerate().map(|(i, action)| format!("{}. {action}", i + 1));
        numbered.collect::<Vec<_>>().join(sep)
    };
    (!long.is_empty()).then(|| Section {
        apart: true,
        ..section(
            "action items",
            vec![
                (50, format!("ACTION ITEMS:\n{}", number(&long, "\n"))),
                (65, format!("ACTION ITEMS: {}", number(&short, ", "))),
            ],
        )
    })
}

fn sentences(name: &'static str, list: &[String], worth: u8) -> Option<Section> {
    let lines: Vec<_> =
        list.iter().map(|s| format!("NOTE: {}", clip(&clean(s), SENTENCE_COLUMNS))).collect();
    (!lines.is_empty())
        .then(|| Section { apart: true, ..section(name, vec![(worth, lines.join("\n"))]) })
}

fn hints_section() -> Section {
    let long = "`mk search <query>` finds what is known, `mk find <problem>` shows a problem, \
                `mk failed <keyword>` what is false or failed.";
    let short = "Use `mk search <query>`, `mk find <problem>`, `mk failed <keyword>`.";
    Section { apart: true, ..section("hints", vec![(10, long.to_owned()), (35, short.to_owned())]) }
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

fn slots(n: u64) -> String {
    count(n, "slot", "slots")
}

fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
