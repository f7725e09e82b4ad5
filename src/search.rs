//! `mk search`: words -> ranked findings. Any text is a valid query.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use serde::Serialize;

use crate::app::{App, tracked};
use crate::find;
use crate::model::{Confidence, Domain, Few, Kind, KnownProblems, Problem, slot_of, word_key};
use crate::store::{Hit, OpenIn, Opposite, SearchQuery, SearchResult, Stage, time_text};
use crate::text::{
    base_name, clean, clip, first_sentence, is_among, nearest, plural, says, since, spaced,
};
use crate::tracking::Submission;
use crate::ui::layout::Page;
use crate::ui::record::{Within, gist, headline, opposed, provenance, whole};
use crate::ui::{EMPTY_BASE, Exit, Out, UsageError};
use crate::verify;

/// Find what is known: theorems, techniques, failures, false lemmas, ...
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mk search prime factor triples
  mk search --kind false-lemma --domain nt density
  mk search --since '2 weeks' --problem erdos-850
  mk search --kind false-lemma -n 20      (the newest of a kind, without words)
  mk search -- '-1 < x'                   (a query that begins with a dash)

Any text is a valid query; several words need no quotes. All projects are searched, the current one
ranks first.")]
pub(crate) struct Args {
    /// Words, names, symbols, problem ids; without any, a filter lists the newest, main results first
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
        verify::state::refresh(app);
        let answer = answer(app, self.question())?;
        out.answer(&answer, |width| view(&answer, style, width, app.now))
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

#[derive(Debug, Serialize)]
pub struct Answer {
    pub query: String,
    /// Also beyond the limit.
    pub total: u64,
    pub matched: Stage,
    /// The problem that the query names: where it stands is said before what was found about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The slot that the query names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<NamedSlot>,
    /// The slots that it names, where they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<NamedSlot>,
    /// Where nothing has all the words and they are a status of the tracking database: submissions that ended so; or
    /// those that are named with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<String>,
    /// What waits for a person's word and has all the words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
    /// Statements without a proof whose names have all the words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenIn>,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Of hits, a finding that says the opposite of the same statement.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub opposed: BTreeMap<i64, Opposite>,
    /// Where nothing has all the words: the nearest ones that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The command that answers a question about the work itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<&'static str>,
    #[serde(skip)]
    pub empty_base: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct NamedSlot {
    pub slot: i64,
    /// What the tracking database says of it, in a few words; empty for nothing.
    pub state: String,
    /// What waits for a person's word: it is not knowledge yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
}

pub fn answer(app: &mut App, question: SearchQuery) -> anyhow::Result<Answer> {
    let asked = question.text.clone();
    // `what came back this week` asks for all that is new.
    let since = new_since(&asked).filter(|_| question.since.is_none());
    let query = in_its_terms(
        app,
        match since {
            Some(since) => SearchQuery {
                text: String::new(),
                since: Some(since.to_owned()),
                kinds: if question.kinds.is_empty() {
                    vec![Kind::Theorem, Kind::FalseLemma, Kind::Failure]
                } else {
                    question.kinds.clone()
                },
                ..question
            },
            None => question,
        },
    )?;
    let now = time_text(app.now);
    let mut slots = named_slots(app, &query.text);
    let store = app.store()?;
    let place = find::place_of(store, &query.text)?;
    let mut found = match place {
        Some(place) => store.search(&SearchQuery { text: place, ..query.clone() })?,
        None => store.search(&query)?,
    };
    let mut is_about_problem = query.problem.is_some();
    let known = store.known_problems()?;
    let named = if asks_for_best(&query.text) {
        known.in_question(&query.text)
    } else {
        known.in_text(&query.text)
    };
    let named = named.problems;
    if !slots.is_empty() {
        // What merely has some of the words answers something else.
        found.hits.retain(Hit::has_all_words);
        if found.hits.len() < query.limit {
            found.total = found.hits.len() as u64;
        }
    } else if found.stage <= Stage::AllWords && query.problem.is_none() {
        // `best partial result for Brocard`: the words are looked for in what is about the problem.
        let is_weak = found.stage < Stage::AllWords;
        let of_first = found.hits.first().and_then(|hit| hit.finding.content.problem.as_deref());
        if let [problem] = named.as_slice()
            && (is_weak || of_first != Some(problem))
        {
            let query = SearchQuery { problem: Some(problem.clone()), ..query.clone() };
            let about = store.search(&query)?;
            is_about_problem = true;
            found = if about.hits.is_empty() { found } else { about };
            if asks_for_best(&query.text) {
                best_first(&mut found, store.problem_gist(problem)?.theorems, query.limit);
            }
        }
    }
    let ended = if found.stage < Stage::AllWords || is_ending(&query.text) {
        ended_as(app, &query.text)
    } else {
        Vec::new()
    };
    let elsewhere = elsewhere(&asked).filter(|_| slots.is_empty());
    // What has some of the words of such a question is no answer to it.
    let is_answered = elsewhere.is_some()
        && since.is_none()
        && found.stage < Stage::AllWords
        && !is_about_problem
        && says_nothing_else(&query.text);
    if !ended.is_empty() || is_answered {
        (found.hits, found.total) = (Vec::new(), 0);
    }
    let is_unnamed = ended.is_empty() && found.stage < Stage::AllWords && slots.is_empty();
    let ended = if is_unnamed { named_so(app, &query.text) } else { ended };
    let project = app.project_identity();
    let store = app.store()?;
    let proposed = if slots.is_empty() {
        store.waiting_with(&query.text, project.as_deref())?
    } else {
        Vec::new()
    };
    let mut open = if slots.is_empty() {
        store.open_named(&query.text, project.as_deref())?
    } else {
        Vec::new()
    };
    let endings = if open.is_empty() { None } else { tracked::endings(app).ok() };
    let endings = endings.unwrap_or_default();
    let store = app.store()?;
    for place in open.iter_mut().flat_map(|one| &mut one.places) {
        if let Some(ended) = slot_of(place).and_then(|slot| endings.get(&slot)) {
            *place = format!("{place} ({ended})");
        }
    }
    // What merely has parts of a name is no answer to it, and what says the same under another name is.
    if let Some(one) = open.iter().find(|one| asked.trim() == one.name)
        && found.stage < Stage::Exact
    {
        let same = one.settled.map(|id| store.finding(id)).transpose()?.flatten();
        let hit = |finding| Hit { finding, score: 3.0, snippet: String::new(), why: Vec::new() };
        if same.is_some() || found.stage < Stage::AllWords {
            found.hits = same.map(hit).into_iter().collect();
            found.total = found.hits.len() as u64;
        }
    }
    // An expired fact is not shown, though still stored.
    let all = found.hits.len();
    found.hits.retain(|hit| !hit.finding.has_expired(&now));
    let total = found.total.saturating_sub((all - found.hits.len()) as u64);
    let empty_base = found.hits.is_empty() && store.is_empty()?;
    let first = found.hits.first().and_then(|hit| hit.finding.content.problem.as_deref());
    let ids: Vec<i64> = found.hits.iter().map(|hit| hit.finding.id).collect();
    let named = if let [one] = named.as_slice() { Some(one.as_str()) } else { None };
    let problem = named.or(first.filter(|_| slots.len() == 1));
    let problem = problem.map(|id| store.problem(id)).transpose()?.flatten();
    let is_weak = found.stage < Stage::AllWords;
    let problem = match problem {
        None if slots.is_empty() => store.problem_saying(&query.text, is_weak)?,
        known => known,
    };
    let is_missing =
        is_weak && problem.is_none() && slots.is_empty() && elsewhere.is_none() && open.is_empty();
    let meant = if is_missing { store.meant(&query.text)? } else { None };
    Ok(Answer {
        meant,
        elsewhere,
        query: asked,
        open,
        total,
        matched: found.stage,
        problem,
        slot: if slots.len() == 1 { slots.pop() } else { None },
        slots,
        opposed: store.opposed(&ids)?,
        proposed: proposed.into_iter().map(|one| one.text).collect(),
        ended,
        hits: found.hits,
        empty_base,
    })
}

/// Since when those ask for news who say so.
const TIMES: [(&str, &[&str]); 3] = [
    ("2d", &["yesterday", "today"]),
    ("7d", &["came back", "is new", "last week", "this week"]),
    ("31d", &["last month", "this month"]),
];

/// Since when a question that says nothing else asks for news.
fn new_since(text: &str) -> Option<&'static str> {
    let found = TIMES.iter().find(|(_, phrases)| has_phrase(text, phrases));
    found.map(|(since, _)| *since).filter(|_| says_nothing_else(text))
}

fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    let words = format!(" {} ", spaced(text).trim());
    phrases.iter().any(|phrase| words.contains(&format!(" {phrase} ")))
}

