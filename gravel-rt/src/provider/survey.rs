//! What this machine permits the interconnects to do, for `gravel-info`.

use std::io;

use super::choice::Choice;
pub use super::probe::{ASSIST, Probe};
use super::registry::Kind;

/// An interconnect and what it builds on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Its name.
    pub name: &'static str,
    /// Which ranks it joins.
    pub reach: &'static str,
    /// Why it cannot be used here at all, if it cannot.
    pub rejected: Option<String>,
    /// What it builds on.
    pub probes: Vec<Probe>,
}

/// All interconnects that are offered, or that the settings name.
pub fn all(choice: &Choice) -> Vec<Survey> {
    let kinds = Kind::all().filter(|&kind| kind.entry().is_offered || choice.permitted.contains(kind));
    kinds.map(|kind| one(kind, choice)).collect()
}

fn one(kind: Kind, choice: &Choice) -> Survey {
    let (entry, permitted) = (kind.entry(), choice.permitted);
    let probes = choice.options.survey(kind);
    let forbidden = (!permitted.contains(kind)).then(|| format!("GRAVEL_PROVIDER={permitted} does not name it"));
    let failed = probes.iter().filter(|probe| probe.is_needed).find_map(|probe| {
        let reason = probe.outcome.as_ref().err()?;
        Some(format!("{}: {reason}", probe.name))
    });
    Survey { name: entry.name, reach: entry.reach, rejected: forbidden.or(failed), probes }
}

/// What the other process of a probe does, by the value of its option ([`ASSIST`]).
pub fn assist(task: &str) -> io::Result<()> {
    let parts = task.split_once(':').and_then(|(name, task)| Some((Kind::of_name(name)?, task)));
    let (kind, task) = parts.ok_or_else(|| io::Error::other("INTERCONNECT:TASK is expected"))?;
    (kind.entry().assist)(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::choice::Interconnects;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn what_is_not_named_is_rejected_and_what_fails_is_if_it_is_needed() {
        let permitted = Interconnects::parse("tcp").expect("a list");
        for survey in all(&Choice { permitted, ..Choice::default() }) {
            if survey.name == "tcp" {
                assert_eq!(survey.rejected, None, "{survey:?}");
            } else {
                assert_eq!(survey.rejected.as_deref(), Some("GRAVEL_PROVIDER=tcp does not name it"));
            }
        }
        for survey in all(&Choice::default()) {
            let needed = survey.probes.iter().filter(|probe| probe.is_needed);
            let failed = needed.filter_map(|probe| probe.outcome.as_ref().err()).next();
            assert_eq!(survey.rejected.is_some(), failed.is_some(), "{survey:?}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn only_tasks_of_interconnects_are_done() {
        for task in ["", "1", "nobody:1", "tcp:1", "shm:", "shm:a:b"] {
            assert!(assist(task).is_err(), "{task}");
        }
    }
}
