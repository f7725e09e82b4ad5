//! A person watches while a model is asked: progress, prompts and replies where they want to see them.

use std::cell::RefCell;

use super::Out;
use super::progress::Progress;
use crate::app::ask::Event;
use crate::render;

/// Shows what happens.
pub(crate) struct Watch<'a> {
    out: RefCell<&'a mut Out>,
    bar: Option<Progress>,
    verbose: bool,
}

impl<'a> Watch<'a> {
    /// With `verbose` every prompt and every reply, on stderr; else a bar for the parts of a text, where
    /// somebody watches.
    pub(crate) fn new(out: &'a mut Out, verbose: bool, bar: bool) -> Self {
        let bar = (bar && !verbose).then(|| Progress::new("asking the model", out.watched));
        Self { out: RefCell::new(out), bar, verbose }
    }

    /// Shows one thing that happened.
    pub(crate) fn see(&self, event: Event<'_>) {
        if let (Event::Asking { part, parts, .. }, Some(bar)) = (event, &self.bar) {
            bar.show(part as u64 - 1, parts as u64);
        }
        if self.verbose {
            self.out.borrow_mut().note(&render::event(event));
        }
    }
}
