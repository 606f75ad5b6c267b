//! Files of arguments (`@FILE`), as GNU's compilers and those that follow them read them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Files name one another no more deeply than this.
const MAX_DEPTH: usize = 16;

/// The arguments with those in the place of each `@FILE` that it holds. One that can't be read stays what it is, as compilers
/// have it.
pub(super) fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    add(arguments, MAX_DEPTH, &mut all);
    all
}

fn add(arguments: &[OsString], depth: usize, all: &mut Vec<OsString>) {
    for argument in arguments {
        let name = argument.as_bytes().strip_prefix(b"@");
        let path = name.filter(|name| depth > 0 && !name.is_empty()).map(std::ffi::OsStr::from_bytes);
        match path.and_then(|path| fs::read(Path::new(path)).ok()) {
            Some(text) => add(&split(&text), depth - 1, all),
            None => all.push(argument.clone()),
        }
    }
}

/// White space separates arguments; quotes of both kinds keep it, and a backslash keeps the next byte.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut open: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => open.get_or_insert_default().extend(bytes.next()),
            (Some(mark), _) if mark == byte => quote = None,
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                open.get_or_insert_default();
            }
            (None, _) if byte.is_ascii_whitespace() => arguments.extend(open.take().map(OsString::from_vec)),
            _ => open.get_or_insert_default().push(byte),
        }
    }
    arguments.extend(open.map(OsString::from_vec));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_as_compilers_split_them() {
        let text = b"-O2 '-DA=b c'\n-DB=\\\"x\\\" \"-DC=it's\"\t-I a\\ b ''\n";
        assert_eq!(split(text), ["-O2", "-DA=b c", "-DB=\"x\"", "-DC=it's", "-I", "a b", ""]);
    }

    #[test]
    fn files_may_name_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let mut argument = OsString::from("@");
            argument.push(folder.path().join(name));
            argument
        };
        fs::write(folder.path().join("inner"), "-DX b.F90").unwrap();
        fs::write(folder.path().join("outer"), format!("-c {} -O2", at("inner").display())).unwrap();
        fs::write(folder.path().join("loop"), at("loop").as_bytes()).unwrap();
        let arguments = ["a.F90".into(), at("outer"), "@missing".into(), "@".into()];
        assert_eq!(expanded(&arguments), ["a.F90", "-c", "-DX", "b.F90", "-O2", "@missing", "@"]);
        assert_eq!(expanded(&[at("loop")]), [at("loop")]);
    }
}
