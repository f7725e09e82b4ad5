//! Which full names a written name may mean at a place of a file.

use std::collections::HashMap;

use super::Successor;
use crate::lean::records::Outline;
use crate::lean::scope::Scopes;

/// No file opens more namespaces that matter.
const MOST_OPEN: usize = 24;

/// What the file declares, by full name.
pub(super) struct Known<'a> {
    declared: HashMap<&'a str, Declared>,
}

#[derive(Clone, Copy)]
struct Declared {
    protected: bool,
    is_type: bool,
}

impl<'a> Known<'a> {
    pub(super) fn of(outline: &'a Outline) -> Self {
        let declared = outline.declarations.iter().filter_map(|declaration| {
            let found = Declared {
                protected: declaration.modifiers.iter().any(|word| word == "protected"),
                is_type: declaration.kind.is_type(),
            };
            Some((declaration.name.as_deref()?, found))
        });
        Self { declared: declared.collect() }
    }

    /// The first candidate that the file declares and that a name, dotted or not, may mean.
    fn first(&self, candidates: &[String], dotted: bool, not: &str) -> Option<String> {
        let visible = |name: &&String| {
            let declared = self.declared.get(name.as_str());
            *name != not && declared.is_some_and(|found| dotted || !found.protected)
        };
        let exact = candidates.iter().find(visible);
        exact.or_else(|| candidates.iter().find(|name| self.belongs_to_a_type(name))).cloned()
    }

    /// Whether a name is that of a constructor, a field or another part of a type declared here.
    fn belongs_to_a_type(&self, name: &str) -> bool {
        let parents = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        parents.take(20).any(|parent| self.declared.get(parent).is_some_and(|d| d.is_type))
    }
}

/// Namespaces that are open at a place.
#[derive(Default)]
pub(super) struct Place<'a> {
    pub(super) scopes: Scopes<'a>,
    /// Namespaces of `open` commands so far. Where they are closed again does not matter: they
    /// only add candidates.
    opened: Vec<String>,
}

impl Place<'_> {
    /// The namespace, without a final dot; empty at the top.
    pub(super) fn namespace(&self) -> String {
        let mut prefix = self.scopes.full_name("");
        prefix.pop();
        prefix
    }

    /// `open name`
    pub(super) fn open(&mut self, name: &str) {
        let name = name.strip_prefix("_root_.").unwrap_or(name);
        for full in candidates(&self.namespace(), name) {
            if self.opened.len() < MOST_OPEN && !self.opened.contains(&full) {
                self.opened.push(full);
            }
        }
    }

    /// What a name means in a namespace of this place. `not` is a name that it cannot mean.
    pub(super) fn resolve(
        &self,
        known: &Known<'_>,
        written: &str,
        namespace: &str,
        not: &str,
    ) -> Successor {
        if let Some(absolute) = written.strip_prefix("_root_.") {
            let full = Some(absolute.to_owned());
            return Successor { written: written.to_owned(), full, candidates: Vec::new() };
        }
        let mut candidates = candidates(namespace, written);
        candidates.extend(self.opened.iter().map(|open| [open, ".", written].concat()));
        candidates.retain(|candidate| candidate != not);
        let full = known.first(&candidates, written.contains('.'), not);
        Successor { written: written.to_owned(), full, candidates }
    }
}

/// A name in a namespace, in those around it, and at the top.
fn candidates(namespace: &str, name: &str) -> Vec<String> {
    let ends = namespace.match_indices('.').map(|(dot, _)| dot).chain([namespace.len()]);
    let ends: Vec<usize> = ends.filter(|&end| end > 0).collect();
    let inside = ends.into_iter().rev().map(|end| [&namespace[..end], ".", name].concat());
    inside.chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tried_from_the_innermost_namespace_out() {
        assert_eq!(candidates("A.B", "x.y"), ["A.B.x.y", "A.x.y", "x.y"]);
        assert_eq!(candidates("", "x"), ["x"]);
    }
}
