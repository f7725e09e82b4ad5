-- Version 12 to 13. What changes here: every piece of knowledge, also what is only proposed, is
-- one row of `findings` with a status, a key and a detail of its own.
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

-- What only some findings have stands in their detail.
DROP TRIGGER details_ad;
DROP TRIGGER details_au;
DROP TRIGGER facts_ad;
DROP TRIGGER facts_au;
DROP TRIGGER jobs_ad;
DROP TRIGGER jobs_au;
-- A patch leaves out what is NULL.
UPDATE findings SET key = d.category || '/' || d.key, detail = json_patch('{}', json_object('fact', json_object(
    'category', d.category, 'key', d.key, 'value', d.value, 'scope', d.scope, 'tier', d.tier,
    'source_type', d.source_type, 'confidence', d.confidence, 'expires_at', d.expires_at,
    'last_verified', d.last_verified)))
FROM fact_details d WHERE d.finding_id = findings.id AND finding_type = 'fact';
UPDATE findings SET key = d.signature, detail = json_patch('{}', json_object('lesson', json_object(
    'pattern', d.pattern, 'what_failed', d.what_failed, 'what_worked', d.what_worked,
    'tool_name', d.tool_name, 'signature', d.signature, 'success_count', d.success_count,
    'recurred', (SELECT nullif(count(*), 0) FROM lesson_shown s
        WHERE s.finding_id = findings.id AND s.outcome = 'recurred'),
    'confidence', d.confidence,
    'before', json((SELECT json_object('model', w.model, 'confidence', w.confidence, 'title', w.title,
        'description', w.description, 'what_failed', w.what_failed, 'what_worked', w.what_worked)
        FROM lesson_words w WHERE w.finding_id = findings.id AND w.source = findings.fingerprint)))))
FROM lesson_details d WHERE d.finding_id = findings.id AND finding_type = 'lesson';
UPDATE findings SET detail = json_patch('{}', json_object('playbook', json_object(
    'source_task_id', d.source_task_id, 'source_workflow_id', d.source_workflow_id,
    'extraction_workflow_id', d.extraction_workflow_id)))
FROM playbook_details d WHERE d.finding_id = findings.id AND finding_type = 'playbook';
CREATE TABLE fact_log (
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
INSERT INTO fact_log (finding_id, event, old, new, at, times, source, session_id)
SELECT finding_id, 'changed', old_value, coalesce(new_value, ''), changed_at, 1, NULL, NULL FROM fact_changes
UNION ALL SELECT finding_id, event, NULL, value, at, times, source, session_id FROM fact_events
ORDER BY 5;
DROP TABLE fact_details;
DROP TABLE fact_changes;
DROP TABLE fact_events;
DROP TABLE lesson_details;
DROP TABLE lesson_words;
DROP TABLE playbook_details;

-- A proposal is a finding that waits for a person's word, or got it. What it became stands in its place.
INSERT INTO findings (finding_type, title, description, project, source_line, session_id, evidence, confidence,
    created_at, updated_at, uid, key, superseded_by, status, detail)
SELECT CASE WHEN f.proposal_id IS NOT NULL THEN 'fact' WHEN p.type = 'pattern' THEN 'preference'
        ELSE 'insight' END,
    substr(p.content, 1, 80), p.content, p.project, p.line, d.session_id,
    CASE p.role WHEN 'model' THEN 'model' ELSE 'claimed' END, 'low',
    coalesce(t.said_at, p.extracted_at), coalesce(d.decided_at, p.extracted_at), p.id,
    coalesce(f.category || '/' || f.key, d.key), d.finding_id,
    CASE p.status WHEN 'pending' THEN 'proposed' WHEN 'accepted' THEN 'superseded' ELSE 'dropped' END,
    json_patch('{}', json_object(
        'fact', json(CASE WHEN f.proposal_id IS NOT NULL THEN json_object('category', f.category, 'key', f.key,
            'value', f.value, 'scope', f.scope, 'tier', CASE WHEN f.hours IS NULL THEN 'long-term'
            ELSE 'working' END, 'source_type', f.source_type, 'confidence', f.confidence,
            'hours', f.hours) END),
        'said', json_object('type', p.type, 'content', p.content, 'matched_phrase', p.matched_phrase,
            'role', coalesce(p.role, ''), 'source', coalesce(p.source, ''), 'extracted_at', p.extracted_at,
            'rule', coalesce(d.rule, ''), 'sentence', coalesce(d.sentence, ''), 'before', d.before,
            'after', d.after, 'journaled', CASE d.journaled WHEN 1 THEN 'pending' WHEN 2 THEN p.status END),
        'decision', json(CASE WHEN p.status <> 'pending' THEN json_object('at', coalesce(d.decided_at, p.extracted_at),
            'by', CASE p.status WHEN 'expired' THEN 'expiry' ELSE coalesce(d.decided_by, '') END,
            'reason', d.reason) END)))
FROM proposals p LEFT JOIN proposal_details d ON d.proposal_id = p.id
LEFT JOIN proposal_times t ON t.proposal_id = p.id LEFT JOIN fact_proposals f ON f.proposal_id = p.id
ORDER BY p.extracted_at, p.rowid;
DROP TABLE fact_proposals;
DROP TABLE proposal_times;
DROP TABLE proposal_details;
DROP TABLE proposals;
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
