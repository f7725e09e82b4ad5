//! Reading a transcript from where the last reading ended, and keeping what was found and how far it
//! came in one transaction: a process that ends in between has neither lost nor repeated anything.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::lessons;
use super::proposals::{self, Added, Origin};
use crate::app::App;
use crate::app::git::Repository;
use crate::files;
use crate::jobs;
use crate::learn::events::{Event, Outcome, is_lean};
use crate::learn::lessons::{Learner, Lesson};
use crate::learn::playbooks::Digest;
use crate::learn::signals::{self, Extractor, Proposal, Source};
use crate::learn::transcript::{Body, Cursor, Reader, Record, Speaker, read_plain};
use crate::learn::uses::{Uses, Watched};
use crate::model::{Kind, KnownProblems, Named, Put, Run};
use crate::playbooks::record;
use crate::store::{self, TranscriptState, Writer};
use crate::tracking::Submission;

const BLOCK: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// Id of its session, where it need not name that itself.
    pub session: Option<&'a str>,
    /// It is not written any more.
    pub is_closed: bool,
    /// What is left to do with it when it is closed is put into the queue of the background.
    pub goes_on: bool,
    /// It is read from its beginning, also what was read before. Nothing is stored twice.
    pub is_whole: bool,
    /// When to stop and leave the rest to the next reading.
    pub limit: Option<Duration>,
}

#[derive(Debug, Default, Serialize)]
pub struct LearnReport {
    pub path: String,
    pub unreadable: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// There was more than the time allowed; the next reading goes on.
    pub unfinished: bool,
    pub proposals: Vec<Proposal>,
    pub added: u64,
    pub lessons: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    cursor: Cursor,
    learner: Learner,
    digest: Digest,
    /// What was named or edited last.
    problem: Option<String>,
}

impl Memory {
    fn of(state: &str) -> Option<Self> {
        serde_json::from_str(state).ok()
    }
}

pub fn transcript(app: &mut App, path: &Path, request: Request<'_>) -> anyhow::Result<LearnReport> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let name = absolute.to_string_lossy().into_owned();
    let known = app.store()?.transcript(&name)?;
    if app.store()?.forgets(request.session.or_else(|| known.as_ref()?.session.as_deref()))? {
        return Ok(LearnReport { path: name, ..LearnReport::default() });
    }
    let mut reading = Reading::begin(&absolute, known.as_ref(), request, &app.now.to_string())?;
    reading.takes_lessons = app.config.learn_lessons;
    reading.memory.digest.root = app.project.root.to_string_lossy().into_owned();
    reading.uses = watch(app, request, known.as_ref())?;
    reading.names = app.store()?.known_problems()?;
    if reading.memory.problem.is_none() {
        // A branch is named after what it is for.
        let branch = app.project.branch().unwrap_or_default();
        reading.memory.problem = reading.names.in_text(&branch).problems.pop();
    }
    reading.run(request.limit)?;
    let project = app.project_identity();
    let goes_on = request.goes_on && jobs::asks_model(app);
    let mut state =
        TranscriptState { path: name, project: project.clone(), ..TranscriptState::default() };
    reading.finish(&mut state, request, known.as_ref())?;
    let mut run = None;
    if state.closed {
        let session = state.session.as_deref().unwrap_or_default();
        let Memory { digest, learner, .. } = std::mem::take(&mut reading.memory);
        run = record::session(app, digest, learner.ledger, session, project.as_deref())?;
    }
    let trusts_acts = app.config.learn_trust_acts;
    let source = Some(state.path.as_str());
    let origin = Origin { source, project: project.as_deref(), most: proposals::MOST, trusts_acts };
    let states = (&state, known.as_ref());
    let kept = app.write(|writer| {
        let (report, added) = reading.keep(writer, states, run, origin)?;
        // In one transaction: closed, and no work left out.
        if goes_on && state.closed && !report.unfinished {
            jobs::put_transcript(writer, &state)?;
        }
        Ok((report, added))
    });
    let (report, added) =
        kept.with_context(|| format!("what was found in `{}` was not stored", absolute.display()))?;
    proposals::note(app, added);
    if let Some(problem) = &report.problem {
        let text = format!("{}: {} lines were not read, {problem}", report.path, report.unreadable);
        app.log.line(app.now, "learn", &text);
    }
    Ok(report)
}