fn asks_for_best(text: &str) -> bool {
    const BEST: &str = "best strongest partial progress furthest frontier prove proved proven";
    spaced(text).split_whitespace().any(|word| is_among(word, BEST))
}

/// The results of a problem before what only has the words.
fn best_first(found: &mut SearchResult, best: Few, limit: usize) {
    let score = found.hits.first().map_or(0.0, |hit| hit.score);
    let before = found.hits.len();
    found.hits.retain(|hit| best.first.iter().all(|one| one.id != hit.finding.id));
    let moved = before - found.hits.len();
    found.total += (best.first.len() - moved) as u64;
    let hit = |finding| Hit { finding, score, snippet: String::new(), why: Vec::new() };
    found.hits.splice(..0, best.first.into_iter().map(hit));
    found.hits.truncate(limit);
}

/// `what techniques work on planar graphs` asks for more than the words of a command.
fn says_nothing_else(text: &str) -> bool {
    const OF_WORK: &str = "what which how is are was were did do does has have list show i we our the a an of in on to \
        and or why with any there near flight miss misses close running queue queued fetch unread never read came back \
        new since last this week month yesterday today known false lemma lemmas axiom axioms rest rests problem problems \
        submission submissions result results theorem theorems slot slots solved settled open proved proven many should \
        next try work";
    spaced(text).split_whitespace().all(|word| is_among(word, OF_WORK))
}

