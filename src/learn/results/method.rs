//! What a file says of how its theorems are proved.

use super::reading::{Reading, Theorem, leading_comments};
use super::refuted::{denied, parted};
use crate::lean::{self, DeclKind, Declaration, last_part};
use crate::learn::technique::{self, Goal, Proof};
use crate::text;

impl Reading<'_> {
    /// The technique of a proof; what is said of the file goes for its main theorem.
    pub(super) fn method(&self, theorem: &Theorem<'_>) -> Option<String> {
        let (text, outline, declaration) = (self.text, self.outline, theorem.declaration);
        let body = declaration.body_span.clone()?;
        let inside = outline.comments.iter().filter(|c| body.start <= c.start && c.end <= body.end);
        let inside: Vec<&str> = inside.filter_map(|comment| text.get(comment.clone())).collect();
        let above = theorem.doc.as_deref().unwrap_or_default();
        let around = if theorem.is_main {
            let notes = |comment: &&str| !comment.contains("Aristotle");
            let head: Vec<&str> = leading_comments(text, outline).filter(notes).collect();
            format!(
                "{} {}",
                head.join(" "),
                self.origin.approach.unwrap_or_default().replace('_', " ")
            )
        } else {
            String::new()
        };
        let body = declaration.body(text)?;
        let used: Vec<&str> = lean::words(body).collect();
        let own = outline.declarations.iter().filter_map(|one| one.name.as_deref());
        let own = own.filter(|name| used.iter().any(|word| last_part(word) == last_part(name)));
        let own: Vec<String> = own.map(spelled).collect();
        technique::of(&Proof {
            body,
            goal: self.goal(declaration),
            tactics: Some(&declaration.tactics),
            inside: text::spaced(&inside.join(" ")),
            above: text::spaced(above),
            around: text::spaced(&around),
            own: own.join(" "),
            name: theorem.name,
        })
    }

    fn goal(&self, declaration: &Declaration) -> Goal {
        const NEGATIONS: [&str; 5] = ["¬", "Set.Infinite", "Irrational", "IsEmpty", "False"];
        if denied(declaration, self.text).is_some() {
            return Goal::NotAll;
        }
        let claim = parted(declaration, self.text).map_or("", |(_, claim)| last_claim(claim));
        let head = lean::words(claim).next().map_or("", last_part);
        // `IsEgyptian n`, where that is `∃ ..`.
        let meaning = self.outline.declarations.iter().find(|one| {
            one.kind == DeclKind::Def
                && claim.starts_with(head)
                && one.name.as_deref().is_some_and(|name| last_part(name) == head)
        });
        let meaning = meaning.and_then(|one| one.body(self.text)).unwrap_or(claim);
        let meaning = meaning.trim_start_matches(":=").trim_start();
        if meaning.starts_with('∃') {
            Goal::Exists
        } else if NEGATIONS.iter().any(|it| claim.starts_with(it)) || claim.contains('≠') {
            Goal::Negation
        } else {
            Goal::Other
        }
    }
}

fn spelled(name: &str) -> String {
    text::name_words(&name.replace('.', "_")).join(" ")
}

/// Without what is assumed before it: `∀ x, ..`, `A → ..`.
fn last_claim(mut claim: &str) -> &str {
    loop {
        claim = claim.trim();
        let tokens = lean::code(claim);
        let is_closed = claim.starts_with('(')
            && lean::closing(&tokens).is_some_and(|at| at + 1 == tokens.len());
        let after = |sign| lean::outside(claim, &tokens, sign).next().map(|token| token.end);
        let end = match claim.chars().next() {
            Some('(') if is_closed => {
                claim = claim.get(1..claim.len() - 1).unwrap_or_default();
                continue;
            }
            Some('∀') => after(","),
            Some('∃' | '¬') | None => None,
            _ => after("→"),
        };
        let Some(rest) = end.and_then(|end| claim.get(end..)) else { return claim };
        claim = rest;
    }
}
