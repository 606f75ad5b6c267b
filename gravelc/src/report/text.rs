//! The report for people.

use std::fmt::{self, Write as _};

use annotate_snippets::{Level, Renderer};

use super::json::class_number;
use super::{SourceExcerpt, Totals};
use crate::ir::{FileId, MissedCall, Program, Span};
use crate::plan::{Action, ClassId, Decision, Missed, Opening, Outcome, Plan, Reason, ReasonCode, Site};

/// The report about `plan` for `program` as text; `colour` adds the escape sequences of a terminal.
///
/// File by file it tells of each site what happens to it and why not more, then come the match classes, what could not
/// be read, what leads out of the files, and a summary. Paths are as the user gave them.
pub fn render_text(program: &Program, plan: &Plan, colour: bool) -> String {
    let mut text = String::new();
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    TextReport { program, plan, renderer }
        .write(&mut text)
        .expect("writing to a String cannot fail: no implementation of Display here returns an error of its own");
    text
}

struct TextReport<'a> {
    program: &'a Program,
    plan: &'a Plan,
    renderer: Renderer,
}

impl TextReport<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        for file in 0..self.program.files.len() {
            for decision in self.plan.decisions.iter().filter(|decision| decision.site.file == FileId(file)) {
                self.write_site(out, decision)?;
                out.push('\n');
            }
        }
        if !self.plan.classes.is_empty() {
            self.write_classes(out)?;
            out.push('\n');
        }
        if self.program.files.iter().any(|file| !file.unread.is_empty()) {
            self.write_unread(out)?;
            out.push('\n');
        }
        if let Some(text) = MissedCall::describe(&self.program.missed_calls) {
            writeln!(out, "{text}\n")?;
        }
        if !self.plan.openings.is_empty() && Totals::of(self.program, self.plan).any_kept() {
            self.write_openings(out)?;
            out.push('\n');
        }
        if !self.plan.asserted.is_empty() {
            writeln!(out, "asserted by directives (nothing has proven it):")?;
            for assertion in &self.plan.asserted {
                writeln!(out, "    {}: {}", self.place(assertion.span), assertion.text)?;
            }
            out.push('\n');
        }
        if !self.plan.believed.is_empty() {
            writeln!(out, "believed of calls that were not given (gravelc explain arguments-share-memory):")?;
            for belief in &self.plan.believed {
                writeln!(out, "    {}: {}", self.place(belief.span), belief.text)?;
            }
            out.push('\n');
        }
        if let Some(text) = self.plan.rounding_text() {
            writeln!(out, "{text}\n")?;
        }
        writeln!(out, "summary: {}", Totals::of(self.program, self.plan))
    }

    fn write_site(&self, out: &mut String, decision: &Decision) -> fmt::Result {
        write!(out, "{}: ", self.site(&decision.site))?;
        match &decision.outcome {
            Outcome::Transformed { protocol, actions, missed, .. } => {
                writeln!(out, "transformed{}, protocol {}", applied(actions), protocol.name())?;
                for action in actions {
                    writeln!(out, "    {}: {}", action.transformation.name(), action.text)?;
                }
                for missed in missed {
                    self.write_missed(out, missed)?;
                }
                Ok(())
            }
            // What stands in the way is shown at the member whose own reason it is.
            Outcome::Kept { reason, .. }
                if reason.code == ReasonCode::ClassMemberKept || self.was_said_before(decision, reason) =>
            {
                writeln!(out, "kept [{}]: {}", reason.code.code(), reason.message)
            }
            Outcome::Kept { reason, missed } => {
                writeln!(out, "kept")?;
                self.write_reason(out, reason, &decision.site)?;
                for missed in missed {
                    self.write_missed(out, missed)?;
                }
                Ok(())
            }
        }
    }

    /// That a procedure never runs is shown once for all that is in it.
    fn was_said_before(&self, decision: &Decision, reason: &Reason) -> bool {
        let is_of_same = |other: &&Decision| other.site.procedure == decision.site.procedure;
        reason.code == ReasonCode::NeverCalled
            && self.plan.decisions.iter().find(is_of_same).is_some_and(|first| first.site != decision.site)
    }

    fn write_missed(&self, out: &mut String, missed: &Missed) -> fmt::Result {
        let Missed { transformation, reason } = missed;
        write!(out, "    not {} [{}]: {}", transformation.name(), reason.code.code(), reason.message)?;
        match reason.span {
            Some(span) => writeln!(out, " ({})", self.place(span)),
            None => writeln!(out),
        }
    }

    /// The reason with the source line that stands in the way, or that of the call where there is no single one.
    fn write_reason(&self, out: &mut String, reason: &Reason, site: &Site) -> fmt::Result {
        let site_span = self.program.procedure(site.procedure).statement(site.statement).span;
        let span = reason.span.unwrap_or(site_span);
        let excerpt = SourceExcerpt::new(self.program.file(span.file), span);
        let help = format!("gravelc explain {}", reason.code.code());
        let title = Level::NOTE.primary_title(reason.message.as_str()).id(reason.code.code());
        let group = title.element(excerpt.snippet()).element(Level::HELP.message(help));
        writeln!(out, "{}", self.renderer.render(&[group]))
    }

    fn write_classes(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "match classes:")?;
        for (index, class) in self.plan.classes.iter().enumerate() {
            write!(out, "    class {} ({}): ", class_number(ClassId(index)), class.description)?;
            match &class.kept {
                None => writeln!(out, "transformed")?,
                Some(reason) => writeln!(out, "kept [{}]: {}", reason.code.code(), reason.message)?,
            }
            for member in &class.members {
                writeln!(out, "        {}", self.site(member))?;
            }
        }
        Ok(())
    }

    fn write_unread(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "source that could not be read (it is taken to do anything):")?;
        for (span, message) in self.program.files.iter().flat_map(|file| &file.unread) {
            writeln!(out, "    {}: {message}", self.place(*span))?;
        }
        Ok(())
    }

    fn write_openings(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "what leads out of the given files (what that costs: gravelc explain unknown-communicator):")?;
        for Opening { why, places } in &self.plan.openings {
            match places.as_slice() {
                [] => writeln!(out, "    {why}")?,
                [place] => writeln!(out, "    {}: {why}", self.place(*place))?,
                [first, others @ ..] => {
                    let count = others.len();
                    let places = if count == 1 { "place" } else { "places" };
                    writeln!(out, "    {}: {why} (and at {count} other {places})", self.place(*first))?;
                }
            }
        }
        Ok(())
    }

    fn site(&self, site: &Site) -> String {
        let verb = if site.routine.starts_with('(') { "" } else { "call " };
        format!("{}:{}: {verb}{}", site.path(self.program).display(), site.line, site.routine)
    }

    fn place(&self, span: Span) -> String {
        format!("{}:{}", self.program.path_of(span).display(), self.program.line(span))
    }
}

/// The names of what was applied, each once, in parentheses; "in place" if nothing was.
fn applied(actions: &[Action]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for action in actions {
        let name = action.transformation.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { " (in place)".to_string() } else { format!(" ({})", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn shows_what_happens_and_why_not_more() {
        let (program, plan) = fixture::program_and_plan();
        assert_eq!(render_text(&program, &plan, false), include_str!("testdata/report.txt"));
    }

    #[test]
    fn is_coloured_only_on_demand() {
        let (program, plan) = fixture::program_and_plan();
        assert!(!render_text(&program, &plan, false).contains('\u{1b}'));
        assert!(render_text(&program, &plan, true).contains('\u{1b}'));
    }

    #[test]
    fn of_nothing_is_a_summary() {
        assert_eq!(
            render_text(&Program::default(), &Plan::default(), false),
            "summary: no communication sites found\n"
        );
    }
}
