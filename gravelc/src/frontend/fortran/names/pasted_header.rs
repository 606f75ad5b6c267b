//! The text of `mpif.h` among the declarations of a unit, as builds leave it that run the preprocessor by themselves and hand
//! its output to the compiler: `#include "mpif.h"` has become some hundred constants of the unit.
//!
//! Their names are MPI's all the same (MPI 4.1, 19.1.2: programs declare no names that begin with `MPI_`), and what a number
//! among them means is known by its name alone.

use super::scope::{Entity, Meaning, Scope};
use super::standard_modules::messaging;
use crate::mpi::constants::OF_EACH_HEADER;

/// Takes the names of MPI out of a scope that declares those of `mpif.h`: it includes that file. Where one of them is a dummy
/// argument, shares memory, or lies in a COMMON block with others, nobody can tell what they mean.
pub(super) fn recognise_pasted_header(scope: &mut Scope<'_>) {
    let is_number = |name: &str| {
        scope.entities.get(name).is_some_and(|entity| matches!(entity.meaning, Meaning::Constant(Some(_))))
    };
    if !OF_EACH_HEADER.iter().all(|name| is_number(name)) {
        return;
    }
    let is_name = |name: &String| messaging(name).is_some();
    let is_mixed = |members: &Vec<String>| members.iter().any(is_name) && !members.iter().all(is_name);
    let is_other = |entity: &Entity| {
        let block = entity.common.as_ref().and_then(|block| scope.blocks.get(block));
        entity.attributes.dummy || entity.overlay.is_some() || block.is_some_and(is_mixed)
    };
    let other = scope.order.iter().find(|name| is_name(name) && is_other(&scope.entities[*name]));
    if let Some(name) = other {
        let why = format!("`{name}` is declared otherwise than by MPI, beside the constants of mpif.h");
        let range = scope.entities[name].declaration.clone().unwrap_or_default();
        scope.mark_obstacle(range, why);
        return;
    }
    scope.blocks.retain(|_, members| !members.iter().all(is_name));
    scope.entities.retain(|name, _| !is_name(name));
    scope.order.retain(|name| !is_name(name));
    scope.includes_mpif = true;
}
