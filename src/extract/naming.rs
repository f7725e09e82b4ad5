//! Slot, problem and approach of a result from the names around it: the file's own, else the folder's
//! or the archive's that it came in.

use std::path::Path;

use super::archive;
use crate::model::{KnownProblems, approach_of, problem_key, slot_of};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Naming {
    pub slot: Option<i64>,
    pub problem: Option<String>,
    pub approach: Option<String>,
    /// The names say that it is somebody's attempt at a problem, not a file of a library.
    pub is_attempt: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub slot: Option<i64>,
    pub problem: Option<String>,
}

const FOLDERS: usize = 4;

/// Names that say where a file stands in a project, not what it is about.
const PLACES: &str = "main basic defs definitions lemmas solution result results output out requestproject \
    aristotle src lean test tests scratch untitled tmp all proof proofs theorem";

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    pub recorded: Option<&'a str>,
    pub slot: Option<i64>,
    /// There is such a submission, or the file lies among submissions.
    pub is_submitted: bool,
    pub said: Option<&'a str>,
}

/// Names a result. Its problem is what the command line says, else the tracking database, else its own
/// text, else its name, else its folder; its slot stands in its name, else in the database.
pub(crate) fn name(
    path: &Path,
    member: &str,
    known: &KnownProblems,
    given: &Given,
    besides: Known<'_>,
) -> Naming {
    let candidates = candidates(path, member);
    let candidates = || candidates.iter().map(String::as_str);
    let with_slot = candidates().find(|name| slot_of(name).is_some());
    let by_name = with_slot
        .into_iter()
        .chain(candidates())
        .filter(|name| !is_place(name))
        .find_map(|name| known.problem_of(name));
    let folders = path.ancestors().skip(1).take(FOLDERS).filter_map(Path::file_name);
    let mut folders = folders.map(|folder| folder.to_string_lossy());
    let problem = match &given.problem {
        Some(id) => Some(known.spelling(id).map_or_else(|| problem_key(id), str::to_owned)),
        None => besides
            .recorded
            .or(besides.said)
            .map(str::to_owned)
            .or_else(|| by_name.clone())
            .or_else(|| folders.find_map(|folder| known.prefix_of(&folder).map(str::to_owned))),
    };
    let telling = with_slot.or_else(|| candidates().find(|name| !is_place(name)));
    let approach = telling.and_then(|name| approach_of(name, problem.as_deref()));
    let is_attempt = with_slot.is_some()
        || given.slot.is_some()
        || given.problem.is_some()
        || !member.is_empty()
        || besides.is_submitted
        || telling.is_some_and(is_named_like_a_result)
        || by_name.is_some_and(|id| id.contains(|c: char| c.is_ascii_digit()));
    Naming {
        is_attempt,
        slot: given.slot.or_else(|| with_slot.and_then(slot_of)).or(besides.slot),
        problem: problem.filter(|id| !id.is_empty()),
        approach,
    }
}

/// The names that may speak, the nearest first. A folder speaks only where the file's own name is a
/// place, and only when it is named like a result.
fn candidates(path: &Path, member: &str) -> Vec<String> {
    let mut names = Vec::new();
    if !member.is_empty() {
        names.push(archive::base_name(member).to_owned());
    }
    if let Some(file) = path.file_name() {
        names.push(without_packing(&file.to_string_lossy()).to_owned());
    }
    if names.iter().all(|name| is_place(name)) {
        let folders = path.ancestors().skip(1).take(3).filter_map(Path::file_name);
        let folders = folders.map(|folder| folder.to_string_lossy().into_owned());
        names.extend(folders.filter(|folder| is_named_like_a_result(folder)));
    }
    names
}

