//! This failure again: which stored lessons are about it.

use crate::lean::diagnostics::Signature;

/// How well a lesson fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The same kind of error about the same name, with a similar goal or wording.
    Near,
    /// The same signature.
    Exact,
}

/// A stored lesson that fits an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Its place in the list that was given.
    pub lesson: usize,
    pub strength: Strength,
}

/// Which of the lessons with these signatures are about an error, the best first; among equals in the
/// order given.
pub fn matches<S: AsRef<str>>(signature: &Signature, known: &[S]) -> Vec<Match> {
    let mut fits: Vec<(usize, f64)> = Vec::new();
    for (at, stored) in known.iter().enumerate() {
        let stored = Signature::parse(stored.as_ref());
        fits.extend(likeness(signature, &stored).map(|like| (at, like)));
    }
    fits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let matches = fits.into_iter().map(|(lesson, like)| Match {
        lesson,
        strength: if like >= 1.0 { Strength::Exact } else { Strength::Near },
    });
    matches.collect()
}

/// Whether an error is worth looking up: others fit every proof.
pub(super) fn is_telling(signature: &Signature) -> bool {
    signature.is_specific() || unknown_name(signature).is_some()
}

/// The name that an error does not know.
pub fn unknown_name(signature: &Signature) -> Option<String> {
    const KINDS: &[&str] =
        &["unknown-identifier", "invalid-field", "unknown-namespace", "deprecated"];
    signature.name.clone().filter(|_| KINDS.contains(&signature.kind.as_str()))
}

/// 1 for the same signature, less for one that is near, `None` for another error.
fn likeness(new: &Signature, stored: &Signature) -> Option<f64> {
    const NEAR: f64 = 0.5;
    if new == stored {
        return stored.is_specific().then_some(1.0);
    }
    // Without a name, kind alone would bring any fix of that kind.
    if new.key() != stored.key() || new.name.is_none() || !stored.is_specific() {
        return None;
    }
    let like = shared(new, stored);
    (like >= NEAR).then_some(like.min(0.99))
}

/// The share of telling words that two shapes have in common.
fn shared(one: &Signature, two: &Signature) -> f64 {
    let (one, two) = (one.telling_words(), two.telling_words());
    let common = one.intersection(&two).count();
    let all = one.union(&two).count();
    #[expect(clippy::cast_precision_loss, reason = "some dozens of words")]
    let share = if all == 0 { 0.0 } else { common as f64 / all as f64 };
    share
}
