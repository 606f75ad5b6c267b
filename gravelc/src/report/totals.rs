//! The counts that summaries give.

use std::fmt;

use crate::ir::Program;
use crate::plan::{Outcome, Plan};

/// How much of a program was transformed.
///
/// Its `Display` is the summary line: "3 of 8 communication sites transformed, 1 of 2 match classes".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Communication sites.
    pub sites: usize,
    /// Sites that are transformed.
    pub transformed_sites: usize,
    /// Match classes.
    pub classes: usize,
    /// Match classes that are transformed.
    pub transformed_classes: usize,
    /// Calls of MPI in the text that were not understood.
    pub missed_calls: usize,
    /// Places of the source that could not be read.
    pub unread: usize,
}

impl Totals {
    /// Counts.
    pub fn of(program: &Program, plan: &Plan) -> Self {
        let transformed = |outcome: &Outcome| matches!(outcome, Outcome::Transformed { .. });
        Self {
            sites: plan.decisions.len(),
            transformed_sites: plan.decisions.iter().filter(|decision| transformed(&decision.outcome)).count(),
            classes: plan.classes.len(),
            transformed_classes: plan.classes.iter().filter(|class| class.kept.is_none()).count(),
            missed_calls: program.missed_calls.len(),
            unread: program.files.iter().map(|file| file.unread.len()).sum(),
        }
    }

    /// Is there a site that stays as it is?
    pub fn any_kept(&self) -> bool {
        self.transformed_sites < self.sites
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sites == 0 && self.missed_calls == 0 {
            formatter.write_str("no communication sites found")?;
        } else if self.sites == 0 {
            formatter.write_str("no communication site was understood")?;
        } else {
            write!(
                formatter,
                "{} of {} communication {} transformed",
                self.transformed_sites,
                self.sites,
                plural(self.sites, "site", "sites")
            )?;
        }
        if self.classes > 0 {
            write!(
                formatter,
                ", {} of {} match {}",
                self.transformed_classes,
                self.classes,
                plural(self.classes, "class", "classes")
            )?;
        }
        if self.missed_calls > 0 {
            write!(
                formatter,
                "; {} {} of MPI not understood",
                self.missed_calls,
                plural(self.missed_calls, "call", "calls")
            )?;
        }
        if self.unread > 0 {
            write!(
                formatter,
                "; {} {} of the source could not be read",
                self.unread,
                plural(self.unread, "place", "places")
            )?;
        }
        Ok(())
    }
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn sums_up() {
        let (program, plan) = fixture::program_and_plan();
        let totals = Totals::of(&program, &plan);
        assert!(totals.any_kept());
        assert_eq!(
            totals.to_string(),
            "2 of 3 communication sites transformed, 1 of 2 match classes; 1 place of the source could not be read"
        );
    }

    #[test]
    fn says_when_there_is_nothing() {
        let totals = Totals::of(&Program::default(), &Plan::default());
        assert!(!totals.any_kept());
        assert_eq!(totals.to_string(), "no communication sites found");
    }
}
