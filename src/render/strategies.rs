//! Techniques by how often they proved something.

use super::EMPTY_BASE;
use super::layout::{Column, Page};
use crate::app::strategies::StrategiesReport;
use crate::model::Domain;
use crate::text::clean;

/// The table of techniques.
pub fn strategies(report: &StrategiesReport, width: usize) -> String {
    let mut page = Page::new(width);
    let about = report
        .domain
        .as_deref()
        .map_or_else(String::new, |d| format!(" in {}", clean(&Domain::title_of(d))));
    if report.strategies.is_empty() {
        page.paragraph(1, &format!("No technique of a verified theorem{about} yet."));
        page.hint(if report.empty_base {
            EMPTY_BASE
        } else {
            "Techniques come from verified theorems: `mk stats` shows domains and confidence."
        });
        return page.into_text();
    }
    page.line(1, &format!("Techniques of verified theorems{about}"));
    page.rule();
    let rows = report.strategies.iter().map(|one| {
        vec![
            one.technique.clone(),
            one.count.to_string(),
            one.domain.as_deref().map_or_else(|| "-".to_owned(), Domain::title_of),
            one.slots.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        ]
    });
    let columns = [
        Column::text("TECHNIQUE", 20),
        Column::number("COUNT"),
        Column::text("DOMAIN", 0),
        Column::text("SLOTS", 10),
    ];
    page.table(1, &columns, rows);
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::super::tests as sample;
    use super::*;

    #[test]
    fn by_frequency() {
        let text = |width| sample::plain(&strategies(&sample::strategies(), width), width);
        insta::assert_snapshot!(text(60), @r"
        Techniques of verified theorems
        ---
        TECHNIQUE             COUNT  DOMAIN         SLOTS
        finite computation…     112  Number Theory  601, 602, 603…
        induction                40  Combinatorics  614
        ε-δ estimate              3  -
        ");
        insta::assert_snapshot!(text(100), @r"
        Techniques of verified theorems
        ---
        TECHNIQUE                           COUNT  DOMAIN         SLOTS
        finite computation (native_decide)    112  Number Theory  601, 602, 603, 604, 605, 606, 607, 608,…
        induction                              40  Combinatorics  614
        ε-δ estimate                            3  -
        ");
        let none = StrategiesReport {
            domain: Some("analysis".to_owned()),
            strategies: Vec::new(),
            empty_base: false,
        };
        insta::assert_snapshot!(sample::plain(&strategies(&none, 60), 60), @r"
        No technique of a verified theorem in Analysis yet.
        Techniques come from verified theorems: `mk stats` shows
        domains and confidence.
        ");
    }
}
