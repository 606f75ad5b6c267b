//! Calls of MPI in units in memory and of the compilers that are installed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::frontend::c::preprocess::{Compiler, Configuration, Disk, Folder, Texts};
use crate::frontend::c::types::{TypeKind, spell};

/// A unit that includes headers of a system where they are empty: their stand-ins say what they declare.
fn unit_with(text: &str, header: &str) -> TranslationUnit {
    let mut files: HashMap<PathBuf, Vec<u8>> = HashMap::new();
    for name in ["mpi.h", "stdio.h", "stdlib.h", "stddef.h", "stdarg.h", "errno.h", "assert.h", "math.h", "other.h"] {
        let text = match name {
            "mpi.h" => header,
            "assert.h" => {
                "#ifdef NDEBUG\n#define assert(x) ((void)0)\n#else\n#define assert(x) ((x) ? 0 : fail(#x))\n#endif\n"
            }
            "stddef.h" => "#define NULL ((void *)0)\n#define offsetof(t, m) __builtin_offsetof(t, m)\n",
            "stdarg.h" => "#define va_start(a, b) x(a, b)\n#define va_arg(a, b) x(a, b)\n#define va_end(a) x(a)\n",
            "errno.h" => "#define errno (*location())\n",
            "math.h" => "#define M_PI 3.14\n#define isnan(x) x(x)\n",
            _ => "",
        };
        files.insert(PathBuf::from(format!("/system/{name}")), text.as_bytes().to_vec());
    }
    let configuration = Configuration {
        predefined: b"#define __x86_64__ 1\n#define __LP64__ 1\n".to_vec(),
        folders: vec![Folder { path: PathBuf::from("/system"), is_system: true }],
        ..Configuration::default()
    };
    TranslationUnit::read(Path::new("m.c"), text.as_bytes().to_vec(), &configuration, &Texts(files)).unwrap()
}

fn unit(text: &str) -> TranslationUnit {
    unit_with(
        text,
        "#define MPI_COMM_WORLD ((MPI_Comm)0x44000000)\n#define MPI_INT 3\n#define MPI_Aint_add(a, b) ((a) + (b))\n",
    )
}

/// How many calls a scan of the tokens counts: a routine's name in front of a parenthesis, but for declarations.
fn counted(read: &TranslationUnit) -> usize {
    let lexed = lex(read.expansion.text());
    let is_call = |at: usize| {
        let TokenKind::Name(name) = lexed.tokens[at].kind else { return false };
        let opens = lexed.tokens[at + 1].kind == TokenKind::Sign(crate::frontend::c::tokens::Sign::LeftParenthesis);
        // A type in front declares it.
        let is_type = |token: TokenKind| match token {
            TokenKind::Keyword(keyword) => {
                use crate::frontend::c::tokens::Keyword as K;
                matches!(keyword, K::Int | K::Double | K::Void | K::Long)
            }
            _ => false,
        };
        let declares = at > 0 && is_type(lexed.tokens[at - 1].kind);
        opens && !declares && is_routine_name(lexed.names.text(name))
    };
    (0..lexed.tokens.len() - 1).filter(|at| is_call(*at)).count()
}

/// The calls, spelled as in the text, with how they stand.
fn shown(read: &TranslationUnit) -> Vec<(String, Standing)> {
    let uses = MpiUses::of(read);
    let found = uses.calls.len() + uses.unread.len();
    assert_eq!(found, counted(read), "{}", String::from_utf8_lossy(read.expansion.text()));
    let name = |call: &MpiCall| spelling(&read.unit, call.symbol).to_string();
    uses.calls.iter().map(|call| (name(call), call.standing)).collect()
}

