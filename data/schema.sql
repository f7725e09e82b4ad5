-- The schema of a knowledge database, also for the stock shell: sqlite3 knowledge.db < data/schema.sql
--
-- Why it looks like this: one base table holds every piece of knowledge (a finding), so that search,
-- export and review are written once. The tables, columns and views that the specification names
-- exist under its names and in its order; what is ours is appended, `symbols` last. Everything says
-- IF NOT EXISTS, so that running this file again changes nothing. Only features of SQLite up to 3.37 are
-- used, and no cascades: the stock shell has foreign keys switched off, triggers it runs. A change of this
-- file is a new version, and a step to it beside the others in src/store/connect.rs.

PRAGMA application_id = 0x6d6b6462; -- 'mkdb'

CREATE TABLE IF NOT EXISTS domains (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT
);
INSERT OR IGNORE INTO domains (id, name, description) VALUES
    ('nt', 'Number Theory', 'Primes, divisibility, congruences, Diophantine equations'),
    ('algebra', 'Algebra', 'Groups, rings, fields, modules, representations'),
    ('combinatorics', 'Combinatorics', 'Graphs, hypergraphs, extremal and Ramsey questions'),
    ('analysis', 'Analysis', 'Real and complex analysis, measure, topology');

-- What a finding can be. A trigger checks against this table instead of a CHECK in `findings`, so
-- that a new kind is a new row and never a rebuilt table.
CREATE TABLE IF NOT EXISTS kinds (
    name TEXT PRIMARY KEY,
    badge TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 0   -- how many are claimed or confirmed: counted as they change
);
INSERT OR IGNORE INTO kinds (name, badge) VALUES
    ('theorem', '[PROVEN]'), ('technique', '[TECHNIQUE]'), ('failure', '[FAILED]'),
    ('false_lemma', '[FALSE]'), ('computation', '[COMPUTED]'), ('mathlib_api', '[MATHLIB_API]'),
    ('insight', '[INSIGHT]'), ('lesson', '[LESSON]'), ('fact', '[FACT]'),
    ('playbook', '[PLAYBOOK]'), ('preference', '[PREFERENCE]'), ('decision', '[DECISION]');

CREATE TABLE IF NOT EXISTS findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    finding_type TEXT NOT NULL,       -- a name from `kinds`
    domain_id TEXT REFERENCES domains(id),
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    problem_id TEXT,
    source_slot INTEGER,
    source_submission_uuid TEXT,
    source_file TEXT,
    theorem_name TEXT,
    theorem_statement TEXT,
    proof_technique TEXT,
    mathlib_imports TEXT,
    proof_lines INTEGER,
    counterexample TEXT,
    why_failed TEXT,
    avoid_pattern TEXT,
    confidence TEXT CHECK(confidence IN ('verified', 'high', 'medium', 'low', 'disproven')) DEFAULT 'medium',
    created_at TEXT DEFAULT (datetime('now')),
    updated_at TEXT DEFAULT (datetime('now')),
    tags TEXT,                        -- separated by commas
    notes TEXT,
    uid TEXT,                         -- identity across machines; NULL until `mk` runs
    fingerprint TEXT,                 -- of the content that was last stored by `mk`
    project TEXT,                     -- identity of the project, NULL for what holds everywhere
    evidence TEXT DEFAULT 'file',     -- kernel, person, prover, file, model, session: the strongest first
    source_line INTEGER,
    session_id TEXT,
    toolchain TEXT,
    mathlib_rev TEXT,
    correct_approach TEXT,
    superseded_by INTEGER,            -- the finding that replaced this one
    extracted_from TEXT,              -- the file whose next extraction replaces this row
    status TEXT NOT NULL DEFAULT 'claimed'
        CHECK(status IN ('proposed', 'claimed', 'confirmed', 'superseded', 'dropped')),
    key TEXT,                         -- by what the same is found again: a statement's key, an error's signature
    detail TEXT,                      -- what only this kind has, JSON
    symbols TEXT                      -- searchable names and symbols; NULL until `mk` runs
);

CREATE TABLE IF NOT EXISTS strategies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    problem_id TEXT NOT NULL,
    problem_name TEXT NOT NULL,
    domain_id TEXT REFERENCES domains(id),
    approach_name TEXT NOT NULL,
    approach_description TEXT,
    outcome TEXT NOT NULL CHECK(outcome IN ('proven', 'partial', 'failed', 'in_flight', 'untried')),
    submission_slot INTEGER,
    submission_uuid TEXT,
    finding_ids TEXT,
    attempts INTEGER DEFAULT 1,
    last_attempted TEXT DEFAULT (datetime('now')),
    learned TEXT,
    created_at TEXT DEFAULT (datetime('now')),
    UNIQUE(problem_id, approach_name)
);

