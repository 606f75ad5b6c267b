//! What a build says about how its compiler computes in vectors.
//!
//! Macros do not tell: gfortran lists none of the processor's, and no compiler lists how it fuses operations. So the compiler is
//! asked which command it would run (`-###`). There stand the flags of wrappers, of configuration files and of its own defaults, and what
//! `-march=native` stands for.

mod gnu;

use std::ffi::OsString;
use std::fs;
use std::process::Stdio;

use super::runtime::Compiler;
use crate::ir::VectorArithmetic;

/// The file that the compiler is asked about. It is not compiled.
const FILE: &str = "gravelc_asks.f90";

/// Programs that compile Fortran for GNU's drivers.
const GNU: &str = "f951";

/// How the compiler computes in vectors where it compiles Fortran with these arguments. It runs in a folder of its own, which goes
/// again. One that can't be asked, or is not known, says nothing.
pub(super) fn ask(compiler: &Compiler, arguments: &[OsString]) -> VectorArithmetic {
    answer(compiler, arguments).map_or(VectorArithmetic::Unknown, |answer| understood(&answer))
}

fn answer(compiler: &Compiler, arguments: &[OsString]) -> Option<String> {
    let folder = tempfile::Builder::new().prefix("gravelc-vectors-").tempdir().ok()?;
    fs::write(folder.path().join(FILE), "end\n").ok()?;
    let arguments: Vec<OsString> = arguments.iter().cloned().chain(["-c", FILE, "-###"].map(OsString::from)).collect();
    let mut command = compiler.command(&arguments);
    // Its words are looked at.
    command.env("LC_ALL", "C").current_dir(folder.path()).stdin(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stderr).ok()
}

/// What is concluded from the commands that a driver lists. There is one that compiles.
fn understood(answer: &str) -> VectorArithmetic {
    let target = answer.lines().find_map(|line| line.strip_prefix("Target: ")).unwrap_or_default();
    let commands = answer.lines().filter_map(|line| line.strip_prefix(' ')).filter_map(shlex::split);
    let compiles = |words: &Vec<String>| words.first().is_some_and(|program| program.rsplit('/').next() == Some(GNU));
    let mut compiling = commands.filter(compiles);
    match (compiling.next(), compiling.next()) {
        (Some(words), None) => gnu::vector_arithmetic(target.trim(), &words[1..]),
        _ => VectorArithmetic::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    /// As gfortran answers.
    const ANSWER: &str = "Using built-in specs.\nCOLLECT_GCC=gfortran\nTarget: x86_64-linux-gnu\nThread model: posix\n\
        COLLECT_GCC_OPTIONS='-O3' '-c' '-mtune=generic' '-march=x86-64'\n \
        /usr/lib/gcc/x86_64-linux-gnu/12/f951 gravelc_asks.f90 -quiet -dumpbase gravelc_asks.f90 \"-mtune=generic\" \"-march=x86-64\" \
        -O3 -o /tmp/cc.s\n as --64 -o gravelc_asks.o /tmp/cc.s\n";

    #[test]
    fn the_command_that_compiles_is_found() {
        assert_eq!(understood(ANSWER), VectorArithmetic::Elementwise);
        assert_eq!(understood(&ANSWER.replace("\"-march=x86-64\"", "-march=haswell")), VectorArithmetic::Fused);
    }

    #[test]
    fn what_is_not_understood_says_nothing() {
        let twice = format!("{ANSWER} /usr/lib/f951 -O3\n");
        for answer in [
            "",
            "no such flag: -###",
            &twice,
            &ANSWER.replace("Target: ", "Ziel: "),
            &ANSWER.replace("f951", "xfortcom"),
            &ANSWER.replace(" /usr/lib/gcc", " distcc /usr/lib/gcc"),
            &ANSWER.replace("-quiet", "\"-quiet"),
        ] {
            assert_eq!(understood(answer), VectorArithmetic::Unknown, "{answer}");
        }
    }

    #[test]
    fn the_compiler_is_asked_in_a_folder_of_its_own() {
        let shell = Compiler::find(OsStr::new("sh")).expect("every Unix has a shell");
        let asked = |script: &str| {
            let arguments = ["-c", script, "fake-f90", "-O3", "-march=haswell"].map(OsString::from);
            ask(&shell, &arguments)
        };
        let script = "touch left-behind; echo 'Target: x86_64-linux-gnu' >&2; echo \" /usr/f951 $*\" >&2";
        assert_eq!(asked(script), VectorArithmetic::Fused);
        assert_eq!(asked(&format!("{script}; exit 1")), VectorArithmetic::Unknown);
    }
}
