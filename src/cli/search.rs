//! `mk search`: finds findings by words.

use crate::app::App;
use crate::app::search::{BadQuestion, SearchQuery, run};
use crate::model::{Confidence, Kind};
use crate::render::{HitStyle, hits};
use crate::ui::UsageError;
use crate::ui::{Exit, Out};

/// Find what is known: theorems, techniques, failures, false lemmas, ...
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mk search prime factor triples
  mk search --kind false-lemma --domain nt density
  mk search --since '2 weeks' --problem erdos-850
  mk search --kind false-lemma -n 20      (the newest of a kind, without words)
  mk search -- -1 < x                     (a query that begins with a dash)

Any text is a valid query; several words need no quotes. All projects are searched, the current one
ranks first.")]
pub(crate) struct Args {
    /// Words, names, symbols, problem ids; without any, a filter lists the newest
    words: Vec<String>,
    /// Findings shown at most
    #[arg(long, short = 'n', default_value_t = 5, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only this domain (nt, algebra, combinatorics, analysis, or a name such as "number theory")
    #[arg(long)]
    domain: Option<String>,
    /// Only these kinds (theorem, technique, failure, false-lemma, computation, ...)
    #[arg(long, value_delimiter = ',')]
    kind: Vec<Kind>,
    /// Only this problem, in any spelling
    #[arg(long)]
    problem: Option<String>,
    /// Only findings with this tag; may be given several times
    #[arg(long, value_delimiter = ',')]
    tag: Vec<String>,
    /// Only this confidence (verified, high, medium, low, disproven)
    #[arg(long)]
    confidence: Option<Confidence>,
    /// Only what is newer: a date, a span (3h, 2w, "3 days"), yesterday
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only the current project, or with =IDENTITY that one
    #[arg(long, value_name = "IDENTITY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    project: Option<String>,
    /// Also say why each hit ranks where it does
    #[arg(long)]
    explain: bool,
    /// Show whole records, with ISO times
    #[arg(long, short)]
    verbose: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let style = HitStyle { verbose: self.verbose, explain: self.explain };
        let texts = [&self.domain, &self.problem, &self.since, &self.project];
        let filters = !self.kind.is_empty()
            || !self.tag.is_empty()
            || self.confidence.is_some()
            || texts.iter().any(|text| text.is_some());
        if self.words.is_empty() && !filters {
            let error = "search needs words, or a filter such as `--kind failure`";
            return Err(UsageError(error.to_owned()).into());
        }
        let answer =
            run(app, self.question()).map_err(|error| match error.downcast::<BadQuestion>() {
                Ok(bad) => UsageError(bad.0).into(),
                Err(error) => error,
            })?;
        out.answer(&answer, |width| hits(&answer, style, width, app.now))?;
        Ok(Exit::Done)
    }

    fn question(self) -> SearchQuery {
        SearchQuery {
            text: self.words.join(" "),
            limit: usize::try_from(self.limit).unwrap_or(usize::MAX),
            kinds: self.kind,
            domain: self.domain,
            problem: self.problem,
            tags: self.tag,
            confidence: self.confidence,
            since: self.since,
            project: self.project,
            current_project: None,
        }
    }
}
