//! Trying one thing that an interconnect builds on: a real attempt, of which the reason is kept if it fails.

use std::process::{Command, Output};

/// Something that an interconnect can or cannot use here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it is.
    pub name: &'static str,
    /// What it is good for.
    pub purpose: &'static str,
    /// Whether nothing works without it.
    pub is_needed: bool,
    /// A note if it can be used, the reason if it cannot.
    pub outcome: Result<String, String>,
}

/// The option by which a program that makes surveys takes part in one: `--assist=INTERCONNECT:TASK`.
pub const ASSIST: &str = "assist";

/// Lets another process of this program, its child, do a task of an interconnect's probe.
pub fn in_another_process(interconnect: &str, task: &str) -> Result<Output, String> {
    let program = std::env::current_exe().map_err(|cause| format!("where this program lies is unknown: {cause}"))?;
    Command::new(program)
        .arg(format!("--{ASSIST}={interconnect}:{task}"))
        .output()
        .map_err(|cause| format!("no process can be started to try it: {cause}"))
}
