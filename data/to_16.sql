-- Version 15 to 16: how many findings there are of each kind is counted as they change. The schema makes the
-- table and the triggers anew.
DROP TABLE kinds;
DROP TRIGGER IF EXISTS findings_fts_insert;
DROP TRIGGER IF EXISTS findings_fts_delete;
