//! Submodules, and the separate module procedures that they hold (Fortran 2018, 14.2.3 and 15.6.2.5).
//!
//! A module declares a procedure by an interface body with the prefix MODULE, whose body stands in a submodule of it: by
//! `module subroutine s(…)` with all declarations once more, or by `module procedure s`, which has the arguments of the
//! interface body. A submodule sees all that the module or the submodule sees that it extends. Both can be in other files.
//! Where an interface body has several bodies, or a submodule extends something that is not given, a name means
//! nothing that is known.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, has_child, named_children};
use super::super::text::unclear::Unclear;
use super::association::Scopes;
use super::declarations::{Reader, result_of};
use super::scope::{Entity, Meaning};
use super::units::{Source, UnitIndex, UnitKind, Units, add_unit};
use crate::ir::{ProcedureId, ProcedureKind, Submodule};

/// How submodules and separate module procedures belong together.
#[derive(Debug, Default)]
pub struct Submodules {
    /// What each submodule extends, if that is given.
    extended: HashMap<UnitIndex, UnitIndex>,
    /// The interface body of a separate module procedure, as a unit of its own.
    interface_of: HashMap<UnitIndex, UnitIndex>,
    /// The procedures that interface bodies declare: by the unit that they stand in, and the name.
    bodies: HashMap<(UnitIndex, String), ProcedureId>,
}

impl Submodules {
    /// The module or submodule that a submodule extends.
    pub fn extended_by(&self, submodule: UnitIndex) -> Option<UnitIndex> {
        self.extended.get(&submodule).copied()
    }

    /// The interface body that declares the procedure of the unit, if it is a separate module procedure.
    pub fn interface_of(&self, body: UnitIndex) -> Option<UnitIndex> {
        self.interface_of.get(&body).copied()
    }

    /// The procedures that names of units mean because of an interface body.
    pub fn meanings(&self) -> impl Iterator<Item = (UnitIndex, &str, Meaning)> {
        self.bodies.iter().map(|((unit, name), id)| (*unit, name.as_str(), Meaning::Procedure(*id)))
    }

    /// Finds what belongs together, and adds the interface bodies to the units.
    pub fn connect<'t>(sources: &[Source<'t>], units: &mut Units<'t>) -> Self {
        let mut found = Self { extended: extended(sources, units), ..Self::default() };
        let mut declared: HashMap<(UnitIndex, String), Vec<(Node<'t>, ProcedureKind)>> = HashMap::new();
        for (index, unit) in units.list.iter().enumerate() {
            if matches!(unit.kind, UnitKind::Module | UnitKind::Submodule) {
                for (name, body, kind) in interface_bodies(&sources[unit.source], &unit.parts) {
                    declared.entry((index, name)).or_default().push((body, kind));
                }
            }
        }
        let mut owned: BTreeMap<(UnitIndex, String), Vec<UnitIndex>> = BTreeMap::new();
        let mut unclear: HashSet<String> = HashSet::new();
        for (index, unit) in units.list.iter().enumerate() {
            if !is_separate(&sources[unit.source], units, index) {
                continue;
            }
            match found.owner(units, index, &declared) {
                Ok(Some(owner)) => owned.entry((owner, unit.name.clone())).or_default().push(index),
                Ok(None) => {}
                // It could belong to any interface body of its name.
                Err(()) => drop(unclear.insert(unit.name.clone())),
            }
        }
        for (key, bodies) in owned {
            let (&[(interface, kind)], &[body]) = (declared[&key].as_slice(), bodies.as_slice()) else { continue };
            let Some(procedure) = units.list[body].procedure.filter(|_| !unclear.contains(&key.1)) else { continue };
            let source = units.list[key.0].source;
            let unit = add_unit(&sources[source], source, interface, UnitKind::Interface, Some(key.0), units);
            if units.list[body].node.kind() == "module_procedure" {
                units.list[body].kind = UnitKind::Procedure(kind);
            }
            found.interface_of.insert(body, unit);
            found.bodies.insert(key, procedure);
        }
        found
    }

    /// The unit whose interface body declares the procedure `body`: the nearest one around it. An error where something
    /// around it is not given.
    fn owner<D>(
        &self,
        units: &Units<'_>,
        body: UnitIndex,
        declared: &HashMap<(UnitIndex, String), D>,
    ) -> Result<Option<UnitIndex>, ()> {
        let name = &units.list[body].name;
        let mut around = units.list[body].host;
        // A submodule that extends itself is no program; the number of units is enough for any chain.
        for _ in 0..units.list.len() {
            let Some(unit) = around else { return Ok(None) };
            if declared.contains_key(&(unit, name.clone())) {
                return Ok(Some(unit));
            }
            if units.list[unit].kind != UnitKind::Submodule {
                return Ok(None);
            }
            around = Some(self.extended_by(unit).ok_or(())?);
        }
        Err(())
    }
}