/// `which submissions are in flight?` is no question about theorems.
fn elsewhere(text: &str) -> Option<&'static str> {
    const NEWS: &str =
        "`mk queue` shows what waits to be fetched, and what came back and was not checked";
    const COMMANDS: [(&[&str], &str); 7] = [
        (&["how many"], "`mk stats` counts what is known"),
        (&["do next", "try next", "close next", "work on"], "`mk next` names the gap to work on"),
        (
            &[
                "in flight",
                "is running",
                "are running",
                "queue",
                "queued",
                "fetch",
                "unread",
                "never read",
            ],
            "`mk queue` shows what is in flight, ready to fetch, or came back and was not checked",
        ),
        (
            &["near miss", "near misses", "are close", "is close"],
            "`mk queue` lists the near misses, with their gaps",
        ),
        (
            &["known false", "are false", "false lemma", "false lemmas"],
            "`mk search --kind false-lemma` lists the false lemmas, each with why",
        ),
        (&["axiom", "axioms"], "`mk search --tag axiom` lists what rests on an axiom"),
        (&["problems"], "`mk problem` lists the problems with their status"),
    ];
    const ASKS: &str = "what which how is are was were did do does has have list show";
    let words = spaced(text);
    let is_question = text.trim_end().ends_with('?')
        || words.split_whitespace().next().is_some_and(|first| is_among(first, ASKS))
        || says_nothing_else(text);
    let fits = COMMANDS.iter().find(|(phrases, _)| has_phrase(text, phrases));
    let news = TIMES.iter().any(|(_, phrases)| has_phrase(text, phrases)).then_some(NEWS);
    fits.map(|(_, command)| *command).or(news).filter(|_| is_question)
}

