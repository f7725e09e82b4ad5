//! Databases like a prover's `tracking.db`: their tables and columns, both vocabularies, their disorder.
//! The content is invented.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, params};

/// Which words a database uses for the status of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    /// `completed`, `proven`, `near_miss`, ...
    Old,
    /// `compiled_clean`, `compiled_partial`, `compile_failed`, ...
    New,
}

/// What to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixture {
    pub(crate) vocabulary: Vocabulary,
    /// Without the tables and columns that came later.
    pub(crate) minimal: bool,
    pub(crate) submissions: u32,
    pub(crate) seed: u64,
    /// The moment at which the database was copied.
    pub(crate) now: Timestamp,
}

/// A fixed moment for tests of what depends on time.
pub(crate) fn noon() -> Timestamp {
    "2026-03-10T12:00:00Z".parse().unwrap()
}

impl Fixture {
    pub(crate) fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary, minimal: false, submissions: 300, seed: 7, now: noon() }
    }

    /// Writes the database and returns it open.
    pub(crate) fn write(self, path: &Path) -> Connection {
        let mut db = empty(path, self.minimal);
        let all = db.transaction().unwrap();
        let mut dice = Dice(self.seed);
        for number in 1..=self.submissions {
            self.submission(&all, number, &mut dice);
        }
        for number in 0..40 {
            theorem(&all, number, self.submissions, &mut dice);
            self.false_lemma(&all, number, &mut dice);
            failed_approach(&all, number, self.submissions, &mut dice);
        }
        if !self.minimal {
            lists(&all, &mut dice);
        }
        all.commit().unwrap();
        db
    }

    fn submission(self, db: &Connection, number: u32, dice: &mut Dice) {
        let status = match self.vocabulary {
            Vocabulary::Old => *dice.one_of(OLD),
            Vocabulary::New => *dice.one_of(NEW),
        };
        let (problem, idea) = (*dice.one_of(PROBLEMS), *dice.one_of(IDEAS));
        let filename = match dice.below(6) {
            0 => format!("slot{number}"),
            1 => format!("submissions/round2/slot{number}_{idea}_v3.lean"),
            2 => format!("submissions/{problem}_{idea}.lean"),
            3 => format!("slot{number}b_{problem}_{idea}_aristotle.lean"),
            _ => format!("slot{number}_{problem}_{idea}.lean"),
        };
        let stated = match dice.below(6) {
            0 => None,
            1 => Some(format!("slot{number}")),
            2 => Some(problem.replace('_', "")),
            _ => Some(problem.to_owned()),
        };
        let is_proved = matches!(status, Some("proven" | "compiled_clean" | "compiled_no_advance"));
        let gaps =
            if is_proved { Some(0) } else { *dice.one_of(&[None, Some(0), Some(1), Some(3)]) };
        let days = *dice.one_of(&[0, 1, 2, 5, 12, 90]);
        db.execute(
            "INSERT INTO submissions (id, uuid, filename, problem_id, pattern, created_at, submitted_at,
             completed_at, status, sorry_count, proven_count, output_file, verified)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                number,
                (dice.below(10) > 0).then(|| uuid(number)),
                filename,
                stated,
                dice.one_of(&[None, Some("bare")]),
                self.stamp(days + 1, true),
                dice.below(2).eq(&0).then(|| self.stamp(days, number.is_multiple_of(2))),
                dice.below(2).eq(&0).then(|| self.stamp(days, number.is_multiple_of(3))),
                status,
                gaps,
                dice.one_of(&[None, Some(0), Some(4), Some(17)]),
                format!("{filename}_result.lean"),
                dice.one_of(&[None, None, Some(0), Some(1)]),
            ],
        )
        .unwrap();
    }

    fn false_lemma(self, db: &Connection, number: u32, dice: &mut Dice) {
        let problem = *dice.one_of(PROBLEMS);
        let n = number + 2;
        db.execute(
            "INSERT INTO false_lemmas (pattern_number, lemma_name, false_statement,
             false_statement_english, counterexample, why_false, evidence_level, related_slot, impact,
             avoid_pattern, correct_approach, created_at, frontier_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                number,
                format!("Chain.width_le_{n}'"),
                format!("∀ P : Poset (Fin {n}), width P ≤ {}", n / 2),
                dice.one_of(&[None, Some("Every poset has small width")]),
                dice.one_of(&[None, Some("the antichain on \"all\" of its points")]),
                "an antichain has full width",
                dice.one_of(&[None, Some("aristotle_verified"), Some("reasoning_based")]),
                dice.one_of(&[None, Some("5"), Some("slot5")]),
                format!("blocks {problem}"),
                "bounding width by height",
                dice.one_of(&[None, Some("use Dilworth's theorem")]),
                self.stamp(30, true),
                dice.one_of(&[None, Some("width2")]),
            ],
        )
        .unwrap();
    }

    /// A time so many days ago, in one of the two forms.
    fn stamp(self, days: i64, plain: bool) -> String {
        let time = self.now - SignedDuration::from_hours(24 * days + 1);
        time.strftime(if plain { "%F %T" } else { "%FT%T.123456" }).to_string()
    }
}

