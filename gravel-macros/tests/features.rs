//! Who does not use the macro does not build it.

use std::process::Command;

/// The crates that gravel-rt is built of.
fn crates(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", "gravel-rt", "--edges", "normal,build", "--prefix", "none"])
        .args(arguments)
        .output()
        .expect("running cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn without_the_feature_there_is_no_compiler() {
    let without = crates(&["--no-default-features"]);
    assert!(
        without.contains("gravel-rt ") && !without.contains("gravelc ") && !without.contains("gravel-macros "),
        "{without}"
    );
    let with = crates(&["--no-default-features", "--features", "macros"]);
    assert!(with.contains("gravelc ") && !with.contains("tree-sitter"), "{with}");
}
