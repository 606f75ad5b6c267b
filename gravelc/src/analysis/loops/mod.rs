//! Loops: whether one produces a message piece by piece ([`production`]) or consumes it so ([`consumption`]), whether its
//! iterations can change places ([`independence`], for loops one in the other [`inside_box`]), and whether it rounds the same in parts ([`vectorised`],
//! [`elementary_functions`]).

pub mod accumulations;
pub mod carried;
pub mod consumption;
pub mod dependence_graph;
pub mod elementary_functions;
pub mod independence;
pub mod inside_box;
pub mod production;
pub mod vectorised;
