//! Counting what passed, failed and was left out, and saying so.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// The counts of a run of the suite.
#[derive(Debug, Default)]
pub struct Tally {
    passed: usize,
    failures: Vec<String>,
    skipped: BTreeMap<String, usize>,
    is_silent: bool,
}

impl Tally {
    /// One that does not print failures: where they are wanted.
    pub fn silent() -> Self {
        Self { is_silent: true, ..Self::default() }
    }

    /// One for a part of the checks, which prints failures if this one does: to be [added](Self::add).
    pub fn part(&self) -> Self {
        Self { is_silent: self.is_silent, ..Self::default() }
    }

    /// Something is as it should be.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    /// Something is not; `message` says what, and how to see it again. It is printed at once.
    pub fn fail(&mut self, name: &str, message: impl fmt::Display) {
        if !self.is_silent {
            println!("FAILED {name}\n{}", indented(&message.to_string()));
        }
        self.failures.push(name.to_owned());
    }

    /// `count` checks were left out.
    pub fn skip(&mut self, reason: impl Into<String>, count: usize) {
        if count > 0 {
            *self.skipped.entry(reason.into()).or_default() += count;
        }
    }

    /// Passes or fails by a result.
    pub fn check(&mut self, name: &str, result: Result<(), impl fmt::Display>) {
        match result {
            Ok(()) => self.pass(),
            Err(message) => self.fail(name, message),
        }
    }

    /// Adds the counts of another one, which has printed its failures itself.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        other.skipped.into_iter().for_each(|(reason, count)| self.skip(reason, count));
    }

    /// Has nothing failed?
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
    }

    /// How many checks passed and failed.
    pub fn done(&self) -> usize {
        self.passed + self.failures.len()
    }
}

impl fmt::Display for Tally {
    /// The names of what failed, the reasons of what was left out, and as the last line the counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "failed: {failure}")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(f, "skipped: {count} x {reason}")?;
        }
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failures.len())
    }
}

/// Prints the name of a step when it begins, and its time when it is dropped.
#[derive(Debug)]
pub struct Step {
    name: String,
    began: Instant,
}

impl Step {
    /// A step begins.
    pub fn begin(name: impl Into<String>) -> Self {
        let name = name.into();
        println!("==> {name}");
        Self { name, began: Instant::now() }
    }

    /// How long it has taken.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        println!("    {}: {:.1} s", self.name, self.elapsed().as_secs_f64());
    }
}

/// Text moved to the right, as it is printed below a headline.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_names() {
        let mut tally = Tally::default();
        tally.pass();
        tally.check("golden/a", Ok::<(), String>(()));
        assert!(tally.is_clean());
        tally.check("golden/b", Err("it differs"));
        tally.skip("no compiler", 2);
        tally.skip("no compiler", 1);
        tally.skip("never", 0);
        assert!(!tally.is_clean());
        assert_eq!(tally.done(), 3);
        assert_eq!(tally.to_string(), "failed: golden/b\nskipped: 3 x no compiler\n2 passed, 1 failed, 3 skipped");
    }
}
