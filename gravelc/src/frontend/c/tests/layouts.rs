//! Sizes, alignments and places of members.

use std::fmt::Write;
use std::process::Command;

use super::random::Random;
use super::{cases, read_for, read_whole, run};
use crate::frontend::c::types::{Record, Target, Type, Types, alignment_of, size_of};
use crate::frontend::c::unit::Unit;

const SCALARS: [&str; 24] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short int",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long int",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "double _Complex",
    "float _Complex",
    "__int128",
    "int (*)(int)",
    "_Float128",
    "enum tiny",
    "enum huge",
    "aligned_int",
];

const FIELDS: [&str; 10] = [
    "int",
    "unsigned",
    "char",
    "signed char",
    "short",
    "unsigned short",
    "long",
    "unsigned long long",
    "_Bool",
    "enum tiny",
];

const HEAD: &str = "enum __attribute__((packed)) tiny { A, B, C = 200 };\nenum huge { D = 1, E = 0x100000000 };\n\
    typedef int aligned_int __attribute__((aligned(32)));\ntypedef double low __attribute__((aligned(2)));\n\
    typedef float quad __attribute__((vector_size(16)));\n";

/// A declaration of a member.
fn member(random: &mut Random, number: u64, earlier: &[String], is_last: bool) -> String {
    let name = format!("m{number}");
    let attribute = match random.below(14) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(8)))",
        2 => " __attribute__((packed, aligned(2)))",
        3 => " __attribute__((aligned))",
        _ => "",
    };
    if random.one_in(3) {
        let ty = *random.pick(&FIELDS);
        let most = match ty {
            "char" | "signed char" | "enum tiny" => 8,
            "_Bool" => 1,
            "short" | "unsigned short" => 16,
            "int" | "unsigned" => 32,
            _ => 64,
        };
        if random.one_in(8) {
            return format!("{ty} : {};", if random.one_in(2) { 0 } else { random.below(most) + 1 });
        }
        let attribute = if random.one_in(10) { " __attribute__((packed))" } else { "" };
        return format!("{ty} {name} : {}{attribute};", random.below(most) + 1);
    }
    if !earlier.is_empty() && random.one_in(4) {
        let of = random.pick(earlier).clone();
        let length = random.below(4);
        return if random.one_in(3) {
            format!("{of} {name}[{length}]{attribute};")
        } else {
            format!("{of} {name}{attribute};")
        };
    }
    if random.one_in(8) {
        let kind = if random.one_in(2) { "struct" } else { "union" };
        return format!(
            "{kind} {{ {} {} }};",
            member(random, number * 10 + 101, earlier, false),
            member(random, number * 10 + 102, earlier, false)
        );
    }
    let ty = *random.pick(&SCALARS);
    if ty.contains("(*)") {
        return format!("int (*{name})(int){attribute};");
    }
    match random.below(10) {
        // An array of what is aligned more than it is long is no C.
        0 if ty != "aligned_int" => format!("{ty} {name}[{}]{attribute};", random.below(5) + 1),
        1 => format!("{} {name}{attribute};", if random.one_in(2) { "low" } else { "quad" }),
        2 if is_last && !ty.contains("aligned") => format!("{ty} {name}[];"),
        _ if ty == "aligned_int" => format!("{ty} {name};"),
        _ => format!("{ty} {name}{attribute};"),
    }
}

/// A definition of a structure or union.
fn structure(random: &mut Random, name: &str, earlier: &[String]) -> String {
    let is_union = random.one_in(6);
    let count = random.below(7) + 1;
    let mut members: Vec<String> = Vec::new();
    for index in 0..count {
        // A flexible array stands behind a member with a name.
        let is_last = !is_union && index + 1 == count && members.first().is_some_and(|first| first.contains(" m0"));
        members.push(member(random, index, earlier, is_last));
    }
    let attribute = match random.below(10) {
        0 | 1 => " __attribute__((packed))",
        2 => " __attribute__((aligned(16)))",
        3 => " __attribute__((packed, aligned(4)))",
        _ => "",
    };
    let kind = if is_union { "union" } else { "struct" };
    let text = format!("typedef {kind} tag_{name} {{ {} }}{attribute} {name};", members.join(" "));
    match random.below(6) {
        0 => format!(
            "#pragma pack(push, {})\n{text}\n#pragma pack(pop)",
            [1, 2, 4, 8][usize::try_from(random.below(4)).unwrap()]
        ),
        _ => text,
    }
}

