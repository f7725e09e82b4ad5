//! What the texts of single settings must be. Each check gives a text in its one spelling, or says in a
//! sentence what is wrong with it.

use std::path::Path;

/// A path must be absolute: a relative one would be another file in every folder.
pub(super) fn absolute(path: &str) -> Result<String, String> {
    if Path::new(path).is_absolute() || path.is_empty() {
        return Ok(path.to_owned());
    }
    Err(format!("`{path}` is not an absolute path"))
}

/// Longest sentence, in characters.
const LONGEST: usize = 400;

/// One plain line. What begins like JSON would be read as an answer, not as words.
pub(super) fn sentence(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.contains(char::is_control) {
        return Err("this must be one line of text".to_owned());
    }
    if text.starts_with(['{', '[']) {
        return Err("this must be a sentence: it begins like JSON".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Err(format!("this must be at most {LONGEST} characters long"));
    }
    Ok(text.to_owned())
}

pub(super) fn provider(word: &str) -> Result<String, String> {
    match word.trim().to_ascii_lowercase().as_str() {
        known @ ("ollama" | "openai") => Ok(known.to_owned()),
        _ => Err(format!("`{word}` is no protocol: use `ollama` or `openai`")),
    }
}

/// Only what can be seen without asking the network. Encryption is not built in: model servers run on
/// the person's own machine.
pub(super) fn address(url: &str) -> Result<String, String> {
    let url = url.trim();
    if url.starts_with("https://") {
        return Err(format!(
            "`{url}`: https is not built in; a tunnel (`ssh -L`) or a proxy on this machine brings such a \
             server to an http address"
        ));
    }
    let host = url.strip_prefix("http://").unwrap_or(url);
    if host.contains("://") || host.is_empty() || host.contains(['@', ' ', '\t']) {
        return Err(format!(
            "`{url}` is no address of a model server: it must be like `http://localhost:11434`"
        ));
    }
    Ok(url.to_owned())
}

/// The name of a model, without blanks around it.
///
/// # Errors
/// A sentence, when it can be none.
pub fn model_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-+".contains(c);
    // It is shown as part of a command.
    if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('-') {
        return Err(format!("`{name}` is no name of a model"));
    }
    Ok(name.to_owned())
}

/// As Ollama takes it: whole seconds, or hours, minutes and seconds with their letter; below zero means
/// for ever.
pub(super) fn keep_alive(time: &str) -> Result<String, String> {
    let time = time.trim().to_ascii_lowercase();
    let digits = time.trim_start_matches('-').trim_end_matches(['h', 'm', 's']);
    let is_time = !digits.is_empty()
        && digits.len() <= 6
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && time.len() - digits.len() <= 2
        && time.matches('-').count() <= 1;
    if is_time {
        return Ok(time);
    }
    Err(format!("`{time}` is no time: use one like `10m`, `1h`, `0` or `-1` (for ever)"))
}

/// The name of a variable. What is none may be the key itself, so it is not repeated.
pub(super) fn variable(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(name.to_owned());
    }
    Err("this must be the name of a variable, like `OPENAI_API_KEY`: a key itself has no place in a \
         configuration"
        .to_owned())
}
