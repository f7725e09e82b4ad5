//! The words of lessons: made from facts by template, general, without paths, ids and numbers.

/// Replaces paths, ids, addresses and numbers by marks: lessons must hold on other machines.
pub fn general(text: &str) -> String {
    let text = text.replace(['\n', '\t', '\r'], " ");
    let mut out: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let inner = word.trim_matches(|c: char| "'\"`(),;:[]{}<>".contains(c));
        let inner = inner.trim_end_matches(['.', ')', '\'', '`', '"']);
        let general = general_word(inner);
        let word = match general {
            Some(general) if !inner.is_empty() => word.replacen(inner, &general, 1),
            _ => word.to_owned(),
        };
        // `2m 0s` is one number.
        if !(word == "N" && out.last().is_some_and(|last| last == "N")) {
            out.push(word);
        }
    }
    out.join(" ")
}

fn general_word(word: &str) -> Option<String> {
    if word.contains("://") {
        return Some("URL".to_owned());
    }
    if let Some((before, after)) = word.split_once('=')
        && before.starts_with('-')
    {
        return general_word(after).map(|after| format!("{before}={after}"));
    }
    if is_path(word) {
        return Some(file_kind(word));
    }
    if is_id(word) {
        return Some("ID".to_owned());
    }
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let numeric = word.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || ".:-+smhkKMGBx%".contains(c));
    (digits > 0 && numeric).then(|| "N".to_owned())
}

pub(super) fn is_path(word: &str) -> bool {
    let word = strip_position(word);
    if word.starts_with('/') || word.starts_with("~/") || word.starts_with("./") {
        return word.len() > 1;
    }
    if word.starts_with('-') || word.contains(['(', ')', '=', '{', '*', '|', '$', ' ']) {
        return false;
    }
    let extension = word.rsplit_once('.').map(|(_, extension)| extension);
    let has_extension = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
    // `and/or` is none.
    let parts = || word.split('/');
    let long = parts().any(|part| part.chars().count() > 3);
    has_extension || (word.contains('/') && long && parts().all(is_part))
}

const EXTENSIONS: &[&str] = &[
    "lean", "md", "txt", "json", "jsonl", "toml", "yaml", "yml", "py", "rs", "js", "ts", "sh", "c",
    "h", "cpp", "log", "csv", "html", "pdf", "tex", "ipynb", "olean", "lock", "db", "sql", "xml",
    "zip", "gz", "tar", "png", "jpg", "svg", "cfg", "ini", "out",
];

fn is_part(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_.+@".contains(c))
}

fn strip_position(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':')
}

/// A path as a kind of file: `a .lean file` says all that is general about it.
fn file_kind(path: &str) -> String {
    let path = strip_position(path);
    let name = crate::text::base_name(path);
    match name.rsplit_once('.') {
        Some((_, extension)) if EXTENSIONS.contains(&extension) => format!("FILE.{extension}"),
        _ if path.contains("/bin/") => format!(".../bin/{name}"),
        _ => "PATH".to_owned(),
    }
}

fn is_id(word: &str) -> bool {
    let hex = word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (hex && word.len() >= 7 && digits > 0) || word.starts_with("toolu_")
}

pub fn shortened(text: &str, most: usize) -> String {
    let text = crate::text::one_line(text);
    if text.chars().count() <= most {
        return text;
    }
    let cut: String = text.chars().take(most).collect();
    let end = cut.rfind(' ').filter(|end| *end > most / 2).unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_local_stays() {
        for (text, expected) in [
            ("error: /home/me/x/Foo.lean:3:4: bad", "error: FILE.lean: bad"),
            ("open `src/a/b.py` failed", "open `FILE.py` failed"),
            ("/home/me/.elan/bin/lake build", ".../bin/lake build"),
            ("fatal: /srv/data is full", "fatal: PATH is full"),
            ("see https://example.org/x?y=1", "see URL"),
            ("commit 3f2a9bc1d", "commit ID"),
            ("after 120s of 300", "after N of N"),
            ("after 2m 0s", "after N"),
            ("--out=/tmp/x.json", "--out=FILE.json"),
            ("Unknown identifier `Nat.add_com`", "Unknown identifier `Nat.add_com`"),
            ("n / 2 and a/b", "n / N and a/b"),
            ("`norm_num` and/or `src/deep`", "`norm_num` and/or `PATH`"),
            ("", ""),
        ] {
            assert_eq!(general(text), expected);
        }
    }
}
