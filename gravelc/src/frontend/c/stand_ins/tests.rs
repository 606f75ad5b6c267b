//! The stand-ins, compared with the headers that are installed and with the table of routines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use super::*;
use crate::frontend::c::reading::read_behind;
use crate::frontend::c::types::{TypeKind, spell};
use crate::frontend::c::unit::{SymbolKind, Unit};
use crate::mpi::routines;

/// Routines of the table that C does not have: two are Fortran's alone, and one is a constant in C.
const NOT_IN_C: [&str; 3] = ["f_sync_reg", "sizeof", "t_pvar_all_handles"];

/// Functions with a parameter that is an enumeration where the GNU C library shows its extensions, and else an `int`.
const HAVE_ENUMERATIONS: [&str; 6] = ["getitimer", "setitimer", "getrlimit", "setrlimit", "getpriority", "setpriority"];

/// Everything that is declared, as a unit.
fn all(target: Target) -> Unit {
    read_behind(b"", StandIns::read(target).declared)
}

#[test]
fn all_of_them_can_be_read() {
    for target in [Target::X86_64, Target::AARCH64] {
        let mut declared = Declared::nothing(target);
        for section in FILES.into_iter().flat_map(sections) {
            section.opaque.iter().for_each(|name| declared.add_opaque(name));
            section.unspecified.iter().for_each(|name| declared.add_constant(name));
            declared.add(section.text.as_bytes());
            let (holes, doubts) = declared.faults();
            let at = |range: &std::ops::Range<u32>| section.text[range.start as usize..range.end as usize].to_string();
            let holes: Vec<String> = holes.iter().map(|hole| at(&hole.range)).collect();
            let doubts: Vec<_> = doubts.iter().map(|(range, doubt)| (at(range), doubt)).collect();
            assert!(holes.is_empty() && doubts.is_empty(), "{:?}: {holes:?} {doubts:?}", section.headers);
        }
        let unit = all(target);
        let unknown = unit.symbols.iter().filter(|symbol| unit.types.reason(symbol.ty.id).is_some());
        assert_eq!(unknown.count(), 0);
        assert!(unit.symbols.iter().all(|symbol| symbol.range.is_empty() && symbol.kind != SymbolKind::Parameter));
    }
}

#[test]
fn the_routines_are_those_of_the_table() {
    let unit = all(Target::X86_64);
    let names = unit.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function);
    let names: BTreeSet<&str> = names.map(|symbol| unit.names.text(symbol.name.unwrap())).collect();
    let declared: BTreeSet<String> =
        names.iter().filter_map(|name| name.strip_prefix("MPI_")).map(str::to_ascii_lowercase).collect();
    for name in &declared {
        assert!(routines::is_known(&format!("mpi_{name}")), "{name} is not in the table");
    }
    let lacking: Vec<&str> =
        routines::names().filter(|name| !declared.contains(*name) && !NOT_IN_C.contains(name)).collect();
    assert_eq!(lacking, [""; 0], "C has these, too");
    for name in names.iter().filter(|name| name.starts_with("MPI_")) {
        assert!(names.contains(format!("P{name}").as_str()), "P{name}");
    }
}

#[test]
fn arguments_are_as_many_as_the_table_says() {
    let unit = all(Target::X86_64);
    let mut compared = 0;
    for symbol in unit.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function) {
        let spelled = unit.names.text(symbol.name.unwrap()).to_ascii_lowercase();
        if !spelled.starts_with("mpi_") || spelled.starts_with("mpi_t_") {
            continue;
        }
        let function = unit.types.as_function(symbol.ty.id).unwrap();
        let forms = &routines::find(&spelled).forms;
        // C hands the command line over.
        let more = match spelled.as_str() {
            "mpi_init" | "mpi_init_thread" | "mpi_info_create_env" => 2,
            _ => 0,
        };
        let fits = forms.iter().any(|form| form.len() + more == function.parameters.len());
        assert!(fits, "{spelled}: {forms:?}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

/// The declarations of a text, without comments.
fn declarations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = 0;
    let mut current = String::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        for character in line.chars().chain(['\n']) {
            match character {
                '{' => open += 1,
                '}' => open -= 1,
                ';' if open == 0 => {
                    found.push(std::mem::take(&mut current).trim().to_string());
                    continue;
                }
                _ => {}
            }
            current.push(character);
        }
    }
    found
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').filter(|word| !word.is_empty())
}

