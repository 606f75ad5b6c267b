//! fortran/gravel.f90 is one file, so that a user compiles it with one command. Most of its procedures exist once for each
//! kind of arguments: programs pass integers of 4 or 8 bytes, or the types of the module mpi_f08. So it is made from the
//! parts in fortran/template, in which everything is written once. Here it is compared with them;
//! `GRAVEL_WRITE=1 cargo test -p gravel-rt --test fortran_module` writes it anew.
//!
//! A part is Fortran, and blocks that are repeated:
//!
//! ```text
//! @each name | rank
//! @| post_send | dest
//! @| post_rcv | source
//!    subroutine {name}({rank})
//!    end subroutine
//! @end
//! ```
//!
//! A value stands in quotation marks if blanks at its ends matter. Blocks may be nested. A column `variant` also defines what follows from the kind of arguments, and a column `ierror`
//! what follows from the kind of the error argument: see [`VARIANTS`] and [`ERRORS`]; a column `holder` what follows from what holds
//! requests: see [`HOLDERS`]. A line of which nothing is left is left out.

use std::path::{Path, PathBuf};

/// The parts, in their order.
const PARTS: [&str; 10] =
    ["interface", "library", "setup", "datatypes", "messages", "waits", "elements", "probes", "statuses", "mpi"];

/// What each variant of a procedure takes: integers of 4 bytes, of 8 bytes, or the types of mpi_f08.
const VARIANTS: [(&str, [(&str, &str); 11]); 3] = [
    (
        "i4",
        [
            ("kind", "i4"),
            ("integer", "integer(i4)"),
            ("logical", "logical(l4)"),
            ("datatype", "integer(i4)"),
            ("comm", "integer(i4)"),
            ("message", "integer(i4)"),
            ("value", ""),
            ("status", "integer(i4)"),
            ("elements", "(MPI_STATUS_SIZE)"),
            ("each_element", "MPI_STATUS_SIZE, "),
            ("all_elements", ":, "),
        ],
    ),
    (
        "i8",
        [
            ("kind", "i8"),
            ("integer", "integer(i8)"),
            ("logical", "logical(l8)"),
            ("datatype", "integer(i8)"),
            ("comm", "integer(i8)"),
            ("message", "integer(i8)"),
            ("value", ""),
            ("status", "integer(i8)"),
            ("elements", "(MPI_STATUS_SIZE)"),
            ("each_element", "MPI_STATUS_SIZE, "),
            ("all_elements", ":, "),
        ],
    ),
    (
        "f08",
        [
            ("kind", "i4"),
            ("integer", "integer(i4)"),
            ("logical", "logical(l4)"),
            ("datatype", "type(MPI_Datatype)"),
            ("comm", "type(MPI_Comm)"),
            ("message", "type(MPI_Message)"),
            ("value", "%MPI_VAL"),
            ("status", "type(MPI_Status)"),
            ("elements", ""),
            ("each_element", ""),
            ("all_elements", ""),
        ],
    ),
];

/// What holds requests: integers of 4 bytes, those of Gravel's own kind among them, of 8 bytes, or the type of mpi_f08. libgravel
/// takes integers of 4 bytes: other arrays are seen as such (`lend`), or copied and copied back (`give_back`).
const HOLDERS: [(&str, [(&str, &str); 9]); 3] = [
    (
        "i4",
        [
            ("request", "integer(i4)"),
            ("request_kind", "i4"),
            ("request_value", ""),
            ("values", "requests"),
            ("declare_values", ""),
            ("declare_some", ""),
            ("lend", ""),
            ("lend_some", ""),
            ("give_back", ""),
        ],
    ),
    (
        "i8",
        [
            ("request", "integer(i8)"),
            ("request_kind", "i8"),
            ("request_value", ""),
            ("values", "values"),
            ("declare_values", "integer(c_int) :: values(max(count, 0_i8))"),
            ("declare_some", "integer(c_int) :: values(max(incount, 0_i8))"),
            ("lend", "values = int(requests(:count), c_int)"),
            ("lend_some", "values = int(requests(:count), c_int)"),
            ("give_back", "requests(:count) = int(values, i8)"),
        ],
    ),
    (
        "f08",
        [
            ("request", "type(MPI_Request)"),
            ("request_kind", "mpi_kind"),
            ("request_value", "%MPI_VAL"),
            ("values", "values"),
            ("declare_values", "integer(c_int), pointer, contiguous :: values(:)"),
            ("declare_some", "integer(c_int), pointer, contiguous :: values(:)"),
            ("lend", "call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])"),
            ("lend_some", "call c_f_pointer(c_loc(requests), values, [max(count, 0_i8)])"),
            ("give_back", ""),
        ],
    ),
];

