//! gravelc with a clause of the safety contract switched off (`GRAVEL_MUTATION`): for tests of the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    gravelc::cli::main()
}
