//! The compilers and headers of this machine.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use super::super::*;

/// Headers that programs include.
const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "wchar.h",
    "wctype.h",
    "unistd.h",
    "fcntl.h",
    "getopt.h",
    "pthread.h",
    "dirent.h",
    "sys/types.h",
    "sys/time.h",
    "sys/stat.h",
    "sys/wait.h",
    "sys/mman.h",
    "sys/resource.h",
    "sys/socket.h",
    "netinet/in.h",
];

/// A program that uses some of what they define.
const USES: &str = "int main(int argc, char **argv) {\n  assert(argc > 0 && errno == 0);\n  va_list list; double x = M_PI * INFINITY, y = isnan(x);\n\
    #pragma omp parallel num_threads(INT_MAX)\n  fprintf(stderr, \"%s:%d %\" PRId64, __FILE__, __LINE__, INT64_C(5));\n\
    FD_SET(1, NULL); return WIFEXITED(3) + offsetof(struct stat, st_size) + SIGINT;\n}\n_Pragma(\"omp barrier\") int c = __COUNTER__ + __INCLUDE_LEVEL__;\n";

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The compilers that are there. One at least is: `cc` links Rust's programs.
pub(super) fn installed() -> Vec<Compiler> {
    let found: Vec<Compiler> = ["gcc", "clang"]
        .into_iter()
        .filter(|name| is_there(name))
        .map(|name| Compiler::new(name, [] as [&str; 0]))
        .collect();
    if found.is_empty() { vec![Compiler::new("cc", [] as [&str; 0])] } else { found }
}

/// Compares a text, in a file of a folder of its own.
fn compare(text: &str, compiler: &Compiler) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("m.c");
    std::fs::write(&path, text).expect("the file can be written");
    let found =
        agrees(&path, text.as_bytes().to_vec(), compiler).unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
    assert_eq!(found, None, "{compiler:?}");
}

fn includes(headers: &[&str]) -> String {
    headers.iter().map(|header| format!("#include <{header}>\n")).collect()
}

#[test]
fn usual_headers_give_the_tokens_of_the_compilers() {
    let text = includes(HEADERS) + USES;
    let mut compared = 0;
    for compiler in installed() {
        for standard in [
            "-std=c89",
            "-std=gnu89",
            "-std=c99",
            "-std=c11",
            "-std=gnu17",
            "-std=gnu11 -fopenmp -O2 -D_FILE_OFFSET_BITS=64",
        ] {
            let flags: Vec<OsString> = standard.split(' ').map(OsString::from).collect();
            compare(&text, &Compiler { flags, ..compiler.clone() });
            compared += 1;
        }
    }
    assert!(compared >= 6);
}

#[test]
fn headers_of_mpi_give_the_tokens_of_the_compilers() {
    let text = includes(&["mpi.h", "stdio.h", "stdlib.h"])
        + "int main(void) { MPI_Request r = MPI_REQUEST_NULL; return MPI_Wait(&r, MPI_STATUS_IGNORE) + MPI_COMM_WORLD; }\n";
    let clang = is_there("clang");
    for wrapper in ["mpicc.openmpi", "mpicc.mpich", "mpicc"] {
        if is_there(wrapper) {
            compare(&text, &Compiler::new(wrapper, ["-std=gnu99"]));
            if clang && wrapper == "mpicc.mpich" {
                compare(&text, &Compiler::new(wrapper, ["-cc=clang"]));
            }
        }
    }
}

#[test]
fn flags_change_what_a_compiler_says() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for name in ["own", "given", "after"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder can be made");
    }
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("forced.h"), "#define FORCED 5\n").expect("the file can be written");
    for compiler in installed() {
        let flags: Vec<OsString> = vec![
            "-DA=1".into(),
            "-D".into(),
            "B".into(),
            "-UC".into(),
            "-I".into(),
            path("own").into(),
            "-isystem".into(),
            path("given").into(),
            "-iquote".into(),
            path("after").into(),
            "-include".into(),
            path("forced.h").into(),
            "-c".into(),
            "-o".into(),
            "m.o".into(),
            "-Wall".into(),
            "-funsigned-char".into(),
        ];
        let compiler = Compiler { flags, ..compiler };
        let configuration = compiler.configuration().expect("it says what it is");
        let kind = |name: &str| {
            let folder = configuration.folders.iter().position(|folder| folder.path == path(name));
            folder.map(|at| (at < configuration.quote_folders, configuration.folders[at].is_system))
        };
        assert_eq!(kind("own"), Some((false, false)), "{:?}", configuration.folders);
        assert_eq!(kind("given"), Some((false, true)));
        assert_eq!(kind("after"), Some((true, false)));
        assert!(configuration.folders.iter().any(|folder| folder.is_system && folder.path.ends_with("include")));
        assert_eq!(configuration.undefined, ["C"]);
        assert!(configuration.dialect.unsigned_char);
        let text = "#if '\\377' > 0 && A == 1 && B && !defined(C) && FORCED == 5\nyes\n#endif\n";
        let unit = preprocess(&path("m.c"), text.as_bytes().to_vec(), &configuration, &Disk, Purpose::Reading);
        assert_eq!(unit.tokens.len(), 1, "{:?}", unit.problems);
        compare(text, &compiler);
    }
    let error = Compiler::new("no-such-compiler", ["-c"]).configuration().err();
    assert!(matches!(error, Some(CompilerError::NotRun { .. })), "{error:?}");
}
