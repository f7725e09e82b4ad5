//! Going through proposals one at a time. Each decision is stored at once, so that nothing is lost
//! however it ends.

use std::io::{BufRead, Write};

use super::draft::Draft;
use crate::app::App;
use crate::app::learn::proposals::{self, Accept, By, default_kind, kind_of};
use crate::model::ProposalRecord;
use crate::render::review as view;
use crate::text::{clean, clean_page, clip};

/// Lets the person edit a text.
pub(super) type Editor<'a> = &'a mut dyn FnMut(&App, &str) -> anyhow::Result<String>;

/// A person's desk: what lies on it, and what was decided so far.
pub(super) struct Desk<'a, R, W> {
    pub(super) app: &'a mut App,
    pub(super) input: R,
    pub(super) output: W,
    pub(super) editor: Editor<'a>,
    /// Columns of the terminal.
    pub(super) width: usize,
}

/// How it went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
    /// Decisions that were stored, those included that were taken back.
    pub(super) stored: usize,
}

/// What comes after a command.
enum Next {
    /// The same proposal, without showing it again.
    Ask,
    /// The same proposal, shown again.
    Show,
    /// The next one.
    Go,
    /// An earlier one.
    Back(usize),
    /// The end.
    Leave,
}

/// The proposals on the desk, and where the person is.
struct Round {
    waiting: Vec<ProposalRecord>,
    at: usize,
    /// The proposal at hand as the person changed it.
    draft: Option<Draft>,
    /// Where decisions were made, the last one last, and whether it was to accept.
    decided: Vec<(usize, bool)>,
    tally: Tally,
}

