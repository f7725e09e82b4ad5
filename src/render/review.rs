//! Proposals: a list, one whole, and the card that the person decides by.

use jiff::Timestamp;

use super::layout::{Column, Page, wrap};
use super::theme::{Tone, paint};
use super::time::{ago, iso};
use crate::app::learn::proposals::{Decision, Listing, default_kind};
use crate::model::{Kind, ProposalRecord};
use crate::text::{clean, clip, clip_middle, width};

/// A card is read, so it is no wider than a page of a book.
const WIDEST: usize = 80;
/// Digits of an id that are shown in a list; a unique beginning is enough everywhere.
const DIGITS: usize = 8;

/// What may be answered to a card.
pub const QUESTION: &str = "  accept, reject, skip, edit, quit? [a/r/s/e/q] ";

/// What the answers do.
pub const KEYS: &str = "  a   accept: keep it as knowledge
  r   reject: it is not proposed again; `r too vague` keeps the reason
  s   skip: it waits until the next time
  e   edit the text in your editor first
  q   quit; what was decided is stored already
";

/// What a person sees of a proposal while deciding, with an empty line before it.
pub fn card(
    proposal: &ProposalRecord,
    (at, of): (usize, usize),
    columns: usize,
    now: Timestamp,
) -> String {
    let mut page = Page::new(columns.min(WIDEST));
    page.blank();
    let place = format!("{at} of {of}");
    let kind = format!("would be kept as {}", a(default_kind(&proposal.kind)));
    let id = clip(&clean(&proposal.id), 16);
    let used = width(&place) + width(&kind) + width(&id) + 4;
    let blanks = " ".repeat(page.room(1).saturating_sub(used));
    let heading = paint(Tone::Heading, &place);
    page.line(1, &format!("{heading}    {kind}{blanks}{}", paint(Tone::Faint, &id)));
    page.rule();
    page.paragraph(1, &proposal.content);
    page.blank();
    evidence(&mut page, proposal);
    page.parts(1, origin(proposal, Some(now)));
    page.blank();
    page.into_text()
}

/// A text as the person worded it, or a remark on what was typed.
pub fn paragraph(text: &str, columns: usize) -> String {
    let mut page = Page::new(columns.min(WIDEST));
    page.paragraph(1, text);
    page.into_text()
}

/// `an insight`, `a preference`.
fn a(kind: Kind) -> String {
    let word = kind.as_str().replace('_', " ");
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// The sentences around it, and the sentence itself where cleaning changed it.
fn evidence(page: &mut Page, proposal: &ProposalRecord) {
    let said = clean(&proposal.sentence);
    let is_same = said.replace(['*', '_'], "") == clean(&proposal.content).replace(['*', '_'], "");
    if let Some(before) = &proposal.before {
        passage(page, "before", before);
    }
    if !said.is_empty() && !is_same {
        passage(page, "said", &said);
    }
    if let Some(after) = &proposal.after {
        passage(page, "after", after);
    }
}

/// A labelled passage, its lines below each other.
fn passage(page: &mut Page, label: &str, text: &str) {
    const LABEL: usize = 10;
    for (i, line) in wrap(&clean(text), page.room(1).saturating_sub(LABEL)).iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        page.line(1, &paint(Tone::Faint, &format!("{label:<LABEL$}{line}")));
    }
}

/// Who said it, when, where, and by which rule it was found.
fn origin(proposal: &ProposalRecord, now: Option<Timestamp>) -> Vec<String> {
    let mut parts = vec![speaker(&proposal.role)];
    let at = proposal.said_at.as_deref().unwrap_or(&proposal.extracted_at);
    parts.push(now.map_or_else(|| iso(at), |now| ago(at, now)));
    let session = begin(proposal.session.as_deref().unwrap_or_default());
    let source = clip_middle(&clean(&proposal.source), 40);
    let line = proposal.line.map(|line| format!("line {line}"));
    let place = if session.is_empty() { source } else { format!("session {session}") };
    let place = [Some(place).filter(|place| !place.is_empty()), line];
    parts.push(place.into_iter().flatten().collect::<Vec<_>>().join(", "));
    parts.extend(proposal.project.as_deref().map(clean));
    let rule = clean(&proposal.rule);
    parts.extend((!rule.is_empty()).then(|| format!("rule {rule}")));
    parts.retain(|part| !part.is_empty());
    parts
}

/// The first digits of an id.
fn begin(id: &str) -> String {
    clean(id).chars().take(DIGITS).collect()
}

