//! Tests of the macros of Gravel: programs that run with and without `#[gravel::overlap]` (`runs`, and functions made at random:
//! `random`), what the compiler says of misuse (`ui`, which also holds the misuse of the runtime's own interface), programs in the ways that
//! users build theirs (`builds`), and what the feature costs (`features`). Here is what starts the ranks, and compilers ([`compiler`]).
//!
//! What each of them holds; `golden` are the files of `gravel-macros/src/golden`, `cases` the programs of `runs`:
//!
//! | | what has to hold | where |
//! |---|---|---|
//! | 1 | ring: receive hoisted, producer and consumer cut | golden `ring`; cases `ring` |
//! | 2 | `send` alone | golden `one_side`; cases `send_alone` |
//! | 3 | `receive` alone, its wait sunk to the first use | golden `one_side`; cases `receive_alone` |
//! | 4 | halo, split into the rows inside and at the ends | golden `halos`, `halos_kept`; cases `halos`, `traps_of_halos`; random |
//! | 5 | transpose by `alltoall` | golden `exchanges`; cases `exchanges`, `several_open`; example `transpose-rust` |
//! | 6 | sample sort by `alltoallv` | golden `exchanges`; cases `exchanges_with_counts`; example `sample-sort-rust` |
//! | 7 | wavefront: one loop for two messages | golden `wavefront`; cases `wavefront`; example `wavefront-rust` |
//! | 8 | `iter_mut().enumerate()` | golden and cases `iterators` |
//! | 9 | `zip`, shorter than the message | golden and cases `iterators` |
//! | 10 | `chunks_exact_mut`, tiles of rows; a rest shorter than a row | golden `rows`; cases `rows_of_arrays`, `traps_of_rows` |
//! | 11 | `for_each` with a closure | golden and cases `forms`, cases `traps_of_forms` |
//! | 12 | method of an `impl` with `self.buf` | golden `sections`, `places`; cases `method`, `holders` |
//! | 13 | `&buf[a..b]`, a head that is final | golden `sections`; cases `sections`, `head_is_final` |
//! | 14 | statuses and values that leave the region | golden `values`; cases `statuses`, `values_leave` |
//! | 15 | `Box<dyn Error>` and `.expect` | cases `other_endings` |
//! | 16 | a loop longer than its message: the same panic | cases `too_long` |
//! | 17 | a panic between two tiles, or blocks | `runs`, a test of each; cases `panics_between`, `panics_in_exchanges` |
//! | 18 | a rewritten element | cases `rewritten` |
//! | 19 | a message that is patched behind the loop | cases `patched` |
//! | 20 | `?` in the loop, then another message of the tag | cases `early_return` |
//! | 21 | an overloaded operator with an effect | ui `loud_operator` |
//! | 22 | a recurrence, and a shadowed name | cases `recurrence`, `shadowed`, `nested_names` |
//! | 23 | another send of the key in between | cases `same_key` |
//! | 24 | a receive that the loop needs | cases `needed_in_loop` |
//! | 25 | `step_by`, `rev`, a labelled break | cases `odd_loops` |
//! | 26 | `println!` in the loop | golden `kept`; cases `said_in_loop` |
//! | 27 | `Cell`, `RefCell` and atomics in the loop | cases `shared_counters` |
//! | 28 | an unknown function, `pure(f)`, a trait's `sqrt` on `&f64` | cases `unknown_function`, `pure_function`; ui `method_of_others`, `methods_by_reference` |
//! | 29 | a call that is handed the communicator | cases `handed_on` |
//! | 30 | a send in one arm of an `if` | cases `one_arm`, `in_branches` |
//! | 31 | `sin(i as f64)` and `sin(a[i])` | golden `kept`; cases `functions` |
//! | 32 | a reduction over the message, bit for bit | cases `reduction` |
//! | 33 | `#[cfg]` on the send | cases `with_cfg` |
//! | 34 | `async fn` | golden `kept`; cases `holders` |
//! | 35 | `unsafe` in the loop | cases `not_safe` |
//! | 36 | a peer that is nobody | cases `nobody` |
//! | 37 | the attribute on a structure | ui `on_structure` |
//! | 38 | misspelt arguments and directives | ui `misspelt_argument`, `misspelt_directive` |
//! | 39 | `strict` with a call that is kept | ui `strict`, `strict_places` |
//! | 40 | elements that are none | ui `no_element` |
//! | 41 | another type's `send` | ui `send_of_others` |
//! | 42 | generic functions | ui `generic_without_bound`; cases `generic` |
//! | 43 | `forbid(unsafe_code)`, `deny(warnings)`, clippy's pedantry, both editions | ui `pass`; `builds` |
//! | 44 | the crate under another name | `builds`; cases `renamed_crate` |
//! | 45 | a function inside of `macro_rules!` | cases `in_macro` |
//! | 46 | names of emitted variables in the program | cases `own_names` |
//! | 47 | unfinished code | ui `unfinished`; unit test of the macro |
//! | 48 | damaged tokens | unit test `token_tests` of the macro |
//! | 49 | `GRAVEL_EXPLAIN` and `GRAVEL_REPORT` build again | `builds` |
//! | 50 | a long function is planned at once | unit test `golden_tests` of the macro |
//! | 51 | without the feature there is no compiler | `features` |
//! | 52 | calls of the crate `mpi` are left alone | golden `kept` |

pub mod compiler;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seconds after which a rank is ended.
const LIMIT: &str = "300";

/// Runs a program as the ranks of one job, with variables of the environment; gives what each rank prints.
///
/// # Panics
/// If a rank can't be started, fails, or takes too long.
pub fn outputs(program: &Path, arguments: &[&str], ranks: usize, settings: &[(&str, &str)]) -> Vec<String> {
    static JOBS: AtomicUsize = AtomicUsize::new(0);
    let job = format!("macros-{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    let start = |rank: usize| {
        let mut command = Command::new("timeout");
        command.arg(LIMIT).arg(program).args(arguments).envs(settings.iter().copied());
        command.env("GRAVEL_RANK", rank.to_string()).env("GRAVEL_RANKS", ranks.to_string()).env("GRAVEL_JOB", &job);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starting a rank")
    };
    let processes: Vec<_> = (0..ranks).map(start).collect();
    let outputs = processes.into_iter().enumerate().map(|(rank, process)| {
        let output = process.wait_with_output().expect("waiting for a rank");
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let status = output.status;
        assert!(status.success(), "{arguments:?}, rank {rank} of {ranks}, {settings:?}: {status}\n{text}{errors}");
        text.into_owned()
    });
    outputs.collect()
}
