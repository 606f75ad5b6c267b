//! Names under which procedures that were not given are called (see [`super::Callee::Unknown`]). What tells two procedures of one
//! name apart is a part of it: the library's module, the object that the call goes through, the reference. Names are put together
//! and taken apart here, and nowhere else.

/// Between a module and the procedure that it holds.
const OF_MODULE: &str = "::";

/// Between an object and the procedure that a call of it reaches.
const THROUGH_OBJECT: char = '%';

/// Between a name and what tells one reference by it from another.
const REFERENCE: char = ' ';

/// The procedure `name` of a library's `module`: apart from one of the program with that name.
pub fn in_library(module: &str, name: &str) -> String {
    format!("{module}{OF_MODULE}{name}")
}

/// The module and the name of a procedure of a library that is called by its module's name.
pub fn library_procedure(called: &str) -> Option<(&str, &str)> {
    called.split_once(OF_MODULE)
}

/// The name without that of the module.
pub fn without_library(called: &str) -> &str {
    called.rsplit_once(OF_MODULE).map_or(called, |(_, name)| name)
}

/// The procedure `member` that a call through `object` reaches: which one that is depends on the object.
pub fn through_object(object: &str, member: &str) -> String {
    format!("{object}{THROUGH_OBJECT}{member}")
}

/// Does the call go through an object?
pub fn is_through_object(called: &str) -> bool {
    called.contains(THROUGH_OBJECT)
}

/// What a reference by `name` may mean besides: `which` says where that comes from.
pub fn reference(name: &str, which: &str) -> String {
    format!("{name}{REFERENCE}{which}")
}

/// Is it one reference of several by this name?
pub fn is_reference(called: &str) -> bool {
    called.contains(REFERENCE)
}

/// The name that stands in the text for it.
pub fn referred(called: &str) -> &str {
    called.split_once(REFERENCE).map_or(called, |(name, _)| name)
}

/// What of an external name tells procedures of several languages apart: some compilers put underscores around it, and Fortran
/// knows no small and capital letters.
pub fn for_linkers(name: &str) -> String {
    name.trim_matches('_').to_ascii_lowercase()
}

/// May a linker know a procedure of a module by this name? Compilers put the module's name in front of that of the procedure.
pub fn may_be_of_module(label: &str) -> bool {
    label.starts_with("__")
        || label.starts_with("_Q")
        || label.contains('$')
        || label.contains('.')
        || ["_mod_", "_mp_", "_in_"].iter().any(|between| label.to_ascii_lowercase().contains(between))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkers_know_external_procedures_by_their_names() {
        for name in ["tick", "TICK", "tick_", "Tick__", "_tick"] {
            assert_eq!(for_linkers(name), "tick");
        }
        for label in ["__clock_MOD_tick", "clock_mp_tick_", "_QMclockPtick", "tick$clock_", "tick.in.clock"] {
            assert!(may_be_of_module(label), "{label}");
        }
        assert!(!may_be_of_module("tick_"));
    }

    #[test]
    fn what_is_put_together_can_be_taken_apart() {
        let of_library = in_library("hdf5", "h5open_f");
        assert_eq!(library_procedure(&of_library), Some(("hdf5", "h5open_f")));
        assert_eq!((without_library(&of_library), without_library("h5open_f")), ("h5open_f", "h5open_f"));
        assert!(library_procedure("h5open_f").is_none());
        assert!(is_through_object(&through_object("grid", "fill")) && !is_through_object("fill"));
        let other = reference("f", "handed over elsewhere");
        assert!(is_reference(&other) && !is_reference("f"));
        assert_eq!((referred(&other), referred("f")), ("f", "f"));
    }
}