/// The slots that a query names, in its order.
pub(crate) fn named_slots(app: &mut App, text: &str) -> Vec<NamedSlot> {
    let mut slots = KnownProblems::default().in_text(text).slots;
    if slots.is_empty() {
        return Vec::new();
    }
    let endings = tracked::endings(app).unwrap_or_else(|error| {
        app.log.line(app.now, "search", &format!("tracking database: {error}"));
        HashMap::new()
    });
    let between = slots_between(text);
    let named = slots.clone();
    slots.extend(between.filter(|slot| !named.contains(slot)));
    if slots.len() > named.len() {
        slots.sort_unstable();
    }
    let state = |slot| endings.get(&slot).cloned().unwrap_or_default();
    let project = app.project_identity();
    let project = project.as_deref();
    let is_list = slots.len() > 1;
    let notes = if is_list { notes_of(app) } else { HashMap::new() };
    let store = app.existing_store().ok().flatten();
    let files = |slot| store.as_ref().filter(|_| is_list)?.files_of_slot(slot, project).ok()?.pop();
    let unborne = store.as_ref().and_then(|store| store.slots_without_proof(&slots, project).ok());
    let unborne = unborne.unwrap_or_default();
    let state = |slot| match (state(slot), files(slot)) {
        (state, Some(file)) if state.is_empty() => format!("not in tracking.db; {file}"),
        (state, _) if state.is_empty() => state,
        (state, _) => {
            let said = [Some(&state), unborne.get(&slot), notes.get(&slot)];
            said.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; ")
        }
    };
    let waiting = store.as_ref().and_then(|store| store.waiting(project).ok()).unwrap_or_default();
    let proposed = |slot| {
        let own = waiting.iter().filter(|one| one.slot == Some(slot));
        own.map(|one| one.text.clone()).collect()
    };
    slots
        .into_iter()
        .map(|slot| NamedSlot { slot, state: state(slot), proposed: proposed(slot) })
        .filter(|slot| named.contains(&slot.slot) || !slot.state.is_empty())
        .collect()
}

/// What is noted of each slot, shortly.
fn notes_of(app: &mut App) -> HashMap<i64, String> {
    const COLUMNS: usize = 70;
    let Ok(Some(tracking)) = app.tracking() else { return HashMap::new() };
    let rows = tracking.ledger.submissions.iter();
    let note =
        |one: &Submission| Some((one.slot?, clip(first_sentence(one.notes.as_deref()?), COLUMNS)));
    rows.filter_map(note).collect()
}

/// Words that submissions have as their status.
fn is_ending(text: &str) -> bool {
    const ENDINGS: &str = "timeout timedout error invalid stale compilefailed";
    is_among(&ending_key(text), ENDINGS)
}

/// `what timed out` is `timeout`.
fn ending_key(text: &str) -> String {
    const ASKED: &str = "what which slots submissions that have all";
    let words = spaced(text);
    let told: Vec<&str> = words.split_whitespace().filter(|word| !is_among(word, ASKED)).collect();
    match word_key(&told.join(" ")).as_str() {
        "timedout" => "timeout".to_owned(),
        key => key.to_owned(),
    }
}

/// Where the words are a status of the tracking database: what ended so, the newest first.
pub(crate) fn ended_as(app: &mut App, status: &str) -> Vec<String> {
    const MOST: usize = 40;
    let key = ending_key(status);
    if key.is_empty() {
        return Vec::new();
    }
    let Ok(Some(tracking)) = app.tracking() else { return Vec::new() };
    let is_it = |one: &&Submission| one.status.as_deref().is_some_and(|own| word_key(own) == key);
    let mut found: Vec<&Submission> = tracking.ledger.submissions.iter().filter(is_it).collect();
    found.sort_by(|a, b| b.last_seen().cmp(&a.last_seen()));
    found
        .iter()
        .take(MOST)
        .map(|one| format!("{}: {}", one.label, one.ended().join(", ")))
        .collect()
}

