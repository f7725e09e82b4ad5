//! `mk index` and `mk premises`: the packages of a project, searched by words, names, patterns and goals.

use std::fs;

use serde_json::Value;

use crate::env::TestEnv;

const ALGEBRA: &str = "\
class AddCommMonoid (M : Type*)
namespace Sums
variable {M : Type*} [CommMonoid M]

/-- Multiplication does not depend on the order. -/
@[to_additive (attr := simp)]
theorem mul_flip (a b : M) : a * b = b * a := h

/-- A number is *odd* if it is twice another one and one more. -/
def Odd (n : Nat) : Prop := ∃ k, n = 2 * k + 1

/-- The sum of two odd numbers is even. -/
theorem Odd.add_odd {m n : Nat} (hm : Odd m) (hn : Odd n) : Even (m + n) := h

@[to_additive]
theorem inv_flip {G : Type*} [Group G] (a b : G) : (a * b)⁻¹ = b⁻¹ * a⁻¹ := h

theorem dvd_trans_of_mul {a b c : Nat} (h : a ∣ b) : a ∣ b * c := h

@[deprecated dvd_trans_of_mul (since := \"2026-01-01\")]
alias dvd_mul_old := dvd_trans_of_mul

theorem lt_zz {a b : Nat} (h : Odd a) : a < b := h
theorem lt_of_succ_le {a b : Nat} : a + 1 ≤ b → a < b := h

variable (x y z : ℝ)
theorem sin_le (h : 0 ≤ y) : Real.sin y ≤ y := h
theorem det_smul (A : Matrix) : det A = 0 := h
theorem ker_get (f : Hom) : get f = ker f := h
theorem antisymm_of {s t : Set ℕ} (h : s ⊆ t) (g : t ⊆ s) : s = t := h
theorem smooth {f : ℝ → ℝ} (h : Smooth f) : Continuous f := h
theorem of_int {u v : ℤ} (h : u ≤ v) : u + 0 ≤ v := h
theorem C_mul_X_pow (r : R) : C r * X ^ n = monomial n r := h
theorem mul_pow_any (f c : ℕ → ℕ) (a b : ℕ) : f a * b ^ n = c b := h
theorem map_then_map (F : A ⥤ B) : F.map f ≫ F.map g = F.map (f ≫ g) := h
theorem swap_tmul (x y : M) : swap (x ⊗ₜ[R] y) = y ⊗ₜ x := h
theorem inner_sub (h : Orth x y) : ⟪x, -⁅y, x⁆⟫ = 0 := h
theorem min_le (hs : Wf s) (hne : Full s) : hs.min hne ≤ a := h
theorem compl_inter {a b : Set ℕ} : (a ∩ b)ᶜ = aᶜ ∪ bᶜ := h

structure Walk (G : Graph) where
  /-- Where it begins. -/
  start : Vertex G := by default
  steps : List (Vertex G)

private theorem hidden : p := h
end Sums
";

fn stage() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"own\"\n[[lean_lib]]\nname = \"Own\"\n");
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    env.write(
        "lake-manifest.json",
        r#"{"version": "1.1.0", "packages": [{"type": "git", "name": "sums", "rev": "0123456789"}]}"#,
    );
    env.write(".lake/packages/sums/Sums/Basic.lean", ALGEBRA);
    env.write("Own/Main.lean", "theorem own_bound (n : Nat) : n ≤ n + 7 := h\n");
    env.write("results/slot1.lean", "theorem from_a_result (n : Nat) : n ≤ n + 7 := h\n");
    env
}

fn ask(env: &TestEnv, question: &[&str]) -> Value {
    env.mk(&[&["premises", "--json"], question].concat()).json()
}

fn names(answer: &Value) -> Vec<&str> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["name"].as_str().unwrap()).collect()
}

