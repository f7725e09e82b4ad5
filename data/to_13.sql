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
