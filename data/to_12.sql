-- Version 11 to 12. Background work has one queue and one process that works it off: what kept several
-- processes apart goes, and how far a job is stands in the job. Extractions that were under way begin again:
-- their runs were never marked, so they wait as before. Sessions are no longer held out of being told what is
-- known, and nothing counts them.
DROP TABLE extractions;
DROP TABLE injection_sessions;
ALTER TABLE jobs DROP COLUMN crashes;
ALTER TABLE jobs DROP COLUMN claims;
ALTER TABLE jobs DROP COLUMN owner;
ALTER TABLE jobs DROP COLUMN lease_until;
ALTER TABLE jobs ADD COLUMN step TEXT;
