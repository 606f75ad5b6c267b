//! What a command needs of the runtime, as far as its files tell.
//!
//! Builds compile much that never communicates, often with a compiler that knows no MPI: the module of the runtime can't
//! even be compiled then. So it is asked for only where a source names it, or where what is linked refers to it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cli::runtime::MODULE_MARK;

/// Does something need the runtime?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuntimeUse {
    /// Certainly not.
    #[default]
    No,
    /// Nobody can tell: a file can't be read, or names others.
    Perhaps,
    /// It names the runtime.
    Yes,
}

/// Parts of the names that what refers to the runtime has in objects: its functions in C, and the procedures of its module as
/// compilers call them for linkers.
const IN_OBJECTS: [&[u8]; 6] =
    [b"gravel_rt_", b"gravel_MOD_", b"gravel_mp_", b"gravel_gravel_", b"_QMgravel", MODULE_MARK.as_bytes()];

/// How sources import the module, without blanks.
const IMPORTS: [&[u8]; 3] = [b"usegravel", b"use::gravel", b"use,non_intrinsic::gravel"];

/// Does a source need the module?
pub(super) fn use_by_source(path: &Path) -> RuntimeUse {
    let Ok(text) = fs::read(path) else { return RuntimeUse::Perhaps };
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let text: Vec<u8> = text.into_iter().filter(|byte| !is_blank(byte)).map(|byte| byte.to_ascii_lowercase()).collect();
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let imports =
        |import: &&[u8]| places_of(&text, import).any(|place| !text.get(place + import.len()).is_some_and(goes_on));
    if IMPORTS.iter().any(imports) {
        RuntimeUse::Yes
    } else if contains(&text, b"include") {
        RuntimeUse::Perhaps
    } else {
        RuntimeUse::No
    }
}

/// What the objects and libraries among the arguments of a linking command say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UseByObjects {
    /// Do they need the runtime?
    pub uses: RuntimeUse,
    /// The marks of the modules that they were compiled with, where that is not the one of the compiler alone.
    pub marks: BTreeSet<String>,
}

/// Looks into what a command links besides its Fortran sources: these inputs, and libraries that its flags name.
pub(super) fn use_by_objects(inputs: &[PathBuf], flags: &[OsString]) -> UseByObjects {
    let mut found = UseByObjects::default();
    let folders: Vec<PathBuf> = values_of("-L", flags).into_iter().map(PathBuf::from).collect();
    for name in values_of("-l", flags) {
        let name = name.to_string_lossy();
        let files = folders.iter().flat_map(|folder| ["a", "so"].map(|end| folder.join(format!("lib{name}.{end}"))));
        files.filter(|file| file.is_file()).for_each(|file| found.look_into(&file));
    }
    for argument in values_of("-Wl,", flags) {
        let parts = argument.as_bytes().split(|&byte| byte == b',').map(|part| Path::new(OsStr::from_bytes(part)));
        parts.filter(|part| part.is_file()).for_each(|file| found.look_into(file));
    }
    // What cannot be read, as a file with more arguments, may name anything.
    inputs.iter().for_each(|input| found.look_into(input));
    found
}

/// The values of a flag, in the same argument or in the next one.
fn values_of(flag: &str, arguments: &[OsString]) -> Vec<OsString> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_bytes().strip_prefix(flag.as_bytes()) {
            Some([]) => found.extend(rest.next().cloned()),
            Some(value) => found.push(OsStr::from_bytes(value).to_owned()),
            None => {}
        }
    }
    found
}

impl UseByObjects {
    fn look_into(&mut self, path: &Path) {
        let Ok(bytes) = fs::read(path) else {
            self.uses = self.uses.max(RuntimeUse::Perhaps);
            return;
        };
        if IN_OBJECTS.iter().any(|part| contains(&bytes, part)) {
            self.uses = RuntimeUse::Yes;
            self.marks.extend(marks_in(&bytes));
        }
    }
}

/// The marks of modules in an object.
fn marks_in(bytes: &[u8]) -> impl Iterator<Item = String> + '_ {
    places_of(bytes, MODULE_MARK.as_bytes()).map(|place| {
        let rest = &bytes[place + MODULE_MARK.len()..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        String::from_utf8_lossy(&rest[..length]).into_owned()
    })
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    places_of(bytes, wanted).next().is_some()
}

fn places_of<'b>(bytes: &'b [u8], wanted: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    let first = wanted.first().copied().unwrap_or_default();
    let starts = bytes.iter().enumerate().filter(move |&(_, &byte)| byte == first).map(|(place, _)| place);
    starts.filter(move |&place| bytes[place..].starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_tell_what_they_need() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a file can be written");
            path
        };
        assert_eq!(use_by_source(&write("a.f90", "end\n")), RuntimeUse::No);
        for text in ["USE GRAVEL\nend\n", "use, non_intrinsic :: gravel\n", "      use gravel, only: gravel_init\n"] {
            assert_eq!(use_by_source(&write("b.f90", text)), RuntimeUse::Yes, "{text}");
        }
        assert_eq!(use_by_source(&write("d.f90", "use gravel_transport ! of gravel\n")), RuntimeUse::No);
        assert_eq!(use_by_source(&write("c.f90", "include 'x.inc'\nend\n")), RuntimeUse::Perhaps);
        assert_eq!(use_by_source(&folder.path().join("none.f90")), RuntimeUse::Perhaps);

        let (plain, using) = (write("a.o", "main_"), write("b.o", "\0__gravel_MOD_gravel_init\0"));
        let marked = write("libm.a", &format!("x\0{MODULE_MARK}0123456789abcdef\0gravel_rt_init"));
        let by =
            |inputs: &[&Path]| use_by_objects(&inputs.iter().map(|&input| input.to_owned()).collect::<Vec<_>>(), &[]);
        assert_eq!(by(&[&plain]).uses, RuntimeUse::No);
        assert_eq!(by(&[&plain, &using]).uses, RuntimeUse::Yes);
        assert_eq!(by(&[Path::new("missing.o")]).uses, RuntimeUse::Perhaps);
        assert_eq!(by(&[Path::new("@objects")]).uses, RuntimeUse::Perhaps);
        let marks = |found: UseByObjects| found.marks.into_iter().collect::<Vec<_>>();
        assert_eq!(marks(by(&[&marked, &using])), ["0123456789abcdef"]);
        let folder_flag: OsString = [OsStr::new("-L"), folder.path().as_os_str()].into_iter().collect();
        assert_eq!(marks(use_by_objects(&[], &[folder_flag, "-lm".into()])), ["0123456789abcdef"]);
        assert_eq!(
            use_by_objects(&[], &["-L".into(), "/nowhere".into(), "-l".into(), "m".into()]),
            UseByObjects::default()
        );
    }
}
