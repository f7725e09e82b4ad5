-- Version 12 to 13. What changes here: every piece of knowledge has a status, a key and a detail of its own.
-- Views, triggers and indexes that are dropped here are made again by the schema, which is run after this.
DROP VIEW v_proven_techniques;
DROP VIEW v_failed_approaches;
DROP VIEW v_problem_dashboard;
DROP VIEW v_near_miss_findings;
DROP VIEW facts;
DROP VIEW lessons;
DROP VIEW playbooks;
DROP TRIGGER findings_fts_insert;
DROP TRIGGER findings_fts_delete;
DROP TRIGGER findings_fts_update;
DROP TRIGGER findings_fts_symbols;
DROP INDEX findings_todo;
DROP INDEX idx_findings_type;
DROP INDEX idx_findings_problem;
DROP INDEX idx_findings_project;
DROP INDEX findings_filter;
DROP TABLE findings_fts;
-- `symbols` stays the last column.
ALTER TABLE findings ADD COLUMN status TEXT NOT NULL DEFAULT 'claimed'
    CHECK(status IN ('proposed', 'claimed', 'confirmed', 'superseded', 'dropped'));
ALTER TABLE findings ADD COLUMN key TEXT;
ALTER TABLE findings ADD COLUMN detail TEXT;
ALTER TABLE findings RENAME COLUMN symbols TO former_symbols;
ALTER TABLE findings ADD COLUMN symbols TEXT;
UPDATE findings SET symbols = former_symbols,
    status = CASE WHEN superseded_by = id THEN 'dropped' WHEN superseded_by IS NOT NULL THEN 'superseded'
        WHEN evidence = 'person' THEN 'confirmed' ELSE 'claimed' END,
    superseded_by = nullif(superseded_by, id);
ALTER TABLE findings DROP COLUMN former_symbols;

-- What a result file said becomes a source of its finding; the next extraction gives both their keys.
CREATE TABLE finding_sources (
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
INSERT INTO finding_sources
SELECT coalesce(project, ''), extracted_from, uid, uid, finding_type, theorem_name, problem_id, source_slot,
    source_submission_uuid, source_line, coalesce(confidence, 'medium'), coalesce(evidence, 'claimed'),
    coalesce(tags, ''), created_at,
    (SELECT a.source_file FROM findings a WHERE a.id = f.superseded_by),
    json_patch('{}', json_object('kind', finding_type, 'title', title, 'description', description,
        'domain', domain_id, 'problem', problem_id, 'project', project, 'source_slot', source_slot,
        'source_submission_uuid', source_submission_uuid, 'source_file', source_file,
        'source_line', source_line, 'toolchain', toolchain, 'mathlib_rev', mathlib_rev,
        'theorem_name', theorem_name, 'theorem_statement', theorem_statement,
        'proof_technique', proof_technique, 'mathlib_imports', mathlib_imports,
        'proof_lines', proof_lines, 'counterexample', counterexample, 'why_failed', why_failed,
        'avoid_pattern', avoid_pattern, 'correct_approach', correct_approach,
        'confidence', coalesce(confidence, 'medium'), 'evidence', coalesce(evidence, 'claimed'),
        'tags', coalesce(tags, ''), 'notes', notes, 'created_at', created_at))
FROM findings f WHERE extracted_from IS NOT NULL AND uid IS NOT NULL AND evidence IS NOT 'person';
-- All files are to be read again.
UPDATE extracted_files SET hash = '' WHERE failure IS NULL;
