//! Shared memory as an interconnect: its name, and what it hands to the list.

use std::io;

use super::card::CARD_BYTES;
use super::connect::Opening;
use super::paths::{DataPaths, PATHS};
use super::survey;
use crate::error::Result;
use crate::provider::counters::Path;
use crate::provider::interconnect::{Interconnect, SetUp, Start};
use crate::provider::probe::Probe;

/// Shared memory, between ranks of one host.
pub struct Shm;

impl Interconnect for Shm {
    const NAME: &'static str = "shm";
    const TITLE: &'static str = "shared memory";
    const REACH: &'static str = "ranks of one host";
    const PATHS: &'static [&'static Path] = PATHS;
    const CARD_BYTES: usize = CARD_BYTES;
    type Options = DataPaths;

    fn moves_static_data(paths: &DataPaths) -> bool {
        paths.adopt
    }

    fn survey(paths: &DataPaths) -> Vec<Probe> {
        survey::probes(Self::NAME, *paths)
    }

    fn assist(task: &str) -> io::Result<()> {
        survey::write_into(task)
    }

    fn begin(start: &Start, paths: &DataPaths) -> Result<Box<dyn SetUp>> {
        Ok(Box::new(Opening::begin(start, *paths)?))
    }
}
