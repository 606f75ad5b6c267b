//! NAMELIST groups: which variables a transfer reaches without naming them.

use std::collections::HashSet;

use super::super::names::association::{Found, Scopes};
use super::super::names::scope::Scope;
use super::super::names::standard_modules::is_standard;
use super::super::names::units::UnitIndex;
use super::lowering::Lowering;
use crate::ir::{Expression, Span};

/// What a search for a group has met.
#[derive(Default)]
struct Search {
    /// What has answered already, under which name.
    asked: HashSet<(UnitIndex, String)>,
    /// Something that is not known could declare the name.
    is_open: bool,
}

impl<'t> Scopes<'t> {
    /// The members of the group that `name` means in `scope`, and the unit that declares it; nothing where that is not certain.
    fn namelist<'a>(&'a self, scope: &'a Scope<'t>, name: &str) -> Option<(UnitIndex, &'a [String])> {
        let mut scope = Some(scope);
        while let Some(current) = scope {
            let mut search = Search::default();
            if let Some(found) = self.namelist_of_unit(current, name, &mut search) {
                return Some(found);
            }
            // What has the name here hides the host's group.
            if search.is_open || current.entities.contains_key(name) || self.imports(current, name) {
                return None;
            }
            scope = current.host.and_then(|host| self.list[host].as_ref());
        }
        None
    }

    /// Does the name mean something of a module that the unit uses?
    fn imports(&self, scope: &Scope<'t>, name: &str) -> bool {
        let mut hosts = std::iter::successors(Some(scope.unit), |&unit| self.list[unit].as_ref()?.host);
        match self.find_in(scope, name) {
            Found::Entity { unit, .. } => hosts.all(|host| host != unit),
            Found::Nothing => false,
            Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) => true,
        }
    }

    /// A group of the unit, or of a module that it uses.
    fn namelist_of_unit<'a>(
        &'a self,
        scope: &'a Scope<'t>,
        name: &str,
        search: &mut Search,
    ) -> Option<(UnitIndex, &'a [String])> {
        if let Some(members) = scope.namelists.get(name) {
            return Some((scope.unit, members));
        }
        if !search.asked.insert((scope.unit, name.to_owned())) {
            return None;
        }
        search.is_open |= scope.incomplete.is_some();
        scope.uses.iter().find_map(|clause| {
            let listed = clause.names.iter().find(|(local, _)| local == name);
            let original = match listed {
                Some((_, original)) => original.as_str(),
                None if clause.only || clause.names.iter().any(|(_, original)| original == name) => return None,
                None => name,
            };
            let module = self.modules.get(&clause.module).copied().flatten();
            let Some(scope) = module.and_then(|module| self.list[module].as_ref()) else {
                search.is_open |= !is_standard(&clause.module);
                return None;
            };
            scope.is_public(original).then(|| self.namelist_of_unit(scope, original, search))?
        })
    }
}

impl Lowering<'_, '_> {
    /// The variables of the NAMELIST group `name`; nothing where it is no name of a group.
    pub fn namelist_members(&mut self, name: &str, span: Span) -> Option<Vec<Expression>> {
        let scopes = self.scopes;
        let (owner, members) = scopes.namelist(self.scope, name)?;
        let members = members.iter().map(|member| {
            let kind = match (scopes.find(owner, member), scopes.find(self.unit, member)) {
                (Found::Entity { entity: meant, .. }, Found::Entity { entity, .. }) if std::ptr::eq(meant, entity) => {
                    self.plain_name(member, span)
                }
                _ => self.opaque(span, "a variable of a NAMELIST group that has no name here"),
            };
            Expression::new(kind, span)
        });
        Some(members.collect())
    }
}
