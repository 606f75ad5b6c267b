//! NAMELIST groups: which variables a transfer reaches without naming them.

use std::collections::HashSet;

use super::association::{Found, Scopes};
use super::lowering::Lowering;
use super::scope::Scope;
use super::units::UnitIndex;
use crate::ir::{Expression, Span};

impl<'t> Scopes<'t> {
    /// The members of the group that `name` means in `scope`, and the unit that declares it; nothing where that is not certain.
    fn namelist<'a>(&'a self, scope: &'a Scope<'t>, name: &str) -> Option<(UnitIndex, &'a [String])> {
        let mut scope = Some(scope);
        while let Some(current) = scope {
            if let Some(found) = self.namelist_of_unit(current, name, &mut HashSet::new()) {
                return Some(found);
            }
            // It could hide the host's.
            if current.incomplete.is_some() {
                return None;
            }
            scope = current.host.and_then(|host| self.list[host].as_ref());
        }
        None
    }

    /// A group of the unit, or of a module that it uses. `asked`: what has answered already, under which name.
    fn namelist_of_unit<'a>(
        &'a self,
        scope: &'a Scope<'t>,
        name: &str,
        asked: &mut HashSet<(UnitIndex, String)>,
    ) -> Option<(UnitIndex, &'a [String])> {
        if let Some(members) = scope.namelists.get(name) {
            return Some((scope.unit, members));
        }
        if !asked.insert((scope.unit, name.to_owned())) {
            return None;
        }
        scope.uses.iter().find_map(|clause| {
            let listed = clause.names.iter().find(|(local, _)| local == name);
            let original = match listed {
                Some((_, original)) => original.as_str(),
                None if clause.only || clause.names.iter().any(|(_, original)| original == name) => return None,
                None => name,
            };
            let module = self.modules.get(&clause.module).copied().flatten()?;
            let scope = self.list[module].as_ref().filter(|scope| scope.is_public(original))?;
            self.namelist_of_unit(scope, original, asked)
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
