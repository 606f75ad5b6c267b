//! Programs give the same output with the attribute as without it: for all numbers of ranks and tiles, over shared memory and
//! tcp, and with the runtime's checks.
//!
//! Each process runs all programs, one after the other. The test starts itself again for that, once per rank.

#![allow(clippy::all, reason = "the programs are written as users write them, and twice")]

#[path = "."]
mod with {
    macro_rules! overlap {
        ([$($arguments:tt)*] $($item:tt)*) => { #[gravel::overlap($($arguments)*)] $($item)* };
        ($($item:tt)*) => { #[gravel::overlap] $($item)* };
    }
    macro_rules! part {
        ([$($arguments:tt)*] $($part:tt)*) => { gravel::overlapped! { #![overlap($($arguments)*)] $($part)* } };
        ($($part:tt)*) => { gravel::overlapped! { $($part)* } };
    }
    macro_rules! either {
        ({ $($with:tt)* } { $($without:tt)* }) => { $($with)* };
    }
    #[path = "cases/mod.rs"]
    pub mod cases;
}

#[path = "."]
mod without {
    macro_rules! overlap {
        ([$($arguments:tt)*] $($item:tt)*) => { $($item)* };
        ($($item:tt)*) => { $($item)* };
    }
    macro_rules! part {
        ([$($arguments:tt)*] $($part:tt)*) => { { $($part)* } };
        ($($part:tt)*) => { { $($part)* } };
    }
    macro_rules! either {
        ({ $($with:tt)* } { $($without:tt)* }) => { $($without)* };
    }
    #[path = "cases/mod.rs"]
    pub mod cases;
}

/// Says which half a process runs: set where this test has started it.
const HALF: &str = "OVERLAP_HALF";
/// Says which program it runs, where not all of them.
const ONLY: &str = "OVERLAP_ONLY";

/// A message whose loop panics between two tiles: its receiver gets an error, and the next message arrives.
fn panic_between_tiles() -> Result<(), Box<dyn std::error::Error>> {
    #[gravel::overlap(strict)]
    fn send(comm: &gravel::Gravel, table: &[f64], out: &mut [f64]) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = table[i] + 1.0;
        }
        comm.send(&out[..], 1, 5)?;
        Ok(())
    }

    let comm = gravel::Gravel::from_environment()?;
    let mut text = Vec::new();
    match comm.rank() {
        0 => {
            let mut out = vec![0.0; 500];
            std::panic::set_hook(Box::new(|_| {}));
            for length in [400, 500] {
                let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    send(&comm, &vec![1.0; length], &mut out)
                }));
                text.push(format!("sent {}", outcome.is_ok()));
            }
        }
        _ => {
            for _ in 0..2 {
                let mut inc = vec![0.0; 500];
                let outcome = comm.receive(&mut inc, 0, 5);
                text.push(format!("received {} {}", outcome.is_ok(), inc[499]));
            }
        }
    }
    comm.finalize()?;
    let text = format!("\n{BEGIN}\n{}\n{END}\n", text.join("\n"));
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

/// An exchange whose loop panics between two blocks: whoever waits for the others gets an error, and the next exchange is whole.
fn panic_between_blocks() -> Result<(), Box<dyn std::error::Error>> {
    #[gravel::overlap(strict)]
    fn exchange(comm: &gravel::Gravel, table: &[f64], out: &mut [f64], inc: &mut [f64]) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            out[i] = table[i] + 1.0;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for i in 0..inc.len() {
            sum += inc[i];
        }
        Ok(sum)
    }

    let comm = gravel::Gravel::from_environment()?;
    let mut text = Vec::new();
    let (mut out, mut inc) = (vec![0.0; 900], vec![0.0; 900]);
    std::panic::set_hook(Box::new(|_| {}));
    for lengths in [[500, 900, 900], [900; 3]] {
        let table = vec![1.0; lengths[comm.rank()]];
        let exchanged = || exchange(&comm, &table, &mut out, &mut inc);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(exchanged));
        text.push(match outcome {
            Ok(Ok(sum)) => format!("exchanged {sum}"),
            Ok(Err(_)) => "failed".to_owned(),
            Err(_) => "panicked".to_owned(),
        });
        comm.barrier()?;
    }
    comm.finalize()?;
    let text = format!("\n{BEGIN}\n{}\n{END}\n", text.join("\n"));
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

