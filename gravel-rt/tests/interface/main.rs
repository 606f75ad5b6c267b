//! gravel.h and gravel.f90 declare by hand what libgravel is, for people to read. Here the declarations are generated
//! from the source of the library, and compared: what drifts apart is found before a program is.

mod c;
mod fortran;
mod generated;

use std::fs;
use std::path::Path;

use fortran::Type;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("it is there")
}

/// What the Fortran module calls the structures.
const STRUCTURES_IN_FORTRAN: [(&str, &str); 10] = [
    ("half_description", "gravel_rt_half"),
    ("mpi_constants", "gravel_rt_mpi_constants"),
    ("callback_table", "gravel_rt_callbacks"),
    ("message_description", "gravel_rt_message"),
    ("envelope_description", "gravel_rt_envelope"),
    ("completion_description", "gravel_rt_completion"),
    ("group_description", "gravel_rt_group"),
    ("datatype_facts", "gravel_rt_datatype_facts"),
    ("datatype_callback_table", "gravel_rt_datatype_callbacks"),
    ("datatype_description", "gravel_rt_datatype_description"),
];

/// Which enumeration the constants of the Fortran module are of, by how their names begin.
const CONSTANTS_IN_FORTRAN: [(&str, &str); 3] =
    [("code_", "gravel_rt_code"), ("combiner_", "gravel_rt_combiner"), ("found_", "gravel_rt_finding")];

#[test]
fn the_header_declares_what_the_library_has() {
    let (library, header) = (generated::declarations(), c::Declarations::parse(&read("include/gravel.h")));
    for (name, declaration) in header.functions.iter().filter(|(name, _)| name.starts_with("gravel_rt_")) {
        let expected = library.functions.get(name);
        assert_eq!(Some(declaration), expected, "gravel.h declares {name} (left), which the library has so (right)");
    }
    for (name, structure) in &header.structures {
        let expected = library.structures.get(name);
        assert_eq!(Some(structure), expected, "gravel.h has struct {name} (left), which the library has so (right)");
    }
    for (name, values) in header.enumerations.iter().filter(|(name, _)| library.enumerations.contains_key(*name)) {
        let expected = &library.enumerations[name];
        assert_eq!(values, expected, "gravel.h has enum {name} (left), which the library has so (right)");
    }
    for name in library.enumerations.keys() {
        assert!(header.enumerations.contains_key(name), "gravel.h does not have enum {name}");
    }
}

#[test]
fn the_module_declares_what_the_library_has() {
    let (library, module) = (generated::declarations(), fortran::Declarations::parse(&read("fortran/gravel.f90")));
    for (name, result, arguments) in &module.procedures {
        let expected = library.functions.get(name).unwrap_or_else(|| panic!("the library has no {name}"));
        let (expected_result, expected_arguments) = signature(name, expected);
        assert!(
            in_c(result).fits(&expected_result),
            "{name} gives {result:?} in gravel.f90; the library has {expected}"
        );
        let fit = arguments.len() == expected_arguments.len()
            && arguments.iter().zip(&expected_arguments).all(|(own, other)| in_c(own).fits(other));
        assert!(fit, "{name} takes {arguments:?} in gravel.f90; the library has {expected}");
    }
    for (name, components) in &module.types {
        let structure = name_in_c(name);
        let expected = library.structures.get(structure);
        let expected = components_of(expected.unwrap_or_else(|| panic!("{name}: the library has no {structure}")));
        let names = |all: &[(String, Type)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(components), names(&expected), "type {name} of gravel.f90 (left) and {structure} (right)");
        for ((component, own), (_, other)) in components.iter().zip(&expected) {
            assert!(in_c(own).fits(other), "{name}%{component} is {own:?} in gravel.f90, {other:?} in the library");
        }
    }
    for (name, value) in &module.constants {
        let enumeration =
            CONSTANTS_IN_FORTRAN.iter().find_map(|&(prefix, of)| name.strip_prefix(prefix).map(|short| (short, of)));
        if let Some((short, enumeration)) = enumeration {
            let expected = library.enumerations[enumeration].get(&short.to_ascii_uppercase());
            assert_eq!(Some(value), expected, "{name} of gravel.f90 (left) and {enumeration} (right)");
        }
    }
}

#[test]
fn every_function_of_the_library_is_declared() {
    let header = c::Declarations::parse(&read("include/gravel.h"));
    let module = fortran::Declarations::parse(&read("fortran/gravel.f90"));
    for name in generated::declarations().functions.keys() {
        let is_declared =
            header.functions.contains_key(name) || module.procedures.iter().any(|(label, ..)| label == name);
        assert!(is_declared, "{name} is neither in gravel.h nor in gravel.f90");
    }
}

fn name_in_c(name: &str) -> &str {
    STRUCTURES_IN_FORTRAN.iter().find(|(fortran, _)| *fortran == name).map_or(name, |(_, c)| c)
}

/// A type of the module with the names that the library has for structures.
fn in_c(is: &Type) -> Type {
    match is {
        Type::Structure(name) => Type::Structure(name_in_c(name).to_owned()),
        Type::Pointer(Some(target)) => Type::Pointer(Some(Box::new(in_c(target)))),
        other => other.clone(),
    }
}

/// Result and arguments of a function in C.
fn signature(name: &str, declaration: &str) -> (Type, Vec<Type>) {
    let (result, rest) = declaration.split_once(&format!("{name} ( ")).expect("the name is in its declaration");
    let arguments = rest.strip_suffix(" )").expect("the declaration ends with its arguments");
    let arguments = arguments.split(" , ").filter(|&argument| argument != "void");
    let without_name = |argument: &str| argument.rsplit_once(' ').map_or("", |(is, _)| is).to_owned();
    (type_in_c(result.trim()), arguments.map(|argument| type_in_c(&without_name(argument))).collect())
}

/// Components of a structure in C.
fn components_of(structure: &str) -> Vec<(String, Type)> {
    let components = structure.split(';').map(str::trim).filter(|component| !component.is_empty());
    components
        .map(|component| match component.split_once("( * ") {
            // A function.
            Some((_, name)) => (name.split(' ').next().unwrap_or_default().to_owned(), Type::Pointer(None)),
            None => {
                let (is, name) = component.rsplit_once(' ').expect("a type and a name");
                (name.to_owned(), type_in_c(is))
            }
        })
        .collect()
}

fn type_in_c(text: &str) -> Type {
    let text = text.trim_start_matches("const ");
    match text {
        "void" => Type::Nothing,
        "int" => Type::Integer(32),
        "int64_t" | "uint64_t" => Type::Integer(64),
        "char" => Type::Character,
        _ => match (text.strip_suffix(" *"), text.strip_prefix("struct ")) {
            // What only a compiler makes is anything to Fortran.
            (Some("void" | "struct Descriptor" | "const struct Descriptor"), _) => Type::Pointer(None),
            (Some(target), _) => Type::Pointer(Some(Box::new(type_in_c(target)))),
            (None, Some(name)) => Type::Structure(name.to_owned()),
            (None, None) => panic!("a type that Fortran has no name for: {text}"),
        },
    }
}
