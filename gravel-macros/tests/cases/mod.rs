//! Programs whose output must not depend on the attribute, on the number of tiles, or on the interconnect.
//!
//! `overlap!` stands for the attribute, `part!` for the macro around a part of a function: in one half of the tests they are there, in the
//! other not. `either!` takes the one or the other. Each program says in `log` what
//! it has computed. Those that are traps are named so: a careless version of the macro changes their results.

pub mod choices;
pub mod exchanges;
pub mod forms;
pub mod halos;
pub mod iterators;
pub mod moves;
pub mod places;
pub mod rows;
pub mod shapes;
pub mod traps;
pub mod traps_of_elements;
pub mod traps_of_exchanges;
pub mod traps_of_names;

use std::error::Error;

use gravel::Gravel;

/// What a program says.
pub type Log = Vec<String>;
/// A program.
pub type Case = fn(&Gravel, &mut Log) -> Result<(), Box<dyn Error>>;

/// The ranks behind and before this one in a ring.
pub fn neighbours(comm: &Gravel) -> (usize, usize) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    ((rank + 1) % ranks, (rank + ranks - 1) % ranks)
}

/// Numbers that depend on rank and place, of several magnitudes so that rounding shows an order.
pub fn numbers(comm: &Gravel, count: usize) -> Vec<f64> {
    let rank = comm.rank();
    (0..count).map(|i| ((i * 37 + rank * 11) % 101) as f64 * 1.1f64.powi((i % 23) as i32) - 7.0).collect()
}

/// Set where long messages are sent, too: in tiles of one iteration they take long.
pub const LONG: &str = "OVERLAP_LONG";

/// The lengths of messages that are wanted.
pub fn lengths(all: &[usize]) -> Vec<usize> {
    let longest = if std::env::var_os(LONG).is_some() { usize::MAX } else { 2000 };
    all.iter().copied().filter(|&length| length <= longest).collect()
}

/// A number for all bits of the values.
pub fn bits(values: &[f64]) -> u64 {
    values.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, value| {
        (sum.rotate_left(5) ^ value.to_bits()).wrapping_mul(0x1_0000_01b3)
    })
}

/// Runs a program that may panic, and says how it ended.
pub fn caught(log: &mut Log, name: &str, body: impl FnOnce() -> Result<(), Box<dyn Error>>) {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let hook = std::panic::take_hook();
    let heard = said.clone();
    std::panic::set_hook(Box::new(move |info| *heard.lock().unwrap() = info.to_string()));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    std::panic::set_hook(hook);
    let said = said.lock().unwrap().clone();
    log.push(match outcome {
        Ok(Ok(())) => format!("{name}: ok"),
        Ok(Err(error)) => format!("{name}: {error}"),
        Err(_) => format!("{name}: {said}"),
    });
}

/// All programs.
pub const CASES: &[(&str, Case)] = &[
    ("ring", shapes::ring),
    ("send_alone", shapes::send_alone),
    ("receive_alone", shapes::receive_alone),
    ("wavefront", shapes::wavefront),
    ("rows", shapes::rows),
    ("method", shapes::method),
    ("sections", shapes::sections),
    ("head_is_final", shapes::head_is_final),
    ("integers", shapes::integers),
    ("generic", shapes::generic),
    ("nobody", shapes::nobody),
    ("stencil", shapes::stencil),
    ("inclusive", shapes::inclusive),
    ("in_branches", shapes::in_branches),
    ("conditional_write", shapes::conditional_write),
    ("values_leave", moves::values_leave),
    ("other_endings", moves::other_endings),
    ("time_loop", moves::time_loop),
    ("reduction", moves::reduction),
    ("two_buffers", moves::two_buffers),
    ("two_messages", moves::two_messages),
    ("shorter_message", moves::shorter_message),
    ("renamed_crate", moves::renamed_crate),
    ("pure_function", moves::pure_function),
    ("statuses", moves::statuses),
    ("iterators", iterators::iterators),
    ("forms", forms::forms),
    ("options", forms::options),
    ("traps_of_forms", forms::traps_of_forms),
    ("rows_of_arrays", rows::rows_of_arrays),
    ("traps_of_rows", rows::traps_of_rows),
    ("halos", halos::halos),
    ("traps_of_halos", halos::traps_of_halos),
    ("choices", choices::choices),
    ("in_order", choices::in_order),
    ("holders", places::holders),
    ("chosen", places::chosen),
    ("parts", places::parts),
    ("exchanges", exchanges::exchanges),
    ("several_open", exchanges::several_open),
    ("exchanges_with_counts", exchanges::exchanges_with_counts),
    ("traps_of_exchanges", traps_of_exchanges::traps_of_exchanges),
    ("panics_in_exchanges", traps_of_exchanges::panics_in_exchanges),
    ("patched", traps::patched),
    ("rewritten", traps::rewritten),
    ("recurrence", traps::recurrence),
    ("needed_in_loop", traps::needed_in_loop),
    ("same_key", traps::same_key),
    ("early_return", traps::early_return),
    ("odd_loops", traps::odd_loops),
    ("said_in_loop", traps::said_in_loop),
    ("shared_counters", traps::shared_counters),
    ("unknown_function", traps::unknown_function),
    ("handed_on", traps::handed_on),
    ("one_arm", traps::one_arm),
    ("functions", traps::functions),
    ("with_cfg", traps::with_cfg),
    ("not_safe", traps::not_safe),
    ("too_long", traps::too_long),
    ("panics_between", traps::panics_between),
    ("bad_section", traps::bad_section),
    ("bounds_change", traps::bounds_change),
    ("sent_twice", traps::sent_twice),
    ("sent_and_received", traps::sent_and_received),
    ("orders", traps_of_elements::orders),
    ("halo", traps_of_elements::halo),
    ("overflow", traps_of_elements::overflow),
    ("chosen", traps_of_elements::chosen),
    ("kept", traps_of_elements::kept),
    ("in_time", traps_of_elements::in_time),
    ("points", traps_of_elements::points),
    ("closures", traps_of_names::closures),
    ("shadowed", traps_of_names::shadowed),
    ("aliases", traps_of_names::aliases),
    ("in_macro", traps_of_names::in_macro),
    ("own_names", traps_of_names::own_names),
    ("communicator_with_effect", traps_of_names::communicator_with_effect),
    ("nested_names", traps_of_names::nested_names),
    ("of_lengths", traps_of_names::of_lengths),
    ("fields", traps_of_names::fields),
    ("patterns", traps_of_names::patterns),
];
