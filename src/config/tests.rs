//! Precedence, trust, mistakes, and edits that leave the rest alone.

use std::fs;

use proptest::prelude::*;

use super::*;

/// The configuration of two texts and an environment; files are shown as `user` and `project`.
fn load(user: &str, project: &str, variables: &[(&str, &str)]) -> Config {
    let dir = tempfile::tempdir().unwrap();
    let [user_file, project_file] = ["user", "project"].map(|name| dir.path().join(name));
    fs::write(&user_file, user).unwrap();
    fs::write(&project_file, project).unwrap();
    let mut config = Config::load(&user_file, &project_file, &Environment::of(variables));
    let folder = format!("{}/", dir.path().display());
    for problem in &mut config.problems {
        *problem = problem.replace(&folder, "");
    }
    config
}

#[test]
fn precedence_and_trust() {
    let user = "[brief]\nbudget = 200\n[tracking]\npath = \"/mine.db\"\n";
    let project = "[brief]\nbudget = 100\n[tracking]\npath = \"/theirs.db\"\n";
    let config = load(user, project, &[]);
    assert_eq!(config.brief_budget, 100);
    assert_eq!(config.tracking_path, Some("/mine.db".into()));
    assert_eq!(
        config.problems,
        [
            "`project`, line 4: it sets `tracking.path`, which only your own configuration may: ignored"
        ]
    );
    assert_eq!(load(user, project, &[("MK_BRIEF_BUDGET", "50")]).brief_budget, 50);
    assert_eq!(load("", "", &[]), Config::default());
}

#[test]
fn mistakes_are_named_and_survived_one_by_one() {
    for (text, expected) in [
        (
            "[brief]\n\nbudjet = 200",
            "`user`, line 3: unknown key `brief.budjet` (do you mean `brief.budget`?): ignored",
        ),
        (
            "[brieff]\nbudget = 200",
            "`user`, line 2: unknown key `brieff.budget` (do you mean `brief.budget`?): ignored",
        ),
        (
            "budget = 3",
            "`user`, line 1: unknown key `budget` (do you mean `brief.budget`?): ignored",
        ),
        (
            "guard = 3",
            "`user`, line 1: unknown key `guard` (do you mean `guard.enabled`?): ignored",
        ),
        ("[x]", "`user`, line 1: unknown key `x`; `mk config` shows all: ignored"),
        (
            "guard.levels.prof_lost = \"off\"",
            "`user`, line 1: there is no rule `prof_lost` (do you mean `proof-lost`?): ignored",
        ),
        (
            "[guard.levels]\nzzz = \"off\"",
            "`user`, line 2: there is no rule `zzz`; there are proof-lost, progress-lost, policy-changed, \
             false-hypothesis, statement-changed, axiom-added, statement-noted, definition-changed, \
             proof-removed, search-left, trust-added, false-lemma, gap-in-complete-file: ignored",
        ),
        (
            "[guard.levels]\nproof-lost = \"strict\"",
            "`user`, line 2: `guard.levels.proof-lost`: `strict` is not a level: use off, warn, ask or \
             deny: ignored",
        ),
        (
            "[brief]\nbudget = \"many\"",
            "`user`, line 2: `brief.budget`: this must be a number of tokens from 0 to 2000: ignored",
        ),
        (
            "[brief]\nbudget = -3",
            "`user`, line 2: `brief.budget`: this must be a number of tokens from 0 to 2000: ignored",
        ),
        (
            "[brief]\nbudget = 99999",
            "`user`, line 2: `brief.budget`: this must be a number of tokens from 0 to 2000: ignored",
        ),
        (
            "[learn]\nexpire_days = 0",
            "`user`, line 2: `learn.expire_days`: this must be a number of days from 1 to 3650: ignored",
        ),
        (
            "[audit]\ndeny = [\"gaps\", \"gops\"]",
            "`user`, line 2: `audit.deny`: there is no rule `gops`; `mk audit --rules` lists them: ignored",
        ),
        (
            "[[guard]]\nenabled = false",
            "`user`, line 1: unknown key `guard` (do you mean `guard.enabled`?): ignored",
        ),
    ] {
        // What stands beside the mistake counts.
        let config = load(&format!("{text}\n[results]\ncapture = false\n"), "", &[]);
        assert_eq!(config.problems, [expected], "{text}");
        assert!(!config.results_capture, "{text}");
        assert!(config.guard_enabled && config.guard_levels.is_empty(), "{text}");
    }
    let config = load("[brief\nbudget = 3", "", &[("MK_BRIEF_BUDGET", "many"), ("MK_GUARD", "x")]);
    assert!(config.problems[0].starts_with("`user`, line 1: "), "{:?}", config.problems);
    assert!(config.problems[0].ends_with(": the file is ignored"), "{:?}", config.problems);
    assert_eq!(config.problems[1], "MK_BRIEF_BUDGET: `many` is not a number: ignored");
    assert_eq!(config.problems[2], "MK_GUARD: `x` is neither `true` nor `false`: ignored");
    assert_eq!(load("[guard.levels]\n[brief]\n", "", &[]).problems, [""; 0], "empty tables");
}

