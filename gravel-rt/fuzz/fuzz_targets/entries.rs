//! `cargo fuzz run entries` (see `gravel::fuzzing`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gravel::fuzzing::entries(bytes));
