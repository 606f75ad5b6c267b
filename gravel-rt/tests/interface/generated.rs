//! The C declarations of libgravel as they follow from its source.

use std::path::{Path, PathBuf};

use crate::c::Declarations;

/// What the structures and enumerations of the interface are called in C. Those of Fortran's descriptors have no name there:
/// only compilers make them.
const NAMES: [(&str, &str); 13] = [
    ("Callbacks", "gravel_rt_callbacks"),
    ("MpiConstants", "gravel_rt_mpi_constants"),
    ("MessageDescription", "gravel_rt_message"),
    ("EnvelopeDescription", "gravel_rt_envelope"),
    ("CompletionDescription", "gravel_rt_completion"),
    ("GroupDescription", "gravel_rt_group"),
    ("HalfDescription", "gravel_rt_half"),
    ("DatatypeFacts", "gravel_rt_datatype_facts"),
    ("DatatypeCallbacks", "gravel_rt_datatype_callbacks"),
    ("DatatypeDescription", "gravel_rt_datatype_description"),
    ("Code", "gravel_rt_code"),
    ("Combiner", "gravel_rt_combiner"),
    ("Finding", "gravel_rt_finding"),
];

/// All declarations.
pub fn declarations() -> Declarations {
    Declarations::parse(&without_conditional_parts(&header()))
}

/// cbindgen declares the type of enumerations where C has that.
fn without_conditional_parts(header: &str) -> String {
    let mut is_inside = false;
    let mut text = String::new();
    for line in header.lines() {
        let is_end = line.starts_with("#endif");
        is_inside |= line.starts_with("#if");
        if !is_inside {
            text.push_str(line);
            text.push('\n');
        }
        is_inside &= !is_end;
    }
    text
}

fn header() -> String {
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        style: cbindgen::Style::Tag,
        documentation: false,
        no_includes: true,
        ..cbindgen::Config::default()
    };
    config.export.rename = NAMES.iter().map(|&(rust, c)| (rust.to_owned(), c.to_owned())).collect();
    // No function takes these: they are numbers there.
    config.export.include = ["Code", "Combiner", "Finding"].map(str::to_owned).to_vec();
    config.enumeration.rename_variants = cbindgen::RenameRule::ScreamingSnakeCase;
    let builder = sources()
        .into_iter()
        .fold(cbindgen::Builder::new().with_config(config), |builder, source| builder.with_src(source));
    let mut text = Vec::new();
    builder.generate().expect("the interface can be expressed in C").write(&mut text);
    String::from_utf8(text).expect("it is text")
}

/// The files in which the interface is written.
fn sources() -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let abi = std::fs::read_dir(source.join("abi")).expect("the folder can be read");
    let mut files: Vec<PathBuf> = abi.map(|entry| entry.expect("it can be read").path()).collect();
    // That would bring in all of them once more.
    files.retain(|file| !file.ends_with("mod.rs"));
    files.extend(
        ["runtime/arguments.rs", "error/code.rs", "message/datatype/combiner.rs"].map(|name| source.join(name)),
    );
    files.sort();
    files
}