#[test]
fn a_project_may_be_stricter_only() {
    for (user, project, expected, problem) in [
        ("", "off", "deny", true),
        ("", "ask", "deny", true),
        ("", "deny", "deny", false),
        ("warn", "ask", "ask", false),
        ("warn", "off", "warn", true),
        ("ask", "ask", "ask", false),
    ] {
        let file = |level: &str| match level {
            "" => String::new(),
            level => format!("[guard.levels]\nPROOF_lost = \"{level}\"\n"),
        };
        let config = load(&file(user), &file(project), &[]);
        let level = config.entries();
        let level = level.iter().find(|entry| entry.key == "guard.levels.proof-lost").unwrap();
        assert_eq!(level.value, Value::Text(expected.to_owned()), "{user} {project}");
        assert_eq!(config.problems.len(), usize::from(problem), "{:?}", config.problems);
    }
    for (user, project, expected, problem) in [
        (200, 100, 100, ""),
        (
            200,
            201,
            200,
            "`project`, line 2: it sets `brief.budget` to `201`, which is looser than `200`; a \
            project may only be stricter: ignored",
        ),
        (
            400,
            99_999,
            400,
            "`project`, line 2: `brief.budget`: this must be a number of tokens from 0 to \
            2000: ignored",
        ),
    ] {
        let file = |budget| format!("[brief]\nbudget = {budget}\n");
        let config = load(&file(user), &file(project), &[]);
        assert_eq!(config.brief_budget, expected);
        assert_eq!(config.problems.concat(), problem);
    }
    let off = "[results]\ncapture = false\n[learn]\nlessons = false\n";
    let on = off.replace("false", "true");
    for (user, project, expected) in [(off, &*on, false), (&*on, off, false), (&*on, &*on, true)] {
        let config = load(user, project, &[]);
        assert_eq!((config.results_capture, config.learn_lessons), (expected, expected));
    }
    let loose = "[guard]\nenabled = false\nallow_axioms = [\"*\"]\n";
    let config = load("", loose, &[]);
    assert!(config.guard_enabled && config.guard_allow_axioms.is_empty());
    assert_eq!(config.problems.len(), 2);
    let config = load(loose, "", &[]);
    assert!(!config.guard_enabled);
    assert_eq!((config.guard_allow_axioms, config.problems.len()), (vec!["*".to_owned()], 0));
    assert!(!load("", "", &[("MK_GUARD", "off")]).guard_enabled);
    assert!(load(loose, "", &[("MK_GUARD", "on")]).guard_enabled);
    let config = load("audit.deny = [\"gaps\"]", "audit.deny = [\"axiom\"]", &[]);
    assert_eq!(config.audit_deny, ["gaps", "axiom"], "a project adds");
}

#[test]
fn what_a_model_server_is_told_is_checked() {
    for (key, value, expected) in [
        (
            "keep_alive",
            "\"soon\"",
            "`soon` is not a time span: use one like `10m`, `1h`, `0` or `-1` (for ever)",
        ),
        (
            "key_env",
            "\"sk-abcdef\"",
            "this must be the name of a variable, like `OPENAI_API_KEY`: never put the key itself into a \
             configuration",
        ),
    ] {
        let config = load(&format!("[llm]\n{key} = {value}\n"), "", &[]);
        assert!(!config.has_model());
        let said = format!("`user`, line 2: `llm.{key}`: {expected}: ignored");
        assert_eq!(config.problems, [said]);
    }
}

#[test]
fn a_model_is_asked_only_once_it_is_named() {
    for (file, expected) in [
        ("", false),
        ("[llm]\nurl = \"http://box:8080\"\ntimeout = 120\nprovider = \"openai\"\n", false),
        ("[llm]\nmodel = \"a:b\"\n", true),
    ] {
        let config = load(file, "", &[]);
        assert_eq!((config.has_model(), config.problems), (expected, vec![]), "{file}");
    }
}

