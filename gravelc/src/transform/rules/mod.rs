//! What every transformation has to keep to: when a statement may be passed ([`movement`]), in which order messages stay
//! ([`message_order`]), what a message needs ([`footprint`]), what has moved before ([`arrival`]), which names are taken
//! ([`hidden_names`]).

pub mod arrival;
pub mod awaited_buffers;
pub mod dependent_iterations;
pub mod early_values;
pub mod footprint;
pub mod hidden_names;
pub mod known_calls;
pub mod late_codes;
pub mod leaving_branches;
pub mod loop_variables;
pub mod message_order;
pub mod movement;
pub mod named_elements;
pub mod part_lengths;
pub mod passed_effects;
pub mod pending_together;
pub mod released_sends;
pub mod replacement;
pub mod rounding;
pub mod synchronous;