#[test]
fn questions_find_what_the_packages_have() {
    let env = stage();
    for (question, first) in [
        ("sum of two odd numbers", "Sums.Odd.add_odd"),
        ("odd add", "Sums.Odd.add_odd"),
        ("Odd.add_odd", "Sums.Odd.add_odd"),
        ("add_odd", "Sums.Odd.add_odd"),
        // the new name comes first
        ("Sums.dvd_mul_old", "Sums.dvd_trans_of_mul"),
        ("dvd_mul_old", "Sums.dvd_trans_of_mul"),
        ("?a * ?b = ?b * ?a", "Sums.mul_flip"),
        ("_ + _ = _ + _", "Sums.add_flip"),
        ("⊢ a ∣ b", "Sums.dvd_trans_of_mul"),
        ("Dvd.dvd _ (_ * _)", "Sums.dvd_trans_of_mul"),
        ("|- _ ≤ _ → _ < _", "Sums.lt_of_succ_le"),
        ("|- _ ≤ _ → _ > _", "Sums.lt_of_succ_le"),
        ("\"flip\", _ * _", "Sums.mul_flip"),
        ("n : Nat\nh : 3 ∣ n\n⊢ 3 ∣ n * 5", "Sums.dvd_trans_of_mul"),
        // a hypothesis that the goal does not have makes a lemma less fit
        ("n m : Nat\nh : m + 1 ≤ n\n⊢ m < n", "Sums.lt_of_succ_le"),
        ("steps", "Sums.Walk.steps"),
        // a word, a constant and a name that are alike but for a letter are three things
        ("det _ = _", "Sums.det_smul"),
        ("ker _", "Sums.ker_get"),
        // a name stands without its namespace, but not in another one
        ("Real.sin _ ≤ _", "Sums.sin_le"),
        ("(_ ∩ _)ᶜ = _", "Sums.compl_inter"),
        // as Lean prints a goal
        ("s t : Set ℕ\nh :\n  s ⊆ t\ng : t ⊆ s\n⊢ s = t", "Sums.antisymm_of"),
        ("s t : Set ℕ\nh : s ⊆ t\ng : t ⊆ s\n⊢ t = s", "Sums.antisymm_of"),
        (
            "E : Type u_1\ninst✝¹ : Norm E\ninst✝ : Field E\nf : ℝ → ℝ\nh✝ : Smooth f\n⊢ Continuous ⇑f",
            "Sums.smooth",
        ),
        // a letter is a constant where it can be one, and else a variable
        ("⊢ C a * X ^ n = _", "Sums.C_mul_X_pow"),
        ("⊢ D a * Y ^ n = _", "Sums.mul_pow_any"),
        ("⊢ G.map e ≫ _ = _", "Sums.map_then_map"),
        ("⊢ _.map _ ≫ _.map _ = _", "Sums.map_then_map"),
        ("⊢ hw.min hx ≤ _", "Sums.min_le"),
        // signs of any notation
        ("⊢ swap (_ ⊗ₜ ?x) = _", "Sums.swap_tmul"),
        ("⊢ ⟪_, -⁅_, _⁆⟫ = _", "Sums.inner_sub"),
        // the project's own library
        ("own bound", "own_bound"),
    ] {
        let answer = ask(&env, &[question]);
        assert_eq!(names(&answer).first(), Some(&first), "{question}: {answer:#}");
    }
    let constants = ask(&env, &["⊢ C a * X ^ n = _"]);
    assert_eq!(names(&constants), ["Sums.C_mul_X_pow"]);
    let all = ask(&env, &["_ ≤ _"]);
    assert!(!names(&all).contains(&"from_a_result"), "no library has it: {all:#}");
    // Its variables are of another type.
    let real = ask(&env, &["x y : ℝ\nh : x ≤ y\n⊢ x + 0 ≤ y"]);
    let is_it = |hit: &Value| hit["name"] == "Sums.of_int" && hit["why"] == "concludes the goal";
    assert!(!real["hits"].as_array().unwrap().iter().any(is_it), "{real:#}");
    let other = ask(&env, &["Nat.sin _ ≤ _"]);
    assert!(names(&other).is_empty(), "no statement can mean it: {other:#}");
    let unknown = ask(&env, &["Sums.nothing_like_this"]);
    assert!(unknown["notes"][0].as_str().unwrap().contains("Nothing is called"), "{unknown:#}");
    let hidden = ask(&env, &["Sums.hidden"]);
    assert!(!names(&hidden).contains(&"Sums.hidden"), "it is private: {hidden:#}");
}