/// The submodules, as the program knows them.
pub fn in_program(sources: &[Source<'_>], units: &Units<'_>) -> Vec<Submodule> {
    let all = units.list.iter().enumerate().filter(|(_, unit)| unit.kind == UnitKind::Submodule);
    let module_of = |index: UnitIndex| {
        let chain = std::iter::successors(Some(index), |&unit| units.submodules.extended_by(unit));
        let mut chain = chain.take(units.list.len());
        chain.find(|&unit| units.list[unit].kind == UnitKind::Module).map(|unit| units.list[unit].name.clone())
    };
    all.map(|(index, unit)| Submodule { span: sources[unit.source].span_of(unit.node), module: module_of(index) })
        .collect()
}

/// What each submodule extends: the submodule that its first statement names, else the module.
fn extended(sources: &[Source<'_>], units: &Units<'_>) -> HashMap<UnitIndex, UnitIndex> {
    let submodules = units.list.iter().enumerate().filter(|(_, unit)| unit.kind == UnitKind::Submodule);
    // Submodules of different modules may have one name.
    let mut by_name: HashMap<(String, String), Option<UnitIndex>> = HashMap::new();
    let mut parents: Vec<(UnitIndex, String, Option<String>)> = Vec::new();
    for (index, unit) in submodules {
        let source = &sources[unit.source];
        let field = |name| unit.header.and_then(|header| header.child_by_field_name(name));
        let Some(ancestor) = field("ancestor").map(|node| source.lower(node)) else { continue };
        let known = by_name.entry((ancestor.clone(), unit.name.clone()));
        known.and_modify(|known| *known = None).or_insert(Some(index));
        parents.push((index, ancestor, field("parent").map(|node| source.lower(node))));
    }
    let parent = |(index, ancestor, parent): (UnitIndex, String, Option<String>)| {
        let found = match parent {
            Some(parent) => by_name.get(&(ancestor, parent)).copied().flatten(),
            None => units.modules.get(&ancestor).copied().flatten(),
        };
        found.filter(|&found| found != index).map(|found| (index, found))
    };
    parents.into_iter().filter_map(parent).collect()
}

/// The interface bodies of separate module procedures among the declarations: name, node, and what they declare.
fn interface_bodies<'t>(source: &Source<'t>, parts: &[Node<'t>]) -> Vec<(String, Node<'t>, ProcedureKind)> {
    let blocks = parts.iter().filter(|part| part.kind() == "interface");
    let bodies = blocks.flat_map(|block| named_children(*block)).filter_map(|body| {
        let kind = match body.kind() {
            "subroutine" => ProcedureKind::Subroutine,
            "function" => ProcedureKind::Function,
            _ => return None,
        };
        let header = child_of_kind(body, &format!("{}_statement", body.kind()))?;
        let is_separate = has_module_prefix(source, header) && !has_child(header, "language_binding");
        Some((child_of_kind(header, "name").map(|name| source.lower(name))?, body, kind)).filter(|_| is_separate)
    });
    bodies.collect()
}

/// Is the unit the body of a separate module procedure?
fn is_separate(source: &Source<'_>, units: &Units<'_>, index: UnitIndex) -> bool {
    let unit = &units.list[index];
    let is_in_module =
        |host: UnitIndex| matches!(units.list[host].kind, UnitKind::Module | UnitKind::Submodule | UnitKind::Interface);
    unit.procedure.is_some()
        && unit.host.is_some_and(is_in_module)
        && (unit.node.kind() == "module_procedure"
            || unit.header.is_some_and(|header| has_module_prefix(source, header)))
}

/// `module procedure s`: the arguments and the result are those of the interface body.
pub(super) fn adopt_interface<'t>(
    reader: &mut Reader<'_, 't>,
    sources: &[Source<'t>],
    units: &Units<'t>,
    index: UnitIndex,
) {
    let unit = &units.list[index];
    let Some(header) = unit.header.filter(|_| unit.node.kind() == "module_procedure") else { return };
    let place = Reader::range(header);
    let interface = units.submodules.interface_of(index);
    let Some(declared) = interface.and_then(|interface| reader.scopes.list[interface].as_ref()) else {
        reader.scope.mark_obstacle(place.clone(), "its arguments are declared in another unit, which is not given");
        reader.scope.mark_incomplete(place, "a separate module procedure without its interface");
        return;
    };
    if let Some(Unclear { why, .. }) = declared.incomplete.as_ref().or(declared.obstacle.as_ref()) {
        reader.scope.mark_incomplete(place.clone(), format!("the interface of the procedure has {why}"));
    }
    let interface = &units.list[declared.unit];
    let result = interface.header.and_then(|header| result_of(&sources[interface.source], interface, header));
    for name in &declared.order {
        let entity = &declared.entities[name];
        if entity.attributes.dummy || Some(name) == result.as_ref() {
            let adopted =
                Entity { declaration: Some(place.clone()), adopted_from: Some(declared.unit), ..entity.clone() };
            reader.scope.order.push(name.clone());
            reader.scope.entities.insert(name.clone(), adopted);
        }
    }
}

/// What interface bodies declare is looked at with the names of the procedure: its types must mean the same there.
pub(super) fn check_adopted_types(sources: &[Source<'_>], units: &Units<'_>, scopes: &mut Scopes<'_>) {
    let mut unclear: Vec<UnitIndex> = Vec::new();
    for scope in scopes.list.iter().flatten() {
        let means_another = |entity: &Entity<'_>| {
            let (Some(interface), Some(declared)) = (entity.adopted_from, &entity.declared_type) else { return false };
            let Some(name) = &declared.derived else { return false };
            let meaning = |unit| {
                let found = scopes.find_type(unit, name).map(|(home, definition)| (home, definition.name.as_str()));
                (found, scopes.is_standard_type(unit, name))
            };
            meaning(interface) != meaning(scope.unit)
        };
        if scope.entities.values().any(means_another) {
            unclear.push(scope.unit);
        }
    }
    for unit in unclear {
        let place = units.list[unit].header.map_or(0..sources[units.list[unit].source].original.len(), Reader::range);
        if let Some(scope) = &mut scopes.list[unit] {
            scope.mark_incomplete(place, "a type of the interface that means something else here");
        }
    }
}

/// Does the first statement of a procedure, or of an interface body, have the prefix MODULE?
pub(super) fn has_module_prefix(source: &Source<'_>, header: Node<'_>) -> bool {
    named_children(header).iter().any(|child| child.kind() != "name" && source.lower(*child) == "module")
}
