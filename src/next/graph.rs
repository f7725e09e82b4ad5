//! Which declaration uses which, as far as text can tell, and what hangs on each gap.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;

use crate::guard::{FalseLemma, FalseLemmas};
use crate::lean::{self, DeclKind, Declaration, Outline, last_part};
use crate::learn::results;
use crate::model::claim;
use crate::text::base_name;

/// A Lean file by its path in the project.
pub(super) struct Source {
    pub path: String,
    pub text: String,
}

/// A declaration, or what a blueprint states and Lean does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// Full; of an `example` its kind.
    pub name: String,
    pub kind: String,
    pub file: String,
    pub line: usize,
    pub lines: usize,
    /// It states something that is to be proved.
    pub is_proof: bool,
    pub is_open: bool,
    /// What it states, up to names, where it is open.
    pub key: Option<u64>,
    /// It states a lemma that is known to be false: which, and why.
    pub refuted: Option<(String, String)>,
    /// Nothing is declared under the name yet.
    pub is_planned: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    /// By node, what it uses; each once.
    pub uses: Vec<Vec<usize>>,
}

/// What hangs on a gap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Theorems that rest on it, however many steps away.
    pub theorems: usize,
    /// Those of them that nothing else keeps open.
    pub alone: usize,
    /// Not all were counted.
    pub at_least: bool,
}

/// Steps along uses that counting may take.
const STEPS: usize = 100_000_000;

struct Read<'s> {
    source: &'s Source,
    outline: Outline,
    /// The first of its nodes.
    first: usize,
    imports: Vec<usize>,
}

impl Graph {
    /// The declarations of files, with the false lemmas that they state.
    pub(super) fn of(sources: &[Source], lemmas: &FalseLemmas<'_>) -> Self {
        let mut read: Vec<Read<'_>> = sources
            .par_iter()
            .map(|source| Read {
                source,
                outline: results::skimmed(&source.text),
                first: 0,
                imports: Vec::new(),
            })
            .collect();
        let mut modules: HashMap<&str, Vec<(String, usize)>> = HashMap::new();
        for (at, source) in sources.iter().enumerate() {
            modules.entry(stem(&source.path)).or_default().push((module(&source.path), at));
        }
        let mut graph = Self::default();
        for one in &mut read {
            one.first = graph.nodes.len();
            // A library's sources may lie in a folder of their own.
            let file_of = |import: &String| {
                let alike = modules.get(last_part(import))?;
                let whole = alike.iter().find(|(name, _)| name == import);
                let ends = |(name, _): &&(String, usize)| lean::is_or_ends_in(name, import);
                let (_, at) = whole.or_else(|| alike.iter().find(ends))?;
                Some(*at)
            };
            one.imports = one.outline.imports.iter().filter_map(file_of).collect();
            graph.nodes.extend(one.outline.declarations.iter().map(|of| node(one.source, of)));
        }
        let refuted: Vec<_> = read.par_iter().map(|one| one.refuted(lemmas)).collect();
        for (index, why) in refuted.into_iter().flatten() {
            graph.nodes[index].refuted = Some(why);
        }
        let names = Names::of(&read);
        let links: Vec<Vec<(usize, usize)>> =
            (0..read.len()).into_par_iter().map(|at| names.links(&read, at)).collect();
        graph.uses = vec![Vec::new(); graph.nodes.len()];
        for (user, used) in links.into_iter().flatten() {
            graph.link(user, used);
        }
        graph
    }

    pub(super) fn link(&mut self, user: usize, used: usize) {
        if let Some(uses) = self.uses.get_mut(user).filter(|_| user != used)
            && !uses.contains(&used)
        {
            uses.push(used);
        }
    }

