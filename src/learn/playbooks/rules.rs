//! Entries by counting, without a model: what worked in several runs.

use std::collections::BTreeMap;

use super::entry::Entry;
use crate::learn::technique;
use crate::model::{Domain, Run, RunDraft};
use crate::text::clip;

/// In so many different runs something must have worked.
pub const ENOUGH: usize = 3;

const MAX_TITLE: usize = 100;

const MOST_NAMED: usize = 6;

/// The entries for which there is enough evidence in these runs, the oldest first. The same runs give the
/// same entries; with more runs an entry keeps its identity and says more.
pub fn rules(runs: &[Run]) -> Vec<Entry> {
    let mut techniques: BTreeMap<(&str, &str), Vec<(&RunDraft, &str)>> = BTreeMap::new();
    let mut fixes: BTreeMap<&str, Vec<(&RunDraft, &str)>> = BTreeMap::new();
    for run in runs.iter().map(|run| &run.content) {
        let domain = run.evidence.domain.as_deref().unwrap_or_default();
        for proved in &run.evidence.proved {
            if !proved.technique.is_empty() && technique::is_telling(&proved.technique) {
                let group = techniques.entry((domain, &proved.technique)).or_default();
                group.push((run, &proved.what));
            }
        }
        for fix in &run.evidence.fixes {
            fixes.entry(&fix.lesson).or_default().push((run, &fix.text));
        }
    }
    let by_technique = techniques.into_iter().filter_map(|((domain, technique), group)| {
        // Another try that proves the same again shows nothing new.
        let group = different(group, |(_, what)| *what);
        proved(domain, technique, &different(group, |(run, _)| run.workflow_id.as_str()))
    });
    let by_fix = fixes.into_iter().filter_map(|(lesson, group)| {
        fixed(lesson, &different(group, |(run, _)| run.workflow_id.as_str()))
    });
    by_technique.chain(by_fix).collect()
}

fn different<T, K: PartialEq>(list: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in list {
        if !kept.iter().any(|known| key(known) == key(&one)) {
            kept.push(one);
        }
    }
    kept
}

fn proved(domain: &str, technique: &str, group: &[(&RunDraft, &str)]) -> Option<Entry> {
    let (first, _) = group.first().filter(|_| group.len() >= ENOUGH)?;
    let field = match domain.parse::<Domain>() {
        Ok(domain) => domain.title().to_lowercase(),
        Err(_) => "goals of this kind".to_owned(),
    };
    let told: Vec<String> = group
        .iter()
        .take(MOST_NAMED)
        .map(|(run, what)| format!("{} ({what})", run.task_id))
        .collect();
    let more = group.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let title = format!("For {field} try {technique}");
    let content = format!(
        "It proved results without a gap in {} different runs: {}{more}. Try it early.",
        group.len(),
        told.join("; ")
    );
    Some(counted(first, title, content, format!("technique/{domain}/{technique}"), group))
}

fn fixed(lesson: &str, group: &[(&RunDraft, &str)]) -> Option<Entry> {
    let (_, text) = group.last().filter(|_| group.len() >= ENOUGH)?;
    let (first, _) = group.first()?;
    let title = clip(text.trim_end_matches('.'), MAX_TITLE);
    let tasks: Vec<&str> = different(group.to_vec(), |(run, _)| run.task_id.as_str())
        .into_iter()
        .map(|(run, _)| run.task_id.as_str())
        .collect();
    let tasks = tasks.get(..tasks.len().min(MOST_NAMED)).unwrap_or_default().join("; ");
    let content =
        format!("{} It worked in {} different runs: {tasks}.", with_stop(text), group.len());
    Some(counted(first, title, content, format!("fix/{lesson}"), group))
}

fn with_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

