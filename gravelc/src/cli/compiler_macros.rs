//! The macros that a compiler defines itself, in its own words.
//!
//! The compiler preprocesses a small file of gravelc's with the flags of the build and lists the macros that are defined at
//! its end (`-dM -E`, as GNU's compilers and many others understand it). Names that are not in the list count as not defined
//! later, so a list that leaves some out would be worse than none: the file asks for well-known macros with `#ifdef`, too,
//! and an answer that does not agree with the list is refused.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::process::Stdio;

use super::Failure;
use super::runtime::Compiler;
use crate::frontend::{Macro, Macros};

/// Macros by which Fortran compilers and systems are known. Each compiler defines some of them.
const WELL_KNOWN: [&str; 34] = [
    "_LANGUAGE_FORTRAN",
    "__GFORTRAN__",
    "__GNUC__",
    "__VERSION__",
    "__flang__",
    "__FLANG",
    "__clang__",
    "__LFORTRAN__",
    "__INTEL_COMPILER",
    "__INTEL_LLVM_COMPILER",
    "__PGI",
    "__PGIF90__",
    "__PGLLVM__",
    "__NVCOMPILER",
    "_CRAYFTN",
    "__IBMFC__",
    "__ibmxl__",
    "NAGFOR",
    "__NAG_COMPILER_RELEASE",
    "__FUJITSU",
    "__NEC__",
    "__linux__",
    "__linux",
    "linux",
    "__unix__",
    "__unix",
    "unix",
    "__APPLE__",
    "__x86_64__",
    "__aarch64__",
    "_LP64",
    "__LP64__",
    "_OPENMP",
    "_OPENACC",
];

/// A macro of gravelc's own: the list has to hold it.
const OWN: (&str, &str) = ("gravelc_asks_which_macros_are_defined", "1729");

/// The beginning of the names of macros that say that another one is defined.
const SEEN: &str = "gravelc_has_seen_";

/// The file that the compiler preprocesses. Its ending tells every compiler to do so.
const FILE: &str = "gravelc_asks.F90";

/// Flags that ask for OpenMP or a part of it, by their beginnings.
const OPENMP_FLAGS: [&str; 6] = ["-fopenmp", "-qopenmp", "-openmp", "-mp", "-homp", "-qsmp"];

/// Is one of the arguments a flag that makes directives of OpenMP more than comments?
pub(super) fn ask_for_openmp<T: AsRef<OsStr>>(arguments: &[T]) -> bool {
    openmp_flag(arguments).is_some()
}

/// The argument, if there is one, that makes directives of OpenMP more than comments.
pub(super) fn openmp_flag<T: AsRef<OsStr>>(arguments: &[T]) -> Option<String> {
    let mut texts = arguments.iter().map(|argument| argument.as_ref().to_string_lossy().into_owned());
    texts.find(|text| OPENMP_FLAGS.iter().any(|flag| text.starts_with(flag)))
}

/// The compiler and its arguments that a command consists of, split as a shell does it.
pub(super) fn words_of(command: &str) -> Result<(Compiler, Vec<OsString>), Failure> {
    let words = shlex::split(command).unwrap_or_default();
    let Some((compiler, arguments)) = words.split_first() else {
        return Err(Failure::input(format!("`{command}` is no command"))
            .help("--compiler takes a compiler and its flags in one argument: --compiler \"mpif90 -fopenmp\""));
    };
    let names_a_file = |word: &&String| *word == "-o" || word.starts_with("-o/") || word.starts_with("-MF");
    if let Some(word) = arguments.iter().find(names_a_file) {
        return Err(Failure::input(format!(
            "the compiler is only asked for its macros: `{word}` has no place in `{command}`"
        ))
        .help("give only the flags with which the sources are compiled"));
    }
    let arguments = arguments.iter().map(OsString::from).collect();
    Ok((Compiler::find(OsStr::new(compiler))?, arguments))
}

