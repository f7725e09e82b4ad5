//! Open namespaces and sections, and the full names that they make.

/// Longer prefixes are not kept: they only occur in text that was made to be slow.
const LONGEST_PREFIX: usize = 300;

struct Scope<'a> {
    name: Option<&'a str>,
    outer: Prefix,
}

/// The part of the collected names that counts: `_root_` moves its beginning.
#[derive(Debug, Default, Clone, Copy)]
struct Prefix {
    start: usize,
    end: usize,
}

#[derive(Default)]
pub(super) struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
    names: String,
    prefix: Prefix,
}

impl<'a> Scopes<'a> {
    /// `namespace A.B` opens two scopes. `false` if the names become too long to be kept.
    pub(super) fn open_namespace(&mut self, name: &'a str) -> bool {
        let mut kept = true;
        for part in components(name) {
            self.stack.push(Scope { name: Some(part), outer: self.prefix });
            if part == "_root_" {
                self.prefix.start = self.prefix.end;
            } else if self.names.len() + part.len() > LONGEST_PREFIX {
                kept = false;
            } else {
                self.names.push_str(part);
                self.names.push('.');
                self.prefix.end = self.names.len();
            }
        }
        kept
    }

    /// `section A.B` opens two scopes, `section` and `mutual` one.
    pub(super) fn open_section(&mut self, name: Option<&'a str>) {
        match name {
            None => self.stack.push(Scope { name: None, outer: self.prefix }),
            Some(name) => {
                let outer = self.prefix;
                let parts = components(name).into_iter();
                self.stack.extend(parts.map(|part| Scope { name: Some(part), outer }));
            }
        }
    }

    /// `end`, bare or with a name. A name that fits no innermost scope closes the nearest scope
    /// of that name with all inside it. How many scopes are left; `None` if there is nothing to close.
    pub(super) fn close(&mut self, name: Option<&str>) -> Option<usize> {
        let keep = match name {
            None => self.stack.len().checked_sub(1),
            Some(name) => self.depth_before(&components(name)),
        }?;
        self.prefix = self.stack.drain(keep..).next()?.outer;
        self.names.truncate(self.prefix.end);
        Some(keep)
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The open namespaces, with a dot behind each.
    pub(super) fn prefix(&self) -> &str {
        self.names.get(self.prefix.start..self.prefix.end).unwrap_or_default()
    }

    fn depth_before(&self, parts: &[&str]) -> Option<usize> {
        let fits = |window: &[Scope<'a>]| {
            window.iter().zip(parts).all(|(scope, part)| scope.name == Some(*part))
        };
        let innermost = self.stack.len().checked_sub(parts.len());
        if let Some(start) = innermost
            && self.stack.get(start..).is_some_and(fits)
        {
            return Some(start);
        }
        let first = parts.first()?;
        let near = self.stack.iter().rev().take(100);
        near.enumerate()
            .find(|(_, scope)| scope.name == Some(*first))
            .map(|(above, _)| self.stack.len() - above - 1)
    }

    pub(super) fn full_name(&self, name: &str) -> String {
        if let Some(absolute) = name.strip_prefix("_root_.") {
            return absolute.to_owned();
        }
        [self.prefix(), name].concat()
    }
}

fn components(name: &str) -> Vec<&str> {
    let mut quoted = false;
    name.split(move |c| {
        quoted = match c {
            '«' => true,
            '»' => false,
            _ => quoted,
        };
        c == '.' && !quoted
    })
    .filter(|part| !part.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_built_from_namespaces_only() {
        let mut scopes = Scopes::default();
        scopes.open_namespace("A.«b.c»");
        scopes.open_section(Some("S"));
        assert_eq!(scopes.full_name("x'"), "A.«b.c».x'");
        assert_eq!(scopes.full_name("_root_.x"), "x");
        assert!(scopes.close(Some("S")).is_some());
        assert!(scopes.close(Some("«b.c»")).is_some());
        assert_eq!(scopes.full_name("x"), "A.x");
        scopes.open_namespace("_root_.B");
        assert_eq!(scopes.full_name("x"), "B.x");
    }

    #[test]
    fn an_end_may_be_dotted_bare_skip_or_fit_nothing() {
        let mut scopes = Scopes::default();
        scopes.open_namespace("A");
        scopes.open_namespace("B");
        assert_eq!(scopes.close(Some("A.B")), Some(0), "closes both");
        assert_eq!(scopes.full_name("x"), "x");
        assert_eq!(scopes.close(None), None, "nothing is open");
        scopes.open_namespace("A");
        scopes.open_section(None);
        assert_eq!(scopes.close(Some("A")), Some(0), "the section's end is missing");
        assert_eq!(scopes.full_name("x"), "x");
        scopes.open_namespace("A");
        assert_eq!(scopes.close(Some("C")), None);
        assert_eq!(scopes.full_name("x"), "A.x");
        assert_eq!(scopes.close(None), Some(0));
        assert_eq!(scopes.full_name("x"), "x");
    }
}
