//! What a leanblueprint says: which declarations its statements stand for (`\lean{}`), and on which others they rest
//! (`\uses{}`).

use std::collections::HashMap;

use super::graph::{Graph, Node};

/// A statement of a blueprint; the proof behind it counts as a part of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    label: String,
    /// Full names of declarations.
    lean: Vec<String>,
    /// Labels.
    uses: Vec<String>,
    /// It says that it is formalised, or in Mathlib.
    is_done: bool,
    is_proof: bool,
    file: String,
    line: usize,
}

/// Environments that state nothing.
const OTHERS: [&str; 9] = [
    "document",
    "enumerate",
    "itemize",
    "equation",
    "align",
    "align*",
    "equation*",
    "cases",
    "center",
];

/// The statements of a TeX file. Parsing never fails: what is not understood is passed over.
pub(super) fn statements(text: &str, file: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    // Open environments: the statement that each fills.
    let mut open: Vec<(String, Option<usize>)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut rest = without_comment(line);
        while let Some((_, after)) = rest.split_once('\\') {
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (command, behind) = after.split_at(end);
            rest = behind;
            let current = open.last().and_then(|(_, at)| *at);
            let argument = argument(behind);
            match (command, argument) {
                ("begin", Some(name)) => {
                    let fills = match name {
                        "proof" => found.len().checked_sub(1),
                        name if OTHERS.contains(&name) => current,
                        name => {
                            let is_proof = !name.contains("def");
                            let (file, line) = (file.to_owned(), at + 1);
                            found.push(Statement { is_proof, file, line, ..Statement::default() });
                            Some(found.len() - 1)
                        }
                    };
                    open.push((name.to_owned(), fills));
                }
                ("end", Some(name)) => {
                    let begun = open.iter().rposition(|(open, _)| open == name);
                    open.truncate(begun.unwrap_or(open.len()));
                }
                (command, argument) => {
                    if let Some(statement) = current.and_then(|at| found.get_mut(at)) {
                        statement.take(command, argument);
                    }
                }
            }
        }
    }
    found.retain(|one| !one.label.is_empty() || !one.lean.is_empty());
    found
}

impl Statement {
    fn take(&mut self, command: &str, argument: Option<&str>) {
        let list = || argument.unwrap_or_default().split(',').map(str::trim);
        let list = || list().filter(|one| !one.is_empty()).map(str::to_owned);
        match command {
            "label" if self.label.is_empty() => self.label.extend(list()),
            "lean" => self.lean.extend(list()),
            "uses" => self.uses.extend(list()),
            "leanok" | "mathlibok" => self.is_done = true,
            _ => {}
        }
    }
}

fn argument(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('{')?.split_once('}').map(|(inside, _)| inside.trim())
}

/// `\%` is no comment.
fn without_comment(line: &str) -> &str {
    let mut marks = line.match_indices('%').map(|(at, _)| at);
    let comment = marks.find(|at| !line[..*at].ends_with('\\'));
    comment.map_or(line, |at| &line[..at])
}

/// Adds what the statements say to a graph of declarations. What Lean does not declare yet is a gap, unless it is said
/// to be done: then it is somebody else's.
pub(super) fn join(graph: &mut Graph, statements: &[Statement]) {
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        by_name.entry(node.name.clone()).or_insert(at);
    }
    let mut by_label: HashMap<&str, Vec<usize>> = HashMap::new();
    for one in statements {
        let names = if one.lean.is_empty() { std::slice::from_ref(&one.label) } else { &one.lean };
        let nodes = names.iter().map(|name| {
            *by_name.entry(name.clone()).or_insert_with(|| {
                graph.add(Node {
                    name: name.clone(),
                    kind: "statement of the blueprint".to_owned(),
                    file: one.file.clone(),
                    line: one.line,
                    is_proof: one.is_proof,
                    is_open: !one.is_done,
                    is_planned: true,
                    ..Node::default()
                })
            })
        });
        by_label.entry(&one.label).or_default().extend(nodes);
    }
    for one in statements {
        let users = by_label.get(one.label.as_str()).cloned().unwrap_or_default();
        for used in one.uses.iter().filter_map(|label| by_label.get(label.as_str())).flatten() {
            for user in &users {
                graph.link(*user, *used);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let one = |s: Statement| {
            let done = if s.is_done { " done" } else { "" };
            format!("{}:{} [{}] <- {}{done}", s.line, s.label, s.lean.join(" "), s.uses.join(" "))
        };
        statements(text, "c.tex").into_iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn statements_with_their_proofs() {
        for (text, expected) in [
            (
                "\\begin{theorem}\\label{t}\\lean{A.t, A.u}\\uses{l,d}\\leanok\n\\end{theorem}\n\\begin{proof}\\uses{m}\\end{proof}",
                "1:t [A.t A.u] <- l d m done",
            ),
            (
                "% \\begin{lemma}\\label{x}\n100\\% \\begin{lemma}\\label{y}\\end{lemma}",
                "2:y [] <- ",
            ),
            (
                "\\begin{definition}\n\\label{d}\n\\begin{itemize}\\item \\uses{e}\\end{itemize}\\end{definition}\n\\label{sec}",
                "1:d [] <- e",
            ),
            ("\\begin{theorem} no label \\end{theorem}", ""),
            ("\\begin{proof}\\uses{a}\\end{proof} \\end{x} \\begin{ \\lean", ""),
            ("", ""),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn a_blueprint_joins_what_lean_does_not_say() {
        let mut graph = Graph::default();
        let lemma = |name: &str, is_open| Node {
            name: name.to_owned(),
            is_proof: true,
            is_open,
            ..Node::default()
        };
        graph.add(lemma("A.l", true));
        graph.add(lemma("A.t", false));
        let text = "\\begin{lemma}\\label{l}\\lean{A.l}\\end{lemma}
\\begin{theorem}\\label{t}\\lean{A.t}\\uses{l, p, nowhere}\\end{theorem}
\\begin{lemma}\\label{p}\\uses{t}\\end{lemma}
\\begin{lemma}\\label{m}\\lean{Nat.le}\\mathlibok\\end{lemma}";
        join(&mut graph, &statements(text, "b.tex"));
        let found = graph.weights().into_iter().map(|(at, weight)| {
            let node = &graph.nodes[at];
            (node.name.as_str(), weight.theorems, node.is_planned)
        });
        assert_eq!(found.collect::<Vec<_>>(), [("A.l", 2, false), ("p", 1, true)]);
    }
}
