//! Pictures of what the page says in words and numbers, as SVG. Their colours stand for roles: the page's style sheet
//! gives each its colour in light and dark.

use jiff::Timestamp;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::collect::Month;
use crate::lean::last_part;
use crate::next::graph::Graph;
use crate::text::clip;

const SIZE: (u32, u32) = (390, 200);
const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
const OPEN: RGBColor = RGBColor(3, 3, 3);
const LINK: RGBColor = RGBColor(5, 5, 5);
const DONE: RGBColor = RGBColor(4, 4, 4);
const FALSE: RGBColor = RGBColor(19, 19, 19);
/// By what came of a submission, from `#111111` on.
const OUTCOMES: [RGBColor; 6] = [
    RGBColor(17, 17, 17),
    RGBColor(18, 18, 18),
    FALSE,
    RGBColor(20, 20, 20),
    RGBColor(21, 21, 21),
    RGBColor(22, 22, 22),
];
/// In seconds.
const DAY: u64 = 24 * 60 * 60;
/// Months in one picture.
const MOST_MONTHS: usize = 24;
/// Nodes beyond which a graph is a hairball.
const MOST_NODES: usize = 40;

/// An SVG; `None` where there is nothing to draw.
fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> anyhow::Result<()>,
) -> Option<String> {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    draw(&root).ok()?;
    root.present().ok()?;
    drop(root);
    Some(svg)
}

fn label() -> TextStyle<'static> {
    ("sans-serif", 13).into_font().color(&INK)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

/// Room above the highest value.
fn top(highest: u64) -> f64 {
    number(highest.max(4)) * 1.08
}

/// How many there were at which second, the oldest first: of gaps, or of what is done.
pub(super) fn over_time(counts: &[(i64, u64)], are_open: bool) -> Option<String> {
    let ((first, _), (last, _)) = (*counts.first()?, *counts.last()?);
    if last.saturating_sub(first) < DAY.cast_signed() {
        return None;
    }
    let colour = if are_open { OPEN } else { DONE };
    let highest = counts.iter().map(|(_, count)| *count).max()?;
    // Days since the first: seconds are more than a picture shows.
    let days = |at: i64| number(at.abs_diff(first) / DAY);
    let points: Vec<(f64, f64)> =
        counts.iter().map(|(at, count)| (days(*at), number(*count))).collect();
    #[expect(clippy::cast_possible_truncation, reason = "of a label")]
    let name = |days: &f64| date(first.saturating_add(*days as i64 * DAY.cast_signed()));
    drawn(SIZE, |root| {
        let mut chart = framed(root, days(last), highest, &name)?;
        let area =
            AreaSeries::new(points, 0.0, colour.mix(0.12)).border_style(colour.stroke_width(2));
        chart.draw_series(area)?;
        Ok(())
    })
}

type Chart<'r, 's> = ChartContext<'r, SVGBackend<'s>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The axes, from 0 to the right and up to the highest value.
fn framed<'r, 's>(
    root: &'r DrawingArea<SVGBackend<'s>, Shift>,
    right: f64,
    highest: u64,
    name: &dyn Fn(&f64) -> String,
) -> anyhow::Result<Chart<'r, 's>> {
    let mut chart = ChartBuilder::on(root)
        .margin(8)
        .margin_right(24)
        .x_label_area_size(24)
        .y_label_area_size(38)
        .build_cartesian_2d(0.0..right, 0.0..top(highest))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(GRID)
        .x_labels(4)
        .y_labels(4)
        .x_label_formatter(&name)
        .y_label_formatter(&|count| format!("{count:.0}"))
        .label_style(label())
        .draw()?;
    Ok(chart)
}

pub(super) fn date(at: i64) -> String {
    let time = Timestamp::from_second(at).map(|at| at.to_string()).unwrap_or_default();
    time.get(..10).unwrap_or_default().to_owned()
}

/// Submissions of each month, by what came of them.
pub(super) fn months(all: &[Month]) -> Option<String> {
    let months = all.get(all.len().saturating_sub(MOST_MONTHS)..).filter(|some| some.len() > 1)?;
    let highest = months.iter().map(|one| one.outcomes.iter().sum::<u64>()).max()?;
    let places = number(months.len() as u64);
    let name = |at: &f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a label")]
        let month = months.get(at.max(0.0) as usize);
        month.map(|one| one.month.clone()).unwrap_or_default()
    };
    drawn(SIZE, |root| {
        let mut chart = framed(root, places, highest, &name)?;
        for (at, month) in months.iter().enumerate() {
            let left = number(at as u64);
            let mut low = 0.0;
            for (count, colour) in
                month.outcomes.iter().zip(OUTCOMES).filter(|(count, _)| **count > 0)
            {
                let high = low + number(*count);
                let bar =
                    Rectangle::new([(left + 0.12, low), (left + 0.88, high)], colour.filled());
                chart.draw_series(std::iter::once(bar))?;
                low = high;
            }
        }
        Ok(())
    })
}

const COLUMN: i32 = 180;
const ROW: i32 = 40;

/// The gaps at the left, and to the right what rests on them; `None` where nobody could read it.
pub(super) fn gaps(graph: &Graph) -> Option<String> {
    let shown = graph.around_gaps(MOST_NODES);
    let is_used = |at: &usize| graph.uses[*at].iter().any(|used| shown.contains(used));
    if !shown.iter().any(is_used) {
        return None;
    }
    let layers = layers(graph, &shown);
    let widest = layers.iter().map(Vec::len).max()?;
    let place: std::collections::HashMap<usize, (i32, i32)> = layers
        .iter()
        .zip(0..)
        .flat_map(|(layer, column)| {
            let at = move |row: i32| (16 + column * COLUMN, 26 + row * ROW);
            layer.iter().zip(0..).map(move |(node, row)| (*node, at(row)))
        })
        .collect();
    let columns = u32::try_from(layers.len()).ok()?;
    let rows = u32::try_from(widest).ok()?;
    drawn((columns * 180 + 20, rows * 40 + 16), |root| {
        for node in &shown {
            let Some(to) = place.get(node) else { continue };
            for from in graph.uses[*node].iter().filter_map(|used| place.get(used)) {
                let line = [(from.0 + 7, from.1), (to.0 - 7, to.1)];
                root.draw(&PathElement::new(line, LINK.stroke_width(1)))?;
            }
        }
        for (node, (x, y)) in shown.iter().filter_map(|node| Some((node, place.get(node)?))) {
            let one = &graph.nodes[*node];
            let colour = match () {
                () if one.refuted.is_some() => FALSE,
                () if one.is_open => OPEN,
                () => DONE,
            };
            root.draw(&Circle::new((*x, *y), 6, colour.filled()))?;
            let name = clip(&super::collect::cut(last_part(&one.name), 60), 22);
            root.draw(&Text::new(name, (*x - 6, *y - 20), label()))?;
        }
        Ok(())
    })
}

/// By their distance from the gaps. A declaration that uses none of those shown is a gap.
fn layers(graph: &Graph, shown: &[usize]) -> Vec<Vec<usize>> {
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut left: Vec<usize> = shown.to_vec();
    while !left.is_empty() {
        let rests = |at: &usize| graph.uses[*at].iter().any(|used| left.contains(used));
        let (mut later, mut now): (Vec<usize>, Vec<usize>) = left.iter().copied().partition(rests);
        // A cycle stands in one column.
        if now.is_empty() {
            now = std::mem::take(&mut later);
        }
        layers.push(now);
        left = later;
    }
    layers
}