/// A database with the tables and no rows.
pub(crate) fn empty(path: &Path, minimal: bool) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(TABLES).unwrap();
    if !minimal {
        db.execute_batch(LATER_TABLES).unwrap();
    }
    db
}

/// A random-looking sequence that is the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        u32::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one_of<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(u32::try_from(from.len()).unwrap())).unwrap()]
    }
}

fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

fn theorem(db: &Connection, number: u32, submissions: u32, dice: &mut Dice) {
    let name = format!("{}_{}_{number}", dice.one_of(PROBLEMS), dice.one_of(IDEAS));
    let statement = match dice.below(3) {
        0 => None,
        1 => Some(format!("theorem {name} (n : ℕ) (h : 1 < n) : ∃ p, p.Prime ∧ p ∣ n")),
        _ => Some(format!("∀ G : SimpleGraph (Fin {}), G.chromaticNumber ≤ {number}", number + 1)),
    };
    db.execute(
        "INSERT INTO proven_theorems (submission_id, theorem_name, theorem_type, statement, proof_complete)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            (dice.below(8) > 0).then(|| 1 + dice.below(submissions)),
            name,
            dice.one_of(&[None, Some("lemma"), Some("theorem")]),
            statement,
            dice.one_of(&[1, 1, 1, 0]),
        ],
    )
    .unwrap();
}

fn failed_approach(db: &Connection, number: u32, submissions: u32, dice: &mut Dice) {
    let problem = *dice.one_of(PROBLEMS);
    db.execute(
        "INSERT INTO failed_approaches (frontier_id, problem_id, approach_name, approach_description,
         why_failed, failure_category, submission_uuid, learned_insight, avoid_pattern)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            dice.one_of(&[None, Some("width2")]),
            dice.one_of(&[None, Some(problem)]),
            format!("{} of level {number}", dice.one_of(IDEAS)),
            format!("Tried {problem} level by level."),
            "the levels aren't independent",
            dice.one_of(&[None, Some("missing_lemma"), Some("timeout")]),
            (dice.below(2) == 0).then(|| uuid(1 + dice.below(submissions))),
            "independence is the whole problem",
            dice.one_of(&[None, Some("assuming independence")]),
        ],
    )
    .unwrap();
}

fn lists(db: &Connection, dice: &mut Dice) {
    for problem in PROBLEMS {
        db.execute(
            "INSERT INTO candidate_problems (id, name, domain, statement, status, submissions_count,
             proven_count, false_lemma_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                problem,
                problem.to_uppercase(),
                dice.one_of(&[None, Some("number_theory"), Some("graph_theory")]),
                format!("What {problem} says."),
                dice.one_of(PROBLEM_STATUSES),
                dice.below(20),
                dice.below(5),
                dice.one_of(&[None, Some(2)]),
            ],
        )
        .unwrap();
    }
    for idea in IDEAS {
        db.execute(
            "INSERT INTO proof_techniques VALUES (?1, ?2, ?3, NULL)",
            params![idea, idea.replace('_', " "), format!("How {idea} works")],
        )
        .unwrap();
    }
}

