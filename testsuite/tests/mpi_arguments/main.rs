//! The compiler's table of MPI's routines says of their arguments what the interfaces of the MPIs at hand say: how many there
//! are, how they are called and in which order, which are read and which are written, and of what kind those are that the
//! compiler knows by their names.

mod fortran_module;
mod prototypes;

use std::collections::BTreeSet;

use gravelc::mpi::arguments::Argument;
use gravelc::mpi::routines::{self, Routine};
use testsuite::mpi_flavour::MpiFlavour;
use testsuite::native::with_each_mpi;

use self::fortran_module::{Dummy, Intent, Kind, Module};
use self::prototypes::Parameter;

/// What an interface has behind the names of its specific procedures, longest first.
const ENDINGS: &[&str] = &["_f08ts_large", "_f08_large", "_f08ts", "_f08", "_cptr"];

/// Fewer routines than this were not all that the interface has.
const FEWEST_ROUTINES: usize = 190;

/// Procedures of the modules that are not routines of MPI, by how their names end: functions that programs hand over and their
/// interfaces, comparisons of handles, specific procedures of `mpi_sizeof`.
const NOT_ROUTINES: &[&str] =
    &["_function", "_function_c", "_fn", "_fn_null", "_fn_null_c", "_eq", "_neq", "_eq_f08", "_neq_f08"];

/// Arguments that an interface calls otherwise than the standard does: where, how, and the standard's name.
const OTHER_NAMES: &[(&str, &str, &str)] = &[
    ("mpi_aint_add", "diff", "disp"),
    ("mpi_buffer_detach", "buffer", "buffer_addr"),
    ("mpi_cart_create", "old_comm", "comm_old"),
    ("mpi_cart_sub", "new_comm", "newcomm"),
    ("mpi_comm_create_errhandler", "function", "comm_errhandler_fn"),
    ("mpi_comm_get_errhandler", "erhandler", "errhandler"),
    ("mpi_errhandler_create", "comm_errhandler_fn", "handler_fn"),
    ("mpi_file_create_errhandler", "function", "file_errhandler_fn"),
    ("mpi_graph_create", "indx", "index"),
    ("mpi_graph_get", "indx", "index"),
    ("mpi_graph_map", "indx", "index"),
    ("mpi_init_thread", "v0", "required"),
    ("mpi_init_thread", "v1", "provided"),
    ("mpi_intercomm_create", "bridge_comm", "peer_comm"),
    ("mpi_intercomm_merge", "newintercomm", "newintracomm"),
    ("mpi_op_create", "function", "user_fn"),
    ("mpi_precv_init", "dest", "source"),
    ("mpi_reduce_local", "inout", "inoutbuf"),
    ("mpi_rsend", "ibuf", "buf"),
    ("mpi_testany", "indx", "index"),
    ("mpi_type_create_darray", "darg_array", "array_of_dargs"),
    ("mpi_type_create_darray", "distrib_array", "array_of_distribs"),
    ("mpi_type_create_darray", "gsize_array", "array_of_gsizes"),
    ("mpi_type_create_darray", "psize_array", "array_of_psizes"),
    ("mpi_type_create_struct", "array_of_block_lengths", "array_of_blocklengths"),
    ("mpi_type_create_subarray", "size_array", "array_of_sizes"),
    ("mpi_type_create_subarray", "start_array", "array_of_starts"),
    ("mpi_type_create_subarray", "subsize_array", "array_of_subsizes"),
    ("mpi_type_dup", "datatype", "oldtype"),
    ("mpi_type_set_attr", "attr_val", "attribute_val"),
    ("mpi_waitany", "indx", "index"),
    ("mpi_win_create_errhandler", "function", "win_errhandler_fn"),
    ("mpi_win_get_info", "comm", "win"),
    ("mpi_win_get_info", "info", "info_used"),
    ("mpi_win_set_info", "comm", "win"),
    ("mpi_status_c2f08", "status_c", "c_status"),
    ("mpi_status_c2f08", "status_f08", "f08_status"),
    ("mpi_status_f082c", "status_c", "c_status"),
    ("mpi_status_f082c", "status_f08", "f08_status"),
];