-- One row an attempt, so that reading the same result file again is the same attempt.
CREATE TABLE IF NOT EXISTS strategy_attempts (
    strategy_id INTEGER NOT NULL,
    attempt TEXT NOT NULL,            -- source file, else submission, else slot
    outcome TEXT NOT NULL,
    description TEXT,
    slot INTEGER,
    submission TEXT,
    learned TEXT,
    attempted_at TEXT,
    times INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (strategy_id, attempt)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS problems (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    domain_id TEXT REFERENCES domains(id),
    status TEXT CHECK(status IN ('open', 'proven', 'partial', 'false', 'in_flight')) DEFAULT 'open',
    submission_count INTEGER DEFAULT 0,
    proven_count INTEGER DEFAULT 0,
    failed_count INTEGER DEFAULT 0,
    statement TEXT,
    best_result TEXT,
    created_at TEXT DEFAULT (datetime('now')),
    updated_at TEXT DEFAULT (datetime('now')),
    notes TEXT,
    stated_status TEXT,               -- what a tracking database says
    found_status TEXT,                -- what result files show; `status` is the stronger one
    stated_submissions INTEGER,
    stated_proven INTEGER,
    stated_failed INTEGER,
    decided_status TEXT,              -- what a person says: that counts
    decided_at TEXT,
    decided_why TEXT
);
-- Other names of a problem, as a person decided. Rows keep the name that they were stored under.
CREATE TABLE IF NOT EXISTS problem_aliases (
    alias TEXT PRIMARY KEY,
    problem TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS queue_cache (
    id INTEGER PRIMARY KEY CHECK(id = 1),
    cached_at TEXT NOT NULL,
    in_flight INTEGER DEFAULT 0,
    slots_open INTEGER DEFAULT 5,
    ready_to_fetch TEXT,
    recently_completed TEXT,
    top_near_miss TEXT,
    raw_json TEXT
);

-- What befell facts: another value (changed), another value while a person's word stood (rival), a person's word
-- that it holds (confirmed). A rival or a word that comes again is counted.
CREATE TABLE IF NOT EXISTS fact_log (
    id INTEGER PRIMARY KEY,
    finding_id INTEGER NOT NULL,
    event TEXT NOT NULL,
    old TEXT,
    new TEXT NOT NULL,
    at TEXT NOT NULL,                 -- the last time
    times INTEGER NOT NULL DEFAULT 1,
    source TEXT,
    session_id TEXT
);
CREATE INDEX IF NOT EXISTS idx_fact_log_finding ON fact_log(finding_id);

-- What each source says, a result file or the tracking database: a finding is made of all sources of the same
-- record. The narrow columns repeat what stands in `draft`, so that it need not be read to choose among them.
CREATE TABLE IF NOT EXISTS finding_sources (
    project TEXT NOT NULL,            -- empty for none
    file TEXT NOT NULL,               -- whose next reading replaces the row; `tracking.db` for that
    uid TEXT NOT NULL,                -- identity within the file
    record TEXT NOT NULL,             -- uid of the finding
    kind TEXT NOT NULL,
    name TEXT,                        -- the last part of the theorem's name
    problem TEXT,
    slot INTEGER,
    submission TEXT,
    line INTEGER,
    confidence TEXT NOT NULL,
    evidence TEXT NOT NULL,
    tags TEXT NOT NULL,
    happened TEXT,
    answer TEXT,                      -- the file in which the prover answered this sketch
    draft TEXT NOT NULL,              -- JSON
    PRIMARY KEY (project, file, uid)
);
CREATE INDEX IF NOT EXISTS idx_finding_sources_record ON finding_sources(record);
CREATE INDEX IF NOT EXISTS idx_finding_sources_file ON finding_sources(file);
CREATE INDEX IF NOT EXISTS idx_finding_sources_name ON finding_sources(name) WHERE name IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_finding_sources_problem ON finding_sources(problem) WHERE problem IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_finding_sources_slot ON finding_sources(slot) WHERE slot IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_finding_sources_submission ON finding_sources(submission)
    WHERE submission IS NOT NULL;

-- Statements of result files that nobody has proved or refuted: what a gap is, and over which definitions a
-- lemma is false that somebody listed by its name.
CREATE TABLE IF NOT EXISTS open_statements (
    project TEXT NOT NULL,
    file TEXT NOT NULL,
    name TEXT NOT NULL,               -- the last part
    key TEXT NOT NULL,
    slot INTEGER,
    submission TEXT,
    is_answer INTEGER NOT NULL        -- the prover left it open
);
CREATE INDEX IF NOT EXISTS idx_open_statements_file ON open_statements(file);
CREATE INDEX IF NOT EXISTS idx_open_statements_name ON open_statements(name);
CREATE INDEX IF NOT EXISTS idx_open_statements_key ON open_statements(key);
CREATE INDEX IF NOT EXISTS idx_open_statements_submission ON open_statements(submission);
CREATE INDEX IF NOT EXISTS idx_open_statements_slot ON open_statements(slot);

-- The files that Lean was asked about (`mk verify`), as they were then.
CREATE TABLE IF NOT EXISTS kernel_files (
    project TEXT NOT NULL,            -- empty for none
    file TEXT NOT NULL,               -- as in finding_sources
    module TEXT NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    imports TEXT NOT NULL,            -- files of the project that it imports, also by others, as they were: JSON
    toolchain TEXT NOT NULL,
    manifest TEXT NOT NULL,           -- hash of the revisions of all packages
    replayed INTEGER NOT NULL,
    checked_at TEXT NOT NULL,
    problem TEXT,                     -- why Lean did not accept it, or could not be asked
    stale TEXT,                       -- what changed since
    PRIMARY KEY (project, file)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kernel_checks (
    project TEXT NOT NULL,
    file TEXT NOT NULL,
    name TEXT NOT NULL,               -- full
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    key TEXT,                         -- of the statement as text
    statement TEXT NOT NULL,          -- as Lean prints it
    elaborated TEXT NOT NULL,         -- hash of the statement with everything printed
    verdict TEXT NOT NULL,            -- accepted, open, axioms, compiler, unknown
    axioms TEXT NOT NULL,             -- all of them, JSON
    complete INTEGER NOT NULL,        -- its own text shows no gap
    held TEXT,                        -- the toolchain that accepted it before, where Lean does no longer, or reads the same text as another statement
    PRIMARY KEY (project, file, name)
) WITHOUT ROWID;

-- When Lean accepted a declaration first, where that was before the last check of its file.
CREATE TABLE IF NOT EXISTS kernel_accepted (
    project TEXT NOT NULL,
    file TEXT NOT NULL,
    name TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (project, file, name)
) WITHOUT ROWID;

-- What was extracted from which file (absolute path), so that only new and changed files are read.
CREATE TABLE IF NOT EXISTS extracted_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    hash TEXT NOT NULL,
    extracted_at TEXT NOT NULL,
    failure TEXT
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS client_sessions (
    session_id TEXT PRIMARY KEY,
    project TEXT,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    captured INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idx_findings_type ON findings(finding_type, status);
CREATE INDEX IF NOT EXISTS idx_findings_domain ON findings(domain_id);
CREATE INDEX IF NOT EXISTS idx_findings_problem ON findings(problem_id, project, status);
CREATE INDEX IF NOT EXISTS idx_findings_slot ON findings(source_slot);
CREATE INDEX IF NOT EXISTS idx_findings_confidence ON findings(confidence);
CREATE INDEX IF NOT EXISTS idx_findings_created ON findings(created_at);
CREATE INDEX IF NOT EXISTS idx_findings_project ON findings(project, finding_type, status);
CREATE UNIQUE INDEX IF NOT EXISTS idx_findings_uid ON findings(uid);
CREATE INDEX IF NOT EXISTS idx_findings_key ON findings(key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_findings_extracted ON findings(extracted_from) WHERE extracted_from IS NOT NULL;
-- What somebody wrote down, the newest first: a briefing reads only the few rows that it names, each of which
-- is a page of its own.
CREATE INDEX IF NOT EXISTS idx_findings_written ON findings(finding_type, created_at, id, project, status)
    WHERE extracted_from IS NULL;
-- What is known of the declarations of a file that is edited: hundreds of names at once.
CREATE INDEX IF NOT EXISTS idx_findings_theorem ON findings(theorem_name) WHERE theorem_name IS NOT NULL;
-- The names of false lemmas without their rows.
CREATE INDEX IF NOT EXISTS findings_false_lemmas ON findings(created_at, project, status, theorem_name, key)
    WHERE finding_type = 'false_lemma';
-- Rows that `mk` has still to complete: finding them costs nothing.
CREATE INDEX IF NOT EXISTS findings_todo ON findings(id) WHERE symbols IS NULL;
-- The narrow columns of a finding by its id: filters look here and not in rows with long texts.
CREATE INDEX IF NOT EXISTS findings_filter
    ON findings(id, finding_type, domain_id, project, confidence, problem_id, created_at, status);
CREATE INDEX IF NOT EXISTS idx_strategies_problem ON strategies(problem_id);
CREATE INDEX IF NOT EXISTS idx_strategies_outcome ON strategies(outcome);
CREATE INDEX IF NOT EXISTS idx_strategies_domain ON strategies(domain_id);
CREATE INDEX IF NOT EXISTS idx_strategy_attempts ON strategy_attempts(attempt);
CREATE INDEX IF NOT EXISTS idx_problems_domain ON problems(domain_id);
CREATE INDEX IF NOT EXISTS idx_problems_status ON problems(status);
-- What was proposed, whatever became of it.
CREATE INDEX IF NOT EXISTS idx_findings_said ON findings(status)
    WHERE json_extract(detail, '$.said') IS NOT NULL;

-- Only what is knowledge is indexed: nothing else is found, counted or weighs in a ranking.
CREATE VIEW IF NOT EXISTS findings_live AS SELECT * FROM findings WHERE status IN ('claimed', 'confirmed');
CREATE VIRTUAL TABLE IF NOT EXISTS findings_fts USING fts5(
    title, description, problem_id, theorem_name, theorem_statement, proof_technique, tags,
    why_failed, counterexample, avoid_pattern, correct_approach, symbols,
    content='findings_live', content_rowid='id', tokenize='porter unicode61'
);
-- How many findings hold the words that many findings hold: a search scores by the rare ones. The
-- row with the empty term says how many findings there were when this was counted. It may be stale.
CREATE TABLE IF NOT EXISTS fts_common (
    term TEXT PRIMARY KEY,
    docs INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS findings_kind_insert BEFORE INSERT ON findings
WHEN NOT EXISTS (SELECT 1 FROM kinds WHERE name = new.finding_type)
BEGIN
    SELECT RAISE(ABORT, 'unknown finding_type: the table kinds lists what it can be');
END;
CREATE TRIGGER IF NOT EXISTS findings_kind_update BEFORE UPDATE OF finding_type ON findings
WHEN NOT EXISTS (SELECT 1 FROM kinds WHERE name = new.finding_type)
BEGIN
    SELECT RAISE(ABORT, 'unknown finding_type: the table kinds lists what it can be');
END;

CREATE TRIGGER IF NOT EXISTS findings_fts_insert AFTER INSERT ON findings
WHEN new.status IN ('claimed', 'confirmed')
BEGIN
    INSERT INTO findings_fts(rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    VALUES (new.id, new.title, new.description, new.problem_id, new.theorem_name, new.theorem_statement,
        new.proof_technique, new.tags, new.why_failed, new.counterexample, new.avoid_pattern, new.correct_approach, new.symbols);
    UPDATE kinds SET live = live + 1 WHERE name = new.finding_type;
END;
CREATE TRIGGER IF NOT EXISTS findings_fts_delete AFTER DELETE ON findings
WHEN old.status IN ('claimed', 'confirmed')
BEGIN
    INSERT INTO findings_fts(findings_fts, rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    VALUES ('delete', old.id, old.title, old.description, old.problem_id, old.theorem_name, old.theorem_statement,
        old.proof_technique, old.tags, old.why_failed, old.counterexample, old.avoid_pattern, old.correct_approach, old.symbols);
    UPDATE kinds SET live = live - 1 WHERE name = old.finding_type;
END;
CREATE TRIGGER IF NOT EXISTS findings_counted AFTER UPDATE OF finding_type, status ON findings BEGIN
    UPDATE kinds SET live = live - 1 WHERE name = old.finding_type AND old.status IN ('claimed', 'confirmed');
    UPDATE kinds SET live = live + 1 WHERE name = new.finding_type AND new.status IN ('claimed', 'confirmed');
END;
-- Two triggers that exclude each other: a text edited in the shell sets `symbols` to NULL, so that
-- the next run of `mk` makes them anew; with recursive triggers off one trigger could not do both.
CREATE TRIGGER IF NOT EXISTS findings_fts_update AFTER UPDATE OF id, title, description, problem_id, theorem_name,
    theorem_statement, proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, status ON findings
WHEN new.symbols IS old.symbols
BEGIN
    INSERT INTO findings_fts(findings_fts, rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    SELECT 'delete', old.id, old.title, old.description, old.problem_id, old.theorem_name, old.theorem_statement,
        old.proof_technique, old.tags, old.why_failed, old.counterexample, old.avoid_pattern, old.correct_approach, old.symbols
    WHERE old.status IN ('claimed', 'confirmed');
    INSERT INTO findings_fts(rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    SELECT new.id, new.title, new.description, new.problem_id, new.theorem_name, new.theorem_statement,
        new.proof_technique, new.tags, new.why_failed, new.counterexample, new.avoid_pattern, new.correct_approach, new.symbols
    WHERE new.status IN ('claimed', 'confirmed');
    UPDATE findings SET symbols = NULL
    WHERE id = new.id AND symbols IS NOT NULL
      AND (new.title IS NOT old.title OR new.description IS NOT old.description
        OR new.problem_id IS NOT old.problem_id OR new.theorem_name IS NOT old.theorem_name
        OR new.theorem_statement IS NOT old.theorem_statement);
END;
CREATE TRIGGER IF NOT EXISTS findings_fts_symbols AFTER UPDATE OF symbols ON findings
WHEN new.symbols IS NOT old.symbols
BEGIN
    INSERT INTO findings_fts(findings_fts, rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    SELECT 'delete', old.id, old.title, old.description, old.problem_id, old.theorem_name, old.theorem_statement,
        old.proof_technique, old.tags, old.why_failed, old.counterexample, old.avoid_pattern, old.correct_approach, old.symbols
    WHERE old.status IN ('claimed', 'confirmed');
    INSERT INTO findings_fts(rowid, title, description, problem_id, theorem_name, theorem_statement,
        proof_technique, tags, why_failed, counterexample, avoid_pattern, correct_approach, symbols)
    SELECT new.id, new.title, new.description, new.problem_id, new.theorem_name, new.theorem_statement,
        new.proof_technique, new.tags, new.why_failed, new.counterexample, new.avoid_pattern, new.correct_approach, new.symbols
    WHERE new.status IN ('claimed', 'confirmed');
END;

CREATE TRIGGER IF NOT EXISTS findings_ad AFTER DELETE ON findings BEGIN
    DELETE FROM fact_log WHERE finding_id = old.id;
    DELETE FROM jobs WHERE finding_id = old.id;
END;
CREATE TRIGGER IF NOT EXISTS findings_au AFTER UPDATE OF id ON findings WHEN new.id IS NOT old.id BEGIN
    UPDATE fact_log SET finding_id = new.id WHERE finding_id = old.id;
    UPDATE jobs SET finding_id = new.id WHERE finding_id = old.id;
END;
CREATE TRIGGER IF NOT EXISTS strategies_ad AFTER DELETE ON strategies BEGIN
    DELETE FROM strategy_attempts WHERE strategy_id = old.id;
END;

-- The specification's views.
CREATE VIEW IF NOT EXISTS v_proven_techniques AS
SELECT proof_technique, domain_id, COUNT(*) AS usage_count, GROUP_CONCAT(source_slot, ', ') AS slots
FROM findings
WHERE finding_type = 'theorem' AND confidence = 'verified' AND proof_technique IS NOT NULL
    AND status IN ('claimed', 'confirmed')
GROUP BY proof_technique, domain_id
ORDER BY usage_count DESC;

CREATE VIEW IF NOT EXISTS v_failed_approaches AS
SELECT problem_id, title, why_failed, avoid_pattern, source_slot, created_at
FROM findings
WHERE finding_type IN ('failure', 'false_lemma') AND status IN ('claimed', 'confirmed')
ORDER BY created_at DESC;

CREATE VIEW IF NOT EXISTS v_problem_dashboard AS
SELECT p.id, p.name, p.domain_id, p.status, p.submission_count, p.proven_count, p.failed_count,
    (SELECT COUNT(*) FROM findings f WHERE f.problem_id = p.id AND f.finding_type = 'theorem'
        AND f.status IN ('claimed', 'confirmed')) AS theorem_count,
    (SELECT COUNT(*) FROM findings f WHERE f.problem_id = p.id AND f.finding_type = 'failure'
        AND f.status IN ('claimed', 'confirmed')) AS failure_count,
    (SELECT COUNT(*) FROM findings f WHERE f.problem_id = p.id AND f.finding_type = 'false_lemma'
        AND f.status IN ('claimed', 'confirmed')) AS false_lemma_count,
    (SELECT COUNT(*) FROM strategies s WHERE s.problem_id = p.id AND s.outcome = 'in_flight') AS in_flight_count,
    (SELECT COUNT(*) FROM strategies s WHERE s.problem_id = p.id AND s.outcome = 'untried') AS untried_count
FROM problems p;

-- Notes say `sorry=1`; `sorry=12` is no near miss.
CREATE VIEW IF NOT EXISTS v_near_miss_findings AS
SELECT f.id, f.title, f.problem_id, f.source_slot, f.notes
FROM findings f
WHERE f.finding_type = 'theorem' AND f.confidence = 'medium'
  AND f.notes LIKE '%sorry=1%' AND f.notes NOT GLOB '*sorry=1[0-9]*'
  AND f.status IN ('claimed', 'confirmed')
ORDER BY f.created_at DESC;

-- The names by which the other specifications read facts, lessons and playbooks.
CREATE VIEW IF NOT EXISTS facts AS
SELECT id, json_extract(detail, '$.fact.category') AS category, json_extract(detail, '$.fact.key') AS key,
    json_extract(detail, '$.fact.value') AS value, json_extract(detail, '$.fact.scope') AS scope, json_extract(detail, '$.fact.tier') AS tier,
    json_extract(detail, '$.fact.source_type') AS source_type, json_extract(detail, '$.fact.confidence') AS confidence, project,
    source_file AS source, session_id, created_at, updated_at,
    json_extract(detail, '$.fact.last_verified') AS last_verified, json_extract(detail, '$.fact.expires_at') AS expires_at
FROM findings
WHERE finding_type = 'fact' AND json_extract(detail, '$.fact') IS NOT NULL
    AND status IN ('claimed', 'confirmed');

CREATE VIEW IF NOT EXISTS lessons AS
SELECT id, title, description AS lesson, json_extract(detail, '$.lesson.pattern') AS pattern,
    json_extract(detail, '$.lesson.what_failed') AS what_failed, json_extract(detail, '$.lesson.what_worked') AS what_worked,
    json_extract(detail, '$.lesson.tool_name') AS tool_name, json_extract(detail, '$.lesson.signature') AS signature,
    json_extract(detail, '$.lesson.success_count') AS success_count, json_extract(detail, '$.lesson.confidence') AS confidence,
    project, session_id, created_at, updated_at
FROM findings
WHERE finding_type = 'lesson' AND json_extract(detail, '$.lesson') IS NOT NULL
    AND status IN ('claimed', 'confirmed');

CREATE VIEW IF NOT EXISTS playbooks AS
SELECT id, title, description AS content,
    CASE WHEN trim(coalesce(tags, '')) = '' THEN '[]'
         ELSE '[' || replace(json_quote(replace(tags, ', ', ',')), ',', '","') || ']' END AS tags_json,
    json_extract(detail, '$.playbook.source_task_id') AS source_task_id,
    json_extract(detail, '$.playbook.source_workflow_id') AS source_workflow_id,
    json_extract(detail, '$.playbook.extraction_workflow_id') AS extraction_workflow_id, created_at
FROM findings
WHERE finding_type = 'playbook' AND json_extract(detail, '$.playbook') IS NOT NULL
    AND status IN ('claimed', 'confirmed');

-- What was proposed, in the words of the journal.
CREATE VIEW IF NOT EXISTS proposals AS
SELECT uid AS id, json_extract(detail, '$.said.type') AS type,
    json_extract(detail, '$.said.content') AS content,
    json_extract(detail, '$.said.matched_phrase') AS matched_phrase,
    json_extract(detail, '$.said.role') AS role, json_extract(detail, '$.said.source') AS source,
    source_line AS line, project, json_extract(detail, '$.said.extracted_at') AS extracted_at,
    CASE WHEN status = 'proposed' THEN 'pending' WHEN status <> 'dropped' THEN 'accepted'
        WHEN json_extract(detail, '$.decision.by') = 'expiry' THEN 'expired' ELSE 'rejected' END AS status
FROM findings WHERE json_extract(detail, '$.said') IS NOT NULL;

-- The guard's own records: what it said, what a person lifted, which statements are locked; and the
-- names that moved in the packages of projects.

-- Everything the guard decided. A call of the client that is told twice is one row.
CREATE TABLE IF NOT EXISTS guard_log (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    session_id TEXT NOT NULL DEFAULT '',
    tool_use_id TEXT NOT NULL DEFAULT '',
    agent_id TEXT,
    event TEXT NOT NULL,              -- PreToolUse, PostToolUse, Stop
    tool TEXT,
    project TEXT,
    file TEXT NOT NULL DEFAULT '',     -- relative to the project, absolute outside of it
    rule TEXT NOT NULL,
    level TEXT NOT NULL,              -- deny, ask, warn; off where a lift let it pass
    declaration TEXT NOT NULL DEFAULT '',
    line INTEGER,
    detail TEXT,
    lift_id INTEGER                   -- the lift that let it pass
);
CREATE UNIQUE INDEX IF NOT EXISTS guard_log_once
    ON guard_log(session_id, tool_use_id, event, rule, declaration, file);
CREATE INDEX IF NOT EXISTS idx_guard_log_session ON guard_log(session_id, rule, declaration);
CREATE INDEX IF NOT EXISTS idx_guard_log_at ON guard_log(at);

-- Rules that a person lifted for a declaration or a file.
CREATE TABLE IF NOT EXISTS guard_lifts (
    id INTEGER PRIMARY KEY,
    granted_at TEXT NOT NULL,
    granted_by TEXT NOT NULL,         -- terminal, dialog
    project TEXT,
    rule TEXT NOT NULL,
    declaration TEXT,                 -- NULL for a whole file
    file TEXT,                        -- NULL for the declaration wherever it stands
    once INTEGER NOT NULL DEFAULT 0,
    expires_at TEXT,                  -- NULL: until it is taken back
    reason TEXT NOT NULL,
    session_id TEXT,
    tool_use_id TEXT,                 -- of the command that the person agreed to
    spent_at TEXT,
    spent_by TEXT,                    -- tool_use_id of the edit that used it
    revoked_at TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS guard_lifts_once ON guard_lifts(tool_use_id)
    WHERE tool_use_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_guard_lifts_open ON guard_lifts(project)
    WHERE spent_at IS NULL AND revoked_at IS NULL;

-- Declarations whose statements must stay as they are.
CREATE TABLE IF NOT EXISTS guard_locks (
    project TEXT NOT NULL,
    declaration TEXT NOT NULL,        -- full name
    statement TEXT,                   -- as it was when it was locked
    file TEXT,
    origin TEXT NOT NULL,             -- person, problem, prover
    locked_at TEXT NOT NULL,
    removed_at TEXT,
    rests_on TEXT,                    -- the definitions that it speaks of, also by others of them: full names, a line each
    PRIMARY KEY (project, declaration)
) WITHOUT ROWID;

-- What learning from sessions keeps beside the knowledge itself.

-- How far each transcript was read.
CREATE TABLE IF NOT EXISTS transcripts (
    path TEXT PRIMARY KEY,
    session_id TEXT,
    project TEXT,
    offset INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    hash TEXT,                        -- of what was read
    state TEXT,                       -- what the next reading needs to go on, JSON
    read_at TEXT,
    closed INTEGER NOT NULL DEFAULT 0,
    failure TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_transcripts_session ON transcripts(session_id);

-- Errors as sessions met them, by signature: what stagnates, and what a lesson spared.
CREATE TABLE IF NOT EXISTS error_sightings (
    session_id TEXT NOT NULL,
    signature TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '',  -- the file it was in
    times INTEGER NOT NULL DEFAULT 1,
    builds INTEGER NOT NULL DEFAULT 0,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    resolved_at TEXT,
    PRIMARY KEY (session_id, signature, target)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_error_sightings_signature ON error_sightings(signature);

-- What a person had forgotten, so that reading the same source again does not bring it back.

-- Hashes only: of the identity of a finding, the words of a proposal, the id of a session.
CREATE TABLE IF NOT EXISTS forgotten (
    key_hash TEXT PRIMARY KEY,
    at TEXT NOT NULL
) WITHOUT ROWID;

-- Runs that came to an end, and how far playbook entries were made of them.

-- A session, a submission or a prover's result that is over, in a few lines: enough to learn from when
-- the transcript is gone. `evidence` is JSON: domain, proved, failed, tried, errors, fixes, files.
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,             -- session, submission, result
    workflow_id TEXT NOT NULL,        -- session id, uuid of the submission, else the file
    task_id TEXT NOT NULL,            -- problem or task
    project TEXT,
    session_id TEXT,
    description TEXT NOT NULL,        -- what was to be done
    outcome TEXT NOT NULL,            -- how it ended
    evidence TEXT NOT NULL,
    hash TEXT NOT NULL,               -- of the content; another content is to be extracted again
    completed_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    extracted_at TEXT,
    extracted_by TEXT,                -- the model, or `rules`
    extraction_id TEXT,
    failures INTEGER NOT NULL DEFAULT 0, -- answers about it that were of no use
    UNIQUE (source, workflow_id)
);
CREATE INDEX IF NOT EXISTS idx_runs_due ON runs(completed_at) WHERE extracted_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_runs_session ON runs(session_id) WHERE session_id IS NOT NULL;

-- Runs are made of what came from one submission or file.
CREATE INDEX IF NOT EXISTS idx_findings_submission ON findings(source_submission_uuid)
    WHERE source_submission_uuid IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_strategy_attempts_submission ON strategy_attempts(submission)
    WHERE submission IS NOT NULL;

-- Texts that were read to their end, so that a batch goes on where it ended.

CREATE TABLE IF NOT EXISTS read_texts (
    path TEXT PRIMARY KEY,            -- absolute
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    hash TEXT NOT NULL,
    asked TEXT NOT NULL DEFAULT '',   -- model and version of the prompt; empty where only rules read it
    read_at TEXT NOT NULL
) WITHOUT ROWID;

-- Work for the background: a queue that outlives every process.

-- One row a piece of work. One process at a time works them off, under a lock: a row that is `running`
-- while nobody holds that lock was interrupted, and is done again from the step on that was saved last.
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,               -- facts, lesson, playbooks
    key TEXT NOT NULL,                -- equal for the same work
    version TEXT,                     -- of what is to be worked on; done once, it is not done again
    payload TEXT NOT NULL DEFAULT '{}', -- what the last step brought
    session_id TEXT,
    finding_id INTEGER,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN ('waiting', 'running', 'done', 'dead')),
    due_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,   -- that failed, or were interrupted
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    outcome TEXT,                     -- what came of it, or why it failed
    step TEXT                         -- the last one that was saved: fetched, asked
);
-- The same work is open once.
CREATE UNIQUE INDEX IF NOT EXISTS jobs_open ON jobs(kind, key) WHERE state IN ('waiting', 'running');
CREATE INDEX IF NOT EXISTS idx_jobs_due ON jobs(state, due_at);
CREATE INDEX IF NOT EXISTS idx_jobs_key ON jobs(kind, key);

-- The ledger: what was injected into sessions, where, why and at what cost, and what became of it.

CREATE TABLE IF NOT EXISTS injections (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL DEFAULT '',  -- the subagent; empty for the main conversation
    project TEXT,
    at TEXT NOT NULL,                 -- when it was said first
    event TEXT NOT NULL,              -- SessionStart, UserPromptSubmit, SubagentStart, PostToolUse
    place TEXT NOT NULL DEFAULT '',   -- the file, or the type of the agent
    label TEXT NOT NULL,              -- #12, the id of a problem, briefing, in hand
    finding_id INTEGER,               -- NULL for what is no finding
    kind TEXT NOT NULL,
    form TEXT NOT NULL,               -- body, index
    rule TEXT NOT NULL,
    why TEXT NOT NULL DEFAULT '',
    score REAL NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL,          -- each time
    times INTEGER NOT NULL DEFAULT 1,
    marks TEXT NOT NULL DEFAULT '',   -- names by which its use is known, a line each
    current INTEGER NOT NULL DEFAULT 1, -- whether the conversation still holds it
    outcome TEXT,                     -- used, spared, recurred, unused; NULL while it is not known
    how TEXT,                         -- id, name, closed, gone
    decided_at TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS injections_once
    ON injections(session_id, agent_id, event, place, label);
CREATE INDEX IF NOT EXISTS idx_injections_finding ON injections(finding_id)
    WHERE finding_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_injections_at ON injections(at);

-- The task that a subagent is about to be given, as what it is about: it goes when the agent starts.
CREATE TABLE IF NOT EXISTS subagent_tasks (
    session_id TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    cues TEXT NOT NULL,               -- JSON
    at TEXT NOT NULL,
    PRIMARY KEY (session_id, tool_use_id)
) WITHOUT ROWID;

-- Which folders are which project, and which names mean the same one.

-- Where a project was seen. What a person decided about a folder is found by its place, or by its mark where
-- the folder was moved; the identity is only what the folder says of itself.
CREATE TABLE IF NOT EXISTS project_places (
    place TEXT PRIMARY KEY,           -- path of the folder
    identity TEXT NOT NULL,           -- as the folder gives it, before aliases
    mark TEXT,                        -- number and birth of the folder on its disk
    package TEXT,                     -- name of the Lake package
    root_commit TEXT,                 -- first commit; NULL without git, and where history is cut off
    remotes TEXT NOT NULL DEFAULT '', -- names of all remotes, a line each
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idx_project_places_mark ON project_places(mark) WHERE mark IS NOT NULL;

-- Another name of an identity. One that names itself was set apart by a person.
CREATE TABLE IF NOT EXISTS project_aliases (
    alias TEXT PRIMARY KEY,
    identity TEXT NOT NULL,
    origin TEXT NOT NULL,             -- seen, person
    at TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idx_project_aliases_identity ON project_aliases(identity);

PRAGMA user_version = 22;