    pub(super) fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.uses.push(Vec::new());
        self.nodes.len() - 1
    }

    fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![Vec::new(); self.nodes.len()];
        for (user, uses) in self.uses.iter().enumerate() {
            for used in uses {
                users[*used].push(user);
            }
        }
        users
    }

    /// The gaps with what hangs on each. A walk visits a node once, so a cycle of any length ends.
    pub(crate) fn weights(&self) -> Vec<(usize, Weight)> {
        let users = self.users();
        let gaps: Vec<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].is_open).collect();
        // By node, how many gaps it rests on, and the last of them.
        let mut below = vec![(0_usize, 0_usize); self.nodes.len()];
        let mut seen = vec![usize::MAX; self.nodes.len()];
        let mut steps = 0;
        let mut found = Vec::new();
        for gap in &gaps {
            let mut weight = Weight { at_least: steps > STEPS, ..Weight::default() };
            let mut waiting = vec![*gap];
            seen[*gap] = *gap;
            while let Some(at) = waiting.pop() {
                if at != *gap {
                    weight.theorems += usize::from(self.nodes[at].is_proof);
                    below[at] = (below[at].0 + 1, *gap);
                }
                // Beyond the limit only what uses it directly.
                if weight.at_least && at != *gap {
                    continue;
                }
                steps += users[at].len() + 1;
                let new = users[at]
                    .iter()
                    .filter(|user| std::mem::replace(&mut seen[**user], *gap) != *gap);
                waiting.extend(new);
            }
            found.push((*gap, weight));
        }
        let place: HashMap<usize, usize> =
            gaps.iter().enumerate().map(|(at, gap)| (*gap, at)).collect();
        for (node, (_, gap)) in self.nodes.iter().zip(&below).filter(|(_, (count, _))| *count == 1)
        {
            if let Some(at) = place.get(gap).filter(|_| node.is_proof && !node.is_open) {
                found[*at].1.alone += 1;
            }
        }
        found
    }

    /// The gaps, what rests on them and what lies between, as numbers of nodes; at most so many, or none.
    pub(crate) fn around_gaps(&self, most: usize) -> Vec<usize> {
        let users = self.users();
        let mut shown: Vec<usize> =
            (0..self.nodes.len()).filter(|at| self.nodes[*at].is_open).collect();
        let mut seen: HashSet<usize> = shown.iter().copied().collect();
        let mut at = 0;
        while at < shown.len() && shown.len() <= most {
            let new = users[shown[at]].iter().filter(|user| seen.insert(**user));
            shown.extend(new.copied());
            at += 1;
        }
        shown.retain(|_| seen.len() <= most);
        shown
    }
}

impl Read<'_> {
    fn refuted(&self, lemmas: &FalseLemmas<'_>) -> Vec<(usize, (String, String))> {
        let open = |index: usize| {
            self.outline.declarations.get(index).is_some_and(|one| !one.is_complete())
        };
        let stated = lemmas.stated_in(&self.source.text, &self.outline, open);
        let why = |(index, lemma, is_unsure): (usize, &FalseLemma, bool)| {
            let reasons = lemma.reasons();
            let unsure = "It is stated in the same words; the definitions could not be compared.";
            let reasons = if is_unsure { format!("{reasons}. {unsure}") } else { reasons };
            (self.first + index, (lemma.name.clone(), reasons.trim_start_matches(". ").to_owned()))
        };
        stated.into_iter().map(why).collect()
    }
}

/// The declarations of all files by their full names.
struct Names {
    by_name: HashMap<String, Vec<(usize, usize)>>,
    ends: HashSet<String>,
}

