-- Version 16 to 17. One index is new, and the schema makes it; a lock knows what its statement rests on.
CREATE TEMP TABLE kept_locks AS SELECT * FROM guard_locks;
DROP TABLE guard_locks;
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
INSERT INTO guard_locks (project, declaration, statement, file, origin, locked_at, removed_at)
SELECT project, declaration, statement, file, origin, locked_at, removed_at FROM kept_locks;
DROP TABLE kept_locks;