/// The macros that are defined where a source is compiled with these arguments: those of the compiler itself and those of
/// the arguments. The compiler runs in a folder of its own, which goes again.
pub(super) fn ask(compiler: &Compiler, arguments: &[OsString]) -> Result<BTreeMap<String, Macro>, Failure> {
    let cannot_ask = |error: std::io::Error| {
        Failure::input(format!("cannot ask {} for its macros: {error}", compiler.path().display()))
    };
    let folder = tempfile::Builder::new().prefix("gravelc-macros-").tempdir().map_err(cannot_ask)?;
    fs::write(folder.path().join(FILE), question()).map_err(cannot_ask)?;
    let arguments: Vec<OsString> = arguments.iter().cloned().chain(["-dM", "-E", FILE].map(OsString::from)).collect();
    let output =
        compiler.command(&arguments).current_dir(folder.path()).stdin(Stdio::null()).output().map_err(cannot_ask)?;

    let shown: Vec<String> = arguments.iter().map(|argument| argument.display().to_string()).collect();
    let failure = |message: String| {
        let mut failure =
            Failure::input(format!("{} does not say which macros it defines: {message}", compiler.path().display()))
                .note(format!("the command was `{} {}`", compiler.path().display(), shown.join(" ")))
                .help("take another command, or name the macros with -D and -U instead");
        let said = String::from_utf8_lossy(&output.stderr);
        if let Some(line) = said.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            failure = failure.note(format!("it said `{line}`"));
        }
        failure
    };
    if !output.status.success() {
        return Err(failure(format!("it failed ({})", output.status)));
    }
    let text = str::from_utf8(&output.stdout).map_err(|_| failure("its answer is not text".to_string()))?;
    macros_listed(text).map_err(failure)
}

/// What the compiler preprocesses.
fn question() -> String {
    let (name, value) = OWN;
    let seen = WELL_KNOWN.iter().map(|name| format!("#ifdef {name}\n#define {SEEN}{name} 1\n#endif\n"));
    format!("#define {name} {value}\n{}", seen.collect::<String>())
}

