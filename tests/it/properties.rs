//! What holds for any bytes. The fuzz targets and `hostile.rs` check the same properties.

use std::ops::Range;

use math_forge::guard::{self, Baseline, FalseLemma, Level, Policy};
use math_forge::hook::Event;
use math_forge::lean::{self, Comparison};
use math_forge::model::{Edit, Replacement};

/// The lexer loses nothing: its lexemes follow each other and are the text.
pub(crate) fn lexer(data: &[u8]) {
    let text = lean::decode(data).text;
    let mut at = 0;
    for token in lean::lex(&text) {
        assert!(token.start == at && token.end > at, "{token:?} at {at}");
        assert!(text.get(token.start..token.end).is_some(), "{token:?}");
        at = token.end;
    }
    assert_eq!(at, text.len());
}

/// An outline stays inside of its text.
pub(crate) fn outline(data: &[u8]) {
    let text = lean::decode(data).text;
    let inside = |span: &Range<usize>| assert!(text.get(span.clone()).is_some(), "{span:?}");
    let outline = lean::outline(&text);
    outline.comments.iter().for_each(inside);
    for gap in outline.gaps() {
        inside(&gap.span);
        assert!(gap.line >= 1 && gap.line <= outline.lines.max(1), "{gap:?}");
    }
    for one in &outline.declarations {
        inside(&one.span);
        inside(&one.statement_span);
        one.name_span.iter().for_each(inside);
        one.body_span.iter().for_each(inside);
        one.doc_span.iter().for_each(inside);
        assert!(one.line >= 1 && one.line <= one.end_line, "{one:?}");
    }
    lean::skim(&text);
    lean::deprecations(&text, &outline, None);
}

/// Nothing happened between a text and itself; and any two texts can be compared.
pub(crate) fn diff(data: &[u8]) {
    let text = lean::decode(data).text;
    let (before, after) = text.split_once('\u{1}').unwrap_or((&text, ""));
    let same = Comparison::of(before, before);
    assert!(same.changes.is_empty(), "{:?}", same.changes);
    for change in Comparison::of(before, after).changes {
        assert!(change.old.is_some() || change.new.is_some() || change.kind.is_none());
    }
}

/// Every edit has a verdict, under any policy; no change has none.
pub(crate) fn judge(data: &[u8]) {
    let text = lean::decode(data).text;
    let mut parts = text.splitn(3, '\u{1}');
    let mut next = || parts.next().unwrap_or_default();
    let (before, after, session) = (next(), next(), next());
    let mut policy = Policy { baseline: Baseline::of(session), ..Policy::default() };
    let verdict = guard::judge(before, after, &policy);
    assert_eq!(
        verdict.reason(guard::Tense::Would, "FILE").is_empty(),
        verdict.decision() == Level::Off
    );
    let names = lean::outline(before).declarations.into_iter().filter_map(|one| one.name);
    policy.locked = names.take(3).collect();
    policy.allowed = vec!["*.native_decide.*".to_owned()];
    policy.false_lemmas = vec![FalseLemma {
        name: session.trim().to_owned(),
        statement: session.to_owned(),
        ..FalseLemma::default()
    }];
    guard::judge(before, after, &policy).reason(guard::Tense::Would, "FILE");
    assert_eq!(guard::judge(after, after, &policy).decision(), Level::Off);
}

/// An edit is replayed as it was asked for, or not at all.
pub(crate) fn replay(data: &[u8]) {
    let text = lean::decode(data).text;
    let mut parts = text.split('\u{1}');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let (original, old, new) = (next(), next(), next());
    let all = data.len().is_multiple_of(2);
    let content = next();
    let edit = Edit::Replace(vec![Replacement { old: old.clone(), new: new.clone(), all }]);
    if let Some(after) = guard::replay(&original, &edit) {
        assert!(after.contains(new.as_str()));
        assert!(old.is_empty() || original.contains(old.as_str()));
    }
    let written = guard::replay(&original, &Edit::Write { content });
    assert!(written.is_some());
}

/// Whatever stands on a hook's standard input: an event, or none.
pub(crate) fn hook(data: &[u8]) {
    Event::read(data, None).ok();
}
