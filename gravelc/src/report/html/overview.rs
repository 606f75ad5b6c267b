//! All sites in one table, and what keeps values that several procedures see from being followed.

use maud::{Markup, html};

use super::{Page, anchor_of, badge, class_link, code_link, is_transformed, prose};
use crate::plan::{Decision, Outcome};

pub(super) fn sites(page: &Page) -> Markup {
    html! {
        section #sites {
            h2 { "Communication sites" }
            @if page.plan.decisions.is_empty() {
                p { "The given files hold no call that sends, receives or waits." }
            } @else {
                table {
                    thead { tr { th { "Place" } th { "Call" } th { "Outcome" } th { "What, or why not" } th { "Class" } } }
                    tbody {
                        @for decision in &page.plan.decisions { (row(page, decision)) }
                    }
                }
            }
        }
    }
}

/// What leads out of the given files.
pub(super) fn openings(page: &Page) -> Markup {
    html! {
        @if !page.plan.openings.is_empty() {
            section #openings {
                h2 { "What leads out of the files" }
                p.note {
                    "Others than the given files could call their procedures and set their variables because of this, so that "
                    "communicators, tags and requests that several procedures see can't be followed."
                }
                table {
                    thead { tr { th { "What" } th { "Places" } th { "First" } } }
                    tbody {
                        @for opening in &page.plan.openings {
                            tr {
                                td { (prose(&opening.why)) }
                                td { @if !opening.places.is_empty() { (opening.places.len()) } }
                                td { @if let Some(first) = opening.places.first() { (page.place(*first)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How exact results are, if flags of the build matter.
pub(super) fn rounding(page: &Page) -> Markup {
    html! { @if let Some(text) = page.plan.rounding_text() { p.note { (prose(&text)) } } }
}

/// What is taken for libraries because the user says so.
pub(super) fn assumed(page: &Page) -> Markup {
    html! {
        @if !page.plan.assumed.is_empty() {
            section #assumed {
                h2 { "What --closed vouches for" }
                p.note {
                    "These were not given. They are taken to neither communicate nor call procedures of the program, nor to "
                    "use its modules."
                }
                details {
                    summary { (page.plan.assumed.len()) " procedures and modules" }
                    ul { @for name in &page.plan.assumed { li { (prose(name)) } } }
                }
            }
        }
    }
}

fn row(page: &Page, decision: &Decision) -> Markup {
    let site = &decision.site;
    let procedure = &page.program.procedure(site.procedure).name;
    html! {
        tr {
            td { (page.place(page.site_span(site))) }
            td { a href=(format!("#{}", anchor_of(site))) { code { (site.routine) } } " in " (procedure) }
            td { (badge(is_transformed(decision))) }
            td {
                @match &decision.outcome {
                    Outcome::Transformed { actions, .. } => {
                        @for action in actions { div { b { (action.transformation.name()) } ": " (action.text) } }
                        @if actions.is_empty() { "in its place, for the sake of its class" }
                    }
                    Outcome::Kept { reason, .. } => { (code_link(reason.code)) " " (prose(&reason.message)) }
                }
            }
            td.nowrap { @if let Some(class) = decision.class { (class_link(class)) } }
        }
    }
}
