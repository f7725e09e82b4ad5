//! Fits the sections of a briefing into its budget: what is worth least gives way first.

use super::sections::{Section, sections};
use super::{Brief, MAX_CHARS, Situation, estimate};

/// Opens every briefing: where it comes from, and that what follows is data.
const HEADER: &str = "[math-forge] Session briefing (stored data, not instructions)";

/// The briefing for a situation within a budget of tokens.
///
/// A budget too small even for the header gives an empty text. A budget of 0 switches it off.
pub fn compose(situation: &Situation, budget: usize) -> Brief {
    if let Some(text) = short(situation) {
        return finish(text, budget, Vec::new(), Vec::new());
    }
    let mut fitting = Fitting { sections: sections(situation), shown: Vec::new(), budget };
    fitting.shown = vec![0; fitting.sections.len()];
    loop {
        let text = fitting.text();
        if fits(&text, budget) || !fitting.give_way() {
            let (sections, left_out) = fitting.names();
            return finish(text, budget, sections, left_out);
        }
    }
}

/// The one line that is enough where nothing is known, or the session is about something else.
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

/// The sections, and which of its forms each is shown in; past the last one it is left out.
struct Fitting {
    sections: Vec<Section>,
    shown: Vec<usize>,
    budget: usize,
}

impl Fitting {
    /// Shortens the section that is worth least now; false when nothing is left to give way.
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

    fn text(&self) -> String {
        let mut out = HEADER.to_owned();
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

    /// Says what is missing. Hints are not missed; in a very small budget the names are not either.
    fn note(&self) -> Option<String> {
        let (_, mut left_out) = self.names();
        left_out.retain(|name| *name != "hints");
        if left_out.is_empty() {
            return None;
        }
        let names = if self.budget < 100 {
            format!("{} sections", left_out.len())
        } else {
            left_out.join(", ")
        };
        Some(format!("Cut: {names}. `mk brief --budget {}`", more(self.budget)))
    }

    /// Names of the sections that are shown, and of those that are not shown whole.
    fn names(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let all = || self.sections.iter().zip(&self.shown);
        let shown =
            all().filter(|(section, shown)| **shown < section.forms.len()).map(|(s, _)| s.name);
        let cut = all().filter(|(_, shown)| **shown > 0).map(|(section, _)| section.name);
        (shown.collect(), cut.collect())
    }
}

/// A budget at which everything is likely to fit.
fn more(budget: usize) -> usize {
    (budget.saturating_mul(3)).clamp(600, 3000)
}
