//! Files of arguments (`@FILE`), as GNU's compilers and those that follow them read them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::cli::Failure;

/// More bytes of arguments go into a file. Linux takes a quarter of the stack's size, others take less (POSIX promises 4 KiB).
const MOST_BYTES: usize = 64 * 1024;

/// Arguments that stay on the command line: wrappers of MPIs look for them to know whether to link.
const ON_COMMAND_LINE: [&str; 2] = ["-c", "-S"];

/// Files name one another no more deeply than this.
const MAX_DEPTH: usize = 16;

/// The arguments with those in the place of each `@FILE` that it holds. One that can't be read stays what it is, as compilers
/// have it.
pub(in crate::cli) fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    expanded_in(Path::new(""), arguments)
}

/// As [`expanded`], for a command that runs in this folder.
pub(in crate::cli) fn expanded_in(folder: &Path, arguments: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    add(folder, arguments, MAX_DEPTH, &mut all);
    all
}

fn add(folder: &Path, arguments: &[OsString], depth: usize, all: &mut Vec<OsString>) {
    for argument in arguments {
        let name = argument.as_bytes().strip_prefix(b"@");
        let path = name.filter(|name| depth > 0 && !name.is_empty()).map(std::ffi::OsStr::from_bytes);
        match path.and_then(|path| fs::read(folder.join(path)).ok()) {
            Some(text) => add(folder, &split(&text), depth - 1, all),
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

/// Arguments in a file of their own, for as long as this lives.
pub(super) struct ArgumentFile {
    arguments: Vec<OsString>,
    _file: NamedTempFile,
}

impl ArgumentFile {
    /// Writes the arguments into a file if they are too many for a command line.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn of(arguments: &[OsString]) -> Result<Option<Self>, Failure> {
        if arguments.iter().map(|argument| argument.len() + 1).sum::<usize>() <= MOST_BYTES {
            return Ok(None);
        }
        let cannot_write = |error: std::io::Error| {
            Failure::input(format!("cannot write the compiler's arguments into a temporary file: {error}"))
                .help("set TMPDIR to a folder that can be written")
        };
        let is_shown = |argument: &&OsString| ON_COMMAND_LINE.iter().any(|shown| *argument == shown);
        let (shown, others): (Vec<&OsString>, Vec<&OsString>) = arguments.iter().partition(is_shown);
        let file = tempfile::Builder::new().prefix("gravelc-wrap-").suffix(".rsp").tempfile().map_err(cannot_write)?;
        let text: Vec<u8> = others.iter().flat_map(|argument| quoted(argument.as_bytes())).collect();
        fs::write(file.path(), text).map_err(cannot_write)?;
        let mut named = OsString::from("@");
        named.push(file.path());
        let arguments = shown.into_iter().cloned().chain([named]).collect();
        Ok(Some(Self { arguments, _file: file }))
    }

    /// What is given to the compiler.
    pub fn arguments(&self) -> &Vec<OsString> {
        &self.arguments
    }
}

/// The argument in a line of its own, as [`split`] reads it.
fn quoted(argument: &[u8]) -> Vec<u8> {
    if argument.is_empty() {
        return b"''\n".to_vec();
    }
    let mut written = Vec::new();
    for &byte in argument {
        if byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'\'' | b'"') {
            written.push(b'\\');
        }
        written.push(byte);
    }
    written.push(b'\n');
    written
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
    fn too_many_arguments_go_into_a_file() {
        let few: Vec<OsString> = ["-O2", "a b.f90"].map(OsString::from).to_vec();
        assert!(ArgumentFile::of(&few).unwrap().is_none());
        let mut many: Vec<OsString> =
            ["-O2", "-c", "a b.f90", "", "-DX=\"it's \\n\"", "\t"].map(OsString::from).to_vec();
        many.extend((0..9000).map(|k| OsString::from(format!("-Ifolder{k}"))));
        let file = ArgumentFile::of(&many).unwrap().expect("these are many");
        assert_eq!(file.arguments().len(), 2);
        assert_eq!(file.arguments()[0], "-c");
        many.remove(1);
        assert_eq!(expanded(&file.arguments()[1..]), many);
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
