//! What a program needs to be built against the Gravel runtime: its library, its C header and its Fortran module,
//! which is compiled with the user's own compiler because module files and MPI differ between compilers.

mod abi_flags;
mod cache_folder;
mod compiler;
mod fortran_module;
mod header;
mod library;
mod mpi_folders;
mod preload_library;

use std::ffi::OsString;

pub(super) use compiler::{Compiler, is_called_cpp, is_called_fortran};
pub(super) use fortran_module::{FortranModule, MODULE_MARK, SOURCE as FORTRAN_MODULE_SOURCE};
pub(super) use header::{HEADER, header_folder};
pub(super) use library::{IN_FRONT, SYSTEM_LIBRARIES, find_library};
pub(super) use preload_library::preload_library;

/// Those of the arguments of a compiler that the module has to be compiled with, too: what changes kinds or the binary
/// interface, and where MPI's interfaces are.
pub(super) fn module_flags(arguments: &[OsString]) -> Vec<OsString> {
    [abi_flags::abi_flags(arguments), mpi_folders::mpi_folder_flags(arguments)].concat()
}
