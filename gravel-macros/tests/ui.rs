//! What does not compile, with what is said of it: misuse of the attribute (`ui/fail`) and of the runtime's interface
//! (`ui/misuse`), one program per rule.
//!
//! What the compiler says differs between its versions: the texts are those of [`COMPILER`]; others are not compared. They are
//! written anew by running this test with `GRAVEL_WRITE=1`.

use std::fs;
use std::path::Path;
use std::process::Command;

use gravel_macros_tests::compiler::{compiler, normalised, programs, workspace};
use similar::TextDiff;

/// The compiler that the expected texts come from.
const COMPILER: &str = "rustc 1.95.";
/// Where the programs stand, as rustc names them.
const FOLDER: &str = "gravel-macros/tests/ui/";

#[test]
fn texts_of_errors_under_the_attribute() {
    check_folder("ui/fail");
}

#[test]
fn misuse_of_the_interface_does_not_compile() {
    check_folder("ui/misuse");
}

fn check_folder(folder: &str) {
    let version = Command::new("rustc").arg("--version").output().expect("running rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        eprintln!("SKIPPED: the expected texts are those of {COMPILER}*, this is {version}");
        return;
    }
    let differences: Vec<String> = programs(folder).iter().filter_map(|program| check(program).err()).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Compares what is said of a program with the text beside it, or writes that text.
fn check(program: &Path) -> Result<(), String> {
    let source = program.strip_prefix(workspace()).map_err(|error| error.to_string())?;
    let mut command = compiler("rustc", "2024", "gravel", source, Path::new(env!("CARGO_TARGET_TMPDIR")));
    // With code: some errors are those of constants that only code asks for.
    command.args(["--emit=obj", "--color=never", "--allow=dead_code"]).current_dir(workspace());
    let output = command.output().expect("running the compiler");
    if output.status.success() {
        return Err(format!("{} compiles", source.display()));
    }
    let found = normalised(&String::from_utf8_lossy(&output.stderr), FOLDER);
    let text = program.with_extension("stderr");
    if std::env::var_os("GRAVEL_WRITE").is_some() {
        return fs::write(&text, found).map_err(|error| format!("{}: {error}", text.display()));
    }
    let expected = fs::read_to_string(&text).map_err(|error| format!("{}: {error}", text.display()))?;
    if expected == found {
        return Ok(());
    }
    let difference = TextDiff::from_lines(&expected, &found);
    Err(difference.unified_diff().header(&text.display().to_string(), "rustc").to_string())
}
