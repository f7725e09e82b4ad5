-- Version 15 to 16: how many findings there are of each kind is counted as they change. The schema makes the
-- table and the triggers anew.
DROP TRIGGER IF EXISTS findings_kind_insert;
DROP TRIGGER IF EXISTS findings_kind_update;
DROP TABLE kinds;
DROP TRIGGER IF EXISTS findings_fts_insert;
DROP TRIGGER IF EXISTS findings_fts_delete;
-- Approaches are no longer called by the ending of a file.
UPDATE OR IGNORE strategies SET approach_name = substr(approach_name, 1, length(approach_name) - 4)
    WHERE approach_name LIKE '% txt';
UPDATE OR IGNORE strategies SET approach_name = substr(approach_name, 1, length(approach_name) - 3)
    WHERE approach_name LIKE '% md';
