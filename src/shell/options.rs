//! The arguments of a program, as most programs read them.

use crate::text::is_among;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Options with their values, without the dashes: `n`, `output`.
    pub given: Vec<(&'a str, Option<&'a str>)>,
    pub operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    pub fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|(name, _)| names.contains(name))
    }

    pub fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(|(name, _)| names.contains(name)).filter_map(|(_, value)| *value)
    }
}

/// Tells options from operands. `valued` names the options that take the next word as their value, with
/// blanks between them; one with a `?` takes only what stands in the same word.
pub fn options<'a>(arguments: &'a [String], valued: &str) -> Options<'a> {
    let mut found = Options::default();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word.strip_prefix('-') {
            None | Some("") => found.operands.push(word),
            Some("-") => found.operands.extend(rest.by_ref()),
            Some(long) if long.starts_with('-') => {
                let long = long.trim_start_matches('-');
                let (name, mut value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (long, None),
                };
                if value.is_none() && is_among(name, valued) {
                    value = rest.next();
                }
                found.given.push((name, value));
            }
            Some(letters) => {
                for (at, letter) in letters.char_indices() {
                    let after = at + letter.len_utf8();
                    let name = letters.get(at..after).unwrap_or_default();
                    let attached = letters.get(after..).filter(|text| !text.is_empty());
                    if valued.split(' ').any(|one| one.strip_suffix('?') == Some(name)) {
                        found.given.push((name, attached));
                        break;
                    }
                    if is_among(name, valued) {
                        found.given.push((name, attached.or_else(|| rest.next())));
                        break;
                    }
                    found.given.push((name, None));
                }
            }
        }
    }
    found
}