fn speaker(role: &str) -> String {
    match role {
        "person" => "said by the person".to_owned(),
        "agent" => "said by the agent".to_owned(),
        "subagent" => "said by a subagent".to_owned(),
        "model" => "said by a language model".to_owned(),
        "" | "unknown" => "nobody knows who said it".to_owned(),
        other => format!("said by: {}", clean(other)),
    }
}

/// Proposals in a table; `all` says that they have different statuses.
pub fn list(listing: &Listing, all: bool, columns: usize, now: Timestamp) -> String {
    let mut page = Page::new(columns);
    page.line(1, &waiting(listing));
    if listing.proposals.is_empty() {
        return page.into_text();
    }
    page.rule();
    let mut heads = vec![
        Column::text("ID", 0),
        Column::text("STATUS", 0),
        Column::text("TYPE", 0),
        Column::text("BY", 0),
    ];
    heads.extend([Column::text("FOUND", 0), Column::text("WHAT WAS SAID", 20)]);
    let rows = listing.proposals.iter().map(|proposal| {
        let id = begin(&proposal.id);
        let kind = proposal.kind.replace('_', " ");
        let found = ago(&proposal.extracted_at, now);
        let said = proposal.content.clone();
        vec![id, proposal.status.clone(), kind, proposal.role.clone(), found, said]
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if !all {
        heads.remove(1);
        for row in &mut rows {
            row.remove(1);
        }
    }
    page.table(1, &heads, rows);
    if listing.pending > 0 {
        page.hint("`mk review` goes through them one by one, `mk review show ID` shows one whole.");
    }
    page.into_text()
}

/// `17 proposals wait, 3 of them from this project.`
fn waiting(listing: &Listing) -> String {
    let here = listing.pending_here;
    match listing.pending {
        0 => "No proposals wait.".to_owned(),
        1 => "1 proposal waits.".to_owned(),
        all if here == all => format!("{all} proposals wait."),
        all => format!("{all} proposals wait, {here} of them from this project."),
    }
}

/// A proposal with everything that is known of it.
pub fn whole(proposal: &ProposalRecord, columns: usize) -> String {
    let mut page = Page::new(columns.min(WIDEST));
    let kind = clean(&proposal.kind).replace('_', " ");
    let (heading, status) = (paint(Tone::Heading, &clean(&proposal.id)), clean(&proposal.status));
    page.line(1, &format!("{heading}  {kind}, {status}"));
    page.rule();
    page.paragraph(1, &proposal.content);
    page.blank();
    evidence(&mut page, proposal);
    page.parts(1, origin(proposal, None));
    if let Some(at) = &proposal.decided_at {
        let by = proposal.decided_by.as_deref().map(clean).unwrap_or_default();
        let became = proposal.finding.map(|id| format!(", became finding #{id}"));
        let became = became.unwrap_or_default();
        page.line(1, &paint(Tone::Faint, &format!("{status} {} ({by}){became}", iso(at))));
    }
    page.labelled(1, "reason", proposal.reason.as_deref().unwrap_or_default());
    page.into_text()
}

/// What was decided, in one line.
pub fn decision(decision: &Decision) -> String {
    let id = begin(&decision.id);
    let kept = match (decision.kind, decision.finding) {
        (Some(kind), Some(finding)) => format!(": kept as {} #{finding}", kind.as_str()),
        _ => String::new(),
    };
    let undone = match (decision.removed_finding, decision.kept_finding) {
        (Some(finding), _) => format!(" again; finding #{finding} is gone"),
        (_, Some(finding)) => format!(" again; finding #{finding} was changed since and stays"),
        _ if decision.status == "pending" => " again".to_owned(),
        _ => String::new(),
    };
    let (tone, word) = match decision.status {
        "accepted" => (Tone::Good, "accepted"),
        "rejected" => (Tone::Bad, "rejected"),
        _ => (Tone::Caution, "waits"),
    };
    format!("  {} {id}{kept}{undone}\n", paint(tone, word))
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    fn proposal() -> ProposalRecord {
        ProposalRecord {
            id: "3f2a91c04d7e".into(),
            kind: "self_knowledge".into(),
            content: "omega closes goals about ℕ once the casts are pushed\u{1b}[31m.".into(),
            role: "agent".into(),
            source: "1f2e3d4c-aaaa".into(),
            line: Some(42),
            project: Some("github.com/ada/bridges".into()),
            extracted_at: "2026-02-01 09:00:00".into(),
            status: "pending".into(),
            rule: "note-to-self".into(),
            sentence: "**So** (omega closes goals about ℕ once the casts are pushed), and that is it.".into(),
            before: Some("I tried linarith on the inequality between the casts first, then nlinarith with the product of both hypotheses, and in the end polyrith, and all of that failed in the same place.".into()),
            after: Some("Let me apply it.".into()),
            session: Some("1f2e3d4c-aaaa".into()),
            ..ProposalRecord::default()
        }
    }

    #[test]
    fn a_card_fits_and_says_where_it_comes_from() {
        let proposal = proposal();
        let text = sample::plain(&card(&proposal, (3, 17), 120, sample::now()), 80);
        insta::assert_snapshot!(text, @r"
        3 of 17    would be kept as an insight                            3f2a91c04d7e
        ---
        omega closes goals about ℕ once the casts are pushed.

        before    I tried linarith on the inequality between the casts first, then
                  nlinarith with the product of both hypotheses, and in the end
                  polyrith, and all of that failed in the same place.
        said      **So** (omega closes goals about ℕ once the casts are pushed), and
                  that is it.
        after     Let me apply it.
        said by the agent | 3h ago | session 1f2e3d4c, line 42
        github.com/ada/bridges | rule note-to-self
        ");
    }

    #[test]
    fn a_list_and_one_whole() {
        let mut decided = proposal();
        decided.status = "rejected".into();
        decided.reason = Some("too vague".into());
        decided.decided_at = Some("2026-02-01 10:00:00".into());
        decided.decided_by = Some("terminal".into());
        let listing = Listing {
            proposals: vec![proposal(), decided.clone()],
            total: 2,
            pending: 3,
            pending_here: 1,
        };
        let text = |all| sample::plain(&list(&listing, all, 80, sample::now()), 80);
        insta::assert_snapshot!(text(false), @r"
        3 proposals wait, 1 of them from this project.
        ---
        ID        TYPE            BY     FOUND   WHAT WAS SAID
        3f2a91c0  self knowledge  agent  3h ago  omega closes goals about ℕ once the…
        3f2a91c0  self knowledge  agent  3h ago  omega closes goals about ℕ once the…
        `mk review` goes through them one by one, `mk review show ID` shows one whole.
        ");
        insta::assert_snapshot!(text(true), @r"
        3 proposals wait, 1 of them from this project.
        ---
        ID        STATUS    TYPE            BY     FOUND   WHAT WAS SAID
        3f2a91c0  pending   self knowledge  agent  3h ago  omega closes goals about ℕ…
        3f2a91c0  rejected  self knowledge  agent  3h ago  omega closes goals about ℕ…
        `mk review` goes through them one by one, `mk review show ID` shows one whole.
        ");
        insta::assert_snapshot!(sample::plain(&whole(&decided, 80), 80), @r"
        3f2a91c04d7e  self knowledge, rejected
        ---
        omega closes goals about ℕ once the casts are pushed.

        before    I tried linarith on the inequality between the casts first, then
                  nlinarith with the product of both hypotheses, and in the end
                  polyrith, and all of that failed in the same place.
        said      **So** (omega closes goals about ℕ once the casts are pushed), and
                  that is it.
        after     Let me apply it.
        said by the agent | 2026-02-01T09:00:00Z | session 1f2e3d4c, line 42
        github.com/ada/bridges | rule note-to-self
        rejected 2026-02-01T10:00:00Z (terminal)
        reason: too vague
        ");
        assert_eq!(
            sample::plain(&list(&Listing::default(), false, 80, sample::now()), 80),
            "  No proposals wait.\n"
        );
    }

    #[test]
    fn a_decision_is_one_line() {
        let decision_ = |status, finding: Option<i64>, removed, kept| Decision {
            id: "3f2a91c04d7e".into(),
            status,
            content: String::new(),
            kind: finding.map(|_| Kind::Preference),
            finding,
            removed_finding: removed,
            kept_finding: kept,
        };
        for (given, expected) in [
            (
                decision_("accepted", Some(12), None, None),
                "  accepted 3f2a91c0: kept as preference #12\n",
            ),
            (decision_("rejected", None, None, None), "  rejected 3f2a91c0\n"),
            (decision_("pending", None, None, None), "  waits 3f2a91c0 again\n"),
            (
                decision_("pending", None, Some(12), None),
                "  waits 3f2a91c0 again; finding #12 is gone\n",
            ),
            (
                decision_("pending", None, None, Some(12)),
                "  waits 3f2a91c0 again; finding #12 was changed since and stays\n",
            ),
        ] {
            assert_eq!(sample::plain(&decision(&given), 80), expected);
        }
    }
}
