//! An audit as SARIF 2.1.0, in the form that code hosts take in: relative paths below
//! `%SRCROOT%`, regions that count from 1, fingerprints that survive moved lines.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Finding, Report, Rule};
use crate::outline::Unread;
use crate::text::{capitalised, hash};

pub(super) fn sarif(report: &Report) -> Value {
    let mut seen = HashMap::new();
    let results: Vec<Value> = report.findings.iter().map(|f| result(f, &mut seen)).collect();
    let problems = report.problems.iter().map(|problem| notice("error", problem));
    let skipped = report.skipped.iter().map(|skipped| notice("note", skipped));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "math-forge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Rule::audited().map(descriptor).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": "math-forge/audit" },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": {
                "uri": format!("file://{}/", uri(&report.root.to_string_lossy())),
            }},
            "invocations": [{
                "executionSuccessful": report.files > 0 && report.problems.is_empty(),
                "toolExecutionNotifications": problems.chain(skipped).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    })
}

fn descriptor(rule: Rule) -> Value {
    let sentence = json!({ "text": format!("{}.", capitalised(rule.summary())) });
    json!({
        "id": rule.code(),
        "name": rule.code().split('-').map(capitalised).collect::<String>(),
        "shortDescription": sentence,
        "fullDescription": sentence,
        "help": { "text": rule.help() },
        "defaultConfiguration": { "level": rule.severity().as_str() },
        "properties": { "tags": ["lean", rule.group().as_str()] },
    })
}

fn result(finding: &Finding, seen: &mut HashMap<String, usize>) -> Value {
    let place = finding.declaration.as_deref().filter(|_| !finding.rule.tells());
    let place = place.map(|name| format!(" (in {name})")).unwrap_or_default();
    let text = format!("{}{place}. {}", capitalised(&finding.message), finding.rule.help());
    let mut result = json!({
        "ruleId": finding.rule.code(),
        "ruleIndex": Rule::audited().position(|rule| rule == finding.rule).unwrap_or(0),
        "level": if finding.denied { "error" } else { finding.severity.as_str() },
        "message": { "text": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": artifact(&finding.file),
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column + 1,
                "endLine": finding.line,
                "endColumn": finding.end_column + 1,
                "snippet": { "text": finding.excerpt },
            },
        }}],
        "partialFingerprints": { "mathForge/v1": fingerprint(finding, seen) },
    });
    if finding.allowed {
        // Versions of the schema disagree on a word for "accepted"; it is what none means.
        result["suppressions"] = json!([{ "kind": "external" }]);
    }
    result
}

/// Rule, file, declaration and line as text, and the how-manieth of its like: lines may move.
fn fingerprint(finding: &Finding, seen: &mut HashMap<String, usize>) -> String {
    let declaration = finding.declaration.as_deref().unwrap_or_default();
    let key = [finding.rule.code(), &finding.file, declaration, &finding.excerpt].join("\n");
    let count = seen.entry(key.clone()).or_insert(0);
    *count += 1;
    hash(format!("{key}\n{count}"), 16)
}

fn notice(level: &str, unread: &Unread) -> Value {
    json!({
        "level": level,
        "message": { "text": format!("{}: {}", unread.path, unread.reason) },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(&unread.path) } }],
    })
}

/// Relative paths are below the root; absolute ones stand for themselves.
fn artifact(path: &str) -> Value {
    if path.starts_with('/') {
        return json!({ "uri": format!("file://{}", uri(path)) });
    }
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// Percent-encoded, colons too: one would end a scheme.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").ok();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/Ä.lean"), "a%20b/%C3%84.lean");
        assert_eq!(uri("C:x%.lean"), "C%3Ax%25.lean");
        assert_eq!(artifact("/tmp/x#1.lean"), json!({ "uri": "file:///tmp/x%231.lean" }));
        assert_eq!(artifact("x.lean")["uriBaseId"], "%SRCROOT%");
    }
}
