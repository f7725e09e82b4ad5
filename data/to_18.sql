-- Version 17 to 18. Two tables are new; the schema makes the other.
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
