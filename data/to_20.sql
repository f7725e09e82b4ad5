-- Version 19 to 20. Which names moved stands in the index of the packages, not here.
DROP TABLE IF EXISTS renames;
DROP TABLE IF EXISTS rename_packages;