/// Submissions whose files are named with all the words, the newest first.
fn named_so(app: &mut App, text: &str) -> Vec<String> {
    const MOST: usize = 5;
    let words = spaced(text);
    let words: Vec<&str> = words.split(' ').filter(|word| word.len() > 2).collect();
    let Ok(Some(tracking)) = app.tracking() else { return Vec::new() };
    let is_it = |one: &&Submission| {
        let name = spaced(&one.filename.replace('_', " "));
        !words.is_empty() && words.iter().all(|word| says(&name, word))
    };
    let mut found: Vec<&Submission> = tracking.ledger.submissions.iter().filter(is_it).collect();
    found.sort_by(|a, b| b.last_seen().cmp(&a.last_seen()));
    let told = found.iter().take(MOST).map(|one| {
        format!("{}: {} ({})", one.label, one.ended().join(", "), base_name(&one.filename))
    });
    told.collect()
}

pub(crate) fn ended(page: &mut Page, ended: &[String]) {
    for one in ended {
        page.line(1, &clean(one));
    }
}

/// Those within `slots 60 to 63` or `slot60-63`.
fn slots_between(text: &str) -> impl Iterator<Item = i64> {
    const MOST: i64 = 200;
    static RANGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(?:slots\s*(\d+)\s*(?:-|–|—|\.\.|to|through|bis)|slot\s*(\d+)[-–—])\s*(?:slot\s*)?(\d+)\b",
        )
        .ok()
    });
    let range = RANGE.as_ref().and_then(|range| range.captures(text)).and_then(|found| {
        let number = |at| found.get(at).and_then(|it| it.as_str().parse::<i64>().ok());
        Some((number(1).or(number(2))?, number(3)?))
    });
    let (first, last) = range.filter(|(first, last)| last - first <= MOST).unwrap_or((1, 0));
    first..=last
}

/// Time, domain and project (empty means the current one) as the store spells them.
fn in_its_terms(app: &mut App, mut query: SearchQuery) -> anyhow::Result<SearchQuery> {
    query.current_project = app.project_identity();
    query.project = app.scope()?.or(query.project);
    let project = query.project.as_deref().map(str::trim);
    query.project = if project == Some("") {
        let current = query.current_project.clone();
        Some(current.ok_or_else(|| {
            UsageError(
                "this folder is not a project (no git, no Lake package, no submissions/tracking.db): \
                 name one with `--project=<identity>`, or search everything"
                    .to_owned(),
            )
        })?)
    } else {
        project.map(str::to_owned)
    };
    let since = query.since.as_deref().map(|words| since(words, app.now));
    query.since = since.transpose().map_err(UsageError)?;
    let domain = query.domain.as_deref().map(|words| known_domain(app, words));
    query.domain = domain.transpose()?;
    Ok(query)
}

/// A domain that exists or is used.
fn known_domain(app: &mut App, words: &str) -> anyhow::Result<String> {
    let id = Domain::id_of(words);
    let mut known: BTreeSet<String> =
        Domain::ALL.iter().map(|one| one.as_str().to_owned()).collect();
    if !id.is_empty() && !known.contains(&id) {
        known.extend(app.store()?.stats()?.findings.by_domain.into_keys());
    }
    if id.is_empty() || known.contains(&id) {
        return Ok(id);
    }
    let all = known.iter().map(String::as_str);
    let meant = nearest(&id, all.clone()).map_or_else(
        || format!("; there are {}", all.collect::<Vec<_>>().join(", ")),
        |near| format!(" (do you mean `{near}`?)"),
    );
    Err(UsageError(format!("there is no domain `{}`{meant}", clean(words))).into())
}

#[derive(Debug, Clone, Copy, Default)]
struct HitStyle {
    /// Instead of three lines each.
    verbose: bool,
    explain: bool,
}

