//! What the documents say is what the code is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::commands;
use crate::env::TestEnv;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The first cells of the Markdown table below `heading`, without backticks.
fn first_column(text: &str, heading: &str) -> Vec<String> {
    let section = text.split(heading).nth(1).unwrap_or_else(|| panic!("no `{heading}`"));
    section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.split('|').nth(1).unwrap().replace('`', "").trim().to_owned())
        .collect()
}

#[test]
fn the_list_of_commands_names_every_one_and_no_other() {
    let text = document("docs/commands.md");
    let mut listed: Vec<String> = first_column(&text, "# Commands\n")
        .iter()
        .map(|cell| cell.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    let mut real = commands(&TestEnv::new());
    listed.sort();
    real.sort();
    assert_eq!(listed, real);
}

#[test]
fn the_architecture_names_every_module_and_every_dependency() {
    let text = document("ARCHITECTURE.md");
    let mut modules: Vec<String> = first_column(&text, "\n## The map\n")
        .iter()
        .flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let lib = document("src/lib.rs");
    let mut real: Vec<String> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    modules.sort();
    real.sort();
    assert_eq!(modules, real);

    let listed: Vec<String> = first_column(&text, "\n## Dependencies, and why each\n")
        .iter()
        .flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .map(|name| name.split(' ').next().unwrap().to_owned())
        .collect();
    let manifest: toml::Value = toml::from_str(&document("Cargo.toml")).unwrap();
    for name in manifest["dependencies"].as_table().unwrap().keys() {
        assert!(listed.contains(name), "ARCHITECTURE.md does not say why `{name}` is needed");
    }
    for name in manifest["dev-dependencies"].as_table().unwrap().keys() {
        assert!(text.contains(name), "ARCHITECTURE.md does not say why `{name}` is needed");
    }
    assert_eq!(listed.len(), manifest["dependencies"].as_table().unwrap().len());
}

#[test]
fn documents_that_one_begins_with_are_short() {
    for name in ["README.md", "ARCHITECTURE.md"] {
        let lines = document(name).lines().count();
        assert!(lines <= 150, "{name} has {lines} lines: what is too much belongs into docs/");
    }
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut names: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            .map(str::to_owned)
            .to_vec();
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    names.extend(docs.filter(|name| Path::new(name).extension().is_some_and(|end| end == "md")));
    let contents = document("docs/SUMMARY.md");
    for name in names.iter().filter_map(|name| name.strip_prefix("docs/")) {
        let is_listed = contents.contains(&format!("({name})")) || name == "SUMMARY.md";
        assert!(is_listed, "docs/SUMMARY.md does not list {name}");
    }
    for name in &names {
        let folder = root().join(Path::new(name).parent().unwrap());
        for target in document(name).split("](").skip(1).map(|rest| rest.split(')').next().unwrap())
        {
            if !target.starts_with("http") && !target.starts_with('#') {
                assert!(folder.join(target).exists(), "{name} links to {target}");
            }
        }
    }
}

#[test]
fn every_setting_is_described() {
    let text = document("docs/configuration.md");
    for variable in ["MK_BRIEF_BUDGET", "MK_GUARD", "MK_INJECT", "MK_HOME", "MATH_FORGE_DB"] {
        assert!(text.contains(variable), "no word of `{variable}`");
    }
    let settings = TestEnv::new().mk(&["config", "--json"]).json();
    for setting in settings["settings"].as_array().unwrap() {
        let key = setting["key"].as_str().unwrap();
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let has_table = table.is_empty() || text.contains(&format!("[{table}]"));
        assert!(has_table, "no word of `[{table}]`");
        let is_level = table == "guard.levels";
        let described = is_level || text.contains(&format!("\n{name} = "));
        assert!(described, "no word of `{key}`");
    }
}
