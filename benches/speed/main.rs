//! Speed side by side: `cargo bench --bench speed [-- hooks|guard|learn|inject|search|retrieval|premises|outline|extract|mcp ...]`.
//!
//! Every number stands beside a yardstick measured in the same run (`/bin/true`, the `sqlite3` shell,
//! `rg`, `jq`, the specification's shell scripts), because only the ratio means something on another machine.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints, starts processes, and stops where something is missing"
)]

mod extract;
mod guard;
mod hooks;
mod inject;
mod learn;
mod mcp;
mod outline;
mod place;
mod premises;
mod questions;
mod retrieval;
mod search;
mod timing;

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let parts: [(&str, fn()); 10] = [
        ("hooks", hooks::run),
        ("guard", guard::run),
        ("learn", learn::run),
        ("inject", inject::run),
        ("outline", outline::run),
        ("extract", extract::run),
        ("retrieval", retrieval::run),
        ("search", search::run),
        ("premises", premises::run),
        ("mcp", mcp::run),
    ];
    for (name, run) in parts {
        if wanted(name) {
            println!("\n{name}");
            run();
        }
    }
}