/// Ends what was read of a transcript that is gone.
pub fn close(app: &mut App, state: &TranscriptState) -> anyhow::Result<()> {
    let Memory { digest, learner, .. } = Memory::of(&state.state).unwrap_or_default();
    let session = state.session.as_deref().unwrap_or_default();
    let run = record::session(app, digest, learner.ledger, session, state.project.as_deref())?;
    let closed = TranscriptState { closed: true, ..state.clone() };
    app.write(|writer| {
        run.map_or(Ok(()), |run| record::put_session(writer, run))?;
        writer.put_transcript(&closed)
    })
}

pub fn in_hand(app: &mut App, path: &Path) -> Option<String> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let state = app.existing_store().ok()??.transcript(&absolute.to_string_lossy()).ok()??;
    let memory = Memory::of(&state.state)?;
    Some(memory.digest.in_hand(&memory.learner.ledger))
}

/// The state of a transcript with the place in it and nothing of what was said.
pub fn without_memory(state: &str) -> String {
    let Some(memory) = Memory::of(state) else { return String::new() };
    let cursor = Cursor { open: Vec::new(), ..memory.cursor };
    let memory = Memory { cursor, ..Memory::default() };
    serde_json::to_string(&memory).unwrap_or_default()
}

pub fn whole(path: &Path, now: &str) -> anyhow::Result<LearnReport> {
    let mut reading = Reading::begin(path, None, Request::default(), now)?;
    reading.run(None)?;
    let request = Request { is_closed: true, ..Request::default() };
    reading.finish(&mut TranscriptState::default(), request, None)?;
    Ok(reading.report)
}

/// The problem that a session is about from here on: one that the person names, or whose file is edited.
fn problem_at_hand(names: &KnownProblems, event: &Event<'_>) -> Option<String> {
    let text = match (&event.record.body, &event.act) {
        (Body::Said(words), _) if event.record.speaker == Speaker::Person => words,
        (_, Some(act)) if act.is_edit() && act.outcome == Outcome::Worked => {
            act.call.targets.first().filter(|path| is_lean(path))?
        }
        _ => return None,
    };
    names.in_text(text).problems.pop()
}

/// Preferences and traps of tools are about all problems unless they name one.
fn attach(names: &KnownProblems, proposal: &mut Proposal, at_hand: Option<&str>) {
    let named = names.in_text(&proposal.content).problems.pop();
    let is_of_one = !matches!(proposal.kind, Kind::Preference | Kind::Lesson);
    proposal.problem = named.or_else(|| at_hand.filter(|_| is_of_one).map(str::to_owned));
    let is_dead_end = proposal.kind == Kind::Failure && proposal.problem.is_some();
    if is_dead_end && signals::refuted(&proposal.content).is_some() {
        proposal.kind = Kind::FalseLemma;
    }
}

struct Reading {
    names: Arc<KnownProblems>,
    file: BufReader<File>,
    reader: Reader,
    extractor: Extractor,
    memory: Memory,
    uses: Uses,
    lessons: Vec<Lesson>,
    takes_lessons: bool,
    session: Option<String>,
    report: LearnReport,
}

impl Reading {
    fn begin(
        path: &Path,
        known: Option<&TranscriptState>,
        request: Request<'_>,
        now: &str,
    ) -> anyhow::Result<Self> {
        let file = files::open(path)
            .with_context(|| format!("could not read the transcript `{}`", path.display()))?;
        let mut file = BufReader::with_capacity(BLOCK, file);
        let known = known.filter(|_| !request.is_whole);
        let memory = known.and_then(|known| Memory::of(&known.state));
        let resumed = memory.as_ref().and_then(|memory| Reader::resume(&memory.cursor, &mut file));
        if resumed.is_none() {
            // Also where it is not the file that was read before.
            file.rewind()?;
        }
        let memory = memory.filter(|_| resumed.is_some()).unwrap_or_default();
        let source = Source {
            session: request.session.unwrap_or_default().to_owned(),
            extracted_at: now.to_owned(),
            is_plain: false,
        };
        Ok(Self {
            file,
            reader: resumed.unwrap_or_default(),
            names: Arc::default(),
            extractor: Extractor::new(source),
            memory,
            uses: Uses::default(),
            lessons: Vec::new(),
            takes_lessons: true,
            session: request.session.map(str::to_owned),
            report: LearnReport {
                path: path.to_string_lossy().into_owned(),
                ..LearnReport::default()
            },
        })
    }

