//! What a program needs to be built against the Gravel runtime: its library, its C header and its Fortran module,
//! which is compiled with the user's own compiler because module files and MPI differ between compilers.

mod abi_flags;
mod cache_folder;
mod compiler;
mod fortran_module;
mod header;
mod library;

pub(super) use abi_flags::abi_flags;
pub(super) use compiler::Compiler;
pub(super) use fortran_module::{FortranModule, SOURCE as FORTRAN_MODULE_SOURCE};
pub(super) use header::{HEADER, header_folder};
pub(super) use library::{SYSTEM_LIBRARIES, find_library};
