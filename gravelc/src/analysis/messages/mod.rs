//! Messages: which sends and receives could meet ([`matching`]), which posts a wait may complete ([`requests`]), what a
//! datatype is ([`datatypes`]), and what a called procedure has to do with all that (`handed_…`).

pub mod buffer_room;
pub mod callers_view;
pub mod datatypes;
pub mod effect_order;
pub mod error_codes;
pub mod error_handling;
pub mod followed_requests;
pub mod handed_messages;
pub mod handed_variables;
pub mod match_graph;
pub mod matching;
pub mod memory_in_callee;
pub mod posts_in_callees;
pub mod requests;
pub mod requests_in_objects;
pub mod wrappers;