/// Arguments that the table has as written, though the call itself writes nothing: what becomes of that memory after it.
const WRITTEN_LATER: &[(&str, &str)] = &[
    // Buffered sends copy there.
    ("mpi_buffer_attach", "buffer"),
    ("mpi_free_mem", "base"),
    // Other processes store there.
    ("mpi_win_attach", "base"),
    ("mpi_win_create", "base"),
    ("mpi_win_detach", "base"),
];

/// Arguments with an INTENT(IN) by mistake: the standard has them as results.
const WRONG_INTENTS: &[(&str, &str)] = &[("mpi_precv_init", "buf"), ("mpi_win_get_info", "info_used")];

/// Arguments that an interface declares with another type than the standard.
const WRONG_TYPES: &[(&str, &str)] = &[("mpi_parrived", "flag")];

/// Arguments that are only read, though C's prototype has a pointer without `const`: memory of which MPI takes no more than the
/// address, and parameters that were not given a `const` for the sake of older programs.
const READ_BY_C: &[(&str, &str)] = &[
    ("mpi_address", "location"),
    ("mpi_attr_put", "attribute_val"),
    ("mpi_cancel", "request"),
    ("mpi_comm_create_keyval", "extra_state"),
    ("mpi_comm_set_attr", "attribute_val"),
    ("mpi_comm_spawn", "argv"),
    ("mpi_comm_spawn_multiple", "array_of_argv"),
    ("mpi_comm_spawn_multiple", "array_of_commands"),
    ("mpi_grequest_start", "extra_state"),
    ("mpi_group_range_excl", "ranges"),
    ("mpi_group_range_incl", "ranges"),
    ("mpi_keyval_create", "extra_state"),
    ("mpi_pready_list", "array_of_partitions"),
    ("mpi_register_datarep", "extra_state"),
    ("mpi_type_create_keyval", "extra_state"),
    ("mpi_type_hindexed", "array_of_blocklengths"),
    ("mpi_type_hindexed", "array_of_displacements"),
    ("mpi_type_set_attr", "attribute_val"),
    ("mpi_type_struct", "array_of_blocklengths"),
    ("mpi_type_struct", "array_of_displacements"),
    ("mpi_type_struct", "array_of_types"),
    ("mpi_win_create_keyval", "extra_state"),
    ("mpi_win_set_attr", "attribute_val"),
];

/// Routines that have other arguments in C: the command line, any number of them.
const OTHERWISE_IN_C: &[&str] = &["mpi_info_create_env", "mpi_init", "mpi_init_thread", "mpi_pcontrol"];

/// The kinds of arguments that the compiler knows by their names (`frontend/fortran/lower/mpi_calls.rs`).
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Choice, &["buf", "sendbuf", "recvbuf", "inbuf", "outbuf", "inoutbuf", "location", "origin_addr"]),
    (Kind::Integer, &["count", "incount", "outcount", "sendcount", "recvcount", "sendcounts", "recvcounts", "sdispls"]),
    (Kind::Integer, &["rdispls", "source", "dest", "tag", "sendtag", "recvtag", "index", "array_of_indices", "root"]),
    (Kind::Logical, &["flag"]),
    (Kind::Handle("mpi_comm"), &["comm", "newcomm", "comm_old"]),
    (Kind::Handle("mpi_datatype"), &["datatype", "sendtype", "recvtype", "oldtype", "newtype"]),
    (Kind::Handle("mpi_request"), &["request", "array_of_requests"]),
    (Kind::Handle("mpi_message"), &["message"]),
    (Kind::Handle("mpi_errhandler"), &["errhandler"]),
    (Kind::Handle("mpi_status"), &["status", "array_of_statuses"]),
];

/// Choice buffers of routines that send and receive nothing by them.
const OTHER_CHOICES: &[&str] = &["base", "baseptr", "buffer", "buffer_addr", "compare_addr", "result_addr", "x"];

