//! Matching of paths, without compiling anything.

/// Whether a glob matches a whole path. `*` and `?` stay within a name, `**` between two slashes stands
/// for any number of names, also for none. Everything else is itself.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    names_match(&glob, &path)
}

/// A table of which beginnings match, so that many `**` cost no more than one.
fn names_match(glob: &[&str], path: &[&str]) -> bool {
    // `reach[n]`: the glob so far matches the first `n` names.
    let mut reach = vec![false; path.len() + 1];
    reach[0] = true;
    for part in glob {
        if *part == "**" {
            let first = reach.iter().position(|reached| *reached).unwrap_or(reach.len());
            reach.iter_mut().skip(first).for_each(|reached| *reached = true);
            continue;
        }
        for n in (0..path.len()).rev() {
            reach[n + 1] = reach[n] && name_matches(part, path[n]);
        }
        reach[0] = false;
    }
    reach[path.len()]
}

/// The same for what has no slashes that count: `*` is any text, and `?` a character.
pub fn name_matches(glob: &str, name: &str) -> bool {
    if !glob.contains(['*', '?']) {
        return glob == name;
    }
    let glob: Vec<char> = glob.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut g, mut n) = (0, 0);
    // Where to go on when the last `*` has to take one character more.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (g, n) = (at + 1, taken + 1);
            }
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

/// Whether a word is among words with blanks between them.
pub fn is_among(word: &str, words: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        for (glob, path, expected) in [
            ("/a/b", "/a/b", true),
            ("/a/b", "/a/bc", false),
            ("/a/*", "/a/b", true),
            ("/a/*", "/a/b/c", false),
            ("/a/**", "/a", true),
            ("/a/**", "/a/b/c", true),
            ("/a/**/c", "/a/c", true),
            ("/a/**/c", "/a/x/y/c", true),
            ("/a/**/c", "/a/x/y/d", false),
            ("**/secret*", "/x/y/secret-lemmas", true),
            ("**/secret", "/x/y/secret", true),
            ("**/secret", "/x/y/secrets", false),
            ("/a?c/é*e", "/abc/école", true),
            ("/*a*b*", "/xaxbx", true),
            ("/*a*b*", "/xbxax", false),
            ("", "", true),
            ("**", "/any/thing", true),
        ] {
            assert_eq!(glob_matches(glob, path), expected, "{glob} {path}");
        }
        for (glob, name, expected) in [
            ("a.b", "a.bc", false),
            ("a.*", "a.b", true),
            ("*.native_decide.ax_*", "Foo.bar.native_decide.ax_1", true),
            ("*.native_decide.ax_*", "Foo.bar", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(name_matches(glob, name), expected, "{glob} {name}");
        }
        let (glob, path) = ("**/a*".repeat(30) + "/b", "/aaaaaaaaaaaaaaaa".repeat(60));
        assert!(!glob_matches(&glob, &path), "and that in no time");
    }
}