#[test]
fn a_hit_says_what_it_states_where_and_what_it_is() {
    let env = stage();
    let hit = &ask(&env, &["_ + _ = _ + _"])["hits"][0];
    assert_eq!(hit["statement"], "{M : Type*} [AddCommMonoid M] (a b : M) : a + b = b + a");
    assert_eq!((&hit["of"], &hit["package"]), (&"Sums.mul_flip".into(), &"sums".into()));
    assert!(hit.get("doc").is_none(), "its docstring is the other one's: {hit}");
    // What may mean something else in additive notation is not translated, and not claimed.
    let twin = &ask(&env, &["neg_flip"])["hits"][0];
    assert_eq!((&twin["statement"], &twin["of"]), (&"".into(), &"Sums.inv_flip".into()));
    assert_eq!(names(&ask(&env, &["⊢ (_ * _)⁻¹ = _"])), ["Sums.inv_flip"]);
    let hits = &ask(&env, &["Sums.dvd_mul_old"])["hits"];
    assert_eq!(hits[1]["deprecated"], "Sums.dvd_trans_of_mul");
    assert_eq!((&hits[0]["module"], &hits[0]["line"]), (&"Sums.Basic".into(), &18.into()));
    let doc = &ask(&env, &["Odd.add_odd"])["hits"][0]["doc"];
    assert_eq!(doc, "The sum of two odd numbers is even.");
    // Of the variables those that it uses; of a field its structure, and not what it is by default.
    let sin = &ask(&env, &["Sums.sin_le"])["hits"][0]["statement"];
    assert_eq!(sin, "(y : ℝ) (h : 0 ≤ y) : Real.sin y ≤ y");
    let field = &ask(&env, &["Walk.start"])["hits"][0];
    assert_eq!(field["statement"], "(self : Walk) : Vertex G");
    assert_eq!(field["doc"], "Where it begins.");
}

#[test]
fn filters_and_places() {
    let env = stage();
    let kinds = ask(&env, &["odd", "--kind", "def"]);
    assert_eq!(names(&kinds), ["Sums.Odd"]);
    let module = ask(&env, &["bound", "--module", "Sums"]);
    assert!(!names(&module).contains(&"own_bound"), "{module:#}");
    let source = ask(&env, &["_ ≤ _", "--source", "project"]);
    assert_eq!(names(&source), ["own_bound"]);
    env.write("Own/Main.lean", "theorem t (x y : Nat) (h : x ∣ y) : x ∣ y * 9 := by\n  have : x + 1 ≤ y := sorry\n  sorry\n");
    let at = ask(&env, &["--at", "Own/Main.lean:1"]);
    assert_eq!(names(&at).first(), Some(&"Sums.dvd_trans_of_mul"), "{at:#}");
    let step = ask(&env, &["--at", "Own/Main.lean:2:5"]);
    assert_eq!(step["query"], "(x y : Nat) (h : x ∣ y)  : x + 1 ≤ y");
    env.write(
        "Own/Main.lean",
        "theorem t (x : ℝ) : p x := by\n  have key (y : ℝ) :\n      y ≤ x := by\n    sorry\n",
    );
    let step = ask(&env, &["--at", "Own/Main.lean:2"]);
    assert_eq!(step["query"], "(x : ℝ) (y : ℝ) : y ≤ x");
    for (arguments, error) in [
        (&["premises"][..], "premises needs words"),
        (&["premises", "--at", "Own/Main.lean"], "`--at` needs FILE:LINE"),
        (&["premises", "--at", "Own/Main.lean:99"], "has no declaration in line 99"),
        (&["premises", "--at", "Own/None.lean:1"], "cannot be read"),
        (&["premises", "odd", "--kind", "teorem"], "theorem"),
    ] {
        let output = env.mk(arguments);
        let said = output.stderr;
        assert!(said.contains(error), "{arguments:?}: {said}");
    }
}