fn view(answer: &Answer, style: HitStyle, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if answer.hits.is_empty() {
        nothing(&mut page, answer);
        return page.into_text();
    }
    let shown = answer.hits.len();
    let counted = match answer.total {
        1 => "1 finding".to_owned(),
        total if total > shown as u64 => format!("{shown} of {total} findings"),
        total => format!("{total} findings"),
    };
    let about = about(&answer.query, width.saturating_sub(30));
    page.line(1, &format!("{counted}{about}"));
    if let Some(remark) = remark(answer.matched) {
        page.hint(remark);
    }
    meant(&mut page, "search", answer.meant.as_deref());
    standing(&mut page, answer);
    page.rule();
    let mut text = page.into_text();
    for (i, hit) in answer.hits.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        text += &one(hit, answer.opposed.get(&hit.finding.id), (style, width), now);
    }
    let mut page = Page::new(width);
    page.rule();
    waiting(&mut page, 1, &answer.proposed);
    if !style.verbose {
        page.hint("Whole records: `mk show <id>`, or `--verbose`.");
    }
    text + &page.into_text()
}

/// Where the problem or slot stands that the query names.
fn standing(page: &mut Page, answer: &Answer) {
    if let Some(command) = answer.elsewhere {
        page.hint(command);
    }
    for OpenIn { name, places, settled } in &answer.open {
        const MOST: usize = 5;
        let more = places.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let places = places.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
        let said = match settled {
            None => format!("`{name}` is open: {places}{more}"),
            Some(id) => {
                format!("`{name}` was left open: {places}{more}; the same statement is #{id}")
            }
        };
        page.paragraph(1, &clean(&said));
    }
    slots(page, &answer.slots);
    if let Some(one) =
        answer.slot.as_ref().filter(|one| !one.state.is_empty() || !one.proposed.is_empty())
    {
        slots(page, std::slice::from_ref(one));
    }
    if let Some(problem) = &answer.problem {
        let (name, id) = (clean(&problem.name), clean(&problem.id));
        let Problem { submission_count: tried, proven_count, failed_count, .. } = problem;
        let counts = match tried {
            0 => String::new(),
            _ => format!("; {tried} tried, {proven_count} complete, {failed_count} failed"),
        };
        page.line(1, &format!("{name}: {}{counts} (`mk find {id}`)", problem.standing()));
    }
}

/// A line for each.
pub(crate) fn slots(page: &mut Page, slots: &[NamedSlot]) {
    for NamedSlot { slot, state, proposed } in slots {
        let state = if state.is_empty() { "not in tracking.db" } else { state };
        page.line(1, &format!("Slot {slot}: {} (`mk find slot{slot}`)", clean(state)));
        waiting(page, 2, proposed);
    }
}

/// Proposals are shown as such.
pub(crate) fn waiting(page: &mut Page, depth: usize, proposed: &[String]) {
    const MOST: usize = 5;
    for text in proposed.iter().take(MOST) {
        page.paragraph(depth, &format!("Noted, waits for your word (`mk review`): {text}"));
    }
    if proposed.len() > MOST {
        page.hint(&format!("and {} more in `mk review`", proposed.len() - MOST));
    }
}

fn one(
    hit: &Hit,
    opposite: Option<&Opposite>,
    (style, width): (HitStyle, usize),
    now: Timestamp,
) -> String {
    let mut page = Page::new(width);
    if !style.verbose {
        headline(&mut page, 1, &hit.finding);
        gist(&mut page, 2, &hit.finding.content);
        if let Some(against) = hit.finding.content.contradiction() {
            page.labelled(2, "But", against);
        }
        provenance(&mut page, 2, &hit.finding.content, Within::default(), now);
    }
    opposed(&mut page, 2, opposite, &hit.finding.content);
    if style.explain {
        page.labelled(2, "Matched", &hit.snippet);
        let why =
            if hit.why.is_empty() { String::new() } else { format!(": {}", hit.why.join("; ")) };
        page.labelled(2, "Score", &format!("{:.2}{why}", hit.score));
    }
    let text = page.into_text();
    if style.verbose { whole(&hit.finding, width) + &text } else { text }
}

fn about(query: &str, room: usize) -> String {
    let query = clip(&clean(query), room.max(20));
    if query.is_empty() { String::new() } else { format!(" for `{query}`") }
}

