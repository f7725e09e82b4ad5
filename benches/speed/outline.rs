//! `mk outline` over a tree of Lean files beside `rg -c sorry` on the same tree.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use math_forge::lean;

use super::timing::{self, Contender};

/// The tree has at least this many bytes.
const TREE: usize = 60_000_000;

/// Prints the race and what the reader of Lean text does in one thread.
pub(crate) fn run() {
    let texts = sample();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (files, bytes) = plant(folder.path(), &texts);
    println!("  a tree of {files} files, {:.0} MB", megabytes(bytes));
    let mut contenders = Vec::new();
    if timing::installed("rg") {
        let mut rg = Command::new("rg");
        rg.args(["-c", "sorry"]).arg(folder.path());
        contenders.push(Contender::process("rg -c sorry", rg, None));
    }
    let mut mk = timing::mk();
    mk.arg("outline").arg(folder.path());
    contenders.push(Contender::process("mk outline", mk, None));
    timing::print(&timing::race(contenders, 7));
    in_process(&texts);
}

/// Real files if the shared folder is there, else made ones.
fn sample() -> Vec<String> {
    let real = timing::shared().map(|shared| shared.join("data/lean_gt/files"));
    let mut texts = Vec::new();
    if let Some(folder) = real.filter(|folder| folder.is_dir()) {
        gather(&folder, &mut texts);
    }
    if texts.is_empty() {
        texts = (0..200).map(made).collect();
    }
    texts
}

fn gather(folder: &Path, texts: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            gather(&path, texts);
        } else if let Ok(bytes) = fs::read(&path) {
            texts.push(lean::decode(&bytes).text);
        }
    }
}

fn made(number: usize) -> String {
    let mut text = String::from("import Mathlib\n\nnamespace Made\n");
    for i in 0..60 {
        write!(
            text,
            "\n/-- The {i}th fact of file {number}. -/\n@[simp] theorem fact_{number}_{i} (x y : ℕ) \
             (h : x < y) :\n    x ^ 2 + {i} ≤ y ^ 2 + {i} := by\n  have := Nat.pow_le_pow_left \
             h.le 2\n  nlinarith [h, this]\n"
        )
        .expect("a string takes everything");
    }
    text + "\nend Made\n"
}

/// Writes the texts again and again until the tree is large enough; its files and bytes.
fn plant(folder: &Path, texts: &[String]) -> (usize, usize) {
    let (mut files, mut bytes) = (0, 0);
    while bytes < TREE {
        let round = folder.join(format!("part{files}"));
        fs::create_dir(&round).expect("a folder of the tree");
        for (number, text) in texts.iter().enumerate() {
            fs::write(round.join(format!("F{number}.lean")), text).expect("a file of the tree");
            bytes += text.len();
        }
        files += texts.len();
    }
    (files, bytes)
}

fn in_process(texts: &[String]) {
    let bytes: usize = texts.iter().map(String::len).sum();
    for (name, read) in [
        ("lex, one thread", (|text| lean::lex(text).len()) as fn(&str) -> usize),
        ("outline, one thread", |text| lean::outline(text).declarations.len()),
    ] {
        let best = (0..10).map(|_| {
            let start = Instant::now();
            let found: usize = texts.iter().map(|text| read(text)).sum();
            assert!(found > 0, "something was read");
            start.elapsed()
        });
        let best = best.min().unwrap_or_default();
        let speed = megabytes(bytes) / best.as_secs_f64();
        println!("  {name:<44} {:>10} {speed:>8.0} MB/s", timing::show(best));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size to print")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
