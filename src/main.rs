//! Entry point: collects the arguments, calls the library, returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    math_forge::cli::main()
}