    fn run(&mut self, limit: Option<Duration>) -> anyhow::Result<()> {
        let begun = Instant::now();
        let mut records = Vec::new();
        while limit.is_none_or(|limit| begun.elapsed() < limit) {
            let read = self.reader.read(&mut self.file, &mut records);
            if !read.context("could not read the transcript")? {
                return Ok(());
            }
            self.learn(&mut records);
        }
        self.report.unfinished = true;
        Ok(())
    }

    fn learn(&mut self, records: &mut Vec<Record>) {
        for record in records.drain(..) {
            if self.session.is_none() {
                self.session = record.session.as_deref().map(str::to_owned);
            }
            let event = Event::from(&record);
            let before = self.extractor.found().len();
            let earlier = self.memory.problem.clone();
            self.extractor.add(&event);
            if let Some(problem) = problem_at_hand(&self.names, &event) {
                self.memory.problem = Some(problem);
            }
            for proposal in self.extractor.found().iter_mut().skip(before) {
                // Last words belong to what was at hand before the person went on.
                let is_earlier = proposal.line < record.line;
                let at_hand = if is_earlier { &earlier } else { &self.memory.problem };
                attach(&self.names, proposal, at_hand.as_deref());
            }
            if self.takes_lessons {
                let lessons = self.memory.learner.read(&event);
                for lesson in lessons.into_iter().filter(Lesson::is_certain) {
                    self.memory
                        .digest
                        .fixed(lessons::lesson(&lesson, None, None).uid(), &lesson.title);
                    self.lessons.push(lesson);
                }
            } else if let Some(act) = &event.act {
                self.memory.learner.ledger.read(act);
            }
            self.memory.digest.read(&event);
            self.uses.read(&event);
        }
    }

    fn finish(
        &mut self,
        state: &mut TranscriptState,
        request: Request<'_>,
        known: Option<&TranscriptState>,
    ) -> anyhow::Result<()> {
        // The place is taken before a last line without an end: if that one grows, it is read again.
        let cursor = self.reader.cursor(&mut self.file)?;
        if request.is_closed && !self.report.unfinished {
            let mut records = Vec::new();
            self.reader.finish(&mut records);
            self.learn(&mut records);
        }
        self.report.unreadable = self.reader.unreadable;
        let problem = self.reader.problem.as_ref();
        self.report.problem = problem.map(|first| format!("the first is {first}"));
        let before = self.extractor.found().len();
        self.report.proposals = std::mem::take(&mut self.extractor).finish();
        for proposal in self.report.proposals.iter_mut().skip(before) {
            attach(&self.names, proposal, self.memory.problem.as_deref());
        }
        state.session =
            self.session.clone().or_else(|| known.and_then(|known| known.session.clone()));
        state.closed = (request.is_closed || known.is_some_and(|known| known.closed))
            && !self.report.unfinished;
        (state.offset, state.lines) = (cursor.offset, cursor.lines);
        state.hash.clone_from(&cursor.hash);
        self.memory.cursor = cursor;
        state.state = serde_json::to_string(&self.memory).unwrap_or_default();
        Ok(())
    }

