//! The program as a whole: who calls whom ([`calls`]), what is not in the given files ([`outside`]) or in another
//! language ([`other_languages`]) and what leads out of them ([`open_world`]), what its statements name ([`contents`]) and in which order they run ([`order`]).

pub mod calls;
pub mod computation;
pub mod contents;
pub mod looked_at;
pub mod open_world;
pub mod order;
pub mod other_languages;
pub mod outside;
