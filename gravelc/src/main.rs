//! The command `gravelc`; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gravelc::cli::main()
}
