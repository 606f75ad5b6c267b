//! Where MPI's Fortran interfaces are, if a command says so: builds without the wrappers of an MPI (CMake's
//! `find_package(MPI)`) name its folders.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Flags for a folder with headers or module files, in the same argument or in front of it.
const FOLDER_FLAGS: [&str; 3] = ["-I", "-isystem", "-idirafter"];

/// What MPI's interfaces for Fortran consist of, in lower case.
const INTERFACES: [&str; 3] = ["mpi.mod", "mpi_f08.mod", "mpif.h"];

/// `-I` with each folder that the arguments of a compiler name and that holds interfaces of MPI, in their order. The paths
/// are absolute, for commands that run in other folders.
pub(super) fn mpi_folder_flags(arguments: &[OsString]) -> Vec<OsString> {
    let mut found: Vec<OsString> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let named = FOLDER_FLAGS.iter().find_map(|flag| argument.as_bytes().strip_prefix(flag.as_bytes()));
        let folder = match named {
            Some([]) => rest.next().map(PathBuf::from),
            Some(folder) => Some(PathBuf::from(OsStr::from_bytes(folder))),
            None => None,
        };
        let Some(folder) = folder.filter(|folder| holds_interfaces(folder)) else { continue };
        let mut flag = OsString::from("-I");
        flag.push(std::path::absolute(&folder).unwrap_or(folder));
        if !found.contains(&flag) {
            found.push(flag);
        }
    }
    found
}

fn holds_interfaces(folder: &Path) -> bool {
    INTERFACES.iter().any(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_mpi_count() {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = |name: &str, file: &str| {
            let folder = root.path().join(name);
            std::fs::create_dir(&folder).expect("a folder can be made");
            std::fs::write(folder.join(file), "").expect("a file can be written");
            folder.into_os_string()
        };
        let (modules, header, other) =
            (folder("modules", "mpi.mod"), folder("header", "mpif.h"), folder("other", "a.h"));
        let joined = |flag: &str, folder: &OsString| [OsStr::new(flag), folder].into_iter().collect::<OsString>();
        let arguments = [
            "-O2".into(),
            joined("-I", &other),
            joined("-I", &modules),
            "-isystem".into(),
            header.clone(),
            "-I".into(),
            modules.clone(),
            "a.f90".into(),
        ];
        assert_eq!(mpi_folder_flags(&arguments), [joined("-I", &modules), joined("-I", &header)]);
        assert_eq!(mpi_folder_flags(&["-I".into()]), Vec::<OsString>::new());
    }
}
