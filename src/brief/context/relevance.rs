//! How much a finding has to do with a text. All weights of it stand here.

use super::{Cues, FIRST, PLAYBOOK};
use crate::model::{Confidence, Draft, Evidence, Finding, Kind, LessonDetail, same_problem};
use crate::text::without_mark;

/// What reaches this is said.
pub const THRESHOLD: f64 = 0.45;

/// The score of an exact name, and of the id of a problem.
const NAME: f64 = 3.0;
const PROBLEM: f64 = 2.0;
/// What a word counts in a title, a name, a problem's id or a tag, in a statement or a reason, elsewhere.
const IN_TITLE: f64 = 1.0;
const IN_STATEMENT: f64 = 0.7;
const ELSEWHERE: f64 = 0.5;
/// A finding must share so many words with a text: two are soon shared by chance.
const WORDS: usize = 3;
/// A text is as if it had at least, and at most, so many words of the rarest sort.
const FEWEST: f64 = 2.5;
const MOST: f64 = 6.0;
/// Below so many findings every word is rare.
const SMALL_BASE: u64 = 1000;
/// Factors for this project, for what is false, for what failed, and for what is only a guess.
const OF_PROJECT: f64 = 1.1;
const FALSE: f64 = 1.2;
const FAILED: f64 = 1.1;
const GUESS: f64 = 0.85;
/// What was shown in so many sessions and never used is not shown any more.
const PATIENCE: u64 = 3;
/// Bytes of a text of a finding that are looked at.
const LOOKED_AT: usize = 4000;

/// How relevant something is, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// Larger is better; see [`THRESHOLD`].
    pub score: f64,
    /// 1 for what matters most, up to 5 for playbooks.
    pub priority: u8,
    /// The rule by which it was found: `name`, `problem`, `words`, ...
    pub rule: &'static str,
    /// What matched, in words.
    pub why: String,
}

/// A word of the text, and in how many findings it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower case.
    pub text: String,
    /// Findings that hold it; an upper limit where there are many.
    pub docs: u64,
}

/// The relevance of a finding whose theorem or problem the text names; `None` where it names neither.
pub fn by_name(cues: &Cues, finding: &Finding, project: Option<&str>) -> Option<Relevance> {
    let content = &finding.content;
    let theorem = content.theorem_name.as_deref().unwrap_or_default();
    let named = cues.names.iter().find(|name| is_same_name(name, theorem));
    let problem = content.problem.as_deref().unwrap_or_default();
    let (base, rule, why) = match named {
        Some(name) => (NAME, "name", format!("the name {name}")),
        // What else is known of a problem is said in one line about it.
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

/// Whether it keeps somebody from repeating a mistake, and somebody wrote it down.
fn warns(content: &Draft) -> bool {
    content.kind == Kind::FalseLemma
        || (content.kind == Kind::Failure && !content.is_read_off_a_result())
}

/// Whether the person chose it or stands for it in words.
fn is_decided(content: &Draft) -> bool {
    content.evidence == Evidence::Person
        && matches!(
            content.kind,
            Kind::Decision | Kind::Preference | Kind::Insight | Kind::Technique
        )
}

/// Whether a name that was written is a theorem's: whole, or its last part where that is a name of its own.
fn is_same_name(written: &str, theorem: &str) -> bool {
    let plain = |name: &str| name.replace(['«', '»'], "");
    let (written, theorem) = (plain(written), plain(theorem));
    written == theorem
        || (!written.contains('.') && theorem.rsplit('.').next() == Some(written.as_str()))
}

/// The relevance of a finding that shares words with the text; `total` is how many findings there are.
/// `None` where it shares too few.
pub fn by_words(
    words: &[Word],
    total: u64,
    finding: &Finding,
    project: Option<&str>,
) -> Option<Relevance> {
    let content = &finding.content;
    // Of a tool a lesson speaks beside the error that it is about, not beside words.
    let is_of_tool = |lesson: &LessonDetail| !["", "lean_fix"].contains(&lesson.pattern.as_str());
    if content.lesson().is_some_and(is_of_tool) {
        return None;
    }
    let fields = fields(content);
    let mut matched = 0.0;
    let mut found = Vec::new();
    let mut in_front = false;
    for word in words {
        let best = fields.iter().filter(|(_, text)| text.iter().any(|t| is_same(t, &word.text)));
        if let Some(worth) = best.map(|(worth, _)| *worth).max_by(f64::total_cmp) {
            matched += worth * weight(word.docs, total);
            in_front |= worth > ELSEWHERE;
            found.push(word.text.as_str());
        }
    }
    if found.len() < WORDS || !in_front {
        return None;
    }
    let rarest = weight(1, total);
    let all: f64 = words.iter().map(|word| weight(word.docs, total)).sum();
    let share = matched / all.clamp(FEWEST * rarest, MOST * rarest);
    found.sort_unstable();
    Some(Relevance {
        score: adjusted(share.min(1.0), content, project),
        priority: priority(content.kind, false),
        rule: "words",
        why: format!("the words {}", found.join(", ")),
    })
}

/// What a word says: the rarer, the more.
#[allow(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
fn weight(docs: u64, total: u64) -> f64 {
    let total = total.max(SMALL_BASE) as f64;
    (1.0 + total / docs.max(1) as f64).ln()
}

/// What failed and what is false comes before what worked; what is named before what is alike.
fn priority(kind: Kind, exact: bool) -> u8 {
    match (kind, exact) {
        (Kind::Playbook, _) => PLAYBOOK,
        (Kind::FalseLemma | Kind::Failure, true) => FIRST,
        (_, true) | (Kind::FalseLemma, false) => FIRST + 1,
        (Kind::Failure | Kind::Lesson, false) => FIRST + 2,
        (_, false) => FIRST + 3,
    }
}

/// With what the finding is like, and whose it is.
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
        score *= GUESS;
    }
    (score * 1000.0).round() / 1000.0
}

