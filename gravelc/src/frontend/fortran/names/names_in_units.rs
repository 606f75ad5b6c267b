//! Which names mean something in which units: what of the scopes is kept when the syntax trees are gone.
//!
//! Analyses ask whether a procedure could name a variable of a module that it does not name yet
//! ([`crate::passes::lent_variables`]). That depends on all that surrounds the procedure, and only few of all possible
//! questions are asked.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::text::syntax_tree::Node;

use super::super::text::lexer::TokenKind;
use super::super::text::tree::named_children;
use super::association::{MAX_CHAIN, Scopes};
use super::scope::{Scope, UseClause};
use super::standard_modules::{self, is_standard};
use super::storage_association::block_name;
use super::units::{Source, UnitIndex, Units};
use crate::ir::{Naming, ProcedureId};

/// The names of all units.
#[derive(Debug)]
pub struct NamesInUnits {
    /// By unit; `None` for a unit whose scope could not be read.
    list: Vec<Option<UnitNames>>,
    /// Modules by name; `None` where two have the same name.
    modules: HashMap<String, Option<UnitIndex>>,
    /// Procedures by their id.
    of_procedure: Vec<UnitIndex>,
    /// What preprocessor lines define, in lower case.
    macros: HashSet<String>,
}

/// What names mean something in one unit.
#[derive(Debug)]
struct UnitNames {
    /// The unit whose names are visible here too.
    host: Option<UnitIndex>,
    /// The names of entities that are declared here.
    entities: HashSet<String>,
    /// The names of types, NAMELIST groups and COMMON blocks, and those that constructs give to something.
    others: HashSet<String>,
    uses: Vec<UseClause>,
    includes_mpif: bool,
    /// These names are not the whole truth.
    is_incomplete: bool,
    private_by_default: bool,
    public: HashSet<String>,
    private: HashSet<String>,
    /// The names of entities of modules that stand, as whatever, in files that this unit includes.
    included: HashSet<String>,
}

impl UnitNames {
    fn of(scope: &Scope<'_>) -> Self {
        let blocks = scope.blocks.keys().filter_map(|block| block_name(block)).map(str::to_owned);
        Self {
            host: scope.host,
            entities: scope.entities.keys().cloned().collect(),
            others: scope
                .types
                .keys()
                .chain(scope.namelists.keys())
                .chain(&scope.construct_names)
                .cloned()
                .chain(blocks)
                .collect(),
            uses: scope.uses.clone(),
            includes_mpif: scope.includes_mpif,
            is_incomplete: scope.incomplete.is_some(),
            private_by_default: scope.private_by_default,
            public: scope.public.clone(),
            private: scope.private.clone(),
            included: HashSet::new(),
        }
    }

    /// May other units see `name` through USE?
    fn is_public(&self, name: &str) -> bool {
        if self.private_by_default { self.public.contains(name) } else { !self.private.contains(name) }
    }
}

