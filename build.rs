//! Links `mk` at a fixed address where that is possible. A position-independent program has 26,000
//! addresses to correct each time it starts, and every hook is a start of its own.

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script its target in the environment"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |what: &str, value: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|found| found == value)
    };
    if is("OS", "linux") && is("ENV", "gnu") {
        println!("cargo:rustc-link-arg-bin=mk=-no-pie");
    }
}
