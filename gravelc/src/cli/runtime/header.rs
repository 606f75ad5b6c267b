//! The C header of the runtime.

use std::fs;
use std::path::PathBuf;

use super::cache_folder::CacheEntry;
use crate::cli::Failure;

/// The header, as the runtime of this version has it.
pub(in crate::cli) const HEADER: &str = include_str!("../../../runtime/include/gravel.h");

/// The folder of the cache that holds `gravel.h`, for `-I`.
pub(in crate::cli) fn header_folder() -> Result<PathBuf, Failure> {
    CacheEntry::new("header", HEADER.to_owned())?.get_or_fill(|folder| {
        let path = folder.join("gravel.h");
        fs::write(&path, HEADER).map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::HEADER;

    /// Old codes are built as C89, and C++ includes the header as it is.
    #[test]
    fn the_header_is_c_of_every_standard() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it can be written");
        write("gravel.h", HEADER);
        write("a.c", "#include <mpi.h>\n#include <gravel.h>\nint main(void) { return gravel_init(MPI_COMM_WORLD); }\n");
        write("a.cpp", "#include <mpi.h>\n#include <gravel.h>\nint main() { return gravel_init(MPI_COMM_WORLD); }\n");
        let commands = [
            ("mpicc", "a.c", ["-std=c89", "-pedantic-errors"]),
            ("mpicc", "a.c", ["-std=gnu89", "-Wno-long-long"]),
            ("mpicc", "a.c", ["-std=c99", "-pedantic-errors"]),
            ("mpicc", "a.c", ["-std=c11", "-Wconversion"]),
            ("mpicxx", "a.cpp", ["-std=c++11", "-Wno-cast-function-type"]),
        ];
        for (compiler, source, flags) in commands {
            for mpi in ["openmpi", "mpich"] {
                let mut command = Command::new(format!("{compiler}.{mpi}"));
                // What MPI's own header has is not ours to mend.
                command.args(flags).args(["-Wno-long-long", "-fsyntax-only", "-I."]).arg(source);
                match command.current_dir(folder.path()).output() {
                    Ok(output) => {
                        let said = String::from_utf8_lossy(&output.stderr).into_owned();
                        assert!(output.status.success() && !said.contains("gravel.h"), "{command:?}: {said}");
                    }
                    Err(_) => eprintln!("NOT COMPARED: {compiler}.{mpi} is not installed"),
                }
            }
        }
    }
}
