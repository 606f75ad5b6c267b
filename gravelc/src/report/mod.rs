//! The Plan, shown to people ([`render_text`]) and to tools ([`render_json`]).
//!
//! Invariant: a report decides nothing and knows nothing that the [`Plan`](crate::plan::Plan) and the
//! [`Program`](crate::ir::Program) do not say; the same plan always gives the same bytes.

#[cfg(test)]
mod fixture;
mod json;
mod source_excerpt;
mod text;
mod totals;

pub use json::{
    JsonAction, JsonClass, JsonMember, JsonMissed, JsonReason, JsonReport, JsonSite, JsonUnread, render_json,
};
pub use source_excerpt::SourceExcerpt;
pub use text::render_text;
pub use totals::Totals;
