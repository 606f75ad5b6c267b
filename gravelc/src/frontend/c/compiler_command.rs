//! How a build compiles C: by which compiler, and with which flags.

use serde::{Deserialize, Serialize};

use super::preprocess::Compiler;

/// A compiler of C with the flags of a build. Its macros, its headers and its types are those of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerCommand {
    /// The compiler, as a path or a name that is looked for.
    pub program: String,
    /// Its flags, without inputs and outputs. Folders are absolute, or meant from where gravelc runs.
    pub flags: Vec<String>,
}

/// Flags with which a program means something else than C says, or its data lie elsewhere: what is proven does not hold for these.
const CHANGES_MEANING: [&str; 12] = [
    "-fwrapv",
    "-fno-strict-overflow",
    "-ftrapv",
    "-fpack-struct",
    "-fshort-enums",
    "-fshort-double",
    "-freg-struct-return",
    "-fnon-call-exceptions",
    "-m32",
    "-mx32",
    "-m16",
    "-mms-bitfields",
];

/// Beginnings of flags that compile directives of OpenMP or OpenACC.
const FLAGS_OF_DIRECTIVES: [&str; 9] =
    ["-fopenmp", "-qopenmp", "-openmp", "-mp", "-homp", "-qsmp", "-fopenacc", "-acc", "-Mopenacc"];

impl CompilerCommand {
    /// The compiler as one that can be asked.
    pub fn compiler(&self) -> Compiler {
        Compiler::new(self.program.clone(), self.flags.clone())
    }

    /// The flag, if there is one, with which C means something else than gravelc takes it for.
    pub fn changed_meaning(&self) -> Option<&str> {
        let changes = |flag: &&String| {
            let name = flag.split('=').next().unwrap_or_default();
            CHANGES_MEANING.contains(&name)
        };
        self.flags.iter().find(changes).map(String::as_str)
    }

    /// May objects be accessed by lvalues of any type (`-fno-strict-aliasing`)? C11 6.5p7 does not hold then.
    pub fn accesses_by_any_type(&self) -> bool {
        let said = self.flags.iter().rev().find_map(|flag| match flag.as_str() {
            "-fno-strict-aliasing" | "-no-ansi-alias" | "-Msafeptr" => Some(true),
            "-fstrict-aliasing" | "-ansi-alias" => Some(false),
            _ => None,
        });
        said.unwrap_or(false)
    }

    /// The flag, if there is one, with which directives of OpenMP or OpenACC are more than comments.
    pub fn flag_of_directives(&self) -> Option<&str> {
        let is_one = |flag: &&String| FLAGS_OF_DIRECTIVES.iter().any(|beginning| flag.starts_with(beginning));
        self.flags.iter().find(is_one).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(flags: &[&str]) -> CompilerCommand {
        CompilerCommand { program: "cc".to_owned(), flags: flags.iter().map(|&flag| flag.to_owned()).collect() }
    }

    #[test]
    fn flags_say_what_c_means() {
        assert_eq!(command(&["-O2", "-fpack-struct=2"]).changed_meaning(), Some("-fpack-struct=2"));
        assert_eq!(command(&["-O3", "-m64", "-march=native", "-fno-common"]).changed_meaning(), None);
        assert!(command(&["-fno-strict-aliasing"]).accesses_by_any_type());
        assert!(!command(&["-fno-strict-aliasing", "-fstrict-aliasing"]).accesses_by_any_type());
        assert_eq!(command(&["-O2", "-fopenmp-simd"]).flag_of_directives(), Some("-fopenmp-simd"));
        assert_eq!(command(&["-O2", "-fopt-info"]).flag_of_directives(), None);
    }
}
