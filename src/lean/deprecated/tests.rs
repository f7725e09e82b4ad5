//! Every form in which a file can say that a name is old.

use super::*;
use crate::lean::outline;

/// `old -> new|other meanings (since) line`, one deprecation a line.
fn read(text: &str) -> String {
    let outline = outline(text);
    let found = deprecations(text, &outline, Some("My.Module"));
    let lines = found.iter().map(|d| {
        format!(
            "{} -> {} ({}) {}{}",
            d.old,
            match &d.new {
                Some(new) if d.candidates.is_empty() => new.clone(),
                Some(_) => d.candidates.join("|"),
                None => "-".to_owned(),
            },
            d.since.as_deref().unwrap_or("-"),
            d.line,
            d.message.as_ref().map(|m| format!(" {m:?}")).unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_form_is_read() {
    let table = [
        // a name, through the namespace of the declaration
        (
            "namespace A\ntheorem new : p := h\n@[deprecated new (since := \"2025-01-02\")]\ntheorem old : p := h\nend A",
            "A.old -> A.new|new (2025-01-02) 4",
        ),
        // an alias, among other attributes and modifiers
        (
            "namespace A.B\nlemma new : p := h\nend A.B\nnamespace A\n@[simp, deprecated (since := \"x\")] protected alias C.old := B.new",
            "A.C.old -> A.B.new|B.new (x) 5",
        ),
        (
            "@[deprecated \"use `ring`\" (since := \"2024-01-01\")] lemma old : p := h",
            "old -> - (2024-01-01) 1 \"use `ring`\"",
        ),
        ("@[deprecated] def old := 1", "old -> - (-) 1"),
        (
            "@[deprecated new \"in\\\n   short\" (since := \"d\")]\ndef old := 1",
            "old -> new (d) 3 \"inshort\"",
        ),
        // both directions; `_` makes no name
        ("@[deprecated (since := \"d\")] alias ⟨a, b⟩ := iff", "a -> iff (d) 1\nb -> iff (d) 1"),
        ("@[deprecated (since := \"d\")] alias ⟨_, b⟩ := iff", "b -> iff (d) 1"),
        // an absolute name
        (
            "namespace A\n@[deprecated _root_.new (since := \"d\")] theorem _root_.B.old : p := h",
            "B.old -> new (d) 2",
        ),
        // a command afterwards, also with names on the next line
        (
            "namespace A\ndef x := 1\ndef y := 1\nattribute [local simp, deprecated z (since := \"d\")]\nx y\nopen B\nend A",
            "A.x -> A.z|z (d) 4\nA.y -> A.z|z (d) 4",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn what_other_attributes_carry_and_what_is_no_declaration_is_read() {
    let table = [
        // inside of another attribute; its own mark counts first, and names that are made are not known
        (
            "namespace Subgroup\n@[to_additive] theorem mul_new : p := h\n@[to_additive (attr := simp, deprecated (since := \"d\"))]\nalias mul_old := mul_new\nend Subgroup",
            "Subgroup.mul_old -> Subgroup.mul_new|mul_new (d) 4",
        ),
        (
            "@[to_additive existing (attr := deprecated sum (since := \"d\")) sum_old /-- doc -/,\n deprecated prod (since := \"e\")]\ndef prod_old := 1",
            "prod_old -> prod (e) 3",
        ),
        (
            "@[to_dual (attr := deprecated (since := \"d\")) sup_old] alias inf_old := inf_new",
            "inf_old -> inf_new (d) 1",
        ),
        // a whole file
        (
            "module\npublic import New.Home\n/-! doc -/\ndeprecated_module (since := \"d\")\npublic section",
            "My.Module -> New.Home (d) 4",
        ),
        (
            "import A\nimport B\ndeprecated_module (since := \"d\")",
            "My.Module -> - (d) 3 \"import A, B instead\"",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_deprecation_is_none() {
    for text in [
        "",
        "-- @[deprecated new] \n/- deprecated_module -/\ndef a := 1",
        "/-- @[deprecated x (since := \"d\")] -/\ntheorem a : p := h",
        "def deprecated := 1\n@[inherit_doc deprecated] def b := deprecated",
        "macro \"m\" : command => `(command| @[deprecated] def quoted := 0)",
        "set_option linter.deprecated false in\ntheorem a : p := h",
        "@[deprecated] example : p := h",
        "#exit\n@[deprecated new] theorem old : p := h",
        "def a := \"@[deprecated x] theorem y\"",
        "@[deprecated",
        "attribute [deprecated",
        "attribute [deprecated x]",
    ] {
        assert_eq!(read(text), "", "{text}");
    }
}

#[test]
fn nothing_follows_itself() {
    let text = "namespace L\n@[deprecated comm (since := \"d\")]\ntheorem comm : p := h";
    let found = deprecations(text, &outline(text), None);
    assert_eq!(found[0].candidates, ["comm"]);
}

#[test]
fn an_opened_namespace_is_tried_before_the_root() {
    let text = "open A B in\n@[deprecated new (since := \"d\")] theorem C.old : p := h";
    let found = deprecations(text, &outline(text), None);
    assert_eq!(found[0].candidates, ["C.new", "B.new", "A.new", "new"]);
}