impl Names {
    fn of(read: &[Read<'_>]) -> Self {
        let mut by_name: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut ends = HashSet::new();
        for (file, one) in read.iter().enumerate() {
            for (index, declaration) in one.outline.declarations.iter().enumerate() {
                let Some(name) = &declaration.name else { continue };
                ends.insert(last_part(name).to_owned());
                by_name.entry(name.clone()).or_default().push((file, one.first + index));
            }
        }
        Self { by_name, ends }
    }

    /// Who uses what in a file. A name means what the file declares, or else what it imports.
    fn links(&self, read: &[Read<'_>], at: usize) -> Vec<(usize, usize)> {
        let one = &read[at];
        let text = one.source.text.as_str();
        let all: Range<usize> = 0..text.len();
        let wanted = |written: &str| self.ends.contains(last_part(written));
        let imported = imported(read, at);
        let node_of = |name: &String| {
            let places = self.by_name.get(name)?;
            let own = places.iter().find(|(file, _)| *file == at);
            own.or_else(|| places.iter().find(|(file, _)| imported.contains(file)))
        };
        let found = lean::mentions(text, &one.outline, &all, wanted).into_iter();
        let links = found.filter_map(|mention| {
            let (_, used) = mention.names.iter().find_map(node_of)?;
            Some((one.first + mention.declaration?, *used))
        });
        links.collect()
    }
}

/// Also by others.
fn imported(read: &[Read<'_>], at: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut open = vec![at];
    while let Some(file) = open.pop() {
        open.extend(read[file].imports.iter().filter(|one| found.insert(**one)));
    }
    found
}

fn stem(path: &str) -> &str {
    base_name(path).trim_end_matches(".lean")
}

fn module(path: &str) -> String {
    path.trim_end_matches(".lean").replace('/', ".")
}

fn node(source: &Source, of: &Declaration) -> Node {
    // An axiom is no gap: somebody chose it.
    let is_open = !of.is_complete() && of.kind != DeclKind::Axiom;
    Node {
        name: of.name.clone().unwrap_or_else(|| of.kind.to_string()),
        kind: of.kind.to_string(),
        file: source.path.clone(),
        line: of.line,
        lines: of.end_line.saturating_sub(of.line) + 1,
        is_proof: (of.kind.is_proof() && of.kind != DeclKind::Example) || of.kind.is_wanted(),
        is_open,
        key: is_open.then(|| lean::statement_key(&claim(of.statement(&source.text)))),
        ..Node::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&str, &str)]) -> Graph {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        Graph::of(&sources, &FalseLemmas::of(&[]))
    }

    fn told(graph: &Graph) -> String {
        let rows = graph.weights().into_iter().map(|(at, weight)| {
            let more = if weight.at_least { "+" } else { "" };
            format!("{}:{}/{}{more}", graph.nodes[at].name, weight.theorems, weight.alone)
        });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_hangs_on_a_gap() {
        for (files, expected) in [
            (
                &[("A.lean", "theorem a : p := sorry\ntheorem b : q := a\ntheorem c : r := b")][..],
                "a:2/2",
            ),
            // Two gaps below one theorem: neither is enough.
            (
                &[(
                    "A.lean",
                    "lemma a : p := sorry\nlemma b : q := sorry\ntheorem c : r := ⟨a, b⟩",
                )],
                "a:1/0 b:1/0",
            ),
            // Across files only where one imports the other, through a namespace.
            (
                &[
                    ("P/A.lean", "namespace N\nlemma a : p := sorry\nend N"),
                    ("P/B.lean", "import P.A\nopen N in\ntheorem b : q := a"),
                    ("P/C.lean", "import P.B\ntheorem c : q := N.a"),
                    ("P/D.lean", "theorem d : q := N.a"),
                ],
                "N.a:2/2",
            ),
            (
                &[
                    ("src/P/A.lean", "lemma a : p := sorry"),
                    ("src/B.lean", "import P.A\ntheorem b : q := a"),
                ],
                "a:1/1",
            ),
            // Each file its own.
            (
                &[
                    ("A.lean", "lemma a : p := sorry"),
                    ("B.lean", "import A\nlemma a : p := x\ntheorem t : q := a"),
                ],
                "a:0/0",
            ),
            (
                &[(
                    "A.lean",
                    "def d : ℕ := sorry\ntheorem t : d = d := rfl\nexample : d = d := rfl",
                )],
                "d:1/1",
            ),
            (&[("A.lean", "axiom x : p\ntheorem t : p := x -- sorry")], ""),
            (
                &[(
                    "A.lean",
                    "theorem a : p := b\ntheorem b : p := a\nlemma c : p := by\n  have := b\n  sorry",
                )],
                "c:0/0",
            ),
            (&[("A.lean", "")], ""),
        ] {
            assert_eq!(told(&graph(files)), expected, "{files:?}");
        }
    }

    #[test]
    fn ten_thousand_declarations_in_a_cycle() {
        const MANY: usize = 10_000;
        let text: Vec<String> = (0..MANY)
            .map(|at| format!("theorem t{at} : p := by\n  exact t{}\n  sorry", (at + 1) % MANY))
            .collect();
        let text = text.join("\n");
        let graph = graph(&[("A.lean", &text)]);
        let weights = graph.weights();
        assert_eq!(weights.len(), MANY);
        assert_eq!(weights.first().map(|(_, weight)| weight.theorems), Some(MANY - 1));
        assert!(graph.around_gaps(40).is_empty());
    }
}
