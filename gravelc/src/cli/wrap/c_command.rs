//! What a compiler of C is given besides its arguments: the runtime's header, where a source includes it, and its library, where
//! what is linked needs that.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::compile_command::{CompileCommand, Stage};
use super::runtime_use::{RuntimeUse, use_by_objects};
use crate::cli::Failure;
use crate::cli::runtime::{self, SYSTEM_LIBRARIES};

/// The arguments with what the runtime needs.
///
/// # Errors
/// If the runtime is not there that the command needs.
pub(super) fn with_runtime(command: &CompileCommand, arguments: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut arguments = arguments.to_vec();
    let by_sources = command.other_inputs().iter().any(|input| includes_runtime(input));
    if by_sources {
        // Behind the program's own folders, which thus go first.
        arguments.push(super::joined("-I", &runtime::header_folder()?));
    }
    let is_linked = command.stage() == Stage::Link;
    if is_linked && (by_sources || use_by_objects(command.other_inputs(), command.flags()).uses == RuntimeUse::Yes) {
        arguments.push(runtime::find_library()?.into_os_string());
        arguments.extend(SYSTEM_LIBRARIES.map(OsString::from));
    }
    Ok(arguments)
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
