//! Who does not use the macro does not build it.

use std::process::Command;

/// The crates that a package is built of.
fn crates(package: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "--package", package])
        .args(arguments)
        .output()
        .expect("running cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn without_the_feature_there_is_no_compiler() {
    let without = crates("gravel-rt", &["--edges", "normal,build", "--no-default-features"]);
    assert!(
        without.contains("gravel-rt ") && !without.contains("gravelc ") && !without.contains("gravel-macros "),
        "{without}"
    );
    let with = crates("gravel-rt", &["--edges", "normal,build", "--no-default-features", "--features", "macros"]);
    assert!(with.contains("gravelc ") && !with.contains("tree-sitter"), "{with}");
}

/// Else a build of the workspace holds two libraries `libgravel`, of which the later one replaces the other.
#[test]
fn the_macro_does_not_ask_for_the_runtime() {
    let needed = crates("gravel-macros", &[]);
    assert!(needed.contains("prettyplease ") && !needed.contains("gravel-rt "), "{needed}");
}