    fn keep(
        mut self,
        writer: &Writer<'_>,
        (state, known): (&TranscriptState, Option<&TranscriptState>),
        run: Option<Run>,
        origin: Origin<'_>,
    ) -> store::Result<(LearnReport, Added)> {
        // Somebody else read it, or had it forgotten, meanwhile: what they stored stands, and the next
        // reading goes on from there.
        if !writer.is_where_it_was(&state.path, known)? {
            return Ok((LearnReport { unfinished: true, ..self.report }, Added::default()));
        }
        if writer.forgets(state.session.as_deref())? {
            let report = LearnReport { proposals: Vec::new(), ..self.report };
            return Ok((report, Added::default()));
        }
        let added = proposals::put(writer, &self.report.proposals, origin)?;
        self.report.added = added.added as u64;
        for lesson in &self.lessons {
            let put =
                writer.put(&lessons::lesson(lesson, state.session.as_deref(), origin.project))?;
            self.report.lessons += u64::from(matches!(put, Put::Inserted(_) | Put::Updated(_)));
        }
        if let Some(session) = &state.session {
            writer.note_session(session, origin.project, true)?;
            if state.closed {
                writer.settle_session(session)?;
            }
            for (row, how) in &self.uses.found {
                writer.decide_injection(*row, "used", how)?;
            }
            // At the end of the session everything else is decided too.
            if state.closed {
                writer.settle_injections(session)?;
            }
        }
        if let Some(run) = run {
            record::put_session(writer, run)?;
        }
        writer.put_transcript(state)?;
        Ok((self.report, added))
    }
}

/// Nothing where the session is not known before the reading.
fn watch(
    app: &mut App,
    request: Request<'_>,
    known: Option<&TranscriptState>,
) -> anyhow::Result<Uses> {
    let session = request.session.or_else(|| known?.session.as_deref());
    let Some(session) = session else { return Ok(Uses::default()) };
    let rows = app.store()?.injections(session)?;
    let is_open =
        |outcome: &Option<String>| outcome.as_deref().is_none_or(|outcome| outcome == "unused");
    let watched = rows.into_iter().filter(|row| is_open(&row.outcome)).map(|row| Watched {
        row: row.id,
        at: row.at,
        label: row.finding.map(|_| row.label).unwrap_or_default(),
        marks: row.marks,
        file: Some(row.place).filter(|place| row.event == "PostToolUse" && !place.is_empty()),
    });
    Ok(Uses { watched: watched.collect(), ..Uses::default() })
}

type Headed = (Option<Place>, Option<String>);

/// What a note says under a heading that names a slot or a problem, or in a file of such a name, is about that; it was
/// written on the day that a heading names, or when its file was committed.
fn place(app: &mut App, path: &Path, text: &str, proposals: &mut [Proposal]) -> anyhow::Result<()> {
    let known = app.existing_store()?.map(|store| store.known_problems()).transpose()?;
    let mut names = known.map_or_else(KnownProblems::default, |known| (*known).clone());
    // Whether tracking.db was imported before or not.
    if let Some(tracking) = app.tracking().ok().flatten() {
        names.add_stated(tracking.ledger.problems());
    }
    let of_file = path.file_stem().map(|stem| names.in_text(&stem.to_string_lossy()));
    let of_file = of_file.as_ref().and_then(only);
    // Where each section begins, what it is about and its day: those of its heading, or of one above.
    let mut sections: Vec<(u64, Headed)> = Vec::new();
    let mut over: Vec<(usize, Headed)> = Vec::new();
    for (line, level, words) in signals::headings(text) {
        over.retain(|(above, _)| *above < level);
        let (place, day) = over.last().map(|(_, above)| above.clone()).unwrap_or_default();
        let own = (only(&names.in_text(words)).or(place), day_in(words).or(day));
        over.push((level, own.clone()));
        sections.push((line, own));
    }
    let committed = committed(path);
    let mut submissions = None;
    for proposal in proposals {
        let at = sections.partition_point(|(line, _)| *line < proposal.line);
        let section = at.checked_sub(1).and_then(|at| sections.get(at));
        let (section, day) = section.map(|(_, own)| own.clone()).unwrap_or_default();
        proposal.said_at = proposal.said_at.take().or(day).or_else(|| committed.clone());
        let own = only(&names.in_text(&proposal.content));
        // A slot that it names itself is surer than what stands above it.
        let (sure, own) = match own {
            Some((Some(_), _)) => (own, None),
            own => (None, own),
        };
        if let Some((slot, problem)) = sure.or(section).or_else(|| of_file.clone()).or(own) {
            let problem = problem.or_else(|| problem_of_slot(&mut submissions, app, slot?));
            proposal.place(slot, problem);
        }
    }
    Ok(())
}