#[test]
fn calls_stand_in_many_ways() {
    use Standing::*;
    let read = unit(
        "#include <mpi.h>\n#include <stddef.h>\nint check(int); int total; double when = 0;\n\
         int work(int n, MPI_Comm comm, double *a) {\n\
         int ierr = MPI_Barrier(comm), flag; MPI_Request r[2] = { MPI_REQUEST_NULL };\n\
         MPI_Send(a, n, MPI_INT, 1, 2, MPI_COMM_WORLD);\n\
         (void)MPI_Wait(&r[0], MPI_STATUS_IGNORE); ierr = MPI_Comm_rank(comm, &n); total += MPI_Comm_size(comm, &n);\n\
         if (MPI_Test(r, &flag, MPI_STATUS_IGNORE)) check(MPI_Cancel(r)); else return MPI_Barrier(comm);\n\
         if (MPI_Recv(a, n, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, NULL) != MPI_SUCCESS || !MPI_Probe(0, 0, comm, NULL)) n++;\n\
         for (MPI_Start(r); MPI_Finalized(&flag); MPI_Start(r)) ;\n\
         while ((ierr = MPI_Waitall(2, r, MPI_STATUSES_IGNORE)) != 0) ;\n\
         n ? MPI_Abort(comm, 1) : MPI_Finalize(); when = 2 * MPI_Wtime(); n = (MPI_Wtick(), 3);\n\
         n = ({ MPI_Barrier(comm); sizeof(MPI_Barrier(comm)); });\n\
         struct pair { int x, y; } p = { MPI_Barrier(comm), 2 }, *q = &(struct pair){ PMPI_Barrier(comm), 1 };\n\
         return p.x + q->x; }\n",
    );
    let expected = [
        ("MPI_Barrier", Initialiser),
        ("MPI_Send", Statement),
        ("MPI_Wait", Discarded),
        ("MPI_Comm_rank", Assigned),
        ("MPI_Comm_size", Assigned),
        ("MPI_Test", Condition),
        ("MPI_Cancel", Argument),
        ("MPI_Barrier", Returned),
        ("MPI_Recv", Tested),
        ("MPI_Probe", Tested),
        ("MPI_Start", Operand),
        ("MPI_Finalized", Condition),
        ("MPI_Start", Operand),
        ("MPI_Waitall", Assigned),
        ("MPI_Abort", Operand),
        ("MPI_Finalize", Operand),
        ("MPI_Wtime", Part),
        ("MPI_Wtick", Operand),
        ("MPI_Barrier", Statement),
        ("MPI_Barrier", Unevaluated),
        ("MPI_Barrier", Initialiser),
        ("PMPI_Barrier", Initialiser),
    ];
    let expected: Vec<(String, Standing)> = expected.map(|(name, standing)| (name.to_string(), standing)).to_vec();
    assert_eq!(shown(&read), expected);
    assert!(read.unit.holes.is_empty() && read.unit.doubts.is_empty(), "{:?}", read.unit.doubts);
    let uses = MpiUses::of(&read);
    for call in &uses.calls {
        assert_eq!(call.function, Some(0), "{call:?}");
        assert!(call.statement.is_some() || call.standing == Unevaluated, "{call:?}");
        assert!(call.own_text.is_ok(), "{call:?}");
        assert_eq!(call.is_profiling, spelling(&read.unit, call.symbol).starts_with('P'));
        for argument in &call.arguments {
            assert!(read.unit.types.reason(read.unit.type_of(*argument).id).is_none());
        }
    }
    let send = &uses.calls[1];
    let types = send.arguments.iter().map(|id| spell(&read.unit.types, &read.unit.names, read.unit.type_of(*id), ""));
    assert_eq!(types.collect::<Vec<_>>(), ["const void *", "int", "MPI_Datatype", "int", "int", "MPI_Comm"]);
    assert!(matches!(read.unit.types.kind(read.unit.type_of(send.arguments[5]).id), TypeKind::Opaque(_)));
}