/// A revision is read once; the project's files are read anew when they change, and forgotten when they go.
#[test]
fn what_changes_is_seen_and_what_does_not_is_read_once() {
    let env = stage();
    let rows = |again: bool| {
        let answer =
            env.mk(if again { &["index", "--again", "--json"][..] } else { &["index", "--json"] });
        let answer = answer.json();
        let rows = answer["packages"].as_array().unwrap().iter();
        rows.map(|row| row["declarations"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(rows(false), [Value::from(27), Value::from(1)]);
    assert_eq!(rows(false), [Value::Null, Value::Null]);
    env.write("Own/Main.lean", "theorem own_bound_now (n : Nat) : n ≤ n + 8 := h\n");
    let answer = ask(&env, &["own bound"]);
    assert_eq!(names(&answer), ["own_bound_now"], "{answer:#}");
    assert_eq!(rows(false), [Value::Null, Value::from(1)]);
    fs::remove_file(env.project().join("Own/Main.lean")).unwrap();
    assert!(names(&ask(&env, &["own bound", "--source", "project"])).is_empty());
    // An index that is not one is made again.
    for file in fs::read_dir(env.database().with_file_name("premises")).unwrap() {
        fs::write(file.unwrap().path(), "no database").unwrap();
    }
    assert_eq!(names(&ask(&env, &["add_odd"])).first(), Some(&"Sums.Odd.add_odd"));
}

/// What is being fetched, or cannot be read, is not believed for as long as its revision stays.
#[test]
fn half_of_a_package_is_not_kept() {
    let env = stage();
    let file = env.project().join(".lake/packages/sums/Sums/Basic.lean");
    fs::remove_file(&file).unwrap();
    env.mk(&["index"]).success();
    env.write(".lake/packages/sums/Sums/Basic.lean", ALGEBRA);
    assert_eq!(names(&ask(&env, &["add_odd"])).first(), Some(&"Sums.Odd.add_odd"));
    // What cannot be read for good keeps nothing else out.
    let env = stage();
    let large = env.project().join(".lake/packages/sums/Sums/Large.lean");
    fs::File::create(large).unwrap().set_len(1 << 30).unwrap();
    assert_eq!(names(&ask(&env, &["add_odd"])).first(), Some(&"Sums.Odd.add_odd"));
    // A clone that stands on a branch is not yet at the revision that the manifest names.
    let env = stage();
    env.write(".lake/packages/sums/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(names(&ask(&env, &["add_odd"])).first(), Some(&"Sums.Odd.add_odd"));
    fs::remove_dir_all(env.project().join(".lake/packages/sums/.git")).unwrap();
    env.write(".lake/packages/sums/Sums/Basic.lean", "theorem Sums.add_odd_now : p := h\n");
    assert_eq!(names(&ask(&env, &["add_odd"])).first(), Some(&"Sums.add_odd_now"));
}

#[test]
fn what_the_person_knows_to_be_false_stands_beside_what_it_is_about() {
    let env = stage();
    let statement = "(s t : Finset ℕ) : (s ∪ t).card = s.card + t.card";
    let arguments =
        ["add", "false-lemma", "--title", "A union counts twice", "--statement", statement];
    env.mk(&arguments).success();
    for (question, is_it) in [
        ("_ = _ + _", true),
        ("s t : Finset ℕ\n⊢ (s ∪ t).card = s.card + t.card", true),
        ("#(_ ∪ _) = _", true),
        ("_ * _ = _", false),
        // parts of names are words
        ("\"flip\"", false),
        ("\"union\"", true),
        ("s : Finset ℕ\n⊢ s.card = 0", false),
    ] {
        let own = &ask(&env, &[question])["own"];
        assert_eq!(own.as_array().unwrap().len(), usize::from(is_it), "{question}: {own:#}");
    }
}

#[test]
fn any_question_has_an_answer() {
    let env = stage();
    let brackets = "(".repeat(10_000);
    let questions = ["_", "?x", "⊢", "|-", "\"", ",,,", "_ _ _ _", "∀", "a\n⊢", &brackets, "* * *"];
    for question in questions {
        let answer = ask(&env, &["--", question]);
        assert!(answer["hits"].is_array(), "{question}");
    }
    let empty = TestEnv::new();
    let said = empty.mk(&["premises", "odd"]).failure(1);
    assert!(said.contains("no packages here"), "{said}");
}
