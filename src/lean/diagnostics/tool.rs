//! Tools of servers (`mcp__SERVER__TOOL`) by their names: which of them say what Lean says.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// Files as they are: diagnostics of a file, a build.
    Files,
    /// Code that it is handed, or a file with something tried in it. Its errors say nothing of a file.
    Code,
}

/// The diagnostics of the person's editor, of any language.
pub const EDITOR: &str = "mcp__ide__getDiagnostics";

/// Words for tools that look at files, and for tools that try something out.
const FILES: [&str; 4] = ["diagnos", "build", "compile", "check"];
const CODE: [&str; 4] = ["run", "attempt", "eval", "repl"];

pub fn looked(tool: &str) -> Option<Looked> {
    let rest = tool.strip_prefix("mcp__")?;
    if tool == EDITOR {
        return Some(Looked::Files);
    }
    let low = rest.to_ascii_lowercase();
    let mut words = low.split(|c: char| !c.is_ascii_alphanumeric());
    if !words.any(|word| word.contains("lean") || word == "lake") {
        return None;
    }
    let name = low.rsplit("__").next().unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&FILES) { Some(Looked::Files) } else { has(&CODE).then_some(Looked::Code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_by_their_names() {
        for (tool, expected) in [
            ("mcp__lean-lsp__lean_diagnostic_messages", Some(Looked::Files)),
            ("mcp__plugin_lean4_lean-lsp__lean_build", Some(Looked::Files)),
            ("mcp__lean__checkFile", Some(Looked::Files)),
            ("mcp__lake__build", Some(Looked::Files)),
            ("mcp__ide__getDiagnostics", Some(Looked::Files)),
            ("mcp__lean-lsp__lean_multi_attempt", Some(Looked::Code)),
            ("mcp__lean-lsp__lean_run_code", Some(Looked::Code)),
            ("mcp__lean-lsp__lean_goal", None),
            ("mcp__lean-lsp__lean_verify", None),
            ("mcp__lean-checker__lean_goal", None),
            ("mcp__snowflake__run_query", None),
            ("mcp__github__check_run", None),
            ("lean_build", None),
            ("Bash", None),
        ] {
            assert_eq!(looked(tool), expected, "{tool}");
        }
    }
}
