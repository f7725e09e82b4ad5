//! Asking for a note: where results or the person show that something ended, one line with the command, ready to
//! be completed. At most three times in a session, and once about the same.

use std::sync::Arc;

use super::Remark;
use crate::app::{App, inject, transcript_end};
use crate::hook::Event;
use crate::model::KnownProblems;
use crate::store::{Injection, Sighting};
use crate::text::{clean, clip, hash};

const MOST: usize = 3;

const ASKED: &str = "ask";

/// Builds with an error after which it was worked on in earnest.
const IN_EARNEST: u64 = 2;

/// Columns of what is quoted, and bytes of a prompt that may be a correction.
const WIDTH: usize = 100;
const LONGEST: usize = 600;

pub(super) enum Ended {
    Refuted { theorem: String, file: String, says: String },
    GivenUp(Sighting),
}

pub(super) struct Asking {
    problems: Arc<KnownProblems>,
    asked: Vec<String>,
}

impl Asking {
    /// `None` where the session was asked often enough.
    pub(super) fn of(app: &mut App, said: &[Injection]) -> anyhow::Result<Option<Self>> {
        let asked = said.iter().filter(|row| row.kind == ASKED).map(|row| row.why.clone());
        let asked: Vec<String> = asked.collect();
        if asked.len() >= MOST {
            return Ok(None);
        }
        Ok(Some(Self { problems: app.store()?.known_problems()?, asked }))
    }

    /// A line that ends with the command; `None` where it was said before.
    fn ask(&self, key: String, ended: &str, note: [&str; 3], of: &str) -> Option<Remark> {
        let [kind, what, why] = note;
        let problem = self.problem_of(of).map(|id| format!(" --problem {id}")).unwrap_or_default();
        let line = format!(
            "math-forge: {ended}, note it: mk note {kind} \"{what}\"{problem} --because \"{why}\""
        );
        let label = format!("note: {key}");
        (!self.asked.contains(&key)).then_some(Remark {
            line,
            kind: ASKED,
            rule: "ended",
            label,
            why: key,
            lesson: None,
        })
    }

    fn problem_of(&self, file: &str) -> Option<String> {
        self.problems.in_text(file).problems.pop()
    }

    pub(super) fn about(&self, ended: &Ended) -> Option<Remark> {
        match ended {
            Ended::Refuted { theorem, file, says } => {
                let theorem = quotable(theorem);
                let what = format!("{theorem} is false as stated");
                let ended = format!("a claim in {theorem} is false; if that refutes the statement");
                let note = ["dead-end", what.as_str(), &quotable(says)];
                self.ask(format!("false {theorem}"), &ended, note, file)
            }
            Ended::GivenUp(Sighting { target, signature, builds, .. }) => {
                let ended = format!(
                    "a gap in {} where {builds} builds failed; if the approach is given up",
                    quotable(target)
                );
                let key = format!("given up {target} {signature}");
                self.ask(key, &ended, ["dead-end", "<approach>", "<why it cannot work>"], target)
            }
        }
    }

    fn left(&self, sighting: &Sighting) -> Option<Remark> {
        let file = &sighting.target;
        let ended = format!("{} is left unsolved; if an approach failed there", quotable(file));
        self.ask(
            format!("left {file}"),
            &ended,
            ["dead-end", "<approach>", "<why it failed>"],
            file,
        )
    }

    fn corrected(&self, prompt: &str) -> Option<Remark> {
        let key = format!("corrected {}", hash(clean(prompt).as_bytes(), 8));
        let ended = "the person corrects something; if that holds from now on";
        self.ask(key, ended, ["preference", "<what they want>", "<why>"], "")
    }
}

fn quotable(text: &str) -> String {
    let plain = clean(text).replace(['"', '\\', '$'], "").replace(['`', '!'], "'");
    clip(plain.trim_end_matches('.'), WIDTH)
}

/// The line beside a prompt that ends something: it corrects the agent, or leaves what was worked on.
pub fn ended_by(app: &mut App, event: &Event, prompt: &str) -> Option<String> {
    let is_typed = !prompt.trim_start().starts_with(['/', '<', '[', '!', '#']);
    if event.session.is_empty() || !is_typed || !inject::is_on(app) {
        return None;
    }
    let (corrects, leaves) = (corrects(prompt) && has_begun(event), leaves(prompt));
    if !corrects && !leaves && !prompt.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    app.try_to("learn", |app| ended(app, event, prompt, corrects, leaves))?
}

