//! No input takes time that grows faster than a low power of its size: each of these ends within a time that an
//! exponential step would exceed many times over, and without a panic.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Generous: a debug build on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// Runs gravelc over a main program with these statements and procedures behind it; says what it prints.
fn transform(statements: &str, more: &str) -> String {
    transform_beside(&[], statements, more)
}

/// The same in a folder in which these files lie, too, with names and texts.
fn transform_beside(files: &[(String, String)], statements: &str, more: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let text = format!(
        "program p\nuse mpi\nimplicit none\ninteger :: i, j, ierr, r\ninteger, parameter :: n = 100\n\
         real(8) :: a(n), b(n)\ncall mpi_init(ierr)\n\
         {statements}\n{EXCHANGE}call mpi_finalize(ierr)\nend program\n{more}"
    );
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    let (input, output) = (folder.path().join("input.F90"), folder.path().join("output.txt"));
    std::fs::write(&input, text).expect("a file can be written");
    let file = std::fs::File::create(&output).expect("a file can be made");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gravelc"))
        .args(["transform", "--report", "text"])
        .arg(&input)
        .stdout(Stdio::from(file))
        .stderr(Stdio::null())
        .spawn()
        .expect("gravelc starts");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("gravelc can be waited for") {
            assert_eq!(status.code(), Some(0), "gravelc ends as it should");
            return std::fs::read_to_string(&output).expect("the report can be read");
        }
        if start.elapsed() > DEADLINE {
            child.kill().expect("gravelc can be ended");
            panic!("gravelc takes more than {DEADLINE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

const EXCHANGE: &str = "call mpi_irecv(b, n, mpi_double_precision, 0, 1, mpi_comm_world, r, ierr)\n\
    do i = 1, n\na(i) = i\nend do\ncall mpi_send(a, n, mpi_double_precision, 0, 1, mpi_comm_world, ierr)\n\
    call mpi_wait(r, mpi_status_ignore, ierr)\n";

fn joined(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

#[track_caller]
fn assert_transformed(report: &str) {
    assert!(report.contains("3 of 3 communication sites transformed"), "{report}");
}

#[test]
fn a_thousand_blocks_in_one_another() {
    // Too deep to be read: opaque, and not a stack overflow.
    let branches = format!("{}i = 1\n{}", "if (i > 1) then\n".repeat(1000), "end if\n".repeat(1000));
    assert!(transform(&branches, "").contains("summary:"));
    let loops = format!("{}a(i) = 1\n{}", "do i = 1, n\n".repeat(1000), "end do\n".repeat(1000));
    assert!(transform(&loops, "").contains("summary:"));
}

#[test]
fn ten_thousand_terms() {
    assert_transformed(&transform(&format!("i = {}", joined(10_000, " + &\n", |k| format!("j * {k}"))), ""));
}

#[test]
fn products_of_many_sums() {
    let subscript = joined(60, "*", |k| format!("(i + j + ierr + {k})"));
    let report = transform(&format!("do i = 1, n\na({subscript}) = 1\nend do"), "");
    assert_transformed(&report);
}

#[test]
fn a_line_of_a_megabyte() {
    assert_transformed(&transform(&format!("print *, '{}'", "x".repeat(1_000_000)), ""));
}

#[test]
fn parentheses_in_one_another() {
    let text = format!("i = {}j{}", "(".repeat(5000), ")".repeat(5000));
    assert!(transform(&text, "").contains("summary:"));
}

#[test]
fn calls_that_double_at_every_step() {
    let one = |k: usize| {
        let next = k + 1;
        format!("subroutine s{k}(x)\nreal(8) :: x(*)\ncall s{next}(x)\ncall s{next}(x)\nend subroutine\n")
    };
    let last = "subroutine s200(x)\nreal(8) :: x(*)\nx(1) = 1\nend subroutine\n";
    assert_transformed(&transform("call s0(a)", &format!("{}{last}", joined(200, "", one))));
}

#[test]
fn jumps_over_one_another() {
    let jump = |k: usize| format!("if (i > {k}) goto {}\n{} continue\n", k + 11, k + 10);
    assert_transformed(&transform(&format!("{}1010 continue", joined(1000, "", jump)), ""));
}

#[test]
fn six_hundred_calls_in_one_class() {
    let report = transform(&EXCHANGE.repeat(199), "");
    assert!(report.contains("600 of 600 communication sites transformed, 1 of 1 match class"), "{report}");
}

#[test]
fn a_thousand_modules_that_call_their_variables_alike() {
    let one = |k: usize| {
        format!(
            "module m{k}\nuse mpi\nimplicit none\nreal(8) :: u(10), v{k}(10)\ninteger :: r{k}\ncontains\n\
             subroutine post{k}\ninteger :: ierr\n\
             call mpi_irecv(u, 10, mpi_double_precision, 0, {k}, mpi_comm_world, r{k}, ierr)\nend subroutine\n\
             subroutine done{k}\ninteger :: ierr\ncall mpi_wait(r{k}, mpi_status_ignore, ierr)\nend subroutine\n\
             subroutine all{k}\ncall post{k}\nv{k} = v{k} + 1\ncall done{k}\nend subroutine\nend module\n"
        )
    };
    let import = |k: usize| format!("use m{k}, only: all{k}\n");
    let call = |k: usize| format!("call all{k}\n");
    let all = format!("subroutine run\n{}{}end subroutine\n", joined(1000, "", import), joined(1000, "", call));
    let report = transform("call run", &format!("{}{all}", joined(1000, "", one)));
    assert!(report.contains("of 2003 communication sites transformed, 1 of 1000 match classes"), "{report}");
}

#[test]
fn modules_that_use_two_modules_that_use_two_modules() {
    // What none of them has is looked for along 2 to the 30th chains, or once in each; so is a generic name, which is
    // another procedure's at either end of the chains.
    let last = |side: usize, shape: &str| {
        format!(
            "module m0_{side}\ntype t{side}\nreal(8) :: weight = 2\nend type\ninterface act\nmodule procedure act{side}\n\
             end interface\ncontains\nsubroutine act{side}(x)\nreal(8) :: x({shape})\nx = x + 1\nend subroutine\nend module\n"
        )
    };
    let one = |level: usize, side: usize| {
        let below = level - 1;
        format!("module m{level}_{side}\nuse m{below}_0\nuse m{below}_1\nend module\n")
    };
    let modules = joined(29, "", |below| joined(2, "", |side| one(below + 1, side)));
    let modules = format!("{}{}{modules}", last(0, ":"), last(1, ":, :"));
    let user = "subroutine user(x)\nuse m29_0\nuse m29_1\nimplicit none\nreal(8) :: x(100)\ntype(t1) :: object\n\
                call act(x)\nx(1) = abs(x(2)) * object%weight\nend subroutine\n";
    let report = transform("call user(a)", &format!("{modules}{user}"));
    assert_transformed(&report);
    assert!(!report.contains("what leads out of the given files"), "{report}");
}

#[test]
fn a_module_that_uses_itself_twice() {
    let module = "module m\nuse m\nuse m\nimplicit none\nend module\n";
    let user = "subroutine user(x)\nuse m\ntype(not_there) :: z\nreal(8) :: x(10)\nx(1) = elsewhere(x(3))\n\
                end subroutine\n";
    assert!(transform("call user(a)", &format!("{module}{user}")).contains("summary:"));
}

#[test]
fn files_that_include_the_next_one_ten_times() {
    for line in ["include 'NEXT'\n", "#include \"NEXT\"\n"] {
        let name = |number: usize| format!("part{number}.h");
        let including = |number: usize| line.replace("NEXT", &name(number)).repeat(10);
        let headers: Vec<_> = (0..11)
            .map(|number| (name(number), format!("integer :: k{number}\n{}", including(number + 1))))
            .chain([(name(11), "integer :: last\n".to_owned())])
            .collect();
        let procedure = format!("subroutine s\nimplicit none\n{}k0 = 1\nend subroutine\n", including(0));
        assert!(transform_beside(&headers, "", &procedure).contains("summary:"));
    }
}

#[test]
fn a_file_that_includes_itself_for_each_macro() {
    // As programs do that have no templates: the guards are open, for nothing says which macros are not defined.
    let again = |name: &str| format!("#ifndef {name}\n#define {name}\n#include \"input.F90\"\n#endif\n");
    let procedure = "subroutine s\ninteger :: k\nk = 1\nend subroutine\n";
    let more = format!("{procedure}{}#undef A\n", joined(5, "", |number| again(&format!("M{number}"))));
    assert!(transform("", &more).contains("summary:"));
}

#[test]
fn a_tag_that_goes_down_a_thousand_calls() {
    let one = |k: usize| {
        let next = k + 1;
        format!("subroutine s{k}(tag)\ninteger :: tag\ncall s{next}(tag)\nend subroutine\n")
    };
    let last = "subroutine s1000(tag)\nuse mpi\ninteger :: tag, i, ierr\nreal(8) :: x(10)\n\
        do i = 1, 10\nx(i) = i\nend do\n\
        call mpi_send(x, 10, mpi_double_precision, 0, tag, mpi_comm_world, ierr)\nend subroutine\n";
    let report = transform("call s0(7)", &format!("{}{last}", joined(1000, "", one)));
    assert!(report.contains("3 of 4 communication sites transformed, 1 of 2 match classes"), "{report}");
}
