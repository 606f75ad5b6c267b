//! The Plan, shown to people ([`render_text`], `render_html`), to tools ([`render_json`]) and to editors and code hosts
//! (`render_sarif`); and pictures of the program ([`render_graph`]).
//!
//! Invariant: a report decides nothing and knows nothing that the [`Plan`](crate::plan::Plan) and the
//! [`Program`](crate::ir::Program) do not say; the same plan always gives the same bytes.

#[cfg(test)]
mod fixture;
mod function;
mod graph;
#[cfg(feature = "cli")]
mod html;
mod json;
#[cfg(feature = "cli")]
mod sarif;
mod source_excerpt;
mod text;
mod totals;

pub use function::{FunctionReport, joined};
pub use graph::{GraphKind, render_graph};
#[cfg(feature = "cli")]
pub use html::{render_html, render_html_of_functions};
pub use json::{
    JsonAction, JsonClass, JsonMember, JsonMissed, JsonOpening, JsonPlace, JsonReason, JsonReport, JsonSite,
    JsonUnread, render_json,
};
#[cfg(feature = "cli")]
pub use sarif::render_sarif;
pub use source_excerpt::SourceExcerpt;
pub use text::render_text;
pub use totals::Totals;