#[test]
fn a_panic_between_blocks_is_an_error_of_all_that_wait() {
    if std::env::var_os(HALF).is_some() {
        return;
    }
    for provider in ["shm", "tcp"] {
        let said = outputs("panic in blocks", 3, &[("GRAVEL_PROVIDER", provider), ("GRAVEL_TILE", "64")]);
        // Rank 1 has the first blocks of rank 0, but not all; rank 2 has none.
        assert_eq!(said.matches("panicked\nexchanged 1800").count(), 1, "{provider}: {said}");
        assert_eq!(said.matches("failed\nexchanged 1800").count(), 2, "{provider}: {said}");
    }
}

#[test]
fn a_panic_between_tiles_is_an_error_of_the_receiver() {
    if std::env::var_os(HALF).is_some() {
        return;
    }
    for provider in ["shm", "tcp"] {
        let said = outputs("panic", 2, &[("GRAVEL_PROVIDER", provider), ("GRAVEL_TILE", "64")]);
        assert!(said.contains("sent false\nsent true"), "{provider}: {said}");
        assert!(said.contains("received false 0\nreceived true 2"), "{provider}: {said}");
    }
}

/// What a process prints before and behind its output, which the test harness writes around.
const BEGIN: &str = "<<<";
const END: &str = ">>>";

fn run_cases() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::var(ONLY).ok();
    let cases: Vec<_> = match std::env::var(HALF)?.as_str() {
        "with" => with::cases::CASES.to_vec(),
        _ => without::cases::CASES.to_vec(),
    };
    let comm = gravel::Gravel::from_environment()?;
    let mut log = Vec::new();
    for (name, case) in cases {
        if only.as_ref().is_none_or(|only| only == name) {
            log.push(format!("{name}:"));
            case(&comm, &mut log)?;
        }
    }
    comm.finalize()?;
    let text = format!("\n{BEGIN}\n{}\n{END}\n", log.join("\n"));
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

/// What all ranks print, one behind the other.
fn outputs(half: &str, ranks: usize, settings: &[(&str, &str)]) -> String {
    let own = std::env::current_exe().expect("the test's own path");
    let arguments =
        ["--exact", "output_does_not_depend_on_the_attribute", "--nocapture", "--test-threads=1", "--quiet"];
    let settings: Vec<_> = settings.iter().copied().chain([(HALF, half)]).collect();
    let mut all = String::new();
    for (rank, text) in gravel_macros_tests::outputs(&own, &arguments, ranks, &settings).into_iter().enumerate() {
        let said = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(said, _)| said);
        all.push_str(&format!("rank {rank}{}", said.expect("a rank says something")));
    }
    all
}

/// The first line in which the two differ, with the program that it belongs to.
fn difference(one: &str, other: &str) -> Option<String> {
    let mut program = "";
    for (left, right) in one.lines().zip(other.lines()) {
        if left.ends_with(':') {
            program = left;
        }
        if left != right {
            return Some(format!("{program}\n  without: {left}\n  with:    {right}"));
        }
    }
    (one.lines().count() != other.lines().count()).then(|| "one of them says more".to_owned())
}

#[test]
fn output_does_not_depend_on_the_attribute() {
    match std::env::var(HALF).as_deref() {
        Ok("panic in blocks") => return panic_between_blocks().expect("all but one exchange"),
        Ok("panic") => return panic_between_tiles().expect("all but one message"),
        Ok(_) => return run_cases().expect("the programs run"),
        Err(_) => {}
    }
    for ranks in 1..=4 {
        for (tiles, is_long) in [(["1", "37", "64"].as_slice(), false), (&["all", "auto"], true)] {
            let long = if is_long { vec![(with::cases::LONG, "1")] } else { Vec::new() };
            let expected = outputs("without", ranks, &long);
            for (tile, provider) in tiles.iter().flat_map(|tile| [(*tile, "shm"), (*tile, "tcp")]) {
                let mut settings = long.clone();
                settings
                    .extend([("GRAVEL_PROVIDER", provider), ("GRAVEL_CHECK", if tile == "37" { "1" } else { "0" })]);
                if tile != "auto" {
                    settings.push(("GRAVEL_TILE", tile));
                }
                let found = outputs("with", ranks, &settings);
                if let Some(difference) = difference(&expected, &found) {
                    panic!("{ranks} ranks, {provider}, tiles of {tile}: {difference}");
                }
            }
        }
    }
}
