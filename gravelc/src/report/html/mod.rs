//! The report as one page of HTML that needs nothing else: no network, no script, readable in light and dark.
//!
//! Everything that comes from the program is escaped by the templates (maud); the page's own policy forbids scripts and
//! requests, so that what escaping missed could not do anything either.

mod classes;
mod dependences;
mod explanations;
mod marks;
mod overview;
mod remarks;
mod source;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Totals;
use super::json::class_number;
use crate::analysis::facts::Facts;
use crate::ir::{FileId, Program, Span};
use crate::plan::{ClassId, Decision, Outcome, Plan, ReasonCode, Site};

const STYLE: &str = include_str!("style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report about `plan` for `program` as a page of HTML; the same plan always gives the same bytes. `planned` is the program
/// with what the plan was made from: its dependences are those that the planner believes.
pub fn render_html(program: &Program, planned: &Program, plan: &Plan) -> String {
    let page = Page { program, plan, facts: &Facts::new(program), planned: Some(&Facts::new(planned)) };
    page.render().into_string()
}

/// As [`render_html`], of a program of which only places are known ([`super::joined`]): the page shows no dependences.
pub fn render_html_of_functions(program: &Program, plan: &Plan) -> String {
    let page = Page { program, plan, facts: &Facts::new(program), planned: None };
    page.render().into_string()
}

/// What all parts of the page look at.
struct Page<'a> {
    program: &'a Program,
    plan: &'a Plan,
    facts: &'a Facts<'a>,
    /// Nothing where what statements do is not known.
    planned: Option<&'a Facts<'a>>,
}

impl Page<'_> {
    fn render(&self) -> Markup {
        let names: Vec<String> = self.program.files.iter().map(|file| file_name(&file.path)).collect();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { "Gravel: " (names.join(", ")) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (dependences::arrow_heads())
                    header {
                        h1 { "What Gravel does to " (names.join(", ")) }
                        (self.totals())
                        (self.contents())
                    }
                    main {
                        (overview::sites(self))
                        (overview::openings(self))
                        (overview::rounding(self))
                        (overview::assumed(self))
                        (source::files(self))
                        (classes::classes(self))
                        @if let Some(planned) = self.planned { (dependences::dependences(self, planned)) }
                        (explanations::explanations(self))
                    }
                    footer { "gravelc " (env!("CARGO_PKG_VERSION")) }
                }
            }
        }
    }

    fn totals(&self) -> Markup {
        let totals = Totals::of(self.program, self.plan);
        let tile = |number: usize, of: Option<usize>, text: &str| {
            html! {
                div.tile {
                    span.number { (number) @if let Some(of) = of { span.of { " of " (of) } } }
                    span.text { (text) }
                }
            }
        };
        html! {
            div.totals {
                (tile(totals.transformed_sites, Some(totals.sites), "communication sites transformed"))
                (tile(totals.transformed_classes, Some(totals.classes), "match classes transformed"))
                @for (name, count) in self.applied() { (tile(count, None, name)) }
                @if totals.unread > 0 { (tile(totals.unread, None, "places that could not be read")) }
            }
        }
    }

    /// How often each transformation was applied.
    fn applied(&self) -> Vec<(&'static str, usize)> {
        let actions = || {
            self.plan.decisions.iter().flat_map(|decision| match &decision.outcome {
                Outcome::Transformed { actions, .. } => actions.as_slice(),
                Outcome::Kept { .. } => &[],
            })
        };
        let transformations = crate::plan::Transformation::ALL.iter();
        transformations
            .map(|&kind| (kind.name(), actions().filter(|action| action.transformation == kind).count()))
            .collect()
    }

    fn contents(&self) -> Markup {
        html! {
            nav {
                a href="#sites" { "Sites" }
                @if !self.plan.openings.is_empty() { a href="#openings" { "Openings" } }
                @for (index, file) in self.program.files.iter().enumerate() {
                    a href=(format!("#f{index}")) { (file_name(&file.path)) }
                }
                a href="#classes" { "Match classes" }
                @if self.planned.is_some() { a href="#dependences" { "Dependences" } }
                a href="#explanations" { "Explanations" }
            }
        }
    }

    /// The name of the file, as far as it is needed to tell it from the others.
    fn short_path(&self, span: Span) -> String {
        let path = self.program.path_of(span);
        let name = file_name(path);
        let same = self.program.files.iter().filter(|file| file_name(&file.path) == name).count();
        if same <= 1 { name } else { path.display().to_string() }
    }

    /// `file:line` as a link to the line.
    fn place(&self, span: Span) -> Markup {
        let (line, row) = (self.program.line(span), self.program.row(span));
        html! { a.place href=(format!("#f{}l{row}", span.file.0)) { (self.short_path(span)) ":" (line) } }
    }

    /// As [`Page::place`], without the file if that is `here`.
    fn place_from(&self, here: FileId, span: Span) -> Markup {
        if span.file != here {
            return self.place(span);
        }
        self.row_link(here, self.program.row(span))
    }

    /// A link to a line of what is shown of a file, by its number there; what stands there may come from a file that is included.
    fn row_link(&self, file: FileId, row: usize) -> Markup {
        let source = self.program.file(file);
        let start = source.row_start(row);
        let path = source.path_of(start);
        html! {
            a href=(format!("#f{}l{row}", file.0)) {
                @if path == source.path { "line " } @else { (file_name(path)) ":" }
                (source.line_of(start))
            }
        }
    }

    fn site_span(&self, site: &Site) -> Span {
        self.program.procedure(site.procedure).statement(site.statement).span
    }
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A message, with what stands between backticks as code.
fn prose(message: &str) -> Markup {
    html! {
        @for (index, part) in message.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Where the page tells of a site.
fn anchor_of(site: &Site) -> String {
    format!("p{}s{}", site.procedure.0, site.statement.0)
}

fn is_transformed(decision: &Decision) -> bool {
    matches!(decision.outcome, Outcome::Transformed { .. })
}

/// Whether something is transformed.
fn badge(transformed: bool) -> Markup {
    html! {
        @if transformed { span class="badge good" { "transformed" } } @else { span class="badge kept" { "kept" } }
    }
}

fn class_link(class: ClassId) -> Markup {
    let number = class_number(class);
    html! { a href=(format!("#class{number}")) { "class " (number) } }
}

/// A reason code that leads to its page.
fn code_link(code: ReasonCode) -> Markup {
    html! { a.code href=(format!("#explain-{}", code.code())) { (code.code()) } }
}

#[cfg(test)]
mod tests;