impl NamesInUnits {
    /// Those of the units that `scopes` is about.
    pub fn of(sources: &[Source<'_>], macros: &HashSet<String>, units: &Units<'_>, scopes: &Scopes<'_>) -> Self {
        let mut list: Vec<Option<UnitNames>> =
            scopes.list.iter().map(|scope| Some(UnitNames::of(scope.as_ref()?))).collect();
        let of_modules: HashSet<&str> = scopes
            .modules
            .values()
            .filter_map(|unit| scopes.list[(*unit)?].as_ref())
            .flat_map(|scope| scope.entities.keys().map(String::as_str))
            .collect();
        if !of_modules.is_empty() {
            for (unit, names) in units.list.iter().zip(&mut list) {
                let Some(names) = names else { continue };
                add_included(&sources[unit.source], &unit.parts, &of_modules, &mut names.included);
            }
        }
        Self {
            list,
            modules: scopes.modules.clone(),
            of_procedure: units.of_procedure.clone(),
            macros: macros.iter().map(|name| name.to_ascii_lowercase()).collect(),
        }
    }

    /// Does `name` mean the entity of that name of the module `owner` in `unit`, or could it by an import? Not where it
    /// means anything else there, even something that is only hidden or that may not be named at all (as what two modules
    /// bring does).
    pub fn can_mean(&self, unit: UnitIndex, name: &str, owner: UnitIndex) -> bool {
        let mut next = Some(unit);
        for _ in 0..MAX_CHAIN {
            let Some(index) = next else { return true };
            let Some(names) = &self.list[index] else { return false };
            if index == owner {
                return names.entities.contains(name);
            }
            let mut owners = BTreeSet::new();
            let is_own = names.entities.contains(name) || names.others.contains(name);
            let is_messaging = names.includes_mpif && standard_modules::messaging(name).is_some();
            if is_own || is_messaging || names.is_incomplete || !self.collect_owners(names, name, &mut owners) {
                return false;
            }
            if !owners.is_empty() {
                return owners.iter().all(|&(found, original)| found == owner && original == name);
            }
            next = names.host;
        }
        false
    }

    /// The unit and its hosts, from the inside out.
    fn around(&self, unit: UnitIndex) -> Vec<UnitIndex> {
        let host = |&index: &UnitIndex| self.list[index].as_ref()?.host;
        std::iter::successors(Some(unit), host).take(MAX_CHAIN).collect()
    }

    /// The modules that a unit imports, by way of others as well.
    fn modules_behind(&self, unit: UnitIndex) -> BTreeSet<UnitIndex> {
        let imported = |index: UnitIndex| {
            let uses = self.list[index].iter().flat_map(|names| &names.uses);
            uses.filter_map(|clause| self.modules.get(&clause.module).copied().flatten())
        };
        let mut found = BTreeSet::new();
        let mut pending: Vec<UnitIndex> = imported(unit).collect();
        while let Some(module) = pending.pop() {
            if found.insert(module) {
                pending.extend(imported(module));
            }
        }
        found
    }

    /// Does the module `owner` import one around `unit`, so that this one may not import it?
    fn imports_back(&self, owner: UnitIndex, unit: UnitIndex) -> bool {
        let behind = self.modules_behind(owner);
        self.around(unit).iter().any(|around| behind.contains(around))
    }

    /// The modules whose entities USE clauses bring to a unit as `name`, with the names there; no if there may be others.
    fn collect_owners<'a>(
        &'a self,
        names: &'a UnitNames,
        name: &'a str,
        owners: &mut BTreeSet<(UnitIndex, &'a str)>,
    ) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![(names, name)];
        while let Some((names, name)) = pending.pop() {
            for clause in &names.uses {
                let listed = clause.names.iter().filter(|(local, _)| local == name);
                let mut originals: Vec<&str> = listed.map(|(_, original)| original.as_str()).collect();
                if !clause.only && !clause.names.iter().any(|(_, original)| original == name) {
                    originals.push(name);
                }
                for original in originals {
                    let module = match self.modules.get(&clause.module) {
                        Some(Some(module)) => *module,
                        None if is_standard(&clause.module)
                            && standard_modules::find(&clause.module, original).is_none() =>
                        {
                            continue;
                        }
                        _ => return false,
                    };
                    let Some(inner) = &self.list[module] else { return false };
                    if !inner.is_public(original) || !seen.insert((module, original)) {
                        continue;
                    }
                    let is_messaging = inner.includes_mpif && standard_modules::messaging(original).is_some();
                    if inner.others.contains(original) || inner.is_incomplete || is_messaging {
                        return false;
                    }
                    if inner.entities.contains(original) {
                        owners.insert((module, original));
                    } else {
                        pending.push((inner, original));
                    }
                }
            }
        }
        true
    }
}

impl Naming for NamesInUnits {
    fn could_call(&self, procedure: ProcedureId, module: &str, name: &str) -> bool {
        let (Some(&unit), Some(Some(owner))) = (self.of_procedure.get(procedure.0), self.modules.get(module)) else {
            return false;
        };
        let is_included = self.list[unit].as_ref().is_none_or(|names| names.included.contains(name));
        !is_included
            && !self.macros.contains(name)
            && self.can_mean(unit, name, *owner)
            && !self.imports_back(*owner, unit)
    }

    fn imports(&self, procedure: ProcedureId, module: &str) -> bool {
        let (Some(&unit), Some(Some(owner))) = (self.of_procedure.get(procedure.0), self.modules.get(module)) else {
            return false;
        };
        self.around(unit).into_iter().any(|index| self.modules_behind(index).contains(owner))
    }
}

/// Adds those of the names `known` that stand in a file that one of the statements `parts` includes.
fn add_included(source: &Source<'_>, parts: &[Node<'_>], known: &HashSet<&str>, found: &mut HashSet<String>) {
    if source.included.is_empty() {
        return;
    }
    for file in parts.iter().filter_map(|part| source.included_by(*part)) {
        let words = file.parsed.lexed.tokens.iter().filter(|token| token.kind == TokenKind::Word);
        let words = words.map(|token| String::from_utf8_lossy(&file.original[token.start..token.end]));
        let words = words.map(|word| word.to_ascii_lowercase());
        found.extend(words.filter(|word| known.contains(word.as_str())));
        for unit in named_children(file.parsed.tree.root_node()) {
            add_included(file, &named_children(unit), known, found);
        }
    }
}
