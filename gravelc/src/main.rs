//! The command `gravelc`; everything is in the library.

use std::process::ExitCode;

/// Trees of small parts are most of what is allocated: a third of the time goes there with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gravelc::cli::main()
}
