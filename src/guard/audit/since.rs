//! What an audit found that an audit of an earlier text did not.

use std::collections::HashMap;

use super::{Audit, Hit};

impl Audit {
    /// Only the hits that are new since an earlier version of the same file. A hit is the same if
    /// rule, declaration and line of code are: lines may move, and of two alike one may be new.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        let mut known: HashMap<(_, _, _), usize> = HashMap::new();
        for hit in &before.hits {
            *known.entry(identity(hit)).or_default() += 1;
        }
        let is_new = |hit| match known.get_mut(&identity(hit)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        let mut is_new = self.hits.iter().map(is_new).collect::<Vec<bool>>().into_iter();
        self.hits.retain(|_| is_new.next().unwrap_or(true));
        self
    }
}

fn identity(hit: &Hit) -> (super::Rule, Option<&str>, &str) {
    (hit.rule, hit.declaration.as_deref(), &hit.excerpt)
}

#[cfg(test)]
mod tests {
    use super::super::{Audit, Knowledge};

    fn audit(text: &str) -> Audit {
        super::super::audit(text, Knowledge::default())
    }

    #[test]
    fn only_what_is_new_remains() {
        let before = audit("theorem a : p := by sorry\naxiom b : q");
        for (text, expected) in [
            ("axiom b : q\n\n\ntheorem a : p := by sorry", vec![]),
            ("theorem a : p := by sorry\naxiom b : q\naxiom c : q", vec!["axiom 3"]),
            ("theorem a : p := by sorry; sorry\naxiom b : q", vec!["sorry 1", "sorry 1"]),
            ("theorem b : p := by sorry", vec!["sorry 1"]),
            ("theorem a : p := by simp", vec![]),
        ] {
            let new = audit(text).since(&before).hits;
            let new: Vec<String> = new.iter().map(|h| format!("{} {}", h.rule, h.line)).collect();
            assert_eq!(new, expected, "{text}");
        }
    }
}
