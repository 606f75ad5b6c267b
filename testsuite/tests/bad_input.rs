//! What gravelc's command line does with input that is missing, unreadable or broken.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;
use testsuite::gravelc::Gravelc;
use testsuite::process::{Ending, Finished};

/// A ring whose receive can be posted above its loop.
const RING: &str = "\
program ring
  use mpi
  implicit none
  integer, parameter :: n = 40000
  integer :: rank, ranks, request, i, ierr
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call mpi_irecv(rbuf, n, mpi_double_precision, mod(rank - 1 + ranks, ranks), 1, mpi_comm_world, request, ierr)
  do i = 1, n
    sbuf(i) = dble(i + rank)
  end do
  call mpi_send(sbuf, n, mpi_double_precision, mod(rank + 1, ranks), 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  write (*, *) rbuf(n)
  call mpi_finalize(ierr)
end program ring
";

/// A subroutine that no parser can read, at line 3.
const BROKEN: &str = "\
subroutine broken(x)
  integer :: x
  x = ) 3 + ( * (
  if then else
end subroutine broken
";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

fn write(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.path().join(name), text).expect("a file can be written");
}

fn transform(folder: &TempDir, arguments: &[&str]) -> Finished {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    gravelc.transform_in(folder.path(), arguments.iter().copied()).expect("gravelc can be run")
}

/// Refused with exit code 2 and a message that holds `words`; nothing is written to `output`.
fn assert_refused(folder: &TempDir, arguments: &[&str], output: &str, words: &[&str]) {
    let finished = transform(folder, arguments);
    let message = finished.stderr_text();
    assert_eq!(finished.ending, Ending::Exit(2), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is missing in: {message}");
    }
    assert!(!folder.path().join(output).exists(), "{arguments:?}: {output} was written");
}

fn assert_done(finished: &Finished) {
    assert_eq!(finished.ending, Ending::Exit(0), "{}", finished.stderr_text());
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("the output was written")
}

#[test]
fn a_missing_file_is_named() {
    assert_refused(&folder(), &["nowhere.f90", "-o", "out.f90"], "out.f90", &["nowhere.f90"]);
}

#[test]
fn a_folder_is_no_source() {
    let folder = folder();
    fs::create_dir(folder.path().join("sources.f90")).expect("a folder can be made");
    assert_refused(&folder, &["sources.f90", "-o", "out.f90"], "out.f90", &["sources.f90"]);
}

#[test]
fn one_bad_file_among_good_ones_writes_nothing() {
    let folder = folder();
    write(&folder, "ring.f90", RING);
    assert_refused(&folder, &["ring.f90", "nowhere.f90", "--out-dir", "out"], "out/ring.f90", &["nowhere.f90"]);
}

#[test]
fn a_binary_file_is_no_source() {
    let folder = folder();
    write(&folder, "program.f90", [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0xff, 0xfe, 0, 1, 2, 3]);
    assert_refused(&folder, &["program.f90", "-o", "out.f90"], "out.f90", &["program.f90"]);
}

#[test]
fn an_empty_file_is_no_source() {
    let folder = folder();
    write(&folder, "empty.f90", "");
    assert_refused(&folder, &["empty.f90", "-o", "out.f90"], "out.f90", &["empty.f90", "empty"]);
}

#[test]
fn an_empty_file_among_others_is_one_of_the_program() {
    let folder = folder();
    write(&folder, "empty.f90", "");
    write(&folder, "ring.f90", RING);
    assert_done(&transform(&folder, &["ring.f90", "empty.f90", "--out-dir", "out"]));
    assert!(String::from_utf8_lossy(&read(&folder.path().join("out/ring.f90"))).contains("call gravel_init"));
    assert!(read(&folder.path().join("out/empty.f90")).is_empty());
}

#[test]
fn comments_in_another_encoding_are_kept_byte_for_byte() {
    let folder = folder();
    let comment = b"! Gr\xf6\xdfe des Puffers\n";
    let mut source = comment.to_vec();
    source.extend(RING.as_bytes());
    write(&folder, "ring.f90", &source);
    assert_done(&transform(&folder, &["ring.f90", "-o", "out.f90"]));
    let output = read(&folder.path().join("out.f90"));
    assert!(output.starts_with(comment), "the comment changed");
    let text = String::from_utf8_lossy(&output);
    assert!(text.contains("gravel_post_rcv_buffer_rdma"), "the program was not transformed: {text}");
}

#[test]
fn a_broken_procedure_costs_only_itself_and_is_named() {
    let folder = folder();
    write(&folder, "ring.f90", format!("{BROKEN}\n{RING}"));
    let finished = transform(&folder, &["ring.f90", "-o", "out.f90"]);
    assert_done(&finished);
    let message = finished.stderr_text();
    assert!(message.contains("ring.f90:3"), "file and line are missing in: {message}");
    let output = String::from_utf8_lossy(&read(&folder.path().join("out.f90"))).into_owned();
    assert!(output.starts_with(BROKEN), "the broken procedure changed: {output}");
}

#[test]
fn strict_refuses_what_could_not_be_read() {
    let folder = folder();
    write(&folder, "ring.f90", format!("{BROKEN}\n{RING}"));
    assert_refused(&folder, &["--strict", "ring.f90", "-o", "out.f90"], "out.f90", &["ring.f90:3"]);
}

#[test]
fn a_folder_that_is_not_there_takes_no_output() {
    let folder = folder();
    write(&folder, "ring.f90", RING);
    assert_refused(&folder, &["ring.f90", "-o", "no/such/out.f90"], "no", &["no/such/out.f90"]);
}

#[test]
fn a_file_where_a_folder_is_wanted_is_refused() {
    let folder = folder();
    write(&folder, "ring.f90", RING);
    write(&folder, "out", "precious");
    let finished = transform(&folder, &["ring.f90", "--out-dir", "out"]);
    assert_eq!(finished.ending, Ending::Exit(2), "{}", finished.stderr_text());
    assert_eq!(read(&folder.path().join("out")), b"precious");
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = folder();
    write(&folder, "ring.f90", RING);
    symlink("ring.f90", folder.path().join("link.f90")).expect("a link can be made");
    for output in ["ring.f90", "./ring.f90", "link.f90"] {
        let finished = transform(&folder, &["ring.f90", "-o", output]);
        assert_eq!(finished.ending, Ending::Exit(2), "{output}: {}", finished.stderr_text());
        assert_eq!(read(&folder.path().join("ring.f90")), RING.as_bytes(), "{output}");
    }
    let finished = transform(&folder, &["ring.f90", "--out-dir", "."]);
    assert_eq!(finished.ending, Ending::Exit(2), "{}", finished.stderr_text());
    assert_eq!(read(&folder.path().join("ring.f90")), RING.as_bytes());
}

#[test]
fn two_inputs_do_not_fit_into_one_output() {
    let folder = folder();
    write(&folder, "a.f90", RING);
    write(&folder, "b.f90", "subroutine b\nend subroutine b\n");
    assert_refused(&folder, &["a.f90", "b.f90", "-o", "out.f90"], "out.f90", &["--out-dir"]);
}

#[test]
fn unknown_transformations_and_options_are_usage_errors() {
    let folder = folder();
    write(&folder, "ring.f90", RING);
    assert_refused(&folder, &["ring.f90", "-o", "out.f90", "--only", "magic"], "out.f90", &["magic"]);
    assert_refused(&folder, &["ring.f90", "-o", "out.f90", "--no-such-option"], "out.f90", &["--no-such-option"]);
    assert_refused(&folder, &["ring.f90", "-o", "out.f90", "--report", "poem"], "out.f90", &["poem"]);
    assert_refused(&folder, &["-o", "out.f90"], "out.f90", &["FILE"]);
}
