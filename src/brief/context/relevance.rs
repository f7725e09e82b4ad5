//! How much a finding has to do with a text. All weights are here.

use super::{Cues, FIRST, PLAYBOOK};
use crate::model::{Confidence, Draft, Evidence, Finding, Kind, LessonDetail, same_problem};

/// What reaches it is said.
pub const THRESHOLD: f64 = 0.45;

/// Exact name, id of a problem.
const NAME: f64 = 3.0;
const PROBLEM: f64 = 2.0;
/// Shared words needed: two are soon shared by chance.
const WORDS: usize = 3;
/// The least and the most that a text's words are taken to weigh.
const FEWEST: f64 = 2.5;
const MOST: f64 = 6.0;
/// Below so many findings every word is rare.
const SMALL_BASE: u64 = 1000;
/// Factors.
const OF_PROJECT: f64 = 1.1;
const FALSE: f64 = 1.2;
const FAILED: f64 = 1.1;
const UNSURE: f64 = 0.85;
/// Sessions after which what was never used is no longer shown.
const PATIENCE: u64 = 3;
/// Only an earlier session speaks for it: told once.
pub const GUESS: &str = "guess";

#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// See [`THRESHOLD`].
    pub score: f64,
    /// 1 (first) to 5 (playbooks).
    pub priority: u8,
    /// `name`, `problem`, `words`, ...
    pub rule: &'static str,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower case.
    pub text: String,
    /// Findings that hold it, up to a limit.
    pub docs: u64,
}

/// The text names the finding's theorem or problem.
pub fn by_name(cues: &Cues, finding: &Finding, project: Option<&str>) -> Option<Relevance> {
    let content = &finding.content;
    let theorem = content.theorem_name.as_deref().unwrap_or_default();
    let named = cues.names.iter().find(|name| is_same_name(name, theorem));
    let problem = content.problem.as_deref().unwrap_or_default();
    let (base, rule, why) = match named {
        Some(name) => (NAME, "name", format!("the name {name}")),
        // One line about the problem says the rest.
        None if (warns(content) || is_decided(content))
            && cues.named.problems.iter().any(|id| same_problem(id, problem)) =>
        {
            (PROBLEM, "problem", format!("the problem {problem}"))
        }
        None => return None,
    };
    let score = adjusted(base, content, project);
    Some(Relevance { score, priority: priority(content.kind, true), rule, why })
}

/// Keeps somebody from repeating a mistake, and was written down.
fn warns(content: &Draft) -> bool {
    content.kind == Kind::FalseLemma
        || (content.kind == Kind::Failure && !content.is_read_off_a_result())
}

fn is_decided(content: &Draft) -> bool {
    content.evidence == Evidence::Person
        && matches!(
            content.kind,
            Kind::Decision | Kind::Preference | Kind::Insight | Kind::Technique
        )
}

/// Whole, or its last part where that is distinctive.
fn is_same_name(written: &str, theorem: &str) -> bool {
    let plain = |name: &str| name.replace(['«', '»'], "");
    let (written, theorem) = (plain(written), plain(theorem));
    written == theorem
        || (!written.contains('.') && theorem.rsplit('.').next() == Some(written.as_str()))
}

/// `shared` are indexes into `words`, `total` the number of findings. `None` where too little is shared.
pub fn by_words(
    words: &[Word],
    shared: &[usize],
    total: u64,
    finding: &Finding,
    project: Option<&str>,
) -> Option<Relevance> {
    let content = &finding.content;
    // A lesson about a tool is told beside its error, not beside words.
    let is_of_tool = |lesson: &LessonDetail| !["", "lean_fix"].contains(&lesson.pattern.as_str());
    if shared.len() < WORDS || content.lesson().is_some_and(is_of_tool) {
        return None;
    }
    let sum = |words: &[&Word]| words.iter().map(|word| weight(word.docs, total)).sum::<f64>();
    let found: Vec<&Word> = shared.iter().filter_map(|at| words.get(*at)).collect();
    let rarest = weight(1, total);
    let all = sum(&words.iter().collect::<Vec<_>>());
    let share = sum(&found) / all.clamp(FEWEST * rarest, MOST * rarest);
    let mut found: Vec<&str> = found.iter().map(|word| word.text.as_str()).collect();
    found.sort_unstable();
    Some(Relevance {
        score: adjusted(share.min(1.0), content, project),
        priority: priority(content.kind, false),
        rule: "words",
        why: format!("the words {}", found.join(", ")),
    })
}

/// The rarer, the more.
#[allow(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
fn weight(docs: u64, total: u64) -> f64 {
    let total = total.max(SMALL_BASE) as f64;
    (1.0 + total / docs.max(1) as f64).ln()
}

