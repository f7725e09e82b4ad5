//! What the guard says, in words: what happens to which declaration, and the legal ways on.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use super::judge::{Finding, Verdict};
use super::rules::{Level, Rule};
use crate::text::{clip, clip_middle, one_line, plural};

/// Findings that are told one by one; the others are counted.
const MOST_TOLD: usize = 4;

/// Lines of a lost proof that are shown, and their width.
const PROOF_LINES: usize = 4;
const PROOF_WIDTH: usize = 100;

const DETAIL_WIDTH: usize = 400;

/// A statement before or after, in columns.
const STATEMENT_WIDTH: usize = 300;

/// When a change happens, seen from the moment in which it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    Would,
    /// Right after an edit: it has happened.
    Has,
    /// At the end of a turn: it happened.
    Did,
}

impl Tense {
    fn pick(self, would: &'static str, has: &'static str, did: &'static str) -> &'static str {
        match self {
            Self::Would => would,
            Self::Has => has,
            Self::Did => did,
        }
    }
}

impl Verdict {
    /// What is said to the agent: what happens, and the legal ways on. Remarks are told where
    /// nothing is refused. `file` is what `mk allow` is given for what has no name.
    pub fn reason(&self, tense: Tense, file: &str) -> String {
        let refused = self.refused();
        let mut text = self.told(tense, true);
        let rules = rules(&refused);
        if rules.is_empty() {
            return text;
        }
        text.push_str(match (self.decision(), tense) {
            (Level::Ask, Tense::Would) => "\nIf it is not given:\n",
            (_, Tense::Has) => "\nUndo this edit, then:\n",
            _ => "\nWhat you can do:\n",
        });
        let most = if rules.len() > 1 { 1 } else { usize::MAX };
        for way in rules.iter().flat_map(|rule| ways(*rule).iter().take(most)) {
            writeln!(text, "  - {way};").ok();
        }
        if self.decision() == Level::Ask {
            return text.trim_end().trim_end_matches(';').to_owned() + ".";
        }
        text + &self.last_way(file)
    }

    /// How the person is asked for leave: once for one declaration, for a while for several of a file.
    pub fn last_way(&self, file: &str) -> String {
        let lifts = self.lifts(file);
        let asks = if lifts.contains("` and `") { "ask" } else { "asks" };
        format!("  - if it must be done: {lifts} {asks} the person; then edit again.")
    }

    /// The commands that ask the person for leave, one for each rule.
    pub fn lifts(&self, file: &str) -> String {
        let refused = self.refused();
        let Some(first) = refused.first() else { return String::new() };
        let one = refused.iter().all(|finding| finding.declaration == first.declaration);
        let name = first.declaration.as_deref().filter(|name| one && !name.is_empty());
        let (name, period) = (name.unwrap_or(file), if one { "--once" } else { "--for 30m" });
        let name = crate::shell::quoted(name);
        let rules = rules(&refused);
        let ways = rules
            .iter()
            .map(|rule| format!("`mk allow {name} --rule {rule} {period} --reason \"...\"`"));
        ways.collect::<Vec<_>>().join(" and ")
    }

    /// What happens, without the ways on: all that is refused, or else the remarks; with the
    /// beginnings of lost proofs or without.
    pub fn told(&self, tense: Tense, proofs: bool) -> String {
        let head = match (self.decision(), tense) {
            (Level::Off | Level::Warn, _) | (_, Tense::Did) => "",
            (Level::Ask, Tense::Would) => "math-forge: this edit needs the person's agreement.\n",
            (_, Tense::Would) => "math-forge refused this edit; nothing was written.\n",
            (_, Tense::Has) => "math-forge does not accept this edit, which has been written.\n",
        };
        head.to_owned() + &self.listed(tense, proofs)
    }

