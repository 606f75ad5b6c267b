//! gravel.h and gravel.f90 with real MPIs: communicators and datatypes, from C and from Fortran through mpif.h, the
//! module mpi and the module mpi_f08.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use testsuite::command::CommandLine;
use testsuite::mpi_flavour::MpiFlavour;
use testsuite::{native, runtime_library, workspace};

fn source(name: &str) -> PathBuf {
    workspace::package().join("shim").join(name)
}

fn link(command: CommandLine) -> Result<CommandLine, String> {
    // Most of the time of linking, and most of the program, would be the runtime's debug information.
    let command = command.arg("-Wl,--strip-debug");
    Ok(command.arg(runtime_library::static_library()?).args(runtime_library::SYSTEM_LIBRARIES))
}

/// What makes the runtime use shared memory, and what makes it use sockets, also between processes of one host.
const EITHER_NETWORK: [&[(&str, &str)]; 2] = [&[("GRAVEL_PROVIDER", "shm")], &[("GRAVEL_PROVIDER", "tcp")]];

fn c_program_passes(name: &str, ranks: usize) {
    c_program_passes_with(name, ranks, &[&[]]);
}

/// A program in C passes with each of these settings in its environment.
fn c_program_passes_with(name: &str, ranks: usize, settings: &[&[(&str, &str)]]) {
    native::with_each_mpi(|flavour| run_with_each(settings, flavour, ranks, &built_in_c(name, flavour)?));
}

/// A program in C.
fn built_in_c(name: &str, flavour: MpiFlavour) -> Result<PathBuf, String> {
    built_in_c_with(name, &[], flavour)
}