impl<R: BufRead, W: Write> Desk<'_, R, W> {
    /// Goes through these until the person has had enough.
    pub(super) fn review(&mut self, waiting: Vec<ProposalRecord>) -> anyhow::Result<Tally> {
        let mut round =
            Round { waiting, at: 0, draft: None, decided: vec![], tally: Tally::default() };
        let mut show = true;
        while round.at < round.waiting.len() {
            if show {
                self.show(&round)?;
            }
            let Some(line) = self.ask("  > ")? else {
                self.say("\n")?;
                break;
            };
            let next = self.obey(&mut round, line.trim())?;
            show = !matches!(next, Next::Ask);
            match next {
                Next::Ask | Next::Show => {}
                Next::Go => round.turn_to(round.at + 1),
                Next::Back(at) => round.turn_to(at),
                Next::Leave => break,
            }
        }
        self.say(&round.summary())?;
        Ok(round.tally)
    }

    fn show(&mut self, round: &Round) -> anyhow::Result<()> {
        let Some(proposal) = round.waiting.get(round.at) else { return Ok(()) };
        let draft = round.draft.as_ref();
        let card = view::Card {
            proposal,
            place: (round.at + 1, round.waiting.len()),
            kind: draft.map_or_else(|| default_kind(&proposal.kind), |draft| draft.kind),
            title: draft.map(|draft| draft.title.as_str()).filter(|title| !title.is_empty()),
            content: draft
                .map(|draft| draft.content.as_str())
                .filter(|content| *content != proposal.content),
        };
        let card = view::card(&card, self.width, self.app.now);
        self.say(&format!("{card}\n{}", view::keys()))
    }

    fn obey(&mut self, round: &mut Round, line: &str) -> anyhow::Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_lowercase().as_str() {
            "a" | "accept" | "y" | "yes" => self.accept(round),
            "e" | "edit" => self.edit(round),
            "k" | "kind" => self.change_kind(round, rest),
            "r" | "reject" | "n" | "no" => self.reject(round, rest),
            "l" | "later" | "s" | "skip" => Ok(Next::Go),
            "u" | "undo" => self.undo(round),
            "q" | "quit" | "exit" => Ok(Next::Leave),
            "" => Ok(Next::Ask),
            "?" | "h" | "help" => {
                self.say(&view::explanation())?;
                Ok(Next::Ask)
            }
            other => {
                let other = clip(&clean(other), 20);
                self.trouble(&format!("`{other}` is no key here; ? explains them"))
            }
        }
    }

    fn accept(&mut self, round: &mut Round) -> anyhow::Result<Next> {
        let Some(proposal) = round.waiting.get(round.at) else { return Ok(Next::Go) };
        let accept = round.draft.as_ref().map_or_else(Accept::default, |draft| Accept {
            kind: Some(draft.kind),
            title: Some(draft.title.clone()).filter(|title| !title.is_empty()),
            content: Some(draft.content.clone()),
            tags: Vec::new(),
        });
        let decided = proposals::accept(self.app, &proposal.id, &accept, By::Terminal);
        self.decided(round, decided, true)
    }

    fn reject(&mut self, round: &mut Round, reason: &str) -> anyhow::Result<Next> {
        let Some(id) = round.waiting.get(round.at).map(|proposal| proposal.id.clone()) else {
            return Ok(Next::Go);
        };
        let reason = if reason.is_empty() {
            let Some(line) = self.ask("  why (Enter: no reason) > ")? else {
                return Ok(Next::Leave);
            };
            line.trim().to_owned()
        } else {
            reason.to_owned()
        };
        let decided = proposals::reject(self.app, &id, Some(&reason), By::Terminal);
        self.decided(round, decided, false)
    }

    /// Says what became of a decision. One that could not be stored, because somebody else was faster,
    /// say, leaves the proposal where it is.
    fn decided(
        &mut self,
        round: &mut Round,
        decided: anyhow::Result<proposals::Decision>,
        accepted: bool,
    ) -> anyhow::Result<Next> {
        match decided {
            Ok(decision) => {
                round.decided.push((round.at, accepted));
                round.tally.count(accepted);
                self.say(&view::decision(&decision))?;
                Ok(Next::Go)
            }
            Err(error) => self.trouble(&error.to_string()),
        }
    }

    fn undo(&mut self, round: &mut Round) -> anyhow::Result<Next> {
        let Some(&(at, accepted)) = round.decided.last() else {
            self.say("  nothing was decided yet\n")?;
            return Ok(Next::Ask);
        };
        let id = round.waiting.get(at).map(|proposal| proposal.id.clone()).unwrap_or_default();
        match proposals::undo(self.app, &id) {
            Ok(decision) => {
                round.decided.pop();
                round.tally.uncount(accepted);
                self.say(&view::decision(&decision))?;
                Ok(Next::Back(at))
            }
            Err(error) => self.trouble(&error.to_string()),
        }
    }

    fn edit(&mut self, round: &mut Round) -> anyhow::Result<Next> {
        let Some(draft) = round.at_hand() else { return Ok(Next::Go) };
        let edited = match (self.editor)(self.app, &draft.text()) {
            Ok(text) => draft.read(&text).map_err(anyhow::Error::msg),
            Err(error) => Err(error),
        };
        match edited {
            Ok(Some(edited)) => {
                round.draft = Some(edited);
                Ok(Next::Show)
            }
            Ok(None) => {
                self.say("  an empty text: nothing was changed\n")?;
                Ok(Next::Ask)
            }
            Err(error) => self.trouble(&format!("{error:#}")),
        }
    }

    fn change_kind(&mut self, round: &mut Round, word: &str) -> anyhow::Result<Next> {
        let Some(mut draft) = round.at_hand() else { return Ok(Next::Go) };
        let word = if word.is_empty() {
            self.say(&view::kinds())?;
            let Some(line) = self.ask("  kind (Enter: as it is) > ")? else {
                return Ok(Next::Leave);
            };
            line.trim().to_owned()
        } else {
            word.to_owned()
        };
        if word.is_empty() {
            return Ok(Next::Ask);
        }
        match kind_of(&word) {
            Ok(kind) => {
                draft.kind = kind;
                round.draft = Some(draft);
                Ok(Next::Show)
            }
            Err(reason) => self.trouble(&reason),
        }
    }

    fn trouble(&mut self, text: &str) -> anyhow::Result<Next> {
        self.say(&view::remark(text))?;
        Ok(Next::Ask)
    }

    /// A line that the person types; `None` at the end of the input.
    fn ask(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        self.say(prompt)?;
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line)?;
        Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
    }

    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        self.output.write_all(clean_page(text).as_bytes())?;
        self.output.flush()?;
        Ok(())
    }
}

impl Round {
    fn turn_to(&mut self, at: usize) {
        self.at = at;
        self.draft = None;
    }

    /// The proposal at hand, as it would be accepted.
    fn at_hand(&self) -> Option<Draft> {
        let proposal = self.waiting.get(self.at)?;
        Some(self.draft.clone().unwrap_or_else(|| Draft {
            kind: default_kind(&proposal.kind),
            title: String::new(),
            content: proposal.content.clone(),
        }))
    }

    fn summary(&self) -> String {
        let Tally { accepted, rejected, .. } = self.tally;
        let left = match self.waiting.len() - accepted - rejected {
            0 => "none waits any more".to_owned(),
            1 => "1 still waits".to_owned(),
            n => format!("{n} still wait"),
        };
        format!("\n  {accepted} accepted, {rejected} rejected; {left}.\n")
    }
}

impl Tally {
    fn of(&mut self, accepted: bool) -> &mut usize {
        if accepted { &mut self.accepted } else { &mut self.rejected }
    }

    fn count(&mut self, accepted: bool) {
        *self.of(accepted) += 1;
        self.stored += 1;
    }

    fn uncount(&mut self, accepted: bool) {
        *self.of(accepted) -= 1;
        self.stored += 1;
    }
}

#[cfg(test)]
mod tests;
