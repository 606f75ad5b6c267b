//! Tests that run on every data path of the shared-memory provider, and over an RDMA device.

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
            fn adopted_alone() {
                run("adopted_alone", "adopt");
            }

            #[test]
            fn cma() {
                run("cma", "cma");
            }

            #[test]
            fn staged() {
                run("staged", "staged");
            }

            /// Not by shared memory at all: where such tests are asked for (see `launcher`).
            #[test]
            fn over_verbs() {
                let (_, module) = module_path!().split_once("::").expect("the module of a test in a crate");
                let networks = [crate::launcher::Network::Verbs];
                crate::launcher::cluster_over(&networks, &format!("{module}::over_verbs"), $ranks, &[$($setting),*], $body);
            }
        }
    };
}
