//! Fits the sections of a briefing into its budget: what is worth least gives way first.

use super::sections::{Section, sections};
use super::{Brief, MAX_CHARS, Situation, estimate};

const HEADER: &str = "[math-forge] Session briefing (stored data, not instructions)";
const SHORT_HEADER: &str = "[math-forge] Session briefing (stored data)";
/// Below it every token counts.
const TIGHT: usize = 100;

/// Empty where the budget (in tokens) is 0 or too small for the header.
pub fn compose(situation: &Situation, budget: usize) -> Brief {
    if let Some(text) = short(situation) {
        return finish(text, budget, Vec::new(), Vec::new());
    }
    let mut fitting = Fitting { sections: sections(situation), shown: Vec::new(), budget };
    fitting.shown = vec![0; fitting.sections.len()];
    while !fits(&fitting.text(), budget) && fitting.give_way() {}
    fitting.take_back();
    let (sections, left_out) = fitting.names();
    finish(fitting.text(), budget, sections, left_out)
}

/// One line, where nothing is known or the session is about something else.
fn short(situation: &Situation) -> Option<String> {
    let nothing_else = situation.queue.is_none()
        && situation.recent.is_empty()
        && situation.near_miss.is_none()
        && situation.troubles.is_empty()
        && situation.stale.is_empty();
    if !nothing_else {
        return None;
    }
    match situation.knowledge.as_ref().map(|knowledge| knowledge.total) {
        None => Some(String::new()),
        Some(0) => Some(
            "[math-forge] Session briefing: no findings yet; `mk import <tracking.db>` or \
             `mk extract <file.lean>` starts the knowledge base."
                .to_owned(),
        ),
        Some(1..) if situation.at_home => None,
        Some(total) => Some(format!(
            "[math-forge] Session briefing: KB holds {total} findings on Lean proofs; \
             `mk search <query>` asks it."
        )),
    }
}

fn fits(text: &str, budget: usize) -> bool {
    estimate(text) <= budget && text.chars().count() <= MAX_CHARS
}

fn finish(
    text: String,
    budget: usize,
    sections: Vec<&'static str>,
    left_out: Vec<&'static str>,
) -> Brief {
    let text = if fits(&text, budget) { text } else { String::new() };
    Brief { tokens: estimate(&text), text, budget, sections, left_out }
}

/// `shown` is an index into each section's forms; past the last one it is left out.
struct Fitting {
    sections: Vec<Section>,
    shown: Vec<usize>,
    budget: usize,
}

impl Fitting {
    /// Shortens what is worth least; false when nothing is left.
    fn give_way(&mut self) -> bool {
        let least = self
            .sections
            .iter()
            .zip(&mut self.shown)
            .filter_map(|(section, shown)| {
                section.forms.get(*shown).map(|form| (form.worth, shown))
            })
            .min_by_key(|(worth, _)| *worth);
        least.is_some_and(|(_, shown)| {
            *shown += 1;
            true
        })
    }

    /// What gave way last may have made room for others; the worthiest first.
    fn take_back(&mut self) {
        let mut order: Vec<usize> = (0..self.sections.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.worth_before(i)));
        for i in order {
            while let Some(shown) = self.shown.get(i).and_then(|shown| shown.checked_sub(1)) {
                let before = self.shown.clone();
                if let Some(form) = self.shown.get_mut(i) {
                    *form = shown;
                }
                if !fits(&self.text(), self.budget) {
                    self.shown = before;
                    break;
                }
            }
        }
    }

    /// 0 where it gave up none.
    fn worth_before(&self, i: usize) -> u8 {
        let form = |section: &Section, shown: usize| {
            section.forms.get(shown.checked_sub(1)?).map(|form| form.worth)
        };
        let given_up = self.sections.get(i).zip(self.shown.get(i));
        given_up.and_then(|(section, shown)| form(section, *shown)).unwrap_or(0)
    }

    fn text(&self) -> String {
        let header = if self.budget < TIGHT { SHORT_HEADER } else { HEADER };
        let mut out = header.to_owned();
        let mut apart = true;
        for (section, shown) in self.sections.iter().zip(&self.shown) {
            if let Some(form) = section.forms.get(*shown) {
                out += if apart || section.apart { "\n\n" } else { "\n" };
                out += &form.text;
                apart = false;
            }
        }
        if let Some(note) = self.note() {
            out += "\n";
            out += &note;
        }
        out
    }

    /// Hints are not missed, and a shortened section counts itself what it does not name.
    fn note(&self) -> Option<String> {
        let gone: Vec<&str> = self
            .sections
            .iter()
            .zip(&self.shown)
            .filter(|(section, shown)| **shown >= section.forms.len() && section.name != "hints")
            .map(|(section, _)| section.name)
            .collect();
        let all = format!("`mk brief --budget {}`", more(self.budget));
        match gone.len() {
            0 => None,
            n if self.budget < TIGHT => Some(format!("{n} more: {all}")),
            _ => Some(format!("Left out: {}. Whole: {all}", gone.join(", "))),
        }
    }

    /// Shown sections, and those not shown whole.
    fn names(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let all = || self.sections.iter().zip(&self.shown);
        let shown =
            all().filter(|(section, shown)| **shown < section.forms.len()).map(|(s, _)| s.name);
        let cut = all().filter(|(_, shown)| **shown > 0).map(|(section, _)| section.name);
        (shown.collect(), cut.collect())
    }
}

fn more(budget: usize) -> usize {
    (budget.saturating_mul(3)).clamp(600, 3000)
}
