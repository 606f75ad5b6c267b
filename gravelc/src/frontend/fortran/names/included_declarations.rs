//! What INCLUDE lines among declarations bring (Fortran 2018, 6.4): the declarations of the files that they name, or why
//! these can't be read.

use std::collections::HashMap;
use std::ops::Range;

use super::super::text::syntax_tree::Node;

use super::super::text::directives::directive;
use super::super::text::includes::{is_mpif_name, quoted_name};
use super::super::text::tree::named_children;
use super::declarations::{Reader, is_executable, read_part};
use super::scope::UseClause;
use super::units::{Source, Unit};
use crate::ir::UntouchableCause;

/// The file that an INCLUDE line names.
fn included_path(source: &Source<'_>, part: Node<'_>) -> String {
    let text = String::from_utf8_lossy(&source.original[part.start_byte()..part.end_byte()]).into_owned();
    let name = text.find(['\'', '"', '<']).and_then(|start| quoted_name(&text[start..]));
    name.unwrap_or_default()
}

/// Is it `include 'mpif.h'`, in whatever folder?
fn is_mpif(source: &Source<'_>, part: Node<'_>) -> bool {
    is_mpif_name(&included_path(source, part))
}

/// Is it `include 'omp_lib.h'`, which declares what OpenMP's module does, and lies among the compiler's own files (OpenMP 5.2,
/// chapter 18)? One that is found is read.
fn is_omp_lib(source: &Source<'_>, part: Node<'_>) -> bool {
    let name = included_path(source, part).to_ascii_lowercase();
    name.rsplit('/').next() == Some("omp_lib.h") && source.included_by(part).is_none()
}

/// Is it one of the files whose names are known, though they are not read?
pub fn is_known_header(source: &Source<'_>, part: Node<'_>) -> bool {
    is_mpif(source, part) || is_omp_lib(source, part)
}

/// The declarations that the statement `part` includes.
///
/// # Errors
///
/// Why they can't be read: the file, or one that it includes, was not found or holds anything else. The message names the
/// file, and the line if there is one to look at.
pub fn included_declarations<'a, 't>(
    source: &'a Source<'t>,
    part: Node<'_>,
) -> Result<(&'a Source<'t>, Vec<Node<'t>>), String> {
    let (included, parts) = declarations_of_file(source, part)?;
    let nested = parts.iter().filter(|part| part.kind() == "include_statement" && !is_known_header(included, **part));
    for inner in nested {
        let path = included_path(source, part);
        included_declarations(included, *inner).map_err(|why| format!("{why}, which {path} includes"))?;
    }
    Ok((included, parts))
}

/// Why the included file is not expanded, for the end of a message.
fn refusal(included: &Source<'_>) -> String {
    included.refused.map(|why| format!(" ({why})")).unwrap_or_default()
}

/// Likewise, but for what the file includes in its turn.
fn declarations_of_file<'a, 't>(
    source: &'a Source<'t>,
    part: Node<'_>,
) -> Result<(&'a Source<'t>, Vec<Node<'t>>), String> {
    let path = included_path(source, part);
    let Some(included) = source.included_by(part) else {
        return Err(format!("include file not found beside the source or in a folder of -I: {path}"));
    };
    let root = included.parsed.tree.root_node();
    let holes = included.parsed.holes.iter().map(|hole| (hole.range.start, &hole.why));
    let suspect = included.parsed.preprocessing.suspect.iter().map(|suspect| (suspect.range.start, &suspect.why));
    if let Some((start, why)) = holes.chain(suspect).min() {
        let line = included.line_in_included_file(start);
        let refusal = refusal(included);
        return Err(format!("include file that can't be read completely: {path}, line {line}: {why}{refusal}"));
    }
    let units = named_children(root);
    let [unit] = units.as_slice() else {
        return Err(format!("include file that holds more than declarations: {path}{}", refusal(included)));
    };
    if root.has_error() {
        return Err(format!("include file with a syntax error: {path}"));
    }
    let mut parts = named_children(*unit);
    parts.retain(|part| !matches!(part.kind(), "subroutine_statement" | "end_subroutine_statement"));
    for &part in &parts {
        let is_declaration = match part.kind() {
            "include_statement" => true,
            "statement_label" | "entry_statement" | "internal_procedures" => false,
            _ => !is_executable(part),
        };
        if !is_declaration {
            let line = included.line_in_included_file(part.start_byte());
            let refusal = refusal(included);
            return Err(format!("include file that holds more than declarations: {path}, line {line}{refusal}"));
        }
    }
    Ok((included, parts))
}

/// Reads what the INCLUDE line `part` declares: `include 'mpif.h'` declares MPI's names.
pub(super) fn read_include<'t>(reader: &mut Reader<'_, 't>, unit: &Unit<'t>, part: Node<'t>) {
    // Behind the first executable statement it is read with the statements.
    let behind = reader.source.included_at.is_none()
        && unit.parts.iter().any(|other| is_executable(*other) && other.start_byte() < part.start_byte());
    if is_mpif(reader.source, part) {
        reader.scope.includes_mpif = true;
        return;
    }
    if is_omp_lib(reader.source, part) {
        let clause = UseClause { module: "omp_lib".to_string(), only: false, names: Vec::new() };
        reader.scope.uses.push(clause);
        return;
    }
    if behind {
        return;
    }
    // Where something in it can't be read, the rest is known all the same.
    match declarations_of_file(reader.source, part) {
        Err(why) => reader.scope.mark_incomplete_for(UntouchableCause::UnknownText, Reader::range(part), why),
        Ok((included, parts)) => read_included_parts(reader, unit, part, included, &parts),
    }
}

/// Reads the declarations `parts` of the file that `statement` includes. What they declare is declared at the statement.
fn read_included_parts<'a, 't>(
    reader: &mut Reader<'a, 't>,
    unit: &Unit<'t>,
    statement: Node<'t>,
    included: &'a Source<'t>,
    parts: &[Node<'t>],
) {
    let outer = reader.source;
    let before: HashMap<String, Option<Range<usize>>> =
        reader.scope.entities.iter().map(|(name, entity)| (name.clone(), entity.declaration.clone())).collect();
    let was_incomplete = reader.scope.incomplete.is_some();
    let had_obstacle = reader.scope.obstacle.is_some();
    reader.source = included;
    for &part in parts {
        read_part(reader, unit, part);
    }
    let comments = &included.parsed.lexed.comments;
    if let Some(what) = comments.iter().find_map(|comment| directive(&included.original[comment.clone()])) {
        reader.scope.mark_obstacle_for(what.cause(), 0..0, format!("{what} in an included file"));
    }
    reader.source = outer;
    let place = Reader::range(statement);
    for (name, entity) in &mut reader.scope.entities {
        if before.get(name).cloned().unwrap_or_default() != entity.declaration {
            entity.declaration = Some(place.clone());
        }
    }
    if let Some(unclear) = reader.scope.incomplete.as_mut().filter(|_| !was_incomplete) {
        unclear.why.push_str(&format!(", which {} includes", included_path(outer, statement)));
        unclear.cause = UntouchableCause::UnknownText;
    }
    for (mark, was_there) in
        [(&mut reader.scope.incomplete, was_incomplete), (&mut reader.scope.obstacle, had_obstacle)]
    {
        if let Some(unclear) = mark.as_mut().filter(|_| !was_there) {
            unclear.range = place.clone();
        }
    }
}