/// Whether something was shown so often in vain that it is said no more. What is false or failed always
/// is, and so is what a person or the agent calls by its name.
pub fn has_fallen_silent(content: &Draft, rule: &str, shown_in_vain: u64) -> bool {
    let warns = matches!(content.kind, Kind::FalseLemma | Kind::Failure);
    shown_in_vain >= PATIENCE && !warns && rule != "name"
}

/// The words of a finding's texts, with what a word in them counts.
fn fields(content: &Draft) -> Vec<(f64, Vec<String>)> {
    let tags = content.tags.join(" ");
    let texts = [
        (IN_TITLE, Some(content.title.as_str())),
        (IN_TITLE, content.theorem_name.as_deref()),
        (IN_TITLE, content.problem.as_deref()),
        (IN_TITLE, Some(tags.as_str())),
        (IN_STATEMENT, content.theorem_statement.as_deref()),
        (IN_STATEMENT, content.why_failed.as_deref()),
        (IN_STATEMENT, content.avoid_pattern.as_deref()),
        (IN_STATEMENT, content.correct_approach.as_deref()),
        (IN_STATEMENT, content.proof_technique.as_deref()),
        (ELSEWHERE, content.counterexample.as_deref()),
        (ELSEWHERE, Some(content.description.as_str())),
    ];
    let words = |text: &str| {
        let text = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| word.chars().flat_map(char::to_lowercase).map(without_mark).collect())
            .collect()
    };
    texts.into_iter().filter_map(|(worth, text)| Some((worth, words(text?)))).collect()
}

/// Whether two words are one in other forms: `prime` and `primes`, `square` and `squares`.
fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.len() >= 4
        && long.len() - short.len() <= 3
        && long.starts_with(short)
        && ["s", "es", "ed", "ing", "d", "ly", "ion"]
            .contains(&long.get(short.len()..).unwrap_or_default())
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
        let found =
            by_name(&cues, finding, project).or_else(|| by_words(&words, 5, finding, project));
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

    #[test]
    fn forms_of_a_word() {
        for (one, other, expected) in [
            ("prime", "primes", true),
            ("square", "squares", true),
            ("induct", "induction", true),
            ("sum", "sums", false),
            ("prime", "primitive", false),
            ("é", "è", false),
        ] {
            assert_eq!(is_same(one, other), expected, "{one} {other}");
            assert_eq!(is_same(other, one), expected, "{other} {one}");
        }
    }
}
