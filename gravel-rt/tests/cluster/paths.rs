//! Tests that run on every data path of the shared-memory provider.

/// Defines a module with one test per data path: `on_every_path!(name, ranks, |world| ..)`, with further settings after
/// the number of ranks if need be.
macro_rules! on_every_path {
    ($name:ident, $ranks:expr, $body:expr) => {
        on_every_path!($name, $ranks, [], $body);
    };
    ($name:ident, $ranks:expr, [$($setting:expr),*], $body:expr) => {
        mod $name {
            use super::*;

            fn run(path: &str, shm: &str) {
                let (_, module) = module_path!().split_once("::").expect("the module of a test in a crate");
                let settings = [("GRAVEL_SHM", shm), $($setting),*];
                crate::launcher::cluster(&format!("{module}::{path}"), $ranks, &settings, $body);
            }

            #[test]
            fn adopted() {
                run("adopted", "adopt,cma");
            }

            #[test]
            fn cma() {
                run("cma", "cma");
            }

            #[test]
            fn staged() {
                run("staged", "staged");
            }
        }
    };
}
