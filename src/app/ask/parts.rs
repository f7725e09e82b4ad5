//! Asking about a text part by part. A part that does not fit is asked about in smaller ones; a part
//! without a usable answer is named, and costs no other.

use std::collections::VecDeque;

use serde::Serialize;

use super::call::{Line, Unanswered};
use super::{Event, Interrupted, Usage};
use crate::learn::facts::{self, Chunk, OVERLAP, Reading, Template, Text, Voices};
use crate::llm::{Answer, Failure};

/// No part is made smaller than this many words because the server cut its prompt.
const FEWEST_WORDS: usize = 100;

/// Nor than this many because of the time that it took, or because the reply was too long.
const FEWEST_WORDS_IN_TIME: usize = 600;

/// After so many parts in a row that took too long, the rest is not asked about.
const PATIENCE: usize = 2;

/// A part of a text that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartFailure {
    /// Its number, from 1.
    pub part: usize,
    /// One word for why.
    pub kind: &'static str,
    /// Why.
    pub reason: String,
}

/// What a text gave.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) reading: Reading,
    pub(super) parts: usize,
    /// Facts whose source the text does not show.
    pub(super) unsourced: usize,
    pub(super) failures: Vec<PartFailure>,
    pub(super) usage: Usage,
}

/// What is to be asked, and with what.
pub(super) struct Question<'a> {
    pub(super) line: &'a Line,
    pub(super) template: &'a Template,
    pub(super) voices: &'a Voices,
    pub(super) told: &'a dyn Fn(Event<'_>),
    /// Words of a part at most; becomes less where the server shows that it takes less.
    pub(super) most_words: &'a mut usize,
}

struct Waiting<'a> {
    chunk: Chunk<'a>,
    /// It was made smaller because of its reply; once is enough.
    is_piece: bool,
}

impl Question<'_> {
    /// Asks about all parts of a text.
    ///
    /// # Errors
    /// [`Interrupted`]; the failure of all, where no part gave an answer, or where none could.
    pub(super) fn ask(&mut self, text: &Text) -> anyhow::Result<Gathered> {
        let begin = facts::chunks(text, *self.most_words, OVERLAP);
        let mut waiting: VecDeque<Waiting<'_>> =
            begin.into_iter().map(|chunk| Waiting { chunk, is_piece: false }).collect();
        let mut gathered = Gathered::default();
        let (mut first, mut late, mut answered) = (None, 0, 0);
        while let Some(next) = waiting.pop_front() {
            if let Some(smaller) = fit(&next, *self.most_words) {
                smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                continue;
            }
            let part = gathered.parts + 1;
            match self.one(&next.chunk, (part, part + waiting.len()), &mut gathered.usage) {
                Ok(answer) => {
                    (late, answered) = (0, answered + 1);
                    self.take(answer, &mut gathered);
                }
                Err(Unanswered::Interrupted) => return Err(Interrupted.into()),
                Err(Unanswered::Failed(failure)) => {
                    if let Some(smaller) = self.retry(&next, &failure) {
                        (self.told)(Event::Smaller { failure: &failure });
                        smaller.into_iter().rev().for_each(|part| waiting.push_front(part));
                        continue;
                    }
                    if failure.concerns_all() {
                        return Err(failure.into());
                    }
                    late = if failure.may_pass() { late + 1 } else { 0 };
                    gathered.fail(part, &failure);
                    first.get_or_insert(failure);
                }
            }
            gathered.parts = part;
            if late == PATIENCE && !waiting.is_empty() {
                gathered.give_up(waiting.len());
                break;
            }
        }
        match first {
            Some(failure) if answered == 0 => Err(failure.into()),
            _ => Ok(gathered),
        }
    }

    fn one(
        &self,
        chunk: &Chunk<'_>,
        (part, parts): (usize, usize),
        usage: &mut Usage,
    ) -> Result<Answer<Reading>, Unanswered> {
        let prompt = self.template.prompt(chunk);
        (self.told)(Event::Asking { part, parts, words: chunk.words(), prompt: &prompt });
        let begin = std::time::Instant::now();
        let answer = self.line.ask(self.template, chunk, &prompt);
        usage.seconds += begin.elapsed().as_secs_f64();
        usage.requests += 1;
        if let Ok(answer) = &answer {
            usage.requests += u64::from(answer.repaired);
            usage.repaired += u64::from(answer.repaired);
            usage.prompt_tokens += answer.prompt_tokens;
            usage.reply_tokens += answer.reply_tokens;
            (self.told)(Event::Answered { reply: &answer.reply, repaired: answer.repaired });
        } else if let Err(Unanswered::Failed(failure)) = &answer {
            (self.told)(Event::Failed { failure });
        }
        answer
    }

    fn take(&self, answer: Answer<Reading>, gathered: &mut Gathered) {
        let mut reading = answer.value;
        for fact in &mut reading.facts {
            gathered.unsourced += usize::from(self.voices.settle(fact));
        }
        gathered.reading.absorb(reading);
    }

    /// Smaller parts for one that was too large for the server, for its time, or for its reply; `None`
    /// where smaller ones would be of no use.
    fn retry<'t>(&mut self, next: &Waiting<'t>, failure: &Failure) -> Option<Vec<Waiting<'t>>> {
        let words = next.chunk.words();
        let (most, fewest, is_piece) = match failure {
            Failure::PromptCut { .. } => (words / 2, FEWEST_WORDS, next.is_piece),
            Failure::TimedOut { .. } => (words / 4, FEWEST_WORDS_IN_TIME, next.is_piece),
            Failure::Truncated { .. } if !next.is_piece => (words / 2, FEWEST_WORDS_IN_TIME, true),
            _ => return None,
        };
        if most < fewest {
            return None;
        }
        if !matches!(failure, Failure::Truncated { .. }) {
            *self.most_words = most.min(*self.most_words);
        }
        let smaller = next.chunk.smaller(most, OVERLAP);
        let pieces = smaller.into_iter().map(|chunk| Waiting { chunk, is_piece }).collect();
        Some(pieces)
    }
}

/// Parts that fit for one that is too long by now.
fn fit<'t>(next: &Waiting<'t>, most_words: usize) -> Option<Vec<Waiting<'t>>> {
    if next.chunk.words() <= most_words {
        return None;
    }
    let smaller = next.chunk.smaller(most_words, OVERLAP);
    let is_piece = next.is_piece;
    (smaller.len() > 1)
        .then(|| smaller.into_iter().map(|chunk| Waiting { chunk, is_piece }).collect())
}

impl Gathered {
    fn fail(&mut self, part: usize, failure: &Failure) {
        let (kind, reason) = (failure.kind(), failure.to_string());
        self.failures.push(PartFailure { part, kind, reason });
    }

    /// Names the parts that are not asked about any more.
    fn give_up(&mut self, left: usize) {
        let reason = "was not asked about, because the parts before it took too long".to_owned();
        for part in self.parts + 1..=self.parts + left {
            self.failures.push(PartFailure { part, kind: "not_asked", reason: reason.clone() });
        }
        self.parts += left;
    }
}
