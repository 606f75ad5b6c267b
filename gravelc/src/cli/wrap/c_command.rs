//! What a command needs besides its arguments for its sources in C: the runtime's header, where one includes it, and the runtime's
//! library, where what is linked needs that.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::compile_command::{CompileCommand, Stage};
use super::runtime_use::{RuntimeUse, use_by_objects};
use crate::cli::Failure;
use crate::cli::runtime::{self, SYSTEM_LIBRARIES};

/// The arguments to add for the header; `sources` are in C, as the compiler gets them.
///
/// # Errors
/// If the header is not there.
pub(super) fn header_flags(sources: &[PathBuf]) -> Result<Option<OsString>, Failure> {
    // Behind the program's own folders, which thus go first.
    let is_included = sources.iter().any(|source| includes_runtime(source));
    is_included.then(|| Ok(super::joined("-I", &runtime::header_folder()?))).transpose()
}

/// The arguments to add for the library, behind all others.
///
/// # Errors
/// If the library is not there.
pub(super) fn library(command: &CompileCommand, sources: &[PathBuf]) -> Result<Vec<OsString>, Failure> {
    if command.stage() != Stage::Link {
        return Ok(Vec::new());
    }
    let by_sources = sources.iter().any(|source| includes_runtime(source));
    if !by_sources && use_by_objects(command.other_inputs(), command.flags()).uses != RuntimeUse::Yes {
        return Ok(Vec::new());
    }
    let library = runtime::find_library()?.into_os_string();
    let mut added = Vec::new();
    if command.names_language() {
        // What follows is what its name says.
        added.extend(["-x", "none"].map(OsString::from));
    }
    added.push(runtime::IN_FRONT.into());
    added.push(library);
    added.extend(SYSTEM_LIBRARIES.map(OsString::from));
    Ok(added)
}

/// Is it a source of C that includes the runtime's header?
fn includes_runtime(path: &Path) -> bool {
    let is_source = path.extension().is_some_and(|ending| ending == "c" || ending == "h");
    let includes = |line: &[u8]| {
        let named = line.trim_ascii().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let named = named.and_then(|line| line.strip_prefix(b"include")).map(<[u8]>::trim_ascii);
        named.is_some_and(|name| name.starts_with(b"<gravel.h>") || name.starts_with(b"\"gravel.h\""))
    };
    is_source && fs::read(path).is_ok_and(|text| text.split(|&byte| byte == b'\n').any(includes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_tell_whether_they_need_the_header() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let source = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a file can be written");
            path
        };
        assert!(includes_runtime(&source("a.c", "#include <mpi.h>\n # include <gravel.h>\n")));
        assert!(!includes_runtime(&source("b.c", "#include <mpi.h>\n/* gravel.h */\n")));
        assert!(!includes_runtime(&source("c.o", "#include <gravel.h>\n")));
        assert!(!includes_runtime(&folder.path().join("none.c")));
    }
}
