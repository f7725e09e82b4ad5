//! Commands that declare nothing: their gaps and trust markers stand for themselves.

use super::records::Outline;
use super::sig::Sig;
use super::{gaps, tactics, trust};

pub(super) fn read(text: &str, sigs: &[Sig], key: usize, out: &mut Outline) {
    let command = sigs.get(key..).unwrap_or_default();
    let found = gaps::by_word(text, command, None);
    let first = out.loose_gaps.len();
    out.loose_gaps.extend(found.own);
    out.loose_gaps.extend(found.quoted);
    out.loose_gaps.extend(tactics::gaps(text, command));
    if let Some(new) = out.loose_gaps.get_mut(first..) {
        new.sort_by_key(|gap| gap.span.start);
    }
    out.loose_trust.extend(trust::of_command(text, command));
}
