-- Version 18 to 19. Which lessons a session was shown stands in the ledger alone, and how often each helped in the
-- lesson. Errors that sessions met are counted anew.
DROP TABLE IF EXISTS lesson_shown;
DROP TABLE IF EXISTS error_sightings;
UPDATE kernel_files SET imports = json_extract(imports, '$.files') WHERE json_valid(imports);
