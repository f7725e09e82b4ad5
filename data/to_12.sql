-- Version 11 to 12. Background work has one queue and one process that works it off: what kept several
-- processes apart goes, and how far a job is stands in the job. Extractions that were under way begin again:
-- their runs were never marked, so they wait as before.
DROP TABLE extractions;
ALTER TABLE jobs DROP COLUMN crashes;
ALTER TABLE jobs DROP COLUMN claims;
ALTER TABLE jobs DROP COLUMN owner;
ALTER TABLE jobs DROP COLUMN lease_until;
ALTER TABLE jobs ADD COLUMN step TEXT;
