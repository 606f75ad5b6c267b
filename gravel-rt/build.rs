//! Gives libgravel.so the name that programs which link it look for at run time. It carries the major version: a program
//! never meets a library with another C interface than the one it was built against.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The workspace has one version; `gravelc install` makes the links that go with the name.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libgravel.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
}