/// As [`built_in_c`], with these macros.
fn built_in_c_with(name: &str, macros: &[&str], flavour: MpiFlavour) -> Result<PathBuf, String> {
    let folder = native::scratch("shim", flavour)?;
    let program = folder.join(format!("{name}{}", macros.concat()));
    let compile = CommandLine::new(flavour.c_compiler())
        .args(["-O2", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"])
        .args(macros)
        .arg("-I")
        .arg(runtime_library::header_folder())
        .arg(source(&format!("{name}.c")))
        .arg("-o")
        .arg(&program);
    native::compile(link(compile)?, &folder)?;
    Ok(program)
}

/// Runs a program once with each of these settings in its environment.
fn run_with_each(
    settings: &[&[(&str, &str)]],
    flavour: MpiFlavour,
    ranks: usize,
    program: &Path,
) -> Result<(), String> {
    for &setting in settings {
        let environment: Vec<(&str, String)> = setting.iter().map(|&(name, value)| (name, value.to_owned())).collect();
        native::run_to_pass(flavour, ranks, program, &environment)
            .map_err(|message| format!("with {setting:?}: {message}"))?;
    }
    Ok(())
}

fn fortran_program_passes(name: &str, interface: &str, ranks: usize) {
    fortran_program_passes_with(name, interface, ranks, &[&[]]);
}

/// A program in Fortran passes with each of these settings in its environment.
fn fortran_program_passes_with(name: &str, interface: &str, ranks: usize, settings: &[&[(&str, &str)]]) {
    native::with_each_mpi(|flavour| {
        run_with_each(settings, flavour, ranks, &built_in_fortran(name, interface, flavour)?)
    });
}

/// A program in Fortran, built with one of MPI's interfaces.
fn built_in_fortran(name: &str, interface: &str, flavour: MpiFlavour) -> Result<PathBuf, String> {
    // A folder of its own: compilers leave module files behind.
    let folder = native::scratch("shim", flavour)?.join(format!("{name}{interface}"));
    let program = folder.join(name);
    let module = fortran_module(flavour)?;
    let compile = CommandLine::new(flavour.fortran_compiler())
        .args(["-O2", interface, "-I"])
        .arg(&module)
        .args(flavour.fortran_flags())
        .arg(source(&format!("{name}.F90")))
        .arg(module.join("gravel.o"))
        .arg("-o")
        .arg(&program);
    native::compile(link(compile)?, &folder)?;
    Ok(program)
}

/// The folder with the module `gravel` and its object, compiled once for each MPI: that takes longer than all else about a program.
fn fortran_module(flavour: MpiFlavour) -> Result<PathBuf, String> {
    static COMPILED: [OnceLock<Result<PathBuf, String>>; MpiFlavour::ALL.len()] = [const { OnceLock::new() }; 2];
    let place = MpiFlavour::ALL.iter().position(|&other| other == flavour).ok_or("an MPI that is not listed")?;
    let compiled = COMPILED[place].get_or_init(|| {
        let folder = native::scratch("shim", flavour)?.join("module");
        let compile = CommandLine::new(flavour.fortran_compiler())
            .args(["-O2", "-c"])
            .args(flavour.fortran_flags())
            .arg(runtime_library::fortran_module())
            .args(["-o", "gravel.o"]);
        native::compile(compile, &folder)?;
        Ok(folder)
    });
    compiled.clone()
}

#[test]
fn protocols_in_c() {
    let [shm, tcp] = EITHER_NETWORK;
    c_program_passes_with("protocols", 3, &[shm, tcp, &[("GRAVEL_CHECK", "1")]]);
}

#[test]
fn protocols_in_fortran_with_mpif_h() {
    fortran_program_passes_with("protocols", "-DWITH_MPIF_H", 3, &EITHER_NETWORK[1..]);
}

#[test]
fn protocols_in_fortran_with_the_module_mpi() {
    fortran_program_passes_with("protocols", "-DWITH_MPI", 3, &EITHER_NETWORK[..1]);
}

#[test]
fn protocols_in_fortran_with_the_module_mpi_f08() {
    fortran_program_passes_with("protocols", "-DWITH_F08", 3, &EITHER_NETWORK[1..]);
}

#[test]
fn posts_that_fail_leave_their_errors_to_what_ends_them() {
    fortran_program_passes_with("failed_posts", "-DWITH_MPI", 2, &EITHER_NETWORK);
    fortran_program_passes("failed_posts", "-DWITH_F08", 2);
}

/// Open MPI reads long messages out of its sender's memory where it can, and needs no progress there: it shall not.
#[test]
fn waits_let_mpi_progress_and_waits_of_mpi_gravel() {
    let settings = EITHER_NETWORK.map(|network| {
        let open_mpi = [("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", "self,tcp")];
        network.iter().copied().chain(open_mpi).collect::<Vec<_>>()
    });
    c_program_passes_with("progress", 2, &settings.each_ref().map(Vec::as_slice));
}

#[test]
fn communicators_in_c() {
    c_program_passes("communicators", 4);
}

#[test]
fn gravel_init_on_a_part_of_the_world() {
    c_program_passes("part_of_the_world", 4);
}

#[test]
fn more_ranks_than_processors() {
    c_program_passes("many_ranks", 24);
}

#[test]
fn wrong_use_in_c() {
    let forgetful: &[_] = &[("FORGET_GRAVEL_FINALIZE", "1")];
    c_program_passes_with("wrong_use", 2, &[&[], &[("GRAVEL_CHECK", "1")], forgetful]);
}

#[test]
fn wrong_use_in_fortran() {
    fortran_program_passes("wrong_use", "-DWITH_MPI", 2);
}

/// Whether exchanges are overlapped.
const OVERLAPS: [&[(&str, &str)]; 4] = [
    &[],
    &[("GRAVEL_OVERLAP", "always")],
    &[("GRAVEL_OVERLAP", "never"), ("GRAVEL_CHECK", "1")],
    &[("GRAVEL_PROVIDER", "tcp"), ("GRAVEL_STATS", "1")],
];

#[test]
fn worth_of_overlap_in_c() {
    c_program_passes_with("overlap", 2, &OVERLAPS);
}

#[test]
fn worth_of_overlap_in_fortran() {
    fortran_program_passes_with("overlap", "-DWITH_MPI", 2, &OVERLAPS[..2]);
    fortran_program_passes_with("overlap", "-DWITH_F08", 2, &OVERLAPS[2..]);
}

/// What requests of Gravel and of MPI are tried with.
const REQUEST_SETTINGS: [&[(&str, &str)]; 3] = [EITHER_NETWORK[0], EITHER_NETWORK[1], &[("GRAVEL_CHECK", "1")]];

#[test]
fn requests_of_gravel_and_mpi_in_c() {
    c_program_passes_with("requests", 2, &REQUEST_SETTINGS);
}

#[test]
fn requests_of_gravel_and_mpi_in_fortran_with_mpif_h() {
    fortran_program_passes_with("requests", "-DWITH_MPIF_H", 2, &REQUEST_SETTINGS[1..]);
}

#[test]
fn requests_of_gravel_and_mpi_in_fortran_with_the_module_mpi() {
    fortran_program_passes_with("requests", "-DWITH_MPI", 2, &REQUEST_SETTINGS[..1]);
}

#[test]
fn requests_of_gravel_and_mpi_in_fortran_with_the_module_mpi_f08() {
    fortran_program_passes_with("requests", "-DWITH_F08", 2, &REQUEST_SETTINGS[1..]);
}

#[test]
fn communicators_that_are_not_attached_are_mpis() {
    c_program_passes_with("left_to_mpi", 2, &REQUEST_SETTINGS);
}

/// Tiles as the runtime would cut them for longer messages, too.
const CUT: &[(&str, &str)] = &[("GRAVEL_TILE", "700")];

#[test]
fn datatypes_that_only_the_runtime_knows() {
    let [shm, tcp] = EITHER_NETWORK;
    fortran_program_passes_with("unknown_types", "-DWITH_MPI", 2, &[shm, tcp, CUT, &[("GRAVEL_CHECK", "1")]]);
}

#[test]
fn nobody_and_communicators_that_are_special() {
    c_program_passes_with("special_arguments", 2, &REQUEST_SETTINGS);
}

#[test]
fn an_mpi_whose_requests_look_like_those_of_gravel_is_refused() {
    c_program_passes("requests_meet", 1);
}

/// The line of standard error that names a rank's wait, and the function that it is made in.
fn assert_named(said: &str, wait: &str, function: &str) -> Result<(), String> {
    let is_named = |line: &str| line.contains(wait) && line.contains(&format!("in {function}"));
    if said.lines().any(is_named) { Ok(()) } else { Err(format!("no {wait} in {function} is named:\n{said}")) }
}

#[test]
fn what_never_comes_is_named_in_c() {
    native::with_each_mpi(|flavour| {
        let program = built_in_c("never_sent", flavour)?;
        for network in ["shm", "tcp"] {
            let environment = [("GRAVEL_CHECK", "1".to_owned()), ("GRAVEL_PROVIDER", network.to_owned())];
            let finished = native::run(flavour, 2, &program, &environment)?;
            if finished.stdout_text() != "passed\n" {
                return Err(native::described(&finished));
            }
            let said = finished.stderr_text();
            assert_named(&said, "gravel_wait", "await_message")?;
            assert_named(&said, "gravel_wait", "await_receive")?;
            assert_named(&said, "this rank is in call 1, gravel_finalize", "main")?;
        }
        Ok(())
    });
}

#[test]
fn what_never_comes_is_named_in_fortran() {
    native::with_each_mpi(|flavour| {
        for interface in ["-DWITH_MPIF_H", "-DWITH_MPI", "-DWITH_F08"] {
            let program = built_in_fortran("never_sent", interface, flavour)?;
            let finished = native::run(flavour, 2, &program, &[("GRAVEL_CHECK", "1".to_owned())])?;
            if finished.stdout_text() != "passed\n" {
                return Err(native::described(&finished));
            }
            let said = finished.stderr_text();
            // Compilers may make it a part of its host.
            assert_named(&said, "this rank waits since", "")?;
            assert_named(&said, "gravel_finalize", "")?;
            if said.contains("gravel_MOD") || said.contains("gravel.f90") {
                return Err(format!("a call of the interface passes for one of the program: {said}"));
            }
        }
        Ok(())
    });
}

/// A trace is there when MPI_Abort has ended the program; one that could not be written is an error of gravel_init.
#[test]
fn traces_outlive_mpi_abort() {
    native::with_each_mpi(|flavour| {
        let program = built_in_fortran("aborts", "-DWITH_MPI", flavour)?;
        outlives_abort(flavour, &program)?;
        ["GRAVEL_TRACE", "GRAVEL_STATS"].iter().try_for_each(|name| ends_at_its_beginning(flavour, &program, name))
    });
}

fn outlives_abort(flavour: MpiFlavour, program: &Path) -> Result<(), String> {
    let folder = native::scratch("shim", flavour)?.join("traces");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let environment = [("GRAVEL_TRACE", folder.join("trace.json").display().to_string())];
    let finished = native::run(flavour, 2, program, &environment)?;
    if finished.succeeded() {
        return Err(native::described(&finished));
    }
    for rank in 0..2 {
        let file = folder.join(format!("trace.json.{rank}"));
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let trace: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let events = trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
        let waits = events.iter().filter(|event| event["name"] == "gravel_wait").count();
        if waits < 20 {
            return Err(format!("rank {rank} has left {waits} waits"));
        }
    }
    Ok(())
}

/// With an output that can't be written.
fn ends_at_its_beginning(flavour: MpiFlavour, program: &Path, name: &str) -> Result<(), String> {
    let finished = native::run(flavour, 2, program, &[(name, "/nowhere/at/all".to_owned())])?;
    let expected = format!("rank 0: gravel_init: {name}: /nowhere/at/all cannot be written: No such file or directory");
    let is_named = finished.stderr_text().contains(&expected);
    if is_named && !finished.succeeded() { Ok(()) } else { Err(native::described(&finished)) }
}

/// Where SOAK asks for the long form, as in the soak of the runtime: whole messages on either network. They need few megabytes
/// of memory and some seconds.
fn large_messages() -> Vec<&'static [(&'static str, &'static str)]> {
    match std::env::var_os("SOAK") {
        None => vec![&[]],
        Some(_) => vec![
            &[],
            &[("GRAVEL_PROVIDER", "shm"), ("LARGE_MESSAGES", "all")],
            &[("GRAVEL_PROVIDER", "tcp"), ("LARGE_MESSAGES", "all")],
        ],
    }
}

#[test]
fn counts_of_more_than_two_gigabytes_in_c() {
    c_program_passes_with("large", 2, &large_messages());
}

#[test]
fn counts_of_more_than_two_gigabytes_in_fortran() {
    fortran_program_passes_with("large", "-DWITH_MPI", 2, &large_messages());
}

#[test]
fn datatypes_in_c() {
    c_program_passes("datatypes", 2);
}

#[test]
fn datatypes_with_gaps_in_c() {
    let [shm, tcp] = EITHER_NETWORK;
    c_program_passes_with("gaps", 3, &[shm, tcp, &[("GRAVEL_CHECK", "1")]]);
}

#[test]
fn datatypes_with_gaps_in_fortran_with_mpif_h() {
    fortran_program_passes("gaps", "-DWITH_MPIF_H", 3);
}

#[test]
fn datatypes_with_gaps_in_fortran_with_the_module_mpi() {
    fortran_program_passes("gaps", "-DWITH_MPI", 3);
}

#[test]
fn datatypes_with_gaps_in_fortran_with_the_module_mpi_f08() {
    fortran_program_passes("gaps", "-DWITH_F08", 3);
}

#[test]
fn fortran_with_mpif_h() {
    fortran_program_passes("attach", "-DWITH_MPIF_H", 4);
}

#[test]
fn fortran_with_the_module_mpi() {
    fortran_program_passes("attach", "-DWITH_MPI", 4);
}

#[test]
fn fortran_with_the_module_mpi_f08() {
    fortran_program_passes("attach", "-DWITH_F08", 4);
}

#[test]
fn exchanges_in_c() {
    c_program_passes("alltoall", 4);
}

#[test]
fn exchanges_in_fortran_with_mpif_h() {
    fortran_program_passes("alltoall", "-DWITH_MPIF_H", 4);
}

#[test]
fn exchanges_in_fortran_with_the_module_mpi() {
    fortran_program_passes("alltoall", "-DWITH_MPI", 4);
}

#[test]
fn exchanges_in_fortran_with_the_module_mpi_f08() {
    fortran_program_passes("alltoall", "-DWITH_F08", 4);
}

/// One attribute key per language: values are stored in different ways.
#[test]
fn c_and_fortran_in_one_program() {
    native::with_each_mpi(|flavour| {
        let folder = native::scratch("shim", flavour)?.join("mixed");
        let (object, program) = (folder.join("mixed.o"), folder.join("mixed"));
        let compile = CommandLine::new(flavour.c_compiler())
            .args(["-O2", "-Wall", "-Werror", "-c", "-I"])
            .arg(runtime_library::header_folder())
            .arg(source("mixed.c"))
            .arg("-o")
            .arg(&object);
        native::compile(compile, &folder)?;
        let compile = CommandLine::new(flavour.fortran_compiler())
            .args(["-O2"])
            .args(flavour.fortran_flags())
            .arg(runtime_library::fortran_module())
            .arg(source("mixed.f90"))
            .arg(&object)
            .arg("-o")
            .arg(&program);
        native::compile(link(compile)?, &folder)?;
        native::run_to_pass(flavour, 2, &program, &[])
    });
}

#[test]
fn the_fortran_module_compiles_without_a_warning() {
    native::with_each_mpi(|flavour| {
        let kinds: [&[&str]; 4] = [
            &[],
            &["-fdefault-integer-8"],
            &["-fdefault-real-8"],
            &["-fdefault-integer-8", "-fdefault-real-8", "-fdefault-double-8"],
        ];
        for (position, flags) in kinds.into_iter().enumerate() {
            let compile = CommandLine::new(flavour.fortran_compiler())
                // Some warnings come with optimisation; they don't depend on the kinds.
                .arg(if position == 0 { "-O2" } else { "-fsyntax-only" })
                .args(["-Wall", "-Wextra", "-Werror", "-std=f2018", "-c"])
                // MPI says which arguments the callbacks of attributes have.
                .arg("-Wno-unused-dummy-argument")
                .args(flags)
                .arg(runtime_library::fortran_module());
            // Not where the other tests have their module: that one has default kinds.
            native::compile(compile, &native::scratch("shim", flavour)?.join("module-warnings"))?;
        }
        Ok(())
    });
}

/// The library that carries the messages of programs as they are.
fn preload_library(flavour: MpiFlavour) -> Result<PathBuf, String> {
    let folder = native::scratch("preload", flavour)?;
    let library = folder.join("libgravel_mpi.so");
    let compile = CommandLine::new(flavour.c_compiler())
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-Wl,--exclude-libs,ALL", "-I"])
        .arg(runtime_library::header_folder())
        .arg(runtime_library::preload_source())
        .arg("-o")
        .arg(&library);
    native::compile(link(compile)?, &folder)?;
    Ok(library)
}

/// A program that knows nothing of Gravel passes by itself, and with the library before MPI.
fn passes_with_and_without_the_library(flavour: MpiFlavour, program: &Path) -> Result<(), String> {
    native::run_to_pass(flavour, 2, program, &[]).map_err(|message| format!("with MPI alone: {message}"))?;
    let library = preload_library(flavour)?.display().to_string();
    for setting in [("GRAVEL_PROVIDER", "shm"), ("GRAVEL_PROVIDER", "tcp"), ("GRAVEL_CHECK", "1")] {
        let environment = [("LD_PRELOAD", library.clone()), (setting.0, setting.1.to_owned())];
        native::run_to_pass(flavour, 2, program, &environment)
            .map_err(|message| format!("with {setting:?}: {message}"))?;
    }
    // It carries something.
    let environment = [("LD_PRELOAD", library), ("GRAVEL_STATS", "1".to_owned())];
    let finished = native::run(flavour, 2, program, &environment)?;
    let said = finished.stderr_text();
    if said.contains("messages sent") { Ok(()) } else { Err(format!("Gravel has carried nothing: {said}")) }
}

#[test]
fn point_to_point_in_c() {
    let [shm, tcp] = EITHER_NETWORK;
    native::with_each_mpi(|flavour| {
        let program = built_in_c_with("point_to_point", &["-DWITH_GRAVEL"], flavour)?;
        run_with_each(&[shm, tcp, &[("GRAVEL_CHECK", "1")]], flavour, 2, &program)
    });
}

#[test]
fn point_to_point_in_fortran_with_mpif_h() {
    fortran_program_passes_with("point_to_point", "-DWITH_MPIF_H", 2, &EITHER_NETWORK);
}

#[test]
fn point_to_point_in_fortran_with_the_module_mpi() {
    let [shm, tcp] = EITHER_NETWORK;
    fortran_program_passes_with("point_to_point", "-DWITH_MPI", 2, &[shm, tcp, &[("GRAVEL_CHECK", "1")]]);
}

#[test]
fn point_to_point_in_fortran_with_the_module_mpi_f08() {
    fortran_program_passes_with("point_to_point", "-DWITH_F08", 2, &EITHER_NETWORK);
}

#[test]
fn programs_in_c_run_as_they_are() {
    native::with_each_mpi(|flavour| {
        let program = built_in_c_with("point_to_point", &["-DAS_IT_IS"], flavour)?;
        passes_with_and_without_the_library(flavour, &program)
    });
}

/// Whatever two ranks do, messages meet receives as MPI says. (Open MPI 4.1 alone ends in
/// a segmentation fault of its MPI_Cancel, so there is no run without the library.)
#[test]
fn messages_meet_receives_as_mpi_says() {
    native::with_each_mpi(|flavour| {
        let program = built_in_c_with("matching", &[], flavour)?;
        let library = preload_library(flavour)?.display().to_string();
        for setting in [("GRAVEL_PROVIDER", "shm"), ("GRAVEL_PROVIDER", "tcp"), ("GRAVEL_CHECK", "1")] {
            let environment = [("LD_PRELOAD", library.clone()), (setting.0, setting.1.to_owned())];
            native::run_to_pass(flavour, 2, &program, &environment)
                .map_err(|message| format!("with {setting:?}: {message}"))?;
        }
        Ok(())
    });
}

#[test]
fn programs_in_fortran_run_as_they_are() {
    for interface in ["-DWITH_MPIF_H", "-DWITH_MPI", "-DWITH_F08"] {
        native::with_each_mpi(|flavour| {
            let folder = native::scratch("preload", flavour)?.join(interface);
            let program = folder.join("preloaded");
            let compile = CommandLine::new(flavour.fortran_compiler())
                .args(["-O2", interface])
                .args(flavour.fortran_flags())
                .arg(source("preloaded.F90"))
                .arg("-o")
                .arg(&program);
            native::compile(compile, &folder)?;
            passes_with_and_without_the_library(flavour, &program)
        });
    }
}

#[test]
fn the_header_is_c_plus_plus_too() {
    native::with_each_mpi(|flavour| {
        let compile = CommandLine::new(flavour.cxx_compiler())
            // The MPIs' own headers have casts of the old style.
            .args([
                "-x",
                "c++",
                "-std=c++11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-cast-function-type",
                "-fsyntax-only",
                "-I",
            ])
            .arg(runtime_library::header_folder())
            .arg(source("part_of_the_world.c"));
        native::compile(compile, &native::scratch("shim", flavour)?)
    });
}
