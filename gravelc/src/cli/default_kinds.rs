//! What the flags of a build say about the length of reals that are declared without a kind, and of integers.

use std::ffi::OsString;

use crate::frontend::DefaultKinds;

/// What the arguments of a compiler make of REAL and DOUBLE PRECISION: as GNU's, Intel's, NVIDIA's and IBM's manuals and
/// LLVM's say. Of two flags for one type the last one counts.
pub(super) fn default_kinds(arguments: &[OsString]) -> DefaultKinds {
    let mut kinds = DefaultKinds::default();
    let mut keeps_double = false;
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy()).peekable();
    while let Some(argument) = arguments.next() {
        let value: Option<&str> = arguments.peek().map(AsRef::as_ref);
        match argument.as_ref() {
            "-fdefault-integer-8" | "-i8" | "-Mi8" | "-qintsize=8" => kinds.kind_4_is_default_integer = false,
            "-i4" | "-Mi4" | "-qintsize=4" => kinds.kind_4_is_default_integer = true,
            "-integer-size" => kinds.kind_4_is_default_integer = value == Some("32"),
            "-s" if value.is_some_and(|value| value.starts_with("integer") || value.starts_with("default")) => {
                kinds.kind_4_is_default_integer = value.is_some_and(|value| value.ends_with("32"));
            }
            _ => {}
        }
        let (real, double) = match argument.as_ref() {
            "-fdefault-double-8" => {
                keeps_double = true;
                continue;
            }
            "-r4" | "-Mr4" => (Some(4), Some(8)),
            "-r8" | "-Mr8" | "-autodouble" => (Some(8), Some(8)),
            "-fdefault-real-8" | "-qrealsize=8" => (Some(8), Some(16)),
            "-r16" | "-fdefault-real-16" => (Some(16), Some(16)),
            "-real-size" => match arguments.peek().map(AsRef::as_ref) {
                Some("32") => (Some(4), kinds.double),
                Some("64") => (Some(8), kinds.double),
                _ => (None, None),
            },
            "-double-size" => match arguments.peek().map(AsRef::as_ref) {
                Some("64") => (kinds.real, Some(8)),
                Some("128") => (kinds.real, Some(16)),
                _ => (None, None),
            },
            // Those of kind 4 become longer, whether they say so or not; and what else there may be.
            other if other.starts_with("-freal-") => {
                kinds.kinds_are_bytes = false;
                (None, None)
            }
            other if other.starts_with("-fdefault-real-") || other.starts_with("-qautodbl") => (None, None),
            // Of Cray's compiler; of others it is for the linker, and has no value.
            "-s" if arguments.peek().is_some_and(|value| value.starts_with("real") || value.starts_with("default")) => {
                (None, None)
            }
            _ => continue,
        };
        (kinds.real, kinds.double) = (real, double);
    }
    // What makes other kinds of the kinds themselves makes them of this one, too.
    if keeps_double && kinds.kinds_are_bytes {
        kinds.double = Some(8);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> (Option<u32>, Option<u32>) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let DefaultKinds { real, double, .. } = default_kinds(&arguments);
        (real, double)
    }

    #[test]
    fn reals_are_as_long_as_the_flags_say() {
        assert_eq!(of(&["-O2", "-fdefault-integer-8", "a.f90"]), (Some(4), Some(8)));
        assert_eq!(of(&["-fdefault-real-8", "a.f90"]), (Some(8), Some(16)));
        assert_eq!(of(&["-fdefault-double-8", "-fdefault-real-8"]), (Some(8), Some(8)));
        assert_eq!(of(&["-r8", "-O3"]), (Some(8), Some(8)));
        assert_eq!(of(&["-real-size", "64", "-double-size", "128"]), (Some(8), Some(16)));
        assert_eq!(of(&["-r8", "-r4"]), (Some(4), Some(8)));
    }

    #[test]
    fn integers_of_kind_4_are_default_ones_unless_flags_say_otherwise() {
        let is_default = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            default_kinds(&arguments).kind_4_is_default_integer
        };
        assert!(is_default(&["-O2", "-fdefault-real-8", "a.f90"]));
        assert!(!is_default(&["-O2", "-fdefault-integer-8"]));
        assert!(!is_default(&["-integer-size", "64"]));
        assert!(is_default(&["-i8", "-i4"]));
        assert!(!is_default(&["-s", "default64"]));
        assert!(is_default(&["-s", "integer32"]));
    }

    #[test]
    fn what_is_not_known_has_no_length() {
        assert_eq!(of(&["-fdefault-real-10"]), (None, None));
        assert_eq!(of(&["-real-size", "48"]), (None, None));
        assert_eq!(of(&["-s", "real64"]), (None, None));
        assert_eq!(of(&["-s", "a.f90"]), (Some(4), Some(8)));
        assert!(!default_kinds(&["-freal-4-real-8".into()]).kinds_are_bytes);
        assert_eq!(of(&["-freal-8-real-4", "-fdefault-double-8"]), (None, None));
    }
}