#[test]
fn places_in_macros_and_headers_are_told() {
    let read = unit(
        "#include <mpi.h>\n#define CHECK(x) do { int e = x; if (e) stop(#x); } while (0)\n#define ONCE(x) if (x) return 1\n\
         #define TWICE(x) x; x\n#define SYNC MPI_Barrier(MPI_COMM_WORLD)\nvoid stop(const char *);\n\
         int f(MPI_Request *r) { CHECK(MPI_Start(r)); ONCE(MPI_Cancel(r)); TWICE(MPI_Start(r)); SYNC; return SYNC + 1; }\n",
    );
    let uses = MpiUses::of(&read);
    assert_eq!(uses.calls.len(), counted(&read));
    let own: Vec<Option<NotOwn>> = uses.calls.iter().map(|call| call.own_text.err()).collect();
    use NotOwn::*;
    assert_eq!(own, [Some(Stringified), None, Some(Repeated), Some(Repeated), None, None]);
    assert_eq!(uses.calls[0].standing, Standing::Initialiser);
    assert_eq!(uses.calls[1].standing, Standing::Condition);
}

#[test]
fn other_uses_and_what_cannot_be_read_are_listed() {
    let read = unit(
        "#include <mpi.h>\nint MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)\n\
         { return PMPI_Send(b, n, t, to, tag, c); }\n\
         int (*table[])(MPI_Comm) = { MPI_Barrier };\n\
         void f(MPI_Comm c) { (*MPI_Barrier)(c); table[0](c); int (*g)(MPI_Comm) = c ? &MPI_Barrier : 0; g(c); MPI_New_thing(c); }\n\
         void h(MPI_Comm c) { MPI_Barrier(c) @ MPI_Comm_rank(c, 0); MPI_Barrier(c); }\n",
    );
    let uses = MpiUses::of(&read);
    let names: Vec<&str> = uses.calls.iter().map(|call| spelling(&read.unit, call.symbol)).collect();
    assert_eq!(names, ["PMPI_Send", "MPI_Barrier", "MPI_New_thing", "MPI_Barrier"]);
    assert_eq!(uses.addresses.len(), 2, "{:?}", uses.addresses);
    assert_eq!(uses.unread.len(), 2);
    let send = read.unit.global("MPI_Send").unwrap();
    assert!(read.unit.is_stand_in(send) && read.unit.symbol(send).is_defined && read.unit.doubts.is_empty());
}