/// The beginning of the day that a heading names: `2026-02-11`.
fn day_in(heading: &str) -> Option<String> {
    const LENGTH: usize = 10;
    let words = heading.split(|c: char| !c.is_ascii_digit() && c != '-');
    let mut days = words.filter(|word| word.len() == LENGTH);
    let day = days.find_map(|word| word.parse::<jiff::civil::Date>().ok())?;
    Some(format!("{day}T00:00:00Z"))
}

fn committed(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let git = Repository::around(path.parent()?)?;
    let output = git.run(["log", "-1", "--format=%cI", "--", path.to_str()?]).ok()?;
    let at = String::from_utf8(output).ok()?.trim().to_owned();
    (!at.is_empty()).then_some(at)
}

type Place = (Option<i64>, Option<String>);

/// The one slot, and the one problem, if it names no other.
fn only(named: &Named) -> Option<Place> {
    match (named.slots.as_slice(), named.problems.as_slice()) {
        ([], []) | ([_, _, ..], _) | (_, [_, _, ..]) => None,
        (slot, problem) => Some((slot.first().copied(), problem.first().cloned())),
    }
}

/// That of all its submissions, which are read once.
fn problem_of_slot(
    submissions: &mut Option<Vec<Submission>>,
    app: &mut App,
    slot: i64,
) -> Option<String> {
    let all = submissions.get_or_insert_with(|| {
        let tracking = app.tracking().ok().flatten();
        tracking.map(|tracking| tracking.ledger.submissions.clone()).unwrap_or_default()
    });
    let mut problems: Vec<&Option<String>> =
        all.iter().filter(|one| one.slot == Some(slot)).map(|one| &one.problem).collect();
    problems.dedup();
    if let [problem] = problems.as_slice() { (*problem).clone() } else { None }
}

const LONGEST_TEXT: u64 = 64 * 1024 * 1024;

#[derive(Debug, Default, Serialize)]
pub struct TextReport {
    pub proposals: Vec<Proposal>,
    /// Those that are new; with a dry run none is.
    pub added: u64,
    pub total: u64,
    pub lessons: u64,
}

/// Whether a file is read for what was said in it: a transcript, or plain text.
pub fn is_text(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let is_lean = || files::is_lean_text(&path.to_string_lossy());
    matches!(extension.as_deref(), Some("jsonl" | "md" | "markdown" | "txt")) && !is_lean()
}

pub fn extract(
    app: &mut App,
    path: &Path,
    dry_run: bool,
    report: &mut TextReport,
) -> anyhow::Result<()> {
    let is_transcript = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    let now = app.now.to_string();
    let (found, added, lessons) = if is_transcript && dry_run {
        (whole(path, &now)?.proposals, 0, 0)
    } else if is_transcript {
        let request = Request { is_whole: true, ..Request::default() };
        let kept = transcript(app, path, request)?;
        (kept.proposals, kept.added, kept.lessons)
    } else {
        let bytes = files::read(path, LONGEST_TEXT)
            .with_context(|| format!("could not read `{}`", path.display()))?;
        let source = Source { session: String::new(), extracted_at: now, is_plain: true };
        let text = signals::tables_as_items(&String::from_utf8_lossy(&bytes));
        let mut found = signals::extract(&read_plain(text.as_bytes()), source);
        place(app, path, &text, &mut found)?;
        let (project, place) = (app.project_identity(), app.project.stable_path(path));
        let (source, project) = (Some(place.as_str()), project.as_deref());
        // Asked for by hand: all of it.
        let origin = Origin { source, project, most: usize::MAX, ..Origin::default() };
        let added = if dry_run { 0 } else { proposals::add(app, &found, origin)?.added as u64 };
        (found, added, 0)
    };
    report.total += found.len() as u64;
    report.added += added;
    report.lessons += lessons;
    report.proposals.extend(found);
    Ok(())
}
