//! Two promises that hold for every program: the same input always gives the same bytes, and transforming the output
//! again changes nothing.

use std::path::Path;

use similar::TextDiff;

use crate::case::read;
use crate::gravelc::{Gravelc, Transformed};

/// Transforms a program into a folder, as [`Gravelc::transform`] does, and checks both promises.
///
/// # Errors
///
/// A message, if gravelc fails or one of the promises is broken.
pub fn transform_stably(gravelc: &Gravelc, source: &Path, destination: &Path) -> Result<Transformed, String> {
    let first = gravelc.transform(source, destination)?;
    let second = gravelc.transform(source, &destination.join("second"))?;
    expect_same("a second transformation of the same input", &first.output, &second.output)?;
    expect_same("the report of a second transformation of the same input", &first.text_report, &second.text_report)?;
    let again = gravelc.transform(&first.output, &destination.join("again"))?;
    expect_same("the transformation of the output", &first.output, &again.output)?;
    Ok(first)
}

/// Compares two files.
///
/// # Errors
///
/// The difference, under the name `what`; or a message, if one of them can't be read.
pub fn expect_same(what: &str, expected: &Path, found: &Path) -> Result<(), String> {
    let (expected, found) = (read(expected)?, read(found)?);
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (String::from_utf8_lossy(&expected), String::from_utf8_lossy(&found));
    let diff = TextDiff::from_lines(&*expected, &*found);
    Err(format!("{what} differs\n{}", diff.unified_diff().header("expected", "found")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn differing_files_are_shown_as_a_diff() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&a, "one\ntwo\n").expect("a file can be written");
        fs::write(&b, b"one\n\xfctwo\n").expect("a file can be written");
        assert_eq!(expect_same("it", &a, &a), Ok(()));
        let message = expect_same("it", &a, &b).expect_err("they differ");
        assert!(message.starts_with("it differs") && message.contains("-two"), "{message}");
        assert!(expect_same("it", &a, &folder.path().join("c")).is_err());
    }
}