/// The members of a structure with their names, those of anonymous ones, too: place in bits, type, and width of a bit-field.
fn named(types: &Types, record: &Record, from: u64, unit: &Unit, found: &mut Vec<(String, u64, Type, Option<u32>)>) {
    for member in &record.members {
        let at = from + member.bit_offset;
        match member.name {
            Some(name) => found.push((unit.names.text(name).to_string(), at, member.ty, member.bit_width)),
            None => {
                if let (Some(id), None) = (types.as_record(member.ty.id), member.bit_width) {
                    named(types, types.record(id), at, unit, found);
                }
            }
        }
    }
}

/// Structures that hold some of a few before them, so that they stay small.
fn structures(count: u64, first_seed: u64) -> String {
    let mut text = HEAD.to_string();
    let mut names: Vec<String> = Vec::new();
    for number in 0..count {
        let mut random = Random::new(number + first_seed);
        let name = format!("s{number}");
        let own = structure(&mut random, &name, &names[names.len() - names.len() % 20..]);
        writeln!(text, "{own}").unwrap();
        names.push(name);
    }
    text
}

/// Assertions about all structures that have names, and the places of their bit-fields: structure, member, first bit, width.
fn assertions(unit: &Unit) -> (String, Vec<(String, String, u64, u32)>) {
    let mut text = String::new();
    let mut fields = Vec::new();
    for id in &unit.globals {
        let symbol = unit.symbol(*id);
        let name = unit.names.text(symbol.name.unwrap()).to_string();
        let Some(record) = unit.types.as_record(symbol.ty.id) else { continue };
        let record = unit.types.record(record);
        let (size, alignment) = record.layout.unwrap_or_else(|| panic!("{name} has no layout"));
        assert_eq!(size_of(&unit.types, symbol.ty), Some(size));
        assert_eq!(alignment_of(&unit.types, symbol.ty), Some(alignment));
        writeln!(text, "_Static_assert(sizeof({name}) == {size}, \"size of {name}\");").unwrap();
        writeln!(text, "_Static_assert(_Alignof({name}) == {alignment}, \"alignment of {name}\");").unwrap();
        let mut members = Vec::new();
        named(&unit.types, record, 0, unit, &mut members);
        for (member, at, _, width) in members {
            match width {
                Some(width) => fields.push((name.clone(), member, at, width)),
                None => {
                    assert_eq!(at % 8, 0);
                    let offset = format!("__builtin_offsetof({name}, {member}) == {}", at / 8);
                    writeln!(text, "_Static_assert({offset}, \"{name}.{member}\");").unwrap();
                }
            }
        }
    }
    (text, fields)
}

/// Finds the bits of an object that are set: the first one, and how many.
const FIND: &str = "static void find(const char *n, void *p, int s) { int f = -1, c = 0; for (int i = 0; i < 8 * s; i++) \
    if (((unsigned char *)p)[i / 8] >> i % 8 & 1) { f = f < 0 ? i : f; c++; } printf(\"%s %d %d\\n\", n, f, c); }\n";

#[test]
fn structures_are_laid_out_as_the_compiler_does() {
    let count = cases(250);
    let text = structures(count, 1);
    let unit = read_whole(&text);
    let (asserted, fields) = assertions(&unit);
    let mut program = format!("#include <stdio.h>\n#include <string.h>\n{text}{asserted}{FIND}");
    let mut calls = String::new();
    let mut expected = String::new();
    for (number, (name, member, at, width)) in fields.iter().enumerate() {
        let set = format!("memset(&s, 0, sizeof s); s.{member} = -1; find(\"{name}.{member}\", &s, sizeof s);");
        writeln!(program, "static void check{number}(void) {{ {name} s; {set} }}").unwrap();
        writeln!(calls, "check{number}();").unwrap();
        writeln!(expected, "{name}.{member} {at} {width}").unwrap();
    }
    write!(program, "int main(void) {{\n{calls}}}\n").unwrap();
    let printed = run(&program, "layouts");
    let differ: Vec<_> = printed.lines().zip(expected.lines()).filter(|(one, other)| one != other).take(10).collect();
    assert!(differ.is_empty(), "{differ:?}");
    assert_eq!(printed.lines().count(), expected.lines().count());
    assert!(fields.len() as u64 > count / 2);
}

/// Sizes, alignments and offsets of another target, where its compiler is there.
#[test]
fn structures_are_laid_out_as_on_arm() {
    let arguments = ["--target=aarch64-linux-gnu", "-std=gnu11", "-w", "-fsyntax-only"];
    let is_there = Command::new("clang").arg("--version").output().is_ok_and(|output| output.status.success());
    let text = structures(cases(250), 5000).replace("_Float128", "long double");
    let unit = read_for(&text, Target::AARCH64);
    let (asserted, _) = assertions(&unit);
    if is_there {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("layouts.c");
        std::fs::write(&source, format!("{text}{asserted}")).unwrap();
        let compiled = Command::new("clang").args(arguments).arg("-ferror-limit=20").arg(&source).output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    }
}
