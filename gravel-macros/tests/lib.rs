//! Tests of `#[gravel::overlap]`: programs that run with and without it (`runs`), what the compiler says of misuse (`ui`), and
//! what its feature costs (`features`).
