//! Tests of the macros of Gravel: programs that run with and without `#[gravel::overlap]` (`runs`, and functions made at random:
//! `random`), what the compiler says of misuse (`ui`), and what the feature costs (`features`).
