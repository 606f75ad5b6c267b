//! A machine without libibverbs: everything else works there, and `gravel-info` says what is missing.

use std::path::Path;
use std::process::Command;

/// Where Debian and others install it.
const PLACES: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"];

/// Runs `gravel-info` where the library, if there is one, is an empty file. Nothing if this user may not arrange that.
fn gravel_info_without_the_library() -> Option<String> {
    let installed = PLACES.map(|place| Path::new(place).join("libibverbs.so.1")).into_iter().find(|path| path.exists());
    let hide = match installed {
        Some(library) => format!("mount --bind /dev/null '{}' && ", library.canonicalize().expect("a file").display()),
        None => String::new(),
    };
    let script = format!("{hide}echo hidden && exec '{}'", env!("CARGO_BIN_EXE_gravel-info"));
    // The second one is for users without privileges.
    let output =
        [["--mount"].as_slice(), ["--mount", "--map-root-user"].as_slice()].into_iter().find_map(|options| {
            let output = Command::new("unshare").args(options).args(["sh", "-c", &script]).output().ok()?;
            output.stdout.starts_with(b"hidden\n").then_some(output)
        })?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_machine_without_libibverbs_uses_everything_else_and_says_why() {
    let Some(said) = gravel_info_without_the_library() else {
        println!("    not tried: this user may not hide a library (unshare --mount)");
        return;
    };
    assert!(said.contains("libibverbs can't be loaded"), "{said}");
    assert!(said.contains("Debian's package is libibverbs1"), "what to do: {said}");
    // The other providers have been tried, too.
    for provider in ["shm", "tcp"] {
        let line = said.lines().find(|line| line.trim_start().starts_with(&format!("{provider} (")));
        assert!(line.is_some_and(|line| line.ends_with(": usable")), "{said}");
    }
}