fn without_packing(name: &str) -> &str {
    [".tar.gz", ".tgz", ".tar", ".gz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

fn is_place(name: &str) -> bool {
    let stem = name.strip_suffix(".lean").unwrap_or(name);
    PLACES.split_whitespace().any(|place| place == stem.to_lowercase())
}

fn is_named_like_a_result(name: &str) -> bool {
    let lower = name.strip_suffix(".lean").unwrap_or(name).to_lowercase();
    slot_of(name).is_some()
        || ["_result", "_aristotle", "_output"].iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (Option<i64>, Option<String>, Option<String>);

    fn row(path: &str, member: &str, given: &Given, besides: Known<'_>) -> Row {
        let mut known = KnownProblems::new(["erdos_850", "kurepa", "brocard", "bridges_nu4"]);
        known.alias("nu_4", "bridges_nu4");
        let naming = name(Path::new(path), member, &known, given, besides);
        (naming.slot, naming.problem, naming.approach)
    }

    #[test]
    fn naming_rows() {
        let nothing = Known::default();
        let said = Known { said: Some("erdos_12"), ..nothing };
        let recorded = Known { recorded: Some("brocard"), slot: Some(3), ..said };
        for (path, member, besides, slot, problem, approach) in [
            (
                "/p/slot614_erdos_850_prime_factor_triples_result.lean",
                "",
                nothing,
                Some(614),
                Some("erdos_850"),
                Some("prime factor triples"),
            ),
            (
                "/p/slot7_erdos850.tar.gz",
                "RequestProject/Main.lean",
                nothing,
                Some(7),
                Some("erdos_850"),
                None,
            ),
            (
                "/p/slot7_x1.tar.gz",
                "a/erdos_850_helper.lean",
                nothing,
                Some(7),
                Some("erdos_850"),
                Some("x1"),
            ),
            ("/p/x.tgz", "a/slot8_kurepa.lean", nothing, Some(8), Some("kurepa"), None),
            (
                "/p/slot9_brocard_result/RequestProject/Main.lean",
                "",
                nothing,
                Some(9),
                Some("brocard"),
                None,
            ),
            ("/p/myproject/Main.lean", "", nothing, None, None, None),
            ("/p/slot716.lean", "", nothing, Some(716), None, None),
            ("/p/slot9_bridge_between.lean", "", nothing, Some(9), None, Some("bridge between")),
            ("/p/nu4_work/slot9_two.lean", "", nothing, Some(9), Some("bridges_nu4"), Some("two")),
            ("/p/nu4_work/slot9_two.lean", "", said, Some(9), Some("erdos_12"), Some("two")),
            ("/p/slot9_erdos_850.lean", "", recorded, Some(9), Some("brocard"), Some("erdos 850")),
            ("/p/two.lean", "", recorded, Some(3), Some("brocard"), Some("two")),
            ("/p/kurepa.lean", "", nothing, None, Some("kurepa"), None),
        ] {
            let expected = (slot, problem.map(str::to_owned), approach.map(str::to_owned));
            assert_eq!(row(path, member, &Given::default(), besides), expected, "{path} {member}");
        }
    }

    #[test]
    fn an_attempt_is_named_like_one() {
        for (path, member, expected) in [
            ("/p/slot1_x.lean", "", true),
            ("/p/kurepa_result.lean", "", true),
            ("/p/erdos_850.lean", "", true),
            ("/p/x.tgz", "RequestProject/Main.lean", true),
            ("/p/Torsion.lean", "", false),
            ("/p/Main.lean", "", false),
        ] {
            let known = KnownProblems::default();
            let naming = name(Path::new(path), member, &known, &Given::default(), Known::default());
            assert_eq!(naming.is_attempt, expected, "{path}");
        }
    }

    #[test]
    fn the_command_line_wins() {
        let given = Given { slot: Some(1), problem: Some("Erdős 850".to_owned()) };
        let (slot, problem, _) = row("/p/slot2_x_1.lean", "", &given, Known::default());
        assert_eq!((slot, problem.as_deref()), (Some(1), Some("erdos_850")), "as it is known");
        let given = Given { slot: None, problem: Some("erdos-850".to_owned()) };
        assert_eq!(
            row("/p/slot2_x_1.lean", "", &given, Known::default()).1.as_deref(),
            Some("erdos_850")
        );
    }
}