/// The text with all occurrences of a word made another one.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, behind) = (&rest[..at], &rest[at + from.len()..]);
        let stands_alone = !before.ends_with(is_word) && !behind.starts_with(is_word);
        result += before;
        result += if stands_alone { to } else { from };
        rest = behind;
    }
    result + rest
}

/// A compiler with its flags.
struct Installed {
    program: &'static str,
    flags: &'static [&'static str],
}

impl Installed {
    fn is_there(&self) -> bool {
        let found = Command::new(self.program).arg("--version").output();
        let is_there = found.is_ok_and(|found| found.status.success());
        if !is_there {
            eprintln!("NOT COMPARED: {} is not installed", self.program);
        }
        is_there
    }

    /// Runs it on a text: its output, or its errors.
    fn run(&self, text: &str, flags: &[&str]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.c");
        std::fs::write(&path, text).unwrap();
        let mut command = Command::new(self.program);
        let output = command.args(self.flags).args(["-std=gnu11", "-w"]).args(flags).arg(&path).output().unwrap();
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(said.lines().filter(|line| line.contains("error")).take(40).collect::<Vec<_>>().join("\n"))
    }
}

/// Compares the sections of a file with what the compiler's headers declare: how many names of which kind.
fn compare(file: &'static str, compiler: &Installed) -> BTreeMap<&'static str, usize> {
    let declared = StandIns::read(Target::X86_64).declared;
    let unit = read_behind(b"", declared.clone());
    let symbols: HashMap<&str, SymbolKind> =
        unit.symbols.iter().filter_map(|symbol| Some((unit.names.text(symbol.name?), symbol.kind))).collect();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut differences: Vec<String> = Vec::new();
    for section in sections(file) {
        let mut header = section.headers[0];
        if header == "*" {
            header = "stddef.h";
        }
        let mut program = format!("#include <stdarg.h>\n#include <stddef.h>\n#include <{header}>\n");
        if section.headers[0] == "*" || header == "signal.h" {
            program = "#include <signal.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <pthread.h>\n#include <wchar.h>\n"
                .to_string()
                + &program;
        }
        let text = compiler.run(&program, &["-E", "-dD", "-P"]).unwrap();
        let there: BTreeSet<&str> = words(&text).collect();
        // What is a macro alone has no type to compare.
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let declared_there: BTreeSet<&str> = lines.flat_map(words).collect();
        let asserts = |left: &str, right: &str| {
            format!("_Static_assert(__builtin_types_compatible_p({left}, {right}), \"{left}\");\n").replace('\n', " ")
                + "\n"
        };
        let mut number = 0;
        for declaration in declarations(&section.text) {
            let typed = declaration.starts_with("typedef");
            if typed && !declaration.contains("__gravel_rest") && !declaration.contains('{') {
                let read = read_behind((declaration.clone() + ";").as_bytes(), declared.clone());
                let names = read.globals.iter().filter_map(|id| read.symbol(*id).name);
                let names: Vec<&str> =
                    names.map(|name| read.names.text(name)).filter(|name| there.contains(name)).collect();
                let prefix = format!("gravel_{number}_");
                let mut own_text = declaration.clone();
                for name in &names {
                    own_text = renamed(&own_text, name, &format!("{prefix}{name}"));
                }
                if !names.is_empty() {
                    program += &(own_text + ";\n");
                }
                for name in names {
                    // They may be `long` as well.
                    if ["MPI_Count", "MPI_Offset"].contains(&name) {
                        writeln!(program, "_Static_assert(sizeof({name}) == 8 && ({name})-1 < 0, \"{name}\");")
                            .unwrap();
                    } else {
                        program += &asserts(name, &format!("{prefix}{name}"));
                    }
                    *counts.entry("types").or_default() += 1;
                }
            } else if !typed && !declaration.starts_with("extern") {
                let name = declaration.split('(').next().and_then(|head| words(head).last());
                let Some(name) = name.filter(|name| symbols.get(name) == Some(&SymbolKind::Function)) else { continue };
                if declared_there.contains(name) && !HAVE_ENUMERATIONS.contains(&name) {
                    let own = declaration.replacen(&format!("{name}("), &format!("gravel_{name}("), 1);
                    program += &format!("typedef {};\n", own.replace("_Noreturn ", ""));
                    program += &asserts(&format!("__typeof__({name})"), &format!("gravel_{name}"));
                    *counts.entry("functions").or_default() += 1;
                }
            }
            number += 1;
        }
        let mut declared_here = declarations(&section.text);
        declared_here.retain(|declaration| declaration.starts_with("extern") || declaration.contains("enum {"));
        for symbol in &unit.symbols {
            let Some(name) = symbol.name.map(|name| unit.names.text(name)) else { continue };
            let has_word = |declaration: &String| words(declaration).any(|word| word == name);
            let is_here = declared_here.iter().any(has_word) || section.unspecified.contains(&name);
            if !is_here || !there.contains(name) {
                continue;
            }
            let spelled = spell(&unit.types, &unit.names, symbol.ty.unqualified(), "");
            match symbol.kind {
                // The types of 8 bytes may be others.
                SymbolKind::Object if !spelled.contains('<') && !spelled.contains("long long") => {
                    // What is a macro need not be an object: only its type counts.
                    let decays =
                        if name.ends_with("_FN") { format!("1 ? ({name}) : ({name})") } else { name.to_string() };
                    program += &asserts(&format!("__typeof__({decays})"), &spelled);
                    *counts.entry("objects").or_default() += 1;
                }
                SymbolKind::Enumerator(Some(value)) => {
                    writeln!(program, "_Static_assert(({name}) == {value}, \"{name}\");").unwrap();
                    *counts.entry("constants").or_default() += 1;
                }
                SymbolKind::Enumerator(None) => {
                    writeln!(program, "enum {{ gravel_{name} = {name} }};").unwrap();
                    *counts.entry("constants").or_default() += 1;
                }
                _ => {}
            }
        }
        members(&unit, &section, &there, &mut program, &mut counts);
        if let Err(errors) = compiler.run(&program, &["-fsyntax-only"]) {
            differences.push(format!("{:?}: {errors}", section.headers));
        }
    }
    assert!(differences.is_empty(), "{}: {}", compiler.program, differences.join("\n"));
    counts
}

/// Compares the members of structures, and their places where they are known.
fn members(
    unit: &Unit,
    section: &Section,
    there: &BTreeSet<&str>,
    program: &mut String,
    counts: &mut BTreeMap<&'static str, usize>,
) {
    let by_typedef = unit.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Typedef);
    let by_typedef = by_typedef
        .filter_map(|symbol| Some((unit.names.text(symbol.name?).to_string(), unit.types.as_record(symbol.ty.id)?)));
    let tagged = unit.symbols.iter().filter_map(|symbol| {
        let TypeKind::Function(id) = unit.types.kind(symbol.ty.id) else { return None };
        Some(unit.types.function(id).parameters.clone())
    });
    let tagged = tagged.flatten().filter_map(|ty| unit.types.as_record(unit.types.pointee(ty.id)?.id));
    let tagged = tagged.filter_map(|id| Some((format!("struct {}", unit.names.text(unit.types.record(id).tag?)), id)));
    let all: BTreeMap<String, _> = by_typedef.chain(tagged).collect();
    for (name, id) in all {
        let last = words(&name).last().unwrap_or_default();
        let declares = section.text.contains(&format!("}} {last};")) || section.text.contains(&format!("{name} {{"));
        if !declares || !there.contains(last) {
            continue;
        }
        let record = unit.types.record(id);
        for member in &record.members {
            let spelled = spell(&unit.types, &unit.names, member.ty, "");
            let field = unit.names.text(member.name.unwrap());
            if spelled.contains("__gravel_rest") || spelled.contains('<') || last == "max_align_t" || field == "__bits"
            {
                continue;
            }
            writeln!(program, "_Static_assert(__builtin_types_compatible_p(__typeof__((({name} *)0)->{field}), {spelled}), \"{name} {field}\");").unwrap();
            if record.layout.is_some() {
                let offset = member.bit_offset / 8;
                writeln!(
                    program,
                    "_Static_assert(__builtin_offsetof({name}, {field}) == {offset}, \"{name} {field}\");"
                )
                .unwrap();
            }
            *counts.entry("members").or_default() += 1;
        }
        if let Some((size, alignment)) = record.layout {
            writeln!(
                program,
                "_Static_assert(sizeof({name}) == {size} && _Alignof({name}) == {alignment}, \"{name}\");"
            )
            .unwrap();
        }
    }
}