/// Reads the answer to [`question`]. An error says why it can't be relied on.
fn macros_listed(answer: &str) -> Result<BTreeMap<String, Macro>, String> {
    let mut listed = BTreeMap::new();
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let rest =
            line.strip_prefix('#').map(str::trim_start).ok_or_else(|| format!("its answer has a line `{line}`"))?;
        match rest.strip_prefix("define") {
            Some(definition) if definition.starts_with([' ', '\t']) => {
                let (name, known) = Macro::directive(definition.trim_start());
                if name.is_empty() {
                    return Err(format!("its answer has a line `{line}`"));
                }
                // A time of day has no place in a plan, and a name without a value says nothing.
                if !Macros::is_special(&name) {
                    listed.insert(name, known);
                }
            }
            // A line marker.
            None if rest.starts_with(|first: char| first.is_ascii_digit()) || rest.starts_with("line ") => {}
            _ => return Err(format!("its answer has a line `{line}`")),
        }
    }
    let (own, value) = OWN;
    if listed.remove(own) != Some(Macro::Defined(value.to_string())) {
        return Err("its answer is no list of macros".to_string());
    }
    let seen: Vec<&str> =
        WELL_KNOWN.into_iter().filter(|name| listed.remove(&format!("{SEEN}{name}")).is_some()).collect();
    if let Some(name) = WELL_KNOWN.into_iter().find(|name| seen.contains(name) != listed.contains_key(*name)) {
        return Err(format!("its list does not agree with what its preprocessor does with {name}"));
    }
    if seen.is_empty() {
        return Err("its list has no macro of any compiler that gravelc knows".to_string());
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a compiler answers that is this script.
    fn asked(script: &str, arguments: &[&str]) -> Result<BTreeMap<String, Macro>, Failure> {
        let shell = Compiler::find(OsStr::new("sh")).expect("every Unix has a shell");
        let arguments: Vec<OsString> = ["-c", script, "fake-f90"].iter().chain(arguments).map(OsString::from).collect();
        ask(&shell, &arguments)
    }

    /// A list as GNU's compilers print it.
    const LIST: &str = "# 1 \"gravelc_asks.F90\"\n#define __GFORTRAN__ 1\n#define EMPTY \n#define F(x) x\n#define __TIME__ \"12:00:00\"\n\
        #define gravelc_asks_which_macros_are_defined 1729\n#define gravelc_has_seen___GFORTRAN__ 1\n";

    #[test]
    fn a_list_is_read() {
        let listed = macros_listed(LIST).expect("it is a list");
        let defined = |value: &str| Macro::Defined(value.to_string());
        let expected = [("EMPTY", defined("")), ("F", Macro::directive("F(x) x").1), ("__GFORTRAN__", defined("1"))];
        assert_eq!(listed, expected.map(|(name, known)| (name.to_string(), known)).into());
    }

    #[test]
    fn an_answer_that_can_not_be_relied_on_is_refused() {
        let without = |line: &str| LIST.replace(line, "");
        for (answer, why) in [
            (String::new(), "no list"),
            (without("#define gravelc_asks_which_macros_are_defined 1729\n"), "no list"),
            (LIST.replace("1729", "1"), "no list"),
            (format!("{LIST}integer :: i\n"), "`integer :: i`"),
            (format!("{LIST}#undef A\n"), "`#undef A`"),
            (format!("{LIST}#define\n"), "`#define`"),
            (format!("{LIST}#define +\n"), "`#define +`"),
            // What the preprocessor knows is not in the list, or the other way round.
            (without("#define __GFORTRAN__ 1\n"), "agree with what its preprocessor does with __GFORTRAN__"),
            (format!("{LIST}#define _OPENMP 201511\n"), "agree with what its preprocessor does with _OPENMP"),
            (
                without("#define __GFORTRAN__ 1\n").replace("#define gravelc_has_seen___GFORTRAN__ 1\n", ""),
                "no macro of any",
            ),
        ] {
            let refused = macros_listed(&answer).expect_err(&answer);
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn the_compiler_is_asked_in_a_folder_of_its_own() {
        let script = format!(
            "touch left-behind.d\necho \"#define ARGUMENTS $*\"\necho \"#define FILES $(ls | tr '\\n' ' ')\"\ncat <<'END'\n{LIST}END"
        );
        let listed = asked(&script, &["-fopenmp", "-DX=a b"]).expect("it answers");
        let value = |text: &str| Some(Macro::Defined(text.to_string()));
        assert_eq!(listed.get("ARGUMENTS").cloned(), value("-fopenmp -DX=a b -dM -E gravelc_asks.F90"));
        assert_eq!(listed.get("FILES").cloned(), value("gravelc_asks.F90 left-behind.d"));
    }

    #[test]
    fn a_compiler_that_can_not_be_asked_is_named() {
        let failed = asked(&format!("cat <<'END'\n{LIST}END\necho 'no such flag: -dM' >&2\nexit 3"), &[]);
        let failure = failed.expect_err("its exit code says that it failed");
        assert!(failure.message().contains("/sh does not say which macros it defines: it failed"), "{failure:?}");
        assert!(failure.notes().iter().any(|note| note.contains("no such flag: -dM")), "{failure:?}");
        let failure = asked("printf '\\377\\n'", &[]).expect_err("it is not text");
        assert!(failure.message().contains("not text"), "{failure:?}");
        asked("cat gravelc_asks.F90", &[]).expect_err("it shows the question itself");
    }

    #[test]
    fn a_command_is_split_as_a_shell_does() {
        let arguments = |command: &str| words_of(command).map(|(_, arguments)| arguments);
        assert_eq!(arguments("sh  -fopenmp '-DX=a b'").unwrap(), ["-fopenmp", "-DX=a b"]);
        for command in ["", "  ", "sh 'a", "no-such-compiler", "sh -o x", "sh -o/x", "sh -MFx"] {
            arguments(command).expect_err(command);
        }
        assert!(ask_for_openmp(&["-O2", "-fopenmp-simd"]) && !ask_for_openmp(&["-O2", "-fopenacc"]));
    }
}
