//! Where the project's files declare a name.

use rayon::prelude::*;
use serde::Serialize;

use crate::app::{App, lean_files};
use crate::lean;
use crate::text::{clean_block, nearest};

/// A place that declares a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub name: String,
    /// The file, relative to the project's root with `/`.
    pub file: String,
    /// Line of the keyword, from 1.
    pub line: usize,
    /// From the keyword to the end of the signature.
    pub statement: String,
}

/// What a search for a name found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The places that declare it, by file.
    pub places: Vec<Place>,
    /// Where there are none: names that were perhaps meant.
    pub near: Vec<String>,
}

impl Search {
    /// The names that were perhaps meant, as the end of a sentence; empty for none.
    pub fn hint(&self) -> String {
        if self.near.is_empty() {
            return String::new();
        }
        format!(" (do you mean `{}`?)", self.near.join("` or `"))
    }
}

/// Every named declaration of a file (relative to the root), or of all of the project's Lean files.
pub fn all(app: &App, file: Option<&str>) -> Vec<Place> {
    let files = match file {
        Some(file) => vec![app.project.root.join(file)],
        None => lean_files::below(&app.project.root).files,
    };
    let root = app.project.root.as_path();
    let of_file = |path: &std::path::PathBuf| {
        let shown = path.strip_prefix(root).unwrap_or(path);
        let shown = shown.to_string_lossy().replace('\\', "/");
        let text = lean_files::text(path).ok()?;
        let declarations = lean::skim(&text).declarations.into_iter();
        let places = declarations.filter_map(|declaration| {
            Some(Place {
                statement: clean_block(declaration.statement(&text).trim()),
                name: declaration.name?,
                file: shown.clone(),
                line: declaration.line,
            })
        });
        Some(places.collect::<Vec<_>>())
    };
    files.par_iter().filter_map(of_file).flatten().collect()
}

/// Looks for a declaration by its full name.
pub fn find(app: &App, name: &str, file: Option<&str>) -> Search {
    among(all(app, file), name)
}

/// Looks for a full name among some places.
pub fn among(mut places: Vec<Place>, name: &str) -> Search {
    let last = lean::last_part(name);
    if places.iter().any(|place| place.name == name) {
        places.retain(|place| place.name == name);
        return Search { places, near: Vec::new() };
    }
    let names = || places.iter().map(|place| place.name.as_str());
    let mut near: Vec<&str> = names().filter(|known| lean::last_part(known) == last).collect();
    near.sort_unstable();
    near.dedup();
    if near.is_empty() {
        near.extend(nearest(name, names()));
    }
    let near = near.into_iter().take(3).map(str::to_owned).collect();
    Search { places: Vec::new(), near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_or_something_near() {
        let place = |name: &str, file: &str| Place {
            name: name.to_owned(),
            file: file.to_owned(),
            line: 1,
            statement: String::new(),
        };
        let places = vec![place("A.foo", "M"), place("B.foo", "M"), place("bar", "N")];
        for (name, files, near) in [
            ("A.foo", &["M"][..], &[][..]),
            ("foo", &[], &["A.foo", "B.foo"]),
            ("baz", &[], &["bar"]),
            ("something", &[], &[]),
        ] {
            let search = among(places.clone(), name);
            let found: Vec<&str> = search.places.iter().map(|place| place.file.as_str()).collect();
            assert_eq!(
                (found.as_slice(), search.near.as_slice()),
                (files, &near.iter().map(|&n| n.to_owned()).collect::<Vec<_>>()[..]),
                "{name}"
            );
        }
        assert_eq!(among(places, "foo").hint(), " (do you mean `A.foo` or `B.foo`?)");
        assert_eq!(Search::default().hint(), "");
    }
}