fn counted(
    first: &RunDraft,
    title: String,
    content: String,
    identity: String,
    group: &[(&RunDraft, &str)],
) -> Entry {
    let mut entry = Entry::of(first, title, content);
    let is_one_project = group.iter().all(|(run, _)| run.project == first.project);
    entry.project = entry.project.filter(|_| is_one_project);
    entry.shown_by = group.iter().map(|(run, _)| run.workflow_id.clone()).collect();
    entry.identity = Some(identity);
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Proved, RunEvidence, RunSource, Spared};

    fn run(workflow: &str, domain: &str, proved: &[(&str, &str)], fixes: &[&str]) -> Run {
        let proved = proved.iter().map(|(technique, what)| Proved {
            technique: (*technique).to_owned(),
            what: (*what).to_owned(),
        });
        let fixes = fixes.iter().map(|lesson| Spared {
            lesson: (*lesson).to_owned(),
            text: format!("Unknown constant `x`: {lesson} instead"),
        });
        let evidence = RunEvidence {
            domain: Some(domain.to_owned()),
            proved: proved.collect(),
            fixes: fixes.collect(),
            files: vec!["A.lean".to_owned()],
            ..RunEvidence::default()
        };
        let content = RunDraft {
            source: RunSource::Result,
            workflow_id: workflow.to_owned(),
            task_id: format!("task_{workflow}"),
            project: Some("p".to_owned()),
            session: None,
            description: String::new(),
            outcome: String::new(),
            evidence,
            completed_at: None,
        };
        Run { id: 0, content, hash: String::new(), failures: 0 }
    }

    fn titles(runs: &[Run]) -> Vec<String> {
        rules(runs).into_iter().map(|entry| entry.title).collect()
    }

    #[test]
    fn three_different_runs_are_enough() {
        let induction =
            |workflow: &str, what: &str| run(workflow, "nt", &[("induction", what)], &[]);
        for (runs, expected) in [
            (vec![induction("1", "a"), induction("2", "b")], 0),
            (vec![induction("1", "a"), induction("2", "b"), induction("3", "c")], 1),
            // The same run twice, from its submission and from its result.
            (vec![induction("1", "a"), induction("1", "a b"), induction("3", "c")], 0),
            // The same theorem again.
            (vec![induction("1", "a"), induction("2", "a"), induction("3", "c")], 0),
            // In another domain.
            (
                vec![
                    induction("1", "a"),
                    induction("2", "b"),
                    run("3", "algebra", &[("induction", "c")], &[]),
                ],
                0,
            ),
            // What stands in every proof.
            (["1", "2", "3"].map(|n| run(n, "nt", &[("rewriting", n)], &[])).to_vec(), 0),
            (["1", "2", "3"].map(|n| run(n, "nt", &[], &["use y"])).to_vec(), 1),
            (["1", "2", "2"].map(|n| run(n, "nt", &[], &["use y"])).to_vec(), 0),
            (vec![], 0),
        ] {
            assert_eq!(titles(&runs).len(), expected, "{runs:?}");
        }
    }

    #[test]
    fn a_fix_is_told_with_the_tasks_that_it_helped() {
        let runs: Vec<Run> = ["1", "2", "3"].map(|n| run(n, "nt", &[], &["use y"])).to_vec();
        let entry = rules(&runs).remove(0);
        assert_eq!(entry.title, "Unknown constant `x`: use y instead");
        assert_eq!(
            entry.content,
            "Unknown constant `x`: use y instead. It worked in 3 different runs: task_1; task_2; task_3."
        );
    }

    #[test]
    fn an_entry_says_where_it_comes_from_and_grows() {
        let all: Vec<Run> = (1..=8)
            .map(|n| run(&n.to_string(), "nt", &[("induction", &format!("t{n}"))], &[]))
            .collect();
        let (few, many) = (rules(&all[..3]).remove(0), rules(&all).remove(0));
        assert_eq!(few.title, "For number theory try induction");
        assert_eq!(
            few.content,
            "It proved results without a gap in 3 different runs: task_1 (t1); task_2 (t2); task_3 (t3). \
             Try it early."
        );
        assert!(
            many.content.contains("in 8 different runs") && many.content.contains("and 2 more")
        );
        assert_eq!(few.tags, ["induction", "lean", "number-theory"]);
        assert_eq!((few.source_workflow_id.as_str(), few.shown_by.len()), ("1", 3));
        let (few, many) = (few.draft("x"), many.draft("y"));
        assert_eq!(few.uid(), many.uid());
        assert_ne!(few.fingerprint(), many.fingerprint());
    }
}