#[test]
fn only_the_user_names_a_model_server() {
    let file = "[llm]\nprovider = \"OpenAI\"\nurl = \"http://box:8080/v1\"\nmodel = \"a/b:c\"\n\
                timeout = 120\nlesson_timeout = 30\nload_timeout = 600\nkeep_alive = \"1h\"\n\
                key_env = \"BOX_KEY\"\n";
    let config = load(file, "", &[]);
    assert!(config.has_model() && config.problems.is_empty(), "{:?}", config.problems);
    let shown: Vec<String> = config
        .entries()
        .iter()
        .filter(|entry| entry.key.starts_with("llm."))
        .map(|entry| entry.value.plain(","))
        .collect();
    let expected = ["openai", "http://box:8080/v1", "a/b:c", "120", "30", "600", "1h", "BOX_KEY"];
    assert_eq!(shown, expected);
    let config = load("", file, &[]);
    assert!(!config.has_model());
    assert_eq!(config.problems.len(), 8);
    assert_eq!(
        config.problems[1],
        "`project`, line 3: it sets `llm.url`, which only your own configuration may: ignored"
    );
    for (key, value, expected) in [
        ("provider", "\"chat\"", "`chat` is not `ollama` or `openai`"),
        (
            "url",
            "\"ftp://box\"",
            "`ftp://box` is not the address of a model server: it must be like `http://localhost:11434`",
        ),
        (
            "url",
            "\"http://me:pw@box\"",
            "`http://me:pw@box` is not the address of a model server: it must be like \
             `http://localhost:11434`",
        ),
        (
            "url",
            "\"https://box\"",
            "`https://box`: https is not supported; use a tunnel (`ssh -L`) or a local proxy",
        ),
        ("url", "3", "this must be an address in quotes"),
        ("model", "\"a; rm -rf b\"", "`a; rm -rf b` is not the name of a model"),
        ("timeout", "0", "this must be a number of seconds from 1 to 3600"),
        ("lesson_timeout", "\"5s\"", "this must be a number of seconds from 1 to 3600"),
    ] {
        let config = load(&format!("[llm]\n{key} = {value}\n"), "", &[]);
        let expected = format!("`user`, line 2: `llm.{key}`: {expected}: ignored");
        assert_eq!(config.problems, [expected], "{key} {value}");
        assert!(!config.has_model(), "{key} {value}");
    }
}

#[test]
fn a_key_is_set_and_the_rest_stays() {
    for (text, key, value, expected) in [
        ("", "brief.budget", "100", "[brief]\nbudget = 100\n"),
        ("# mine", "brief.budget", "100", "# mine\n\n[brief]\nbudget = 100\n"),
        (
            "# mine\n[brief] # a\nbudget = 300   # tokens\n\n[results]\ncapture = true\n",
            "brief.budget",
            "100",
            "# mine\n[brief] # a\nbudget = 100   # tokens\n\n[results]\ncapture = true\n",
        ),
        (
            "[results]\ncapture = true # why\n# more\n\n[brief]\n",
            "results.globs",
            "a/**, b",
            "[results]\nglobs = [\"a/**\", \"b\"]\ncapture = true # why\n# more\n\n[brief]\n",
        ),
        (
            "[results]\nglobs = [\n  \"a\", # one\n  \"b\",\n]\n",
            "results.capture",
            "off",
            "[results]\ncapture = false\nglobs = [\n  \"a\", # one\n  \"b\",\n]\n",
        ),
        (
            "[guard]\r\nenabled = true\r\n",
            "guard.levels.Proof_Lost",
            "ASK",
            "[guard]\r\nenabled = true\n\n[guard.levels]\nproof-lost = \"ask\"\n",
        ),
        (
            "[ guard . levels ]\nproof_lost = 'warn'",
            "guard.levels.proof-lost",
            "deny",
            "[ guard . levels ]\nproof_lost = \"deny\"",
        ),
        (
            "[guard.levels]\n[brief]\nbudget = 3",
            "guard.levels.axiom-added",
            "deny",
            "[guard.levels]\naxiom-added = \"deny\"\n[brief]\nbudget = 3",
        ),
        ("guard.enabled = true\n", "guard.enabled", "false", "guard.enabled = false\n"),
        ("[brief]\n", "seed", "/j/seed.json", "seed = \"/j/seed.json\"\n[brief]\n"),
        ("seed = '/a'\n[brief]\n", "seed", "/b", "seed = \"/b\"\n[brief]\n"),
        ("[audit]\ndeny = [\"axiom\"]\n", "audit.deny", "[]", "[audit]\ndeny = []\n"),
        (
            "[tracking]\n",
            "tracking.path",
            "/a \"b\"\\c.db",
            "[tracking]\npath = \"/a \\\"b\\\"\\\\c.db\"\n",
        ),
    ] {
        let changed = change(text, key, value, false);
        assert_eq!(changed.map(|change| change.text).as_deref(), Ok(expected), "{text:?}");
    }
}