#[test]
fn every_argument_is_as_the_fortran_modules_have_it() {
    with_each_mpi(|flavour| {
        let mut wrong = Vec::new();
        for name in ["mpi", "mpi_f08"] {
            let module = Module::read(flavour, name)?;
            let mut routines = BTreeSet::new();
            for (procedure, dummies) in module.procedures() {
                // Of those that Fortran lacks, for all that the standard says, the table has C's arguments.
                let in_table = in_table(procedure).filter(|(routine, _)| routines::is_in_fortran(routine));
                let Some((routine, entry)) = in_table else { continue };
                routines.insert(routine.clone());
                let problems = entry.forms.iter().map(|form| of_module(&routine, form, dummies, name == "mpi_f08"));
                wrong.extend(in_no_form(problems).into_iter().map(|why| format!("{name}: {procedure}: {why}")));
            }
            if routines.len() < FEWEST_ROUTINES {
                return Err(format!("the module `{name}` has only {} routines", routines.len()));
            }
        }
        said(&wrong)
    });
}

#[test]
fn every_argument_is_as_the_prototypes_of_c_have_it() {
    with_each_mpi(|flavour: MpiFlavour| {
        let found = prototypes::read(flavour)?;
        let mut wrong = Vec::new();
        let mut routines = 0;
        for (name, parameters) in &found {
            let Some((routine, entry)) = in_table(name) else { continue };
            // The table has no arguments of those that Fortran lacks.
            if !routines::is_in_fortran(&routine) || OTHERWISE_IN_C.contains(&routine.as_str()) {
                continue;
            }
            routines += 1;
            let problems = entry.forms.iter().map(|form| of_prototype(&routine, form, parameters));
            wrong.extend(in_no_form(problems).into_iter().map(|why| format!("{name}: {why}")));
        }
        if routines < FEWEST_ROUTINES {
            return Err(format!("`mpi.h` has only {routines} routines"));
        }
        said(&wrong)
    });
}

fn said(wrong: &[String]) -> Result<(), String> {
    match wrong {
        [] => Ok(()),
        wrong => Err(format!("routines.txt has it otherwise:\n{}", wrong.join("\n"))),
    }
}

/// The routine that a name of an interface (in lower case) stands for.
fn in_table(name: &str) -> Option<(String, &'static Routine)> {
    if NOT_ROUTINES.iter().any(|ending| name.ends_with(ending)) || name.starts_with("mpi_sizeof_") {
        return None;
    }
    let routine = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    // The form for large counts has the same arguments.
    let routine = routine.strip_suffix("_c").filter(|short| routines::is_known(short)).unwrap_or(routine);
    routines::is_known(routine).then(|| (routine.to_owned(), routines::find(routine)))
}

/// What is wrong with all forms that a routine has: that of the one that fits best.
fn in_no_form(problems: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    problems.min_by_key(Vec::len).unwrap_or_default()
}

fn is_listed(list: &[(&str, &str)], routine: &str, argument: &str) -> bool {
    list.contains(&(routine, argument))
}

