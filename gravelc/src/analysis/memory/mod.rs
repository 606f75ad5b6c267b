//! What statements do to memory: [`effects`] as regions ([`arrays`]), whether two of them can meet ([`overlap`],
//! [`sharing`]), which memory a message is ([`message`]), and what only copies ([`copies`]).

pub mod arrays;
pub mod copies;
pub mod effects;
pub mod message;
pub mod overlap;
pub mod overrun;
pub mod region_text;
pub mod repeatable;
pub mod sharing;