const PROBLEMS: &[&str] =
    &["erdos_17", "erdos_170", "dilworth_w3", "ft_p3", "ft_p3_q5", "catalan", "egyptian_cover"];

const IDEAS: &[&str] = &["level_split", "greedy_chain", "parity", "descent", "double_count"];

const OLD: &[Option<&str>] = &[
    Some("completed"),
    Some("completed"),
    Some("proven"),
    Some("near_miss"),
    Some("failed"),
    Some("partial"),
    Some("stale"),
    Some("submitted"),
    Some("disproven"),
    Some("timeout"),
    None,
];

const NEW: &[Option<&str>] = &[
    Some("compiled_no_advance"),
    Some("compiled_clean"),
    Some("compiled_partial"),
    Some("compile_failed"),
    Some("disproven"),
    Some("submitted"),
];

const PROBLEM_STATUSES: &[Option<&str>] = &[
    Some("candidate"),
    Some("active"),
    Some("mixed"),
    Some("rejected"),
    Some("known_proven"),
    Some("known_formalization"),
    None,
];

const TABLES: &str = "
CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, filename TEXT NOT NULL,
  problem_id TEXT, pattern TEXT, created_at TEXT, submitted_at TEXT, completed_at TEXT, status TEXT,
  sorry_count INTEGER, proven_count INTEGER, output_file TEXT, verified INTEGER);
CREATE TABLE proven_theorems (id INTEGER PRIMARY KEY, submission_id INTEGER, theorem_name TEXT NOT NULL,
  theorem_type TEXT, statement TEXT, proof_complete INTEGER, definition_correct INTEGER,
  manually_verified INTEGER DEFAULT 0, extracted_at TEXT DEFAULT '2026-03-01 10:00:00');
CREATE TABLE failed_approaches (id INTEGER PRIMARY KEY, frontier_id TEXT, problem_id TEXT,
  approach_name TEXT NOT NULL, approach_description TEXT NOT NULL, why_failed TEXT NOT NULL,
  failure_category TEXT, submission_uuid TEXT, partial_progress TEXT, learned_insight TEXT NOT NULL,
  avoid_pattern TEXT, created_at TEXT DEFAULT '2026-03-02 10:00:00', falsity_proof TEXT);
CREATE TABLE false_lemmas (id INTEGER PRIMARY KEY, pattern_number INTEGER, lemma_name TEXT,
  false_statement TEXT, false_statement_english TEXT, counterexample TEXT, why_false TEXT,
  evidence_level TEXT, discovered_by TEXT, discovered_date TEXT, verified_by TEXT, related_slot TEXT,
  aristotle_uuid TEXT, impact TEXT, avoid_pattern TEXT, correct_approach TEXT, created_at TEXT,
  notes TEXT, frontier_id TEXT);
";

const LATER_TABLES: &str = "
ALTER TABLE submissions ADD COLUMN verification_notes TEXT;
ALTER TABLE submissions ADD COLUMN target_resolved INTEGER DEFAULT 0;
CREATE TABLE candidate_problems (id TEXT PRIMARY KEY, frontier_id TEXT, name TEXT, domain TEXT,
  statement TEXT, lean_statement TEXT, source TEXT, source_url TEXT, status TEXT, approach TEXT,
  blockers TEXT, submissions_count INTEGER, proven_count INTEGER, false_lemma_count INTEGER,
  created_at TEXT, notes TEXT);
CREATE TABLE proof_techniques (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT,
  example_usage TEXT);
CREATE TABLE submission_false_lemma_targets (id INTEGER PRIMARY KEY, submission_id INTEGER,
  false_lemma_id INTEGER);
CREATE VIEW v_active_submissions AS SELECT id, uuid FROM submissions WHERE status = 'submitted';
";
