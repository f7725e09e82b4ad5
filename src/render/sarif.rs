//! An audit as SARIF 2.1.0, in the form that code hosts take in: relative paths below
//! `%SRCROOT%`, regions that count from 1, fingerprints that survive moved lines.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::audit::{Finding, Report, Rule, Severity, Unread};

/// Most results that a code host takes in from one run.
const MOST_RESULTS: usize = 25_000;

/// The log as one JSON object.
pub fn sarif(report: &Report) -> Value {
    let mut seen = HashMap::new();
    let results: Vec<Value> =
        report.findings.iter().take(MOST_RESULTS).map(|f| result(f, &mut seen)).collect();
    let mut notices: Vec<Value> =
        report.problems.iter().map(|problem| notice("error", problem)).collect();
    notices.extend(report.skipped.iter().map(|skipped| notice("note", skipped)));
    let successful = report.files > 0 && report.problems.is_empty();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "math-forge",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Rule::ALL.iter().map(|rule| descriptor(*rule)).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": "math-forge/audit" },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": {
                "uri": uri(&format!("file://{}/", report.root.to_string_lossy())),
            }},
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": notices,
            }],
            "properties": { "files": report.files, "declarations": report.declarations },
            "results": results,
        }],
    })
}

fn descriptor(rule: Rule) -> Value {
    let words = rule.id().split('-').map(capitalised);
    let sentence = format!("{}.", capitalised(rule.summary()));
    json!({
        "id": rule.id(),
        "name": words.collect::<String>(),
        "shortDescription": { "text": sentence },
        "fullDescription": { "text": sentence },
        "help": { "text": rule.help() },
        "defaultConfiguration": { "level": rule.severity().as_str() },
        "properties": {
            "tags": ["lean", rule.group().as_str()],
            "precision": "high",
            "problem.severity": match rule.severity() {
                Severity::Note => "recommendation",
                other => other.as_str(),
            },
        },
    })
}

fn result(finding: &Finding, seen: &mut HashMap<String, usize>) -> Value {
    let index = Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or(0);
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": artifact(&finding.file),
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column + 1,
                "endLine": finding.line,
                "endColumn": finding.end_column + 1,
                "snippet": { "text": finding.excerpt },
            },
        },
    });
    if let Some(name) = &finding.declaration {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "member" }]);
    }
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": index,
        "level": if finding.denied { "error" } else { finding.severity.as_str() },
        "message": { "text": sentence(finding) },
        "locations": [location],
        "partialFingerprints": { "mathForge/v1": fingerprint(finding, seen) },
    });
    if finding.allowed {
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted" }]);
    }
    result
}

fn sentence(finding: &Finding) -> String {
    let place = finding.declaration.as_deref();
    let place = place.map(|name| format!(" (in {name})")).unwrap_or_default();
    format!("{}{place}. {}", capitalised(&finding.message), finding.rule.help())
}

/// Rule, file, declaration and line as text, and the how-manieth of its like: lines may move.
fn fingerprint(finding: &Finding, seen: &mut HashMap<String, usize>) -> String {
    let declaration = finding.declaration.as_deref().unwrap_or_default();
    let key = [finding.rule.id(), &finding.file, declaration, &finding.excerpt].join("\n");
    let count = seen.entry(key.clone()).or_insert(0);
    *count += 1;
    let digest = Sha256::digest(format!("{key}\n{count}"));
    digest.iter().take(16).fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").ok();
        hex
    })
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
        return json!({ "uri": uri(&format!("file://{path}")) });
    }
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// A path with everything encoded that may not stand in a URI.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").ok();
        }
    }
    out
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/Ä.lean"), "a%20b/%C3%84.lean");
        assert_eq!(artifact("/tmp/x#1.lean"), json!({ "uri": "file:///tmp/x%231.lean" }));
        assert_eq!(artifact("x.lean")["uriBaseId"], "%SRCROOT%");
    }
}
