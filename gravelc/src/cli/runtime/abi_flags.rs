//! The flags of Fortran compilers that change kinds or the binary interface.

use std::ffi::{OsStr, OsString};

/// Flags with a value of their own that matter as a whole.
const EXACT: [&str; 14] = [
    "-m32",
    "-m64",
    "-mx32",
    "-i2",
    "-i4",
    "-i8",
    "-r4",
    "-r8",
    "-r16",
    "-fpack-derived",
    "-Mi4",
    "-Mi8",
    "-Mr4",
    "-Mr8",
];

/// Beginnings of flags that matter, whatever follows.
///
/// Not among them is what says which underscores names get for linkers (`-fno-underscoring`, `-fsecond-underscore`): it is
/// about external procedures. Those of modules, which the program calls, have other names, and MPI has its procedures for
/// `mpi_f08`, which the module calls, by one name only.
const PREFIXES: [&str; 7] =
    ["-fdefault-", "-finteger-4-", "-freal-", "-mabi=", "-fabi-version", "-qintsize=", "-qrealsize="];

/// Flags that matter, whose value is the next argument.
const WITH_VALUE: [&str; 4] = ["-integer-size", "-real-size", "-double-size", "-s"];

/// Those of the arguments of a compiler that change kinds or the binary interface: a module compiled without them can't
/// be used by code compiled with them.
pub(in crate::cli) fn abi_flags(arguments: &[OsString]) -> Vec<OsString> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if takes_part(argument) {
            found.push(argument.clone());
        } else if is_size_option(argument, rest.as_slice().first()) {
            found.push(argument.clone());
            found.extend(rest.next().cloned());
        }
    }
    found
}

fn takes_part(argument: &OsStr) -> bool {
    let Some(argument) = argument.to_str() else { return false };
    EXACT.contains(&argument) || PREFIXES.iter().any(|prefix| argument.starts_with(prefix))
}

fn is_size_option(argument: &OsStr, value: Option<&OsString>) -> bool {
    let Some(argument) = argument.to_str() else { return false };
    let Some(value) = value.and_then(|value| value.to_str()) else { return false };
    // To the linker `-s` is "strip"; to one family of compilers it introduces the sizes of kinds.
    let is_size = argument != "-s" || ["default", "integer", "real"].iter().any(|kind| value.starts_with(kind));
    WITH_VALUE.contains(&argument) && is_size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        abi_flags(&arguments).into_iter().map(|flag| flag.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn finds_what_changes_kinds() {
        assert_eq!(
            found(&["-O2", "-fdefault-real-8", "-c", "a.f90", "-i8", "-integer-size", "64", "-m32"]),
            ["-fdefault-real-8", "-i8", "-integer-size", "64", "-m32"]
        );
    }

    #[test]
    fn underscores_are_those_of_mpi() {
        assert_eq!(found(&["-fno-underscoring", "-fsecond-underscore", "a.f90"]), Vec::<String>::new());
    }

    #[test]
    fn tells_stripping_from_sizes() {
        assert_eq!(found(&["-s", "a.o", "-o", "a"]), Vec::<String>::new());
        assert_eq!(found(&["-s", "real64", "a.f90"]), ["-s", "real64"]);
    }
}
