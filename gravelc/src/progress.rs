//! How far the work on a large program has come, for whoever shows it: each phase says when it begins and counts what it has done.
//! Nothing is decided by it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Files are read and parsed.
    Files,
    /// What procedures do is read off their statements.
    Procedures,
    /// It is looked for what each match class stays with MPI for.
    Classes,
    /// Posts of receives are moved up.
    Posts,
    /// Loops are cut for messages that are sent.
    Loops,
    /// Waits are moved down.
    Waits,
    /// Sends are moved up.
    Sends,
    /// The text is written.
    Output,
}

impl Phase {
    const ALL: [Self; 8] = [
        Self::Files,
        Self::Procedures,
        Self::Classes,
        Self::Posts,
        Self::Loops,
        Self::Waits,
        Self::Sends,
        Self::Output,
    ];

    /// What is done, and what is counted.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Files => ("reading", "files"),
            Self::Procedures => ("analysing", "procedures"),
            Self::Classes => ("judging", "match classes"),
            Self::Posts => ("placing posts", "communication sites"),
            Self::Loops => ("cutting loops", "communication sites"),
            Self::Waits => ("placing waits", "communication sites"),
            Self::Sends => ("placing sends", "communication sites"),
            Self::Output => ("writing", "files"),
        }
    }
}

/// The number of the phase in [`Phase::ALL`], plus 1; 0 before the first one.
static PHASE: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// A phase begins in which so much is to be done.
pub fn begin(phase: Phase, total: usize) {
    DONE.store(0, Ordering::Relaxed);
    TOTAL.store(total, Ordering::Relaxed);
    PHASE.store(phase as usize + 1, Ordering::Relaxed);
}

/// Some of it has been done.
pub fn advance() {
    DONE.fetch_add(1, Ordering::Relaxed);
}

/// What is being done, in a few words; nothing before the first phase.
pub fn describe() -> Option<String> {
    let phase = Phase::ALL.get(PHASE.load(Ordering::Relaxed).checked_sub(1)?)?;
    let (what, counted) = phase.words();
    let total = TOTAL.load(Ordering::Relaxed);
    Some(format!("{what}, {} of {total} {counted}", DONE.load(Ordering::Relaxed).min(total)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_numbered_as_they_are_listed() {
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            assert_eq!(phase as usize, index);
        }
    }
}