pub(crate) fn meant(page: &mut Page, command: &str, words: Option<&str>) {
    if let Some(words) = words {
        page.hint(&format!("Do you mean `mk {command} {}`?", clean(words)));
    }
}

fn remark(matched: Stage) -> Option<&'static str> {
    match matched {
        Stage::AnyWord => Some("No finding has all of these words; these have some of them."),
        Stage::Prefix => Some("No finding has these words; these have words that begin like them."),
        _ => None,
    }
}

fn nothing(page: &mut Page, answer: &Answer) {
    let about = about(&answer.query, page.room(1).saturating_sub(20));
    let is_noted = answer.slot.as_ref().is_some_and(|slot| !slot.proposed.is_empty());
    if !answer.slots.is_empty() || is_noted || answer.elsewhere.is_some() {
        if new_since(&answer.query).is_some() {
            page.paragraph(1, &format!("Nothing found{about}."));
        }
        waiting(page, 1, &answer.proposed);
        return standing(page, answer);
    }
    if !answer.ended.is_empty() {
        let count = plural(answer.ended.len(), "submission");
        page.line(1, &format!("{count} in tracking.db ended so:"));
        return ended(page, &answer.ended);
    }
    if answer.empty_base {
        page.paragraph(1, &format!("No findings yet{about}."));
        page.hint(EMPTY_BASE);
    } else if answer.total > 0 {
        page.paragraph(1, &format!("{} findings{about}, none shown.", answer.total));
    } else {
        if answer.open.is_empty() {
            page.paragraph(1, &format!("Nothing found{about}."));
        }
        let is_answered = answer.problem.is_some();
        waiting(page, 1, &answer.proposed);
        let is_answered = is_answered || !answer.open.is_empty();
        if is_answered || answer.slot.is_some() || !answer.proposed.is_empty() {
            return standing(page, answer);
        }
        meant(page, "search", answer.meant.as_deref());
        page.hint(
            "Try fewer or other words, without filters; `mk find <problem>` and `mk failed <keyword>` \
             search elsewhere.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    #[test]
    fn questions_about_the_work_name_their_command() {
        for (question, command) in [
            ("which submissions are in flight", Some("mk queue")),
            ("what came back and was never read?", Some("mk queue")),
            ("which results rest on an axiom", Some("mk search --tag axiom")),
            ("how many lemmas are false", Some("mk stats")),
            ("what should I work on", Some("mk next")),
            ("which are close", Some("mk queue")),
            ("near misses", Some("mk queue")),
            ("in flight", Some("mk queue")),
            ("what is running", Some("mk queue")),
            ("what came back since last week", Some("mk queue")),
            ("which lemmas are known false", Some("mk search --kind false-lemma")),
            ("which problems are solved", Some("mk problem")),
            ("list all problems", Some("mk problem")),
            ("open problems", Some("mk problem")),
            ("axiom of choice", None),
            ("which lemma bounds the flight time", None),
            ("what is the next prime after 7", None),
            ("what is the running time of this tactic", None),
        ] {
            let found = elsewhere(question).map(|text| text.split('`').nth(1).unwrap_or(text));
            assert_eq!(found, command, "{question}");
        }
        for (question, expected) in [
            ("which lemmas are known false and why", true),
            ("which results came back since last week", true),
            ("what techniques work on planar graphs", false),
            ("which axiom does the sieve need", false),
        ] {
            assert_eq!(says_nothing_else(question), expected, "{question}");
        }
    }

    /// The recorded output has the words, at one width.
    #[test]
    fn pages_fit_any_width() {
        for style in [(false, false), (true, false), (false, true)] {
            for width in [60, 100] {
                let style = HitStyle { explain: style.0, verbose: style.1 };
                let text = view(&sample::answer(), style, width, sample::now());
                let text = sample::plain(&text, width);
                assert!(text.contains("[CLAIMED] ε_close (lemma) 漢字  #7\n"), "{text}");
            }
        }
    }
}