    /// The same without the sentence at its head.
    pub fn listed(&self, tense: Tense, proofs: bool) -> String {
        let refused = self.refused();
        let findings = if refused.is_empty() { self.findings.iter().collect() } else { refused };
        let mut text = String::new();
        let (replaced, findings) = by_name(findings);
        for finding in findings.iter().take(MOST_TOLD) {
            finding.say(tense, &mut text);
            if proofs {
                finding.proof(tense, findings.len() == 1, &mut text);
            }
        }
        let more = findings.len().saturating_sub(MOST_TOLD);
        if more > 0 {
            writeln!(text, "And {more} more like this.").ok();
        }
        say_replaced(&replaced, tense, &mut text);
        text.trim_end().to_owned()
    }

    /// What is more than a remark, the strictest first.
    pub fn refused(&self) -> Vec<&Finding> {
        self.findings.iter().filter(|finding| finding.level > Level::Warn).collect()
    }
}

/// Those in which names only take the places of others, if that is one thing: several statements, and each name with one
/// in its place.
fn by_name(findings: Vec<&Finding>) -> (Vec<&Finding>, Vec<&Finding>) {
    let pairs: BTreeSet<_> = findings.iter().flat_map(|one| &one.replaced).collect();
    let olds: HashSet<&str> = pairs.iter().map(|(old, _)| old.as_str()).collect();
    let (replaced, others): (Vec<_>, Vec<_>) =
        findings.iter().partition(|one| !one.replaced.is_empty());
    let is_one = replaced.len() > 1 && olds.len() == pairs.len();
    if is_one { (replaced, others) } else { (Vec::new(), findings) }
}

fn say_replaced(findings: &[&Finding], tense: Tense, text: &mut String) {
    let Some(first) = findings.first() else { return };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for pair in findings.iter().flat_map(|one| &one.replaced) {
        *counts.entry(pair).or_default() += 1;
    }
    let becomes = tense.pick("would become", "has become", "became");
    let told = counts.iter().map(|((old, new), count)| {
        format!("`{old}` {becomes} `{new}` in {}", plural(*count, "statement"))
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let names = findings.iter().take(MOST_TOLD).filter_map(|one| one.declaration.as_deref());
    let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = findings.len().saturating_sub(MOST_TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(text, "[{}] {told}: {names}{more}.", first.rule).ok();
    if let Some((old, new)) = &first.restated {
        let is = tense.pick("would be", "is now", "is now");
        say_both(old, new, is, text);
    }
}

fn say_both(old: &str, new: &str, is: &str, text: &mut String) {
    let [old, new] = [old, new].map(|statement| clip_middle(statement, STATEMENT_WIDTH));
    writeln!(text, "    was: {old}\n    {is}: {new}").ok();
}

impl Finding {
    fn place(&self) -> String {
        self.line.map_or_else(String::new, |line| format!(" (line {line})"))
    }

    fn subject(&self) -> String {
        let kind = self.kind.map_or("declaration", |kind| kind.as_str());
        let place = self.place();
        match &self.declaration {
            Some(name) => format!("{kind} `{name}`{place}"),
            None if self.kind.is_some() => format!("this {kind}{place}"),
            None => format!("this file{place}"),
        }
    }

    pub fn sentence(&self, tense: Tense) -> String {
        self.sentence_with(&self.detail, tense)
    }

    /// The finding as a sentence, and both statements in a line each.
    fn say(&self, tense: Tense, text: &mut String) {
        let Some((old, new)) = &self.restated else {
            writeln!(text, "{}", self.sentence(tense)).ok();
            return;
        };
        // The statements have their own lines.
        let detail = match self.detail.split_once("` became `") {
            Some((before, after)) => {
                let head = before.split('`').next().filter(|head| head.ends_with("; "));
                let head = head.unwrap_or_default();
                let why = after.rsplit_once("`; ").map_or("", |(_, why)| why);
                format!("{head}{why}").trim_end_matches([';', ' ']).to_owned()
            }
            None => self.detail.clone(),
        };
        writeln!(text, "{}", self.sentence_with(&detail, tense)).ok();
        let is = tense.pick("would be", "is now", "is now");
        say_both(old, new, is, text);
    }

    fn sentence_with(&self, detail: &str, tense: Tense) -> String {
        let what = self.what(tense);
        let detail = match detail.strip_prefix("now ") {
            _ if self.rule == Rule::PolicyChanged => String::new(),
            // The sentence says it already.
            None if self.rule == Rule::ProofRemoved && detail == "it was proved" => String::new(),
            _ if self.rule == Rule::TrustAdded => self.trusted().to_owned(),
            Some(left) if left.starts_with('`') => format!("left with {left}"),
            Some(left) if left.starts_with("an ") => format!("left as {left}"),
            Some(left) => format!("left {left}"),
            None if tense == Tense::Would => detail.replace("` became `", "` would become `"),
            None => detail.to_owned(),
        };
        let detail = clip_middle(&detail, DETAIL_WIDTH);
        let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
        format!("[{}] {what}{detail}.", self.rule)
    }

    fn trusted(&self) -> &str {
        let is_kind = |head: &str| head.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        match self.detail.split_once(": ") {
            Some((head, what)) if is_kind(head) => what,
            _ => &self.detail,
        }
    }

    fn what(&self, tense: Tense) -> String {
        let subject = self.subject();
        let change = tense.pick("would change", "has changed", "changed");
        let lose = tense.pick("would lose", "has lost", "lost");
        let been = tense.pick("would be", "has been", "was");
        let (would_be, need) = (
            tense.pick("would be", "is now", "is now"),
            tense.pick("would need", "needs", "needs"),
        );
        match self.rule {
            Rule::ProofLost => format!("{subject} {lose} its proof"),
            Rule::ProgressLost => format!("{subject} {lose} proof code, with a gap in its place"),
            Rule::PolicyChanged if self.detail.is_empty() => {
                format!("this {change} the guard's own settings")
            }
            Rule::PolicyChanged => format!("this {change} {}", self.detail),
            Rule::StatementChanged if self.detail.starts_with("its statement is locked") => {
                let is = tense.pick("would no longer be", "is no longer", "was no longer");
                format!("{subject} {is} there under its name")
            }
            Rule::StatementChanged | Rule::StatementNoted => {
                format!("the statement of {subject} {change}")
            }
            Rule::DefinitionChanged if self.is_gone => format!("{subject} {been} removed"),
            Rule::DefinitionChanged => format!("{subject} {would_be} defined differently"),
            Rule::ProofRemoved => format!("{subject} {been} removed with its proof"),
            Rule::SearchLeft => {
                let searches = tense.pick("would only search", "only searches", "only searches");
                format!("{subject} {searches} for its proof")
            }
            Rule::AxiomAdded => format!("{subject} {would_be} assumed without a proof"),
            Rule::TrustAdded if self.gives_meaning => {
                let gives = tense.pick("could give", "can give", "can give");
                format!("{subject} {gives} statements a different meaning")
            }
            Rule::TrustAdded if self.detail.ends_with("has a gap") => {
                format!("{subject} {} on a gap", tense.pick("would rest", "now rests", "rested"))
            }
            Rule::TrustAdded => format!("{subject} {need} trust beyond the kernel"),
            Rule::FalseHypothesis => {
                let is = tense.pick("would be", "is", "is");
                format!("{subject} {is} proved from something that cannot be true")
            }
            Rule::FalseLemma => match self.declaration.as_deref().filter(|name| !name.is_empty()) {
                Some(name) => format!("`{name}`{} is recorded as false", self.place()),
                None => format!("what is stated here{} is recorded as false", self.place()),
            },
            Rule::GapInCompleteFile => {
                format!("{subject} {would_be} the only gap of a complete file")
            }
            rule => format!("{subject}: {}", rule.summary()),
        }
    }

    fn proof(&self, tense: Tense, in_full: bool, text: &mut String) {
        let Some(lost) = self.lost.as_deref().filter(|_| self.level > Level::Warn) else { return };
        let lines: Vec<&str> = lost.lines().filter(|line| !line.trim().is_empty()).collect();
        if !in_full {
            // `by` says nothing alone, and more lines in one are no Lean.
            let shown = if lines.first().is_some_and(|line| line.trim() == "by") { 2 } else { 1 };
            let head = one_line(&lines.iter().take(shown).copied().collect::<Vec<_>>().join(" "));
            let more = if lines.len() > shown { " ..." } else { "" };
            writeln!(text, "    {}{more}", clip(&head, PROOF_WIDTH)).ok();
            return;
        }
        writeln!(text, "What {} lost:", tense.pick("would be", "was", "was")).ok();
        // A line that says "1 more line" is no shorter than the line.
        let shown = if lines.len() > PROOF_LINES { PROOF_LINES - 1 } else { lines.len() };
        for line in lines.iter().take(shown) {
            writeln!(text, "    {}", clip(line.trim_end(), PROOF_WIDTH)).ok();
        }
        if lines.len() > shown {
            writeln!(text, "    ... ({} more lines of this proof)", lines.len() - shown).ok();
        }
    }
}

fn rules(findings: &[&Finding]) -> Vec<Rule> {
    let mut seen = HashSet::new();
    findings.iter().map(|finding| finding.rule).filter(|rule| seen.insert(*rule)).collect()
}

/// What may be done in place of what a rule refuses.
fn ways(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::ProofLost => &[
            "keep the proof and change only the step that has to change",
            "try another proof in a new declaration, where `sorry` is fine; move it here when it has no gap",
            "state the step that is missing as a new lemma with `sorry`, and use it in this proof",
        ],
        Rule::ProgressLost => &[
            "keep the code that works and put `sorry` only where a goal is open",
            "move the code into a new lemma, or try the other approach in a new declaration",
        ],
        Rule::StatementChanged | Rule::StatementNoted => &[
            "state the new version under a new name beside this one",
            "leave the statement and prove what is missing as a lemma",
        ],
        Rule::FalseHypothesis => &["leave out the hypothesis, with a gap where it was needed"],
        Rule::PolicyChanged => &["leave it to the person, and say what you need and why"],
        Rule::DefinitionChanged => &["define the new version under a new name"],
        Rule::ProofRemoved => &["keep the declaration and add its replacement beside it"],
        Rule::SearchLeft => &["write what the search finds, not the search"],
        Rule::AxiomAdded => &["state it as a theorem with `sorry`, which counts as a gap"],
        Rule::TrustAdded => &["prove it in a way that the kernel checks"],
        Rule::FalseLemma => &["use something else, or prove only the case that is needed"],
        Rule::GapInCompleteFile => &["put the sketch into another file"],
        _ => &[],
    }
}

/// What is said when the same edit is refused once more, in place of the ways on: the times it was
/// refused before, how the person is asked (`way`), and what was tried for this declaration already.
pub fn coaching(finding: &Finding, times: usize, tried: &[String], way: &str) -> String {
    let mut text = format!(
        "This was already refused {times} times in this session, and trying again will not help.\n\
         Do something else now:\n"
    );
    let steps: &[&str] = match finding.rule {
        Rule::ProofLost | Rule::ProgressLost | Rule::SearchLeft => &[
            "split the statement: one new lemma for each case or step, each with its own `sorry`",
            "test it for falsity: `decide`, `norm_num` or a small case in an `example`",
            "leave it as it is and go on with another declaration",
        ],
        rule => ways(rule),
    };
    let name = finding.declaration.as_deref().unwrap_or("this").replace(['"', '`', '$', '\\'], "");
    for step in steps {
        writeln!(text, "  - {step};").ok();
    }
    text.push_str("  - ask the person which way to go;\n");
    let record =
        format!("mk add failure --title \"{name}: WHAT WAS TRIED\" --why-failed \"WHY IT FAILED\"");
    writeln!(text, "  - record what failed: `{record}`;\n{way}").ok();
    if !tried.is_empty() {
        text.push_str("Tried already:\n");
        for one in tried.iter().take(MOST_TOLD) {
            writeln!(text, "  - {}", clip(one, PROOF_WIDTH)).ok();
        }
    }
    text.trim_end().to_owned()
}
