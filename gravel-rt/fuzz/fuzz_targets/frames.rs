//! `cargo fuzz run frames` (see `gravel::fuzzing`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gravel::fuzzing::frames(bytes));
