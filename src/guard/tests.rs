//! What the guard must say, as a table of edits and verdicts.
