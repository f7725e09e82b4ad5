//! Hostile input: the seeds of the fuzzer, what chance makes of them, and large texts that a careless
//! reader never gets through.

use std::fs;
use std::path::Path;

use math_forge::guard::{self, Policy};
use math_forge::lean;
use proptest::prelude::*;

use crate::properties;

type Property = fn(&[u8]);

/// The targets of the fuzzer: name and property.
const TARGETS: &[(&str, Property)] = &[
    ("lexer", properties::lexer),
    ("outline", properties::outline),
    ("diff", properties::diff),
    ("judge", properties::judge),
    ("replay", properties::replay),
    ("hook", properties::hook),
];

fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn every_seed_holds_and_every_target_has_seeds() {
    let examples = files("data/examples");
    for (target, property) in TARGETS {
        let seeds = files(&format!("fuzz/seeds/{target}"));
        assert!(seeds.len() >= 3, "{target}");
        seeds.iter().chain(&examples).for_each(|seed| property(seed));
        let source = format!("fuzz/fuzz_targets/{target}.rs");
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(source).is_file(), "{target}");
    }
}

/// Pieces of seeds, one after the other.
fn spliced() -> impl Strategy<Value = Vec<u8>> {
    let seeds: Vec<Vec<u8>> =
        TARGETS.iter().flat_map(|(target, _)| files(&format!("fuzz/seeds/{target}"))).collect();
    let piece = (prop::sample::select(seeds), any::<prop::sample::Index>(), 0..120usize);
    let piece = piece.prop_map(|(seed, at, length)| {
        let at = if seed.is_empty() { 0 } else { at.index(seed.len()) };
        seed[at..seed.len().min(at + length)].to_vec()
    });
    let noise = prop::collection::vec(any::<u8>(), 0..4);
    let pieces = prop::collection::vec(prop_oneof![9 => piece, 1 => noise], 1..12);
    pieces.prop_map(|pieces| pieces.join(&1))
}

proptest! {
    #[test]
    fn pieces_of_seeds_hold(data in spliced()) {
        for (_, property) in TARGETS {
            property(&data);
        }
    }
}

/// Texts of up to a megabyte: they are read, compared and judged to the end.
#[test]
fn large_hostile_texts_are_read_to_their_end() {
    let line = "theorem foo (a b : Nat) (h : a < b) : a ≤ b := by simp [h, foo, a, b] ";
    let texts = [
        "(".repeat(100_000) + &")".repeat(100_000),
        "theorem a : ".to_owned() + &"(".repeat(100_000) + "x" + &")".repeat(100_000) + " := p",
        "theorem a ".to_owned() + &"(x : T) ".repeat(100_000) + ": p := q",
        "theorem a : ".to_owned() + &"∀ x, ".repeat(150_000) + "p := q",
        "theorem a : p := ".to_owned() + &"⟨".repeat(300_000),
        "/-".repeat(500_000),
        "/-- ".repeat(250_000),
        "|\n".repeat(200_000),
        "def f\n".to_owned() + &"  | x => y\n".repeat(100_000),
        line.repeat((1 << 20) / line.len()),
        "a.".repeat(500_000),
        "theorem a : p := by\n".to_owned() + &"  sorry\n".repeat(100_000),
        "variable (a : T) [F a]\n".repeat(20_000) + "theorem t : a = a := rfl\n",
        "axiom k : False\n".repeat(20_000) + &"theorem t : p := k.elim\n".repeat(20_000),
        "@[simp] ".repeat(120_000) + "theorem a : p := q",
        "s!\"{".repeat(250_000),
    ];
    for text in &texts {
        let outline = lean::outline(text);
        let first: String = text.chars().take(24).collect();
        assert!(outline.declarations.len() <= text.len() / 8, "{first}");
        let after = format!("{text}\ntheorem last : True := trivial\n");
        guard::judge(text, &after, &Policy::default()).reason(guard::Tense::Would, "FILE");
    }
}
