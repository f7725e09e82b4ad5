//! The dependencies keep to `deny.toml`: allowed licences, one registry, no wildcard versions.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Whether a licence expression can be satisfied with allowed licences only.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], "");
    expression.split(" OR ").any(|choice| {
        choice.split(" AND ").all(|licence| allowed.iter().any(|one| one == licence.trim()))
    })
}

#[test]
fn dependencies_keep_to_deny_toml() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules: toml::Value =
        toml::from_str(&fs::read_to_string(root.join("deny.toml")).unwrap()).unwrap();
    let allowed: Vec<String> = rules["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|licence| licence.as_str().unwrap().to_owned())
        .collect();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform"])
        .arg(target())
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or("");
        if !is_allowed(licence, &allowed) {
            wrong.push(format!("{name}: licence `{licence}` is not in deny.toml"));
        }
        let source = package["source"].as_str();
        if source.is_some_and(|source| !source.starts_with("registry+")) {
            wrong.push(format!("{name}: comes from {source:?}, not from the registry"));
        }
    }
    for (name, requirement) in manifest_requirements(root) {
        if requirement.contains('*') {
            wrong.push(format!("{name}: wildcard version `{requirement}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn target() -> String {
    let output = Command::new(env!("CARGO")).args(["-vV"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

fn manifest_requirements(root: &Path) -> Vec<(String, String)> {
    let manifest: toml::Value =
        toml::from_str(&fs::read_to_string(root.join("Cargo.toml")).unwrap()).unwrap();
    ["dependencies", "dev-dependencies"]
        .iter()
        .flat_map(|table| manifest[table].as_table().unwrap())
        .map(|(name, value)| {
            let version = value.as_str().or_else(|| value.get("version").and_then(|v| v.as_str()));
            (name.clone(), version.unwrap().to_owned())
        })
        .collect()
}

#[test]
fn licence_expressions() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    for (expression, expected) in [
        ("MIT", true),
        ("Apache-2.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND Zlib", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT)", true),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
