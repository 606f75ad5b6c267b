//! The command `gravel-run`; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gravelc::cli::launch::main()
}