fn ended(
    app: &mut App,
    event: &Event,
    prompt: &str,
    corrects: bool,
    leaves: bool,
) -> anyhow::Result<Option<String>> {
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let mut open = store.sightings(&event.session)?;
    open.retain(|one| !one.resolved && one.builds > 0 && !one.target.is_empty());
    if open.is_empty() && !corrects {
        return Ok(None);
    }
    let said = store.injections(&event.session)?;
    let Some(asking) = Asking::of(app, &said)? else { return Ok(None) };
    let named = asking.problems.in_text(prompt).problems;
    let named = if let [one] = named.as_slice() { Some(one) } else { None };
    let is_left = |one: &&Sighting| {
        let own = asking.problem_of(&one.target);
        let is_other = named.is_some() && own.is_some() && named != own.as_ref();
        leaves && (named.is_none() || named == own.as_ref()) || is_other && one.builds >= IN_EARNEST
    };
    let left = open.iter().find(is_left).and_then(|one| asking.left(one));
    let Some(ask) = left.or_else(|| asking.corrected(prompt).filter(|_| corrects)) else {
        return Ok(None);
    };
    let row = ask.row(app, event);
    // What cannot be remembered is not said: it would be said again and again.
    app.write(|writer| writer.note_injection(&row))?;
    Ok(Some(ask.line))
}

fn has_begun(event: &Event) -> bool {
    let head = event.transcript.as_deref().map(transcript_end::head).unwrap_or_default();
    String::from_utf8_lossy(&head).contains("\"type\":\"assistant\"")
}

/// The first sentence, in lower case, without the marks of a list.
fn first_sentence(prompt: &str) -> String {
    let text = prompt.trim().to_lowercase().replace('’', "'");
    let end = text.find(['.', '!', '?', '\n']).map_or(text.len(), |at| at + 1);
    text.get(..end).unwrap_or_default().to_owned()
}

fn corrects(prompt: &str) -> bool {
    const NO: &str = "no,|no.|no!|no -|no —|nope|wrong|that's wrong|that is wrong|not like that|that's not what|\
        that is not what|i said |i told you|stop |nein,|nein.|falsch|so nicht|ich habe gesagt|\
        hör auf|non,|non.|pas comme ça|c'est faux|j'ai dit|arrête";
    const POLITE: &str = "no, thanks|no, thank you|no, that's fine|no, it's fine|no, go on|no, go ahead|\
        no, continue|no, nothing|nein, danke|non, merci|stop.|stop here|stop now|no, i don't";
    let first = first_sentence(prompt);
    let words = prompt.split_whitespace().count();
    prompt.len() <= LONGEST
        && words >= 4
        && !first.ends_with('?')
        && NO.split('|').any(|no| first.starts_with(no))
        && !POLITE.split('|').any(|polite| first.starts_with(polite))
}

fn leaves(prompt: &str) -> bool {
    const LEAVE: &str = "give up|move on|let's drop|drop this|drop it|drop that|leave it|leave this|leave that|\
        forget about|skip this|skip it|skip that|abandon|gib auf|geben wir auf|lass das|\
        lassen wir|abandonne|laisse tomber|passons à";
    let text = first_sentence(prompt);
    let not = ["don't", "do not", "never", "nicht", "pas ", "ne "];
    prompt.len() <= LONGEST
        && !text.ends_with('?')
        && LEAVE.split('|').any(|leave| {
            text.find(leave).is_some_and(|at| {
                let before = text.get(..at).unwrap_or_default();
                !not.iter().any(|not| before.contains(not))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_and_what_is_none() {
        for (prompt, expected) in [
            ("no, use the Finset version, the Set one is useless here", true),
            ("No. The statement is right, change the proof.", true),
            ("don't touch the statement of the main theorem", false),
            ("That's not what I asked for: only the lemma.", true),
            ("nein, nimm Finset statt Set dafür", true),
            ("non, garde l'énoncé tel quel", true),
            ("no, thanks, that is all for today", false),
            ("no worries, go on with the next one", false),
            ("no problem, it can stay as it is", false),
            ("No?", false),
            ("no, is that really what the paper says?", false),
            ("Now prove the second lemma", false),
            ("Note that the bound is strict", false),
            ("none of the lemmas needs it", false),
            ("no", false),
            ("prove it by induction, no sorry", false),
        ] {
            assert_eq!(corrects(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn leaving_and_going_on() {
        for (prompt, expected) in [
            ("ok, give up on this one", true),
            ("let's move on to erdos 12", true),
            ("Laisse tomber.", true),
            ("don't give up, try nlinarith", false),
            ("should we move on?", false),
            ("move the lemma to the top", false),
            ("prove it", false),
        ] {
            assert_eq!(leaves(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn nothing_in_a_quotation_is_run() {
        assert_eq!(quotable("a \"b\" `c` $(d) \\ e!"), "a b 'c' (d)  e'");
    }
}
