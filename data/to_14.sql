-- Version 13 to 14. What changes here: evidence is one ladder (kernel, person, prover, file, model, session), and a
-- person can say where a problem stands and what else it is called.
DROP TABLE IF EXISTS job_holds;
ALTER TABLE jobs DROP COLUMN again;
UPDATE findings SET evidence = CASE
    WHEN evidence IN ('built', 'checked') THEN 'kernel'
    WHEN evidence IN ('kernel', 'person', 'prover', 'file', 'model', 'session') THEN evidence
    WHEN evidence = 'observed' AND finding_type IN ('lesson', 'playbook') THEN 'session'
    WHEN CASE WHEN json_valid(detail) THEN json_extract(detail, '$.said') END IS NOT NULL THEN 'session'
    WHEN finding_type IN ('lesson', 'fact', 'playbook', 'preference', 'decision') THEN 'model'
    ELSE 'file' END;
UPDATE finding_sources SET evidence = CASE
    WHEN evidence IN ('built', 'checked') THEN 'kernel'
    WHEN evidence IN ('claimed', 'observed') THEN 'file' ELSE evidence END;
UPDATE finding_sources SET draft = json_set(draft, '$.evidence', evidence) WHERE json_valid(draft);
ALTER TABLE problems ADD COLUMN decided_status TEXT;
ALTER TABLE problems ADD COLUMN decided_at TEXT;
ALTER TABLE problems ADD COLUMN decided_why TEXT;
-- What was set by hand was a person's word too; what a file once made of a problem was nobody's.
UPDATE problems SET decided_status = status, decided_at = updated_at
WHERE status IN ('proven', 'false') AND coalesce(stated_status, '') <> status
    AND coalesce(found_status, '') <> status
    AND (stated_status IS NOT NULL OR found_status IS NOT NULL);
UPDATE problems SET status = CASE WHEN stated_status IN ('proven', 'false') THEN stated_status ELSE 'partial' END,
    found_status = 'partial'
WHERE found_status IN ('proven', 'false') AND decided_status IS NULL;