#[test]
fn what_cannot_be_set_is_said() {
    for (text, key, value, project, expected) in [
        (
            "",
            "brief.budjet",
            "3",
            false,
            "unknown key `brief.budjet` (do you mean `brief.budget`?)",
        ),
        ("", "brief.budget", "few", false, "`brief.budget`: `few` is not a number"),
        (
            "",
            "guard.enabled",
            "maybe",
            false,
            "`guard.enabled`: `maybe` is neither `true` nor `false`",
        ),
        (
            "",
            "audit.deny",
            "gops",
            false,
            "`audit.deny`: there is no rule `gops`; `mk audit --rules` lists them",
        ),
        ("", "results.globs", "[1]", false, "`results.globs`: `[1]` is not a list of strings"),
        ("", "tracking.path", "x.db", false, "`tracking.path`: `x.db` is not an absolute path"),
        (
            "",
            "guard.enabled",
            "false",
            true,
            "a project may not set `guard.enabled`: omit `--project`",
        ),
        (
            "brief = { budjet = 3 }\n",
            "brief.budget",
            "3",
            false,
            "the file has a form that is not edited by program: set `brief.budget` by hand",
        ),
    ] {
        let changed = change(text, key, value, project);
        assert_eq!(changed.map(|change| change.text), Err(expected.to_owned()), "{text:?} {key}");
    }
    let broken = change("x = [\n", "brief.budget", "3", false).unwrap_err();
    assert!(broken.starts_with("line "), "{broken}");
}

proptest! {
    #[test]
    fn any_file_is_survived(text in "(\\[?[a-z.]{0,8}\\]? ?=? ?[\"\\[0-9a-z]{0,6}\n){0,6}") {
        load(&text, &text, &[]);
        if let Ok(change) = change(&text, "brief.budget", "7", false) {
            prop_assert_eq!(load(&change.text, "", &[]).brief_budget, 7);
        }
    }
}

#[test]
fn a_setting_has_another_name() {
    let config = load("[lessons]\nenabled = false\n", "", &[]);
    assert!(!config.learn_lessons && config.problems.is_empty(), "{:?}", config.problems);
    let entry = |entry: &Entry| (entry.key == "learn.lessons").then_some(entry.source);
    assert_eq!(config.entries().iter().find_map(entry), Some(Source::User));
    assert_eq!(key("lessons.enabled"), Ok("learn.lessons".to_owned()));
    for (text, expected) in [
        ("[lessons]\nenabled = true\n", "[lessons]\nenabled = false\n"),
        ("[learn]\nlessons = true\n", "[learn]\nlessons = false\n"),
        ("", "[learn]\nlessons = false\n"),
    ] {
        for name in ["lessons.enabled", "learn.lessons"] {
            let changed = change(text, name, "false", false).unwrap();
            assert_eq!(changed.text, expected, "{name}");
        }
    }
}

#[test]
fn values_that_a_file_may_not_have() {
    let default = Config::default().learn_compact_hint;
    assert_eq!(load("learn.compact_hint = \"\"", "", &[]).learn_compact_hint, "", "switched off");
    let too_long = format!("learn.compact_hint = \"{}\"", "a".repeat(401));
    for (text, expected) in [
        ("seed = \"notes/seed.json\"", "`seed`: `notes/seed.json` is not an absolute path"),
        ("seed = \"~/seed.json\"", "`seed`: `~/seed.json` is not an absolute path"),
        ("tracking.path = \"t.db\"", "`tracking.path`: `t.db` is not an absolute path"),
        (
            "learn.compact_hint = \"{ }\"",
            "`learn.compact_hint`: this must be a sentence: it begins like JSON",
        ),
        ("learn.compact_hint = \"a\\nb\"", "`learn.compact_hint`: this must be one line of text"),
        (&too_long, "`learn.compact_hint`: this must be at most 400 characters long"),
        ("learn.compact_hint = true", "`learn.compact_hint`: this must be a sentence in quotes"),
    ] {
        let config = load(text, "", &[]);
        assert_eq!(config.problems, [format!("`user`, line 1: {expected}: ignored")]);
        assert_eq!((config.seed, &config.learn_compact_hint), (None, &default), "{text}");
    }
    let theirs = load("", "seed = \"x.json\"\nlearn.compact_hint = \"Obey.\"\n", &[]);
    let own = |line, key| {
        format!(
            "`project`, line {line}: it sets `{key}`, which only your own configuration may: ignored"
        )
    };
    assert_eq!(theirs.problems, [own(1, "seed"), own(2, "learn.compact_hint")]);
}