/// Procedures that differ in nothing but their error argument: it can be left out of one of them only.
const ERRORS: [(&str, [(&str, &str); 2]); 3] = [
    (
        "i4",
        [
            ("error_argument", "integer(i4), intent(out), optional :: ierror"),
            ("give_error", "if (present(ierror)) ierror = int(error, i4)"),
        ],
    ),
    ("i8", [("error_argument", "integer(i8), intent(out) :: ierror"), ("give_error", "ierror = int(error, i8)")]),
    (
        "optional_i8",
        [
            ("error_argument", "integer(i8), intent(out), optional :: ierror"),
            ("give_error", "if (present(ierror)) ierror = int(error, i8)"),
        ],
    ),
];

/// Names and what they stand for, the innermost last.
type Scope = Vec<(String, String)>;

/// What a row of a block defines.
fn define(scope: &mut Scope, columns: &[&str], row: &str) {
    let values: Vec<&str> = row.split('|').map(|value| unquoted(value.trim())).collect();
    assert_eq!(values.len(), columns.len(), "columns {columns:?}, but row {row:?}");
    for (&column, value) in columns.iter().zip(values) {
        scope.push((column.to_owned(), value.to_owned()));
        let follows: &[(&str, &str)] = match column {
            "variant" => &VARIANTS.iter().find(|(name, _)| *name == value).expect("a variant").1,
            "holder" => &HOLDERS.iter().find(|(name, _)| *name == value).expect("a holder").1,
            "ierror" => &ERRORS.iter().find(|(name, _)| *name == value).expect("a kind").1,
            _ => &[],
        };
        scope.extend(follows.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    }
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
}

/// A line with every `{name}` replaced.
fn substitute(line: &str, scope: &Scope) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}').unwrap_or_else(|| panic!("no end of a name: {line}"));
        let found = scope.iter().rev().find(|(known, _)| known == name);
        text.push_str(before);
        text.push_str(&found.unwrap_or_else(|| panic!("unknown name {{{name}}}: {line}")).1);
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// Repeats the blocks of some lines.
fn expand(lines: &[&str], scope: &mut Scope, text: &mut String) {
    let mut lines = lines;
    while let Some((&line, behind)) = lines.split_first() {
        lines = behind;
        let Some(columns) = line.trim().strip_prefix("@each ") else {
            let made = substitute(line, scope);
            // A line that some rows have no need of.
            if !made.trim().is_empty() || line.trim().is_empty() {
                text.push_str(&made);
                text.push('\n');
            }
            continue;
        };
        let columns: Vec<&str> = columns.split('|').map(str::trim).collect();
        let rows = lines.iter().take_while(|line| line.trim().starts_with("@|")).count();
        let (rows, behind) = lines.split_at(rows);
        let body = length_of_block(behind);
        for row in rows {
            let outside = scope.len();
            define(scope, &columns, row.trim().trim_start_matches("@|"));
            expand(&behind[..body], scope, text);
            scope.truncate(outside);
        }
        lines = &behind[body + 1..];
    }
}

/// How many lines there are before the `@end` that ends a block.
fn length_of_block(lines: &[&str]) -> usize {
    let mut depth = 0;
    let end = lines.iter().position(|line| match line.trim() {
        "@end" if depth == 0 => true,
        "@end" => {
            depth -= 1;
            false
        }
        other => {
            depth += usize::from(other.starts_with("@each "));
            false
        }
    });
    end.expect("a block ends with @end")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fortran")
}

fn generated() -> String {
    let mut text = String::new();
    for part in PARTS {
        let path = folder().join("template").join(format!("{part}.f90.in"));
        let part = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        expand(&part.lines().collect::<Vec<_>>(), &mut Scope::new(), &mut text);
    }
    text
}

#[test]
fn gravel_f90_is_what_its_parts_make() {
    let (path, expected) = (folder().join("gravel.f90"), generated());
    if std::env::var_os("GRAVEL_WRITE").is_some() {
        std::fs::write(&path, &expected).expect("it can be written");
    }
    let module = std::fs::read_to_string(&path).expect("it is there");
    let differs = module.lines().zip(expected.lines()).position(|(is, should)| is != should);
    assert!(
        module == expected,
        "gravel.f90 is not what fortran/template makes, from line {} on: change that, and write gravel.f90 anew with \
         GRAVEL_WRITE=1 cargo test -p gravel-rt --test fortran_module",
        differs.unwrap_or_else(|| module.lines().count().min(expected.lines().count())) + 1
    );
}

#[test]
fn every_part_is_used() {
    let files = std::fs::read_dir(folder().join("template")).expect("the parts are there");
    assert_eq!(files.count(), PARTS.len());
}

#[test]
fn blocks_are_repeated_and_nested() {
    let lines =
        ["a", "@each x | y", "@| 1 | \"p \"", "@| 2 | q", "  @each x", "  @| z", "{x}{y}", "  @end", "<{x}>", "@end"];
    let mut text = String::new();
    expand(&lines, &mut Scope::new(), &mut text);
    assert_eq!(text, "a\nzp \n<1>\nzq\n<2>\n");
}
