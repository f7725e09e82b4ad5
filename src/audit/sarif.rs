//! An audit as SARIF 2.1.0, in the form that code hosts take in: relative paths below
//! `%SRCROOT%`, regions that count from 1, fingerprints that survive moved lines.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Finding, Report, Rule, Severity};
use crate::outline::Unread;
use crate::text::hash;

/// Most results that a code host takes in from one run.
const MOST_RESULTS: usize = 25_000;

pub(super) fn sarif(report: &Report) -> Value {
    let mut seen = HashMap::new();
    let kept = gravest(&report.findings);
    let results: Vec<Value> = kept.iter().map(|f| result(f, &mut seen)).collect();
    let mut notices: Vec<Value> =
        report.problems.iter().map(|problem| notice("error", problem)).collect();
    notices.extend(report.skipped.iter().map(|skipped| notice("note", skipped)));
    let left = report.findings.len() - kept.len();
    if left > 0 {
        let text = format!("{left} more findings, none of them more severe, are left out");
        notices.push(json!({ "level": "warning", "message": { "text": text } }));
    }
    let successful = report.files > 0 && report.problems.is_empty();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "automationDetails": { "id": "math-forge/audit" },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": {
                "uri": format!("file://{}/", uri(&report.root.to_string_lossy())),
            }},
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": notices,
            }],
            "properties": {
                "files": report.files,
                "declarations": report.declarations,
                "compared": report.compared,
            },
            "results": results,
        }],
    })
}

/// In their order; where there are too many, the gravest, those that are allowed last.
fn gravest(findings: &[Finding]) -> Vec<&Finding> {
    let mut kept: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    if kept.len() > MOST_RESULTS {
        kept.sort_by_key(|(_, finding)| {
            (finding.allowed, !finding.denied, std::cmp::Reverse(finding.severity))
        });
        kept.truncate(MOST_RESULTS);
        kept.sort_by_key(|(index, _)| *index);
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}

fn driver() -> Value {
    let mut driver = json!({
        "name": "math-forge",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Rule::audited().map(descriptor).collect::<Vec<_>>(),
    });
    let home = [env!("CARGO_PKG_HOMEPAGE"), env!("CARGO_PKG_REPOSITORY")];
    // An address that does not exist would be worse than none.
    if let Some(home) = home.into_iter().find(|home| !home.is_empty()) {
        driver["informationUri"] = home.into();
    }
    driver
}

fn descriptor(rule: Rule) -> Value {
    let words = rule.code().split('-').map(capitalised);
    let sentence = format!("{}.", capitalised(rule.summary()));
    json!({
        "id": rule.code(),
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
    let index = Rule::audited().position(|rule| rule == finding.rule).unwrap_or(0);
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
        "ruleId": finding.rule.code(),
        "ruleIndex": index,
        "level": if finding.denied { "error" } else { finding.severity.as_str() },
        "message": { "text": sentence(finding) },
        "locations": [location],
        "partialFingerprints": { "mathForge/v1": fingerprint(finding, seen) },
    });
    if finding.allowed {
        // Versions of the schema disagree on a word for "accepted"; it is what none means.
        result["suppressions"] = json!([{ "kind": "external" }]);
    }
    if let Some(lines) = &finding.change {
        result["properties"] = json!({ "lineOld": lines.line_old, "lineNew": lines.line_new });
    }
    result
}

fn sentence(finding: &Finding) -> String {
    let place = finding.declaration.as_deref().filter(|_| !finding.rule.tells());
    let place = place.map(|name| format!(" (in {name})")).unwrap_or_default();
    format!("{}{place}. {}", capitalised(&finding.message), finding.rule.help())
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
        assert_eq!(uri("C:x%.lean"), "C%3Ax%25.lean");
        assert_eq!(artifact("/tmp/x#1.lean"), json!({ "uri": "file:///tmp/x%231.lean" }));
        assert_eq!(artifact("x.lean")["uriBaseId"], "%SRCROOT%");
    }

    #[test]
    fn of_too_many_findings_the_gravest_are_kept_in_order() {
        let finding = |line: usize| Finding {
            rule: if line.is_multiple_of(2) { Rule::Sorry } else { Rule::Notation },
            severity: if line.is_multiple_of(2) { Severity::Error } else { Severity::Note },
            file: "A.lean".to_owned(),
            line,
            column: 0,
            end_column: 5,
            declaration: None,
            message: "gap".to_owned(),
            excerpt: line.to_string(),
            denied: false,
            allowed: line == 2,
            change: None,
        };
        let count = MOST_RESULTS + 1_000;
        let report = Report { findings: (1..=count).map(finding).collect(), ..Report::default() };
        let log = sarif(&report);
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), MOST_RESULTS);
        let lines: Vec<u64> = results
            .iter()
            .map(|r| r["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
            .collect();
        assert!(lines.is_sorted());
        assert!(!lines.contains(&2), "what is allowed goes first");
        let errors = results.iter().filter(|r| r["ruleId"] == "sorry").count();
        assert_eq!(errors, count / 2 - 1);
        let notice = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(
            notice["message"]["text"],
            "1000 more findings, none of them more severe, are left out"
        );
    }
}