#[test]
fn kept_names_have_their_types() {
    let text = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <stddef.h>\n#include <stdarg.h>\n\
         #include <errno.h>\n#include <assert.h>\n#include <math.h>\nstruct s { int a; double b; };\n\
         double f(int n, struct s *p, ...) { va_list l; va_start(l, p); double d = va_arg(l, double); va_end(l);\n\
         assert(p); assert(n > 1); errno = 0; if (isnan(d) || errno != 0) fprintf(stderr, \"x\");\n\
         char name[MPI_MAX_PROCESSOR_NAME + 1]; MPI_Status st[4]; MPI_Comm c = MPI_COMM_NULL; int *q = NULL;\n\
         q = n ? q : NULL; switch (n) { case MPI_ERR_COMM: case EOF: n = sizeof name; }\n\
         if (c == MPI_COMM_NULL || c != MPI_COMM_WORLD || !c) n = st[1].MPI_TAG;\n\
         c = n ? c : MPI_COMM_SELF; printf(\"%p\", (void *)c); long k = (long)c; MPI_Aint at = MPI_Aint_add(0, k);\n\
         free(malloc(n * sizeof(MPI_Request))); return at + M_PI * offsetof(struct s, b) + (q == NULL) + name[0]; }\n";
    let read = unit(text);
    assert!(read.unit.holes.is_empty() && read.unit.doubts.is_empty(), "{:?} {:?}", read.unit.holes, read.unit.doubts);
    let unknown = read.unit.expressions.iter().filter(|expression| read.unit.types.reason(expression.ty.id).is_some());
    let text = read.expansion.text();
    let spans = unknown.map(|found| &text[found.range.start as usize..found.range.end as usize]);
    let spans: Vec<String> = spans.map(|span| String::from_utf8_lossy(span).into_owned()).collect();
    assert!(spans.is_empty(), "{spans:?}");
    let bounds =
        read.unit.statements.iter().any(
            |statement| matches!(&statement.kind, StatementKind::Declaration { bounds, .. } if !bounds.is_empty()),
        );
    assert!(!bounds, "an array of MPI's constant has no variable length");
}

#[test]
fn names_of_the_program_win() {
    let read = unit(
        "#include <mpi.h>\n#include <math.h>\nstatic int round(int x) { return x; }\ntypedef struct { int a; } size_t;\n\
         double sqrt(double x) { return x; }\nint fabs = 3;\nstruct timeval { char c; };\nint use(void) { struct timeval t; size_t s;\n\
         int open = round(2); return open + s.a + t.c + fabs; }\nint late(void) { return exit2(4) + malloc(3) + sin(1) ; }\n",
    );
    assert!(read.unit.holes.is_empty() && read.unit.doubts.is_empty(), "{:?} {:?}", read.unit.holes, read.unit.doubts);
    let ty = |name: &str| {
        spell(&read.unit.types, &read.unit.names, read.unit.symbol(read.unit.global(name).unwrap()).ty, "")
    };
    assert_eq!(ty("round"), "int (int)");
    assert_eq!(ty("fabs"), "int");
    // Nothing includes what declares it.
    assert_eq!(ty("malloc"), "int ()");
    assert!(read.unit.is_stand_in(read.unit.global("sqrt").unwrap()));
    // A header that has no stand-in may declare anything.
    let other = unit("#include <other.h>\nint f(void) { return unknown_thing(1); }\n");
    let id = other.unit.global("unknown_thing").unwrap();
    let function = other.unit.types.as_function(other.unit.symbol(id).ty.id).unwrap();
    assert!(other.unit.types.reason(function.result.id).is_some());
}

#[test]
fn an_assertion_that_is_not_evaluated_is_none() {
    let text = "#include <assert.h>\n#include <mpi.h>\nvoid f(MPI_Comm c) { assert(MPI_Barrier(c) == 0); }\n";
    assert_eq!(shown(&unit(text)), [("MPI_Barrier".to_string(), Standing::Tested)]);
    assert_eq!(shown(&unit(&format!("#define NDEBUG\n{text}"))), []);
}

/// A program that uses much of what the headers have.
const PROGRAM: &str = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n\
    #include <assert.h>\n#include <errno.h>\n#include <stddef.h>\n#include <limits.h>\n#include <stdint.h>\n#include <sys/time.h>\n\
    #include <unistd.h>\n#include <time.h>\n#include <ctype.h>\n#include <getopt.h>\n#include <sys/stat.h>\n#include <signal.h>\n\
    #include <complex.h>\n#include <stdarg.h>\n#include <stdbool.h>\n#include <inttypes.h>\n#include <setjmp.h>\n\
    #define CHECK(x) do { int e_ = (x); if (e_ != MPI_SUCCESS) { fprintf(stderr, \"%s\\n\", #x); MPI_Abort(MPI_COMM_WORLD, e_); } } while (0)\n\
    typedef struct { double *x; int n; MPI_Request req[2]; MPI_Comm comm; } field;\n\
    static double now(void) { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + 1e-6 * t.tv_usec; }\n\
    static void say(const char *format, ...) { va_list l; va_start(l, format); vfprintf(stdout, format, l); va_end(l); }\n\
    static void stop(int s) { exit(s); }\n\
    int main(int argc, char **argv) { field f; int rank, size, provided, flag, c; char host[MPI_MAX_PROCESSOR_NAME];\n\
      MPI_Status st; MPI_Datatype row; MPI_Info info = MPI_INFO_NULL; jmp_buf env; double complex z = 1.0 + 2.0 * I;\n\
      MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided); if (provided < MPI_THREAD_FUNNELED) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);\n\
      MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); MPI_Get_processor_name(host, &c);\n\
      while ((c = getopt(argc, argv, \"n:h\")) != -1) switch (c) { case 'n': f.n = atoi(optarg); break; default: say(\"%d\\n\", optind); }\n\
      f.x = malloc(f.n * sizeof *f.x); assert(f.x != NULL); memset(f.x, 0, f.n * sizeof(double)); signal(SIGINT, stop);\n\
      if (setjmp(env) == 0) for (int i = 0; i < f.n; i++) f.x[i] = sin(M_PI * i) + fabs(drand48()) + (isnan(f.x[i]) ? INFINITY : 0);\n\
      MPI_Type_vector(f.n, 1, 2, MPI_DOUBLE, &row); MPI_Type_commit(&row); f.comm = MPI_COMM_WORLD;\n\
      CHECK(MPI_Irecv(f.x, 1, row, (rank + 1) % size, MPI_ANY_TAG, f.comm, &f.req[0])); f.req[1] = MPI_REQUEST_NULL;\n\
      if (MPI_Isend(f.x, f.n, MPI_DOUBLE, size == 1 ? MPI_PROC_NULL : 0, 7, f.comm, f.req + 1) != MPI_SUCCESS) return errno;\n\
      CHECK(MPI_Waitall(2, f.req, MPI_STATUSES_IGNORE)); MPI_Get_count(&st, MPI_DOUBLE, &c); MPI_Test(f.req, &flag, &st);\n\
      MPI_Allreduce(MPI_IN_PLACE, f.x, 1, MPI_DOUBLE, MPI_SUM, f.comm); double t = MPI_Wtime() - now() + creal(z) + cabs(z);\n\
      for (char *p = host; *p; p++) *p = toupper((unsigned char)*p); printf(\"%\" PRId64 \" %d %g %s\\n\", (int64_t)INT_MAX, st.MPI_SOURCE, t, strerror(errno));\n\
      struct stat s; if (stat(\".\", &s) == 0 && S_ISDIR(s.st_mode)) puts(\"folder\"); time_t when = time(NULL); fputs(ctime(&when), stdout);\n\
      bool ok = offsetof(field, n) > 0; MPI_Info_create(&info); MPI_Type_free(&row); free(f.x); MPI_Finalize(); return ok ? EXIT_SUCCESS : EXIT_FAILURE; }\n";

#[test]
fn a_unit_is_read_under_each_mpi() {
    for wrapper in ["mpicc.openmpi", "mpicc.mpich"] {
        for standard in ["-std=gnu11", "-std=gnu99"] {
            let compiler = Compiler::new(wrapper, [standard]);
            let Ok(configuration) = compiler.configuration() else {
                eprintln!("NOT COMPARED: {wrapper} is not installed");
                continue;
            };
            let read = TranslationUnit::read(Path::new("m.c"), PROGRAM.into(), &configuration, &Disk).unwrap();
            let text = read.expansion.text();
            let shown_at =
                |range: &Span| String::from_utf8_lossy(&text[range.start as usize..range.end as usize]).into_owned();
            let problems = &read.expansion.unit().problems;
            assert!(problems.is_empty() && read.unit.holes.is_empty(), "{wrapper}: {problems:?} {:?}", read.unit.holes);
            let doubts: Vec<_> = read.unit.doubts.iter().map(|(range, doubt)| (shown_at(range), doubt)).collect();
            assert!(doubts.is_empty(), "{wrapper}: {doubts:?}");
            let unknown = read.unit.expressions.iter().filter(|found| read.unit.types.reason(found.ty.id).is_some());
            let unknown: Vec<String> = unknown.map(|found| shown_at(&found.range)).collect();
            assert!(unknown.is_empty(), "{wrapper}: {unknown:?}");
            let implicit = read.unit.symbols.iter().filter(|symbol| symbol.is_implicit);
            let implicit: Vec<&str> = implicit.filter_map(|symbol| Some(read.unit.names.text(symbol.name?))).collect();
            assert!(implicit.is_empty(), "{wrapper}: {implicit:?}");
            assert_eq!(shown(&read).len(), 19, "{:?}", shown(&read));
        }
    }
}

#[test]
fn names_of_routines_are_told_from_types_and_constants() {
    for name in ["MPI_Send", "PMPI_Waitall", "MPI_T_init_thread", "MPI_Xyz", "MPI_Send_c", "MPI_Comm_c2f"] {
        assert!(is_routine_name(name), "{name}");
    }
    for name in ["MPI_COMM_WORLD", "MPI_SUM", "mpi_send", "XMPI_Send", "MPIX_Start", "MPI_"] {
        assert!(!is_routine_name(name), "{name}");
    }
}