/// Failed and false before what worked, named before alike.
fn priority(kind: Kind, exact: bool) -> u8 {
    match (kind, exact) {
        (Kind::Playbook, _) => PLAYBOOK,
        (Kind::FalseLemma | Kind::Failure, true) => FIRST,
        (_, true) | (Kind::FalseLemma, false) => FIRST + 1,
        (Kind::Failure | Kind::Lesson, false) => FIRST + 2,
        (_, false) => FIRST + 3,
    }
}

fn adjusted(base: f64, content: &Draft, project: Option<&str>) -> f64 {
    let mut score = base;
    if project.is_some() && content.project.as_deref() == project {
        score *= OF_PROJECT;
    }
    score *= match content.kind {
        Kind::FalseLemma => FALSE,
        Kind::Failure => FAILED,
        _ => 1.0,
    };
    if content.confidence == Confidence::Low && content.is_claim() {
        score *= UNSURE;
    }
    (score * 1000.0).round() / 1000.0
}

/// Shown too often in vain. Never so for what is false, failed, or called by its name.
pub fn has_fallen_silent(content: &Draft, rule: &str, shown_in_vain: u64) -> bool {
    let warns = matches!(content.kind, Kind::FalseLemma | Kind::Failure);
    let patience = if rule == GUESS { 1 } else { PATIENCE };
    shown_in_vain >= patience && !warns && rule != "name"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::context::{cues, named};
    use crate::model::ProblemName;

    fn finding(kind: Kind, name: &str, problem: &str, title: &str, text: &str) -> Finding {
        let mut content = Draft::new(kind, title, text);
        content.theorem_name = Some(name.to_owned()).filter(|name| !name.is_empty());
        content.problem = Some(problem.to_owned()).filter(|problem| !problem.is_empty());
        let (uid, updated_at) = (String::new(), String::new());
        Finding { id: 1, uid, content, updated_at, superseded_by: None }
    }

    fn score(
        text: &str,
        finding: &Finding,
        project: Option<&str>,
    ) -> Option<(f64, u8, &'static str)> {
        let mut cues = cues(text);
        let known = ProblemName { id: "erdos_850".to_owned(), ..ProblemName::default() };
        cues.named = named(text, &[known]);
        let words: Vec<Word> =
            cues.words.iter().map(|word| Word { text: word.clone(), docs: 1 }).collect();
        let title = &finding.content.title;
        let shared = (0..words.len()).filter(|at| title.contains(&words[*at].text));
        let shared: Vec<usize> = shared.collect();
        let found = by_name(&cues, finding, project)
            .or_else(|| by_words(&words, &shared, 5, finding, project));
        let found = found.filter(|found| found.score >= THRESHOLD);
        found.map(|found| (found.score, found.priority, found.rule))
    }

    #[test]
    fn what_is_relevant_to_a_text() {
        let lemma = finding(
            Kind::FalseLemma,
            "Bridges.odd_sq_sum",
            "erdos_850",
            "sums of odd squares",
            "a sum of two odd squares is a square",
        );
        for (text, expected) in [
            ("use odd_sq_sum here", Some((3.6, 1, "name"))),
            ("use Bridges.odd_sq_sum", Some((3.6, 1, "name"))),
            ("use Other.odd_sq_sum", None),
            ("work on Erdos 850", Some((2.4, 1, "problem"))),
            ("are odd squares sums of odd squares", Some((1.2, 2, "words"))),
            ("parity of squares", None),
            ("hello", None),
            ("list odd things and square roots of matrices by columns and diagonals", None),
        ] {
            assert_eq!(score(text, &lemma, None), expected, "{text}");
        }
        let playbook = finding(Kind::Playbook, "", "", "odd squares of primes", "");
        assert_eq!(score("odd squares", &playbook, None), None, "two words");
        let found = score("odd squares of a prime", &playbook, None);
        assert_eq!(found.map(|(_, priority, _)| priority), Some(PLAYBOOK));
    }

    #[test]
    fn what_is_never_used_falls_silent() {
        for (kind, rule, shown_in_vain, expected) in [
            (Kind::Lesson, "lesson", 2, false),
            (Kind::Lesson, "lesson", 3, true),
            (Kind::Decision, "guess", 0, false),
            (Kind::Decision, "guess", 1, true),
            (Kind::Playbook, "playbook", 3, true),
            (Kind::Preference, "words", 9, true),
            (Kind::Insight, "words", 3, true),
            (Kind::Insight, "name", 9, false),
            (Kind::FalseLemma, "false-here", 9, false),
            (Kind::Failure, "words", 9, false),
        ] {
            let content = Draft::new(kind, "t", "d");
            let silent = has_fallen_silent(&content, rule, shown_in_vain);
            assert_eq!(silent, expected, "{kind} {rule} {shown_in_vain}");
        }
    }
}