/// The names of the headers that a program reads which includes one of the system, as `#include` has them.
fn included_with(header: &str, compiler: &Installed) -> Vec<String> {
    let rule = compiler.run(&format!("#include <{header}>\n"), &["-M"]).unwrap();
    let paths = rule.split_whitespace().filter(|word| word.ends_with(".h"));
    let names = paths.filter_map(|path| path.rsplit_once("/include/")).map(|(_, name)| {
        let (folder, rest) = name.split_once('/').unwrap_or_default();
        // Debian has the headers of a processor in a folder of its own.
        if folder.contains("-linux-") { rest } else { name }
    });
    names.map(str::to_owned).collect()
}

#[test]
fn a_header_that_stands_alone_declares_its_types() {
    let compiler = Installed { program: "gcc", flags: &[] };
    if !compiler.is_there() {
        return;
    }
    let all = StandIns::of(Target::X86_64);
    let everything = read_behind(b"", all.declared.clone());
    let typedefs = everything.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Typedef);
    let typedefs: BTreeSet<&str> = typedefs.map(|symbol| everything.names.text(symbol.name.unwrap())).collect();
    let mut compared = 0;
    let mut lacking: Vec<String> = Vec::new();
    let headers: BTreeSet<&str> = FILES.into_iter().flat_map(sections).flat_map(|section| section.headers).collect();
    for header in headers {
        let Ok(text) = compiler.run(&format!("#include <{header}>\n"), &["-E", "-P"]) else { continue };
        let there = declarations(&text);
        let there = there.iter().filter(|declaration| declaration.starts_with("typedef"));
        let there: BTreeSet<&str> = there.filter_map(|declaration| words(declaration).last()).collect();
        let names = included_with(header, &compiler);
        let included = names.iter().map(|name| Included { name, is_asked_by_program: name == header });
        let declared = all.for_headers(&included.collect::<Vec<_>>());
        for name in typedefs.intersection(&there) {
            let read = read_behind(format!("{name} *gravel_looks_at;").as_bytes(), declared.clone());
            let looks_at =
                read.symbols.iter().find(|it| it.name.is_some_and(|it| read.names.text(it) == "gravel_looks_at"));
            let is_known = looks_at.is_some_and(|it| {
                let pointee = read.types.pointee(it.ty.id);
                pointee.is_some_and(|ty| read.types.reason(ty.id).is_none())
            });
            if !is_known {
                lacking.push(format!("{header}: {name}"));
            }
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
    assert_eq!(lacking, [""; 0]);
}

#[test]
fn mpi_declares_the_same() {
    let open = Installed { program: "mpicc.openmpi", flags: &["-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"] };
    let other = Installed { program: "mpicc.mpich", flags: &[] };
    for (compiler, functions) in [(open, 350), (other, 600)] {
        if compiler.is_there() {
            let counts = compare(MPI, &compiler);
            assert!(counts["functions"] > functions && counts["constants"] > 150, "{counts:?}");
            assert!(counts["objects"] > 90 && counts["types"] > 15 && counts["members"] >= 3, "{counts:?}");
        }
    }
}

#[test]
fn the_c_library_declares_the_same() {
    let compiler = Installed { program: "gcc", flags: &["-D_GNU_SOURCE", "-fopenmp"] };
    if cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) && compiler.is_there() {
        let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
        for file in FILES.into_iter().filter(|file| ![MPI, RUNTIME].contains(file)) {
            for (kind, count) in compare(file, &compiler) {
                *sums.entry(kind).or_default() += count;
            }
        }
        assert!(sums["functions"] > 850 && sums["types"] > 80 && sums["members"] > 80, "{sums:?}");
        assert!(sums["objects"] > 25 && sums["constants"] > 20, "{sums:?}");
    } else {
        eprintln!("NOT COMPARED: the C library");
    }
}

#[test]
fn the_runtime_declares_what_its_header_does() {
    let header = include_str!("../../../../runtime/include/gravel.h");
    let is_blank = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let functions = header.split("\nstatic inline ").skip(1).filter_map(|rest| rest.split_once(" {"));
    let declared: BTreeSet<String> = functions
        .map(|(head, _)| is_blank(head))
        .filter(|head| head.contains("gravel_") && !head.split('(').next().unwrap_or_default().contains("gravel_rt_"))
        .collect();
    let own = sections(RUNTIME).remove(0).text;
    let own: BTreeSet<String> = own
        .lines()
        .filter_map(|line| line.strip_suffix(';'))
        .filter(|line| line.ends_with(')'))
        .map(is_blank)
        .collect();
    assert!(declared.len() > 60, "{declared:?}");
    assert_eq!(own, declared);
}
