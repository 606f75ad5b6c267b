//! `--diff`: a unified diff that `patch` understands, byte for byte.

use std::io;
use std::path::Path;

use similar::TextDiff;

/// Appends the unified diff between `old` and `new` to `out`; nothing where they are equal.
///
/// The lines are copied as bytes: the diff of a file that is not UTF-8 is not UTF-8 either.
pub(super) fn append_unified_diff(
    out: &mut Vec<u8>,
    old_path: &Path,
    new_path: &Path,
    old: &[u8],
    new: &[u8],
) -> io::Result<()> {
    let diff = TextDiff::from_lines(old, new);
    for (index, hunk) in diff.unified_diff().iter_hunks().enumerate() {
        if index == 0 {
            out.extend_from_slice(format!("--- {}\n+++ {}\n", old_path.display(), new_path.display()).as_bytes());
        }
        hunk.to_writer(&mut *out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &[u8], new: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        append_unified_diff(&mut out, Path::new("a.f90"), Path::new("b.f90"), old, new)
            .expect("writing to a Vec cannot fail");
        out
    }

    #[test]
    fn keeps_bytes_that_are_not_utf8() {
        assert_eq!(
            diff(b"! \xe4\nx\n", b"! \xe4\ny\n"),
            b"--- a.f90\n+++ b.f90\n@@ -1,2 +1,2 @@\n ! \xe4\n-x\n+y\n".to_vec()
        );
    }

    #[test]
    fn of_equal_texts_is_empty() {
        assert_eq!(diff(b"x\n", b"x\n"), b"");
    }
}