/// Where a list of arguments differs from that of a Fortran module.
fn of_module(routine: &str, form: &[Argument], dummies: &[Dummy], is_f08: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let (dummies, error) = match dummies.split_last() {
        Some((last, others)) if ["ierror", "ierr"].contains(&last.name.as_str()) => (others, Some(last)),
        _ => (dummies, None),
    };
    if let Some(error) = error {
        let is_right = error.kind == Kind::Integer && error.intent != Intent::In && error.is_optional == is_f08;
        if !is_right {
            wrong.push(format!("{error:?} is no error code"));
        }
    }
    if form.len() != dummies.len() {
        wrong.push(format!("it has {} arguments, not {}", dummies.len(), form.len()));
    }
    for (argument, dummy) in form.iter().zip(dummies) {
        let Argument { name, is_read, is_written } = *argument;
        if name != dummy.name && !OTHER_NAMES.contains(&(routine, &dummy.name, name)) {
            wrong.push(format!("`{name}` is called `{}`", dummy.name));
        }
        // An INTENT(OUT) that the table has as read, too, is careful: a receive may leave a part of a buffer as it was.
        let is_right = match dummy.intent {
            Intent::In if is_listed(WRONG_INTENTS, routine, name) => is_written,
            Intent::In => is_read && (!is_written || is_listed(WRITTEN_LATER, routine, name)),
            Intent::Out => is_written,
            Intent::InOut => is_written && (is_read || !is_f08 || dummy.kind == Kind::Choice),
            // `mpi_f08` says nothing of statuses, in whose place constants may stand. Of buffers C says more.
            Intent::Unknown => is_written || dummy.kind != Kind::Derived("mpi_status".to_owned()),
        };
        if !is_right {
            wrong.push(format!("`{name}` is {:?}, but read: {is_read}, written: {is_written}", dummy.intent));
        }
        if argument.is_function() != (dummy.kind == Kind::Procedure) && dummy.kind != Kind::Unknown {
            wrong.push(format!("`{name}` is {:?}, but a function: {}", dummy.kind, argument.is_function()));
        }
        let kind = KINDS.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| kind.clone());
        if let Some(kind) = kind
            && !dummy.kind.may_be(&kind)
            && !is_listed(WRONG_TYPES, routine, name)
        {
            wrong.push(format!("`{name}` is {:?}, not {kind:?}", dummy.kind));
        }
        let is_buffer = KINDS.iter().any(|(kind, names)| *kind == Kind::Choice && names.contains(&name));
        if dummy.kind == Kind::Choice && !is_buffer && !OTHER_CHOICES.contains(&name) {
            wrong.push(format!("`{name}` is a choice buffer"));
        }
    }
    wrong
}

/// Where a list of arguments differs from C's prototype.
fn of_prototype(routine: &str, form: &[Argument], parameters: &[Parameter]) -> Vec<String> {
    if form.len() != parameters.len() {
        return vec![format!("it has {} parameters, not {}", parameters.len(), form.len()); parameters.len().max(1)];
    }
    let mut wrong = Vec::new();
    for (&Argument { name, is_written, .. }, parameter) in form.iter().zip(parameters) {
        let is_right = match parameter.may_be_written {
            true => is_written || is_listed(READ_BY_C, routine, name),
            false => !is_written || is_listed(WRITTEN_LATER, routine, name),
        };
        if !is_right {
            wrong.push(format!("`{}`, but written: {is_written}", parameter.text));
        }
    }
    wrong
}

#[test]
fn wrong_roles_names_and_orders_are_noticed() {
    with_each_mpi(|flavour| {
        let module = Module::read(flavour, "mpi_f08")?;
        let is_wait = |name: &str| in_table(name).is_some_and(|(routine, _)| routine == "mpi_wait");
        let (_, dummies) = module.procedures().find(|(name, _)| is_wait(name)).ok_or("no `mpi_wait`")?;
        let right = routines::find("mpi_wait").forms[0].clone();
        let unread = Argument { is_read: false, ..right[0] };
        let unwritten = Argument { is_written: false, ..right[1] };
        let misnamed = Argument { name: "statuses", ..right[1] };
        let cases = [
            (right.clone(), 0),
            (vec![unread, right[1]], 1),
            (vec![right[0], unwritten], 1),
            (vec![right[0], misnamed], 1),
            (vec![right[1], right[0]], 2),
            (vec![right[0]], 1),
        ];
        for (form, least) in cases {
            let wrong = of_module("mpi_wait", &form, dummies, true);
            if wrong.len() < least || least == 0 && !wrong.is_empty() {
                return Err(format!("{form:?}: {wrong:?}"));
            }
        }
        let prototypes = prototypes::read(flavour)?;
        let send = prototypes.get("mpi_send").ok_or("no prototype of `MPI_Send`")?;
        let mut form = routines::find("mpi_send").forms[0].clone();
        if !of_prototype("mpi_send", &form, send).is_empty() {
            return Err("MPI_Send is as the table has it".to_owned());
        }
        form[0].is_written = true;
        match of_prototype("mpi_send", &form, send).as_slice() {
            [_] => Ok(()),
            wrong => Err(format!("a send that writes its buffer: {wrong:?}")),
        }
    });
}
