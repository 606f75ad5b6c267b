//! The pages about the reasons that occur, and what the transformations do.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use super::Page;
use crate::plan::{Outcome, ReasonCode, Transformation};

pub(super) fn explanations(page: &Page) -> Markup {
    let codes = codes_of(page);
    html! {
        section #explanations {
            h2 { "Explanations" }
            h3 { "Transformations" }
            dl {
                @for transformation in Transformation::ALL {
                    dt { b { (transformation.name()) } }
                    dd { (transformation.summary()) }
                }
            }
            @if !codes.is_empty() { h3 { "Reasons" } }
            @for code in codes {
                details.explanation open id=(format!("explain-{}", code.code())) {
                    summary { span.code { (code.code()) } }
                    (PreEscaped(page_as_html(code)))
                }
            }
        }
    }
}

/// The codes that the page speaks of, in their own order.
fn codes_of(page: &Page) -> BTreeSet<ReasonCode> {
    let mut codes: BTreeSet<ReasonCode> =
        page.plan.classes.iter().filter_map(|class| Some(class.kept.as_ref()?.code)).collect();
    for decision in &page.plan.decisions {
        match &decision.outcome {
            Outcome::Kept { reason, missed } => {
                codes.insert(reason.code);
                codes.extend(missed.iter().map(|missed| missed.reason.code));
            }
            Outcome::Transformed { missed, .. } => codes.extend(missed.iter().map(|missed| missed.reason.code)),
        }
    }
    codes
}

/// The page without its title, its headings below those of the report. Only gravelc's own text comes here.
fn page_as_html(code: ReasonCode) -> String {
    let mut in_title = false;
    let events = Parser::new(code.explanation()).filter_map(|event| match event {
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
            in_title = true;
            None
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
            in_title = false;
            None
        }
        _ if in_title => None,
        Event::Start(Tag::Heading { id, classes, attrs, .. }) => {
            Some(Event::Start(Tag::Heading { level: HeadingLevel::H4, id, classes, attrs }))
        }
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(HeadingLevel::H4))),
        other => Some(other),
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    html
}
