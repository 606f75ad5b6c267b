//! Where the runtime's library is.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli::Failure;

const LIBRARY_NAME: &str = "libgravel.a";

/// What stands in front of the library: it holds some functions of mathematics of its own (`cbrt`, `fmod`, `sqrt`, of Rust's compiler), which
/// know no `errno` and round otherwise, and would take the place of the program's.
pub(in crate::cli) const IN_FRONT: &str = "-lm";

/// What the library itself needs from the system.
pub(in crate::cli) const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// The library, for the link: in `$GRAVEL_LIB_DIR`, next to the gravelc that runs, or in `../lib` from there.
pub(in crate::cli) fn find_library() -> Result<PathBuf, Failure> {
    let chosen = env::var_os("GRAVEL_LIB_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let executable = env::current_exe().ok();
    find_in(&places(chosen, executable.as_deref().and_then(Path::parent)))
}

/// The folders to look in, each with how it comes to be looked in.
fn places(chosen: Option<PathBuf>, executable_folder: Option<&Path>) -> Vec<(&'static str, Option<PathBuf>)> {
    vec![
        ("$GRAVEL_LIB_DIR", chosen),
        ("the folder of gravelc", executable_folder.map(Path::to_owned)),
        ("the folder lib beside that of gravelc", executable_folder.map(|folder| folder.join("../lib"))),
    ]
}

fn find_in(places: &[(&str, Option<PathBuf>)]) -> Result<PathBuf, Failure> {
    let folders = places.iter().filter_map(|(_, folder)| folder.as_ref());
    if let Some(library) = folders.map(|folder| folder.join(LIBRARY_NAME)).find(|library| library.is_file()) {
        return Ok(library.canonicalize().unwrap_or(library));
    }
    let mut failure = Failure::input(format!("the runtime's library {LIBRARY_NAME} was not found"))
        .help("build it (`cargo build --release`), or set GRAVEL_LIB_DIR to the folder that holds it");
    for (name, folder) in places {
        failure = failure.note(match folder {
            Some(folder) => format!("not in {name}: {}", folder.display()),
            None => format!("not in {name}: not set"),
        });
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn looks_in_three_places_in_order() {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).expect("a folder can be made");
            folder
        };
        let (chosen, bin, lib) = (folder("chosen"), folder("bin"), folder("lib"));
        let find = || find_in(&places(Some(chosen.clone()), Some(&bin)));

        let failure = find().expect_err("it is nowhere");
        assert_eq!(failure.notes().len(), 3);
        for expected in [&lib, &bin, &chosen] {
            let library = expected.join(LIBRARY_NAME);
            fs::write(&library, "").expect("a file can be written");
            let library = library.canonicalize().expect("it was written");
            assert_eq!(find().expect("it is there"), library);
        }
    }
}
