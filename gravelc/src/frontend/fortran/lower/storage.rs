//! Where variables live, and which of them are one: places that several procedures have names for, EQUIVALENCE, COMMON.

use super::super::names::scope::{Entity, Meaning};
use super::super::names::units::{UnitIndex, UnitKind};
use super::construct_names::is_key;
use super::lowering::Lowering;
use crate::ir::{Place, ProcedureKind, Storage};

impl Lowering<'_, '_> {
    /// Where the variable lives; and whether procedures that do not name it can reach it all the same.
    pub(super) fn storage_of(&self, name: &str, owner: UnitIndex, entity: &Entity<'_>) -> (Storage, bool) {
        let attributes = entity.attributes;
        let owner_unit = &self.units.list[owner];
        if attributes.pointer {
            return (Storage::Pointer, false);
        }
        if is_key(name) {
            let base = match attributes.save || self.scope.saves_all {
                _ if attributes.allocatable => Storage::Allocatable,
                true => Storage::Static,
                false => Storage::Local,
            };
            return (base, false);
        }
        let is_module = !matches!(owner_unit.kind, UnitKind::Procedure(_));
        if let Some(block) = &entity.common {
            let scope = self.scopes.list[owner].as_ref().unwrap_or(self.scope);
            return (Storage::Global(self.common_blocks.place(scope, block, &entity.name)), false);
        }
        if let Some(overlay) = entity.overlay {
            let place = self.place_of_overlay(owner, overlay);
            let scope = self.scopes.list[owner].as_ref().unwrap_or(self.scope);
            let mut sharing = scope.entities.iter().filter(|(_, other)| other.overlay == Some(overlay));
            if owner != self.unit || is_module {
                return (Storage::Global(place), false);
            }
            if sharing.any(|(name, _)| self.shared_names.contains(name)) {
                let is_main = owner_unit.kind == UnitKind::Procedure(ProcedureKind::Main);
                let is_kept = is_main || attributes.save || self.scope.saves_all;
                return if is_kept { (Storage::Global(place), false) } else { (Storage::Local, true) };
            }
        }
        if self.may_share_unseen(owner, entity) {
            return (Storage::Global(Place::Block(format!("{}@{owner}#unseen", owner_unit.name).into())), false);
        }
        if owner != self.unit || is_module {
            // Allocatables of other scopes stay allocatables that calls can reach, those of modules at their place.
            if attributes.allocatable {
                return (Storage::Allocatable, !is_module);
            }
            let key = if is_module {
                self.place_in_module(owner, &entity.name)
            } else {
                self.place_in_host(owner, &entity.name)
            };
            return (Storage::Global(key), false);
        }
        let is_main = owner_unit.kind == UnitKind::Procedure(ProcedureKind::Main);
        let base = if attributes.allocatable {
            Storage::Allocatable
        } else if attributes.dummy && !attributes.value {
            Storage::Dummy
        } else if is_main || attributes.save || self.scope.saves_all && !attributes.value {
            Storage::Static
        } else {
            Storage::Local
        };
        self.shared_storage(name, base)
    }

    /// The place of the pointer that `owner` declares, where no other name stands for it and it leads nowhere from the beginning.
    pub(super) fn pointer_place(&self, name: &str, owner: UnitIndex, entity: &Entity<'_>) -> Option<Place> {
        let attributes = entity.attributes;
        let scope = if owner == self.unit { Some(self.scope) } else { self.scopes.list[owner].as_ref() }?;
        let is_alone = attributes.pointer
            && !attributes.dummy
            && entity.common.is_none()
            && entity.overlay.is_none()
            && entity.adopted_from.is_none()
            && entity.binding_label.is_none()
            && (!attributes.initialised || attributes.initially_null);
        // Results of a function and its entries may be one variable.
        let is_read = scope.obstacle.is_none() && !scope.may_declare_unread(&entity.name) && !is_key(name);
        if !is_alone || !is_read {
            return None;
        }
        Some(match self.units.list[owner].kind {
            UnitKind::Procedure(_) => self.place_in_host(owner, &entity.name),
            _ => self.place_in_module(owner, &entity.name),
        })
    }

    /// May something in the declarations of another scope, where they could not be read, make the variable share memory with others
    /// of that scope (EQUIVALENCE; not for what Fortran 2018, 8.10.1.1, excludes), or give it to pointers?
    pub(super) fn may_share_unseen(&self, owner: UnitIndex, entity: &Entity<'_>) -> bool {
        let attributes = entity.attributes;
        owner != self.unit
            && self.scopes.list[owner].as_ref().is_some_and(|scope| scope.may_declare_unread(&entity.name))
            && !attributes.allocatable
            && !attributes.pointer
            && !attributes.dummy
    }

    /// `base`, unless a contained procedure uses the variable. What ends with this procedure, or is its caller's, keeps
    /// saying so and is marked as reachable in the other way.
    pub(super) fn shared_storage(&self, name: &str, base: Storage) -> (Storage, bool) {
        if !self.shared_names.contains(name) {
            return (base, false);
        }
        match base {
            Storage::Static => (Storage::Global(self.place_in_host(self.unit, name)), false),
            other => (other, true),
        }
    }

    /// The place of all variables that share memory by EQUIVALENCE: procedures may name different ones of them. That of a module is
    /// a block of which each procedure has a view of its own, as a COMMON block.
    fn place_of_overlay(&self, owner: UnitIndex, overlay: usize) -> Place {
        let unit = &self.units.list[owner];
        match unit.kind {
            UnitKind::Procedure(_) => Place::HostOverlay { host: unit.name.as_str().into(), number: overlay },
            _ => Place::Block(format!("{}@{owner}#{overlay}", unit.name).into()),
        }
    }

    /// The place of a variable that procedures inside the unit use.
    pub(super) fn place_in_host(&self, host: UnitIndex, name: &str) -> Place {
        Place::Host { host: self.units.list[host].name.as_str().into(), name: name.into() }
    }

    /// The place of a variable of a module. Submodules of several modules may have one name, and their variables belong to no
    /// module that could be named.
    pub(super) fn place_in_module(&self, owner: UnitIndex, name: &str) -> Place {
        let unit = &self.units.list[owner];
        match unit.kind {
            UnitKind::Submodule => Place::Submodule { number: owner, name: name.into() },
            _ => Place::Module { module: unit.name.as_str().into(), name: name.into() },
        }
    }

    /// The place of the host's variable `name`.
    pub(super) fn host_key(&self, name: &str) -> Place {
        let host = self.units.list[self.unit].host.map_or("", |host| self.units.list[host].name.as_str());
        Place::Host { host: host.into(), name: name.into() }
    }

    /// Numbers the symbols that share memory: EQUIVALENCE, one variable under two names, one COMMON block seen from two
    /// scopes.
    pub fn number_overlays(&mut self) {
        let mut parents: Vec<usize> = (0..self.symbols.len()).collect();
        let mut keys: Vec<(String, usize)> = Vec::new();
        for (index, origin) in self.origins.iter().enumerate() {
            let Some((owner, name)) = origin else { continue };
            let Some(entity) = self.scopes.list[*owner].as_ref().and_then(|scope| scope.entities.get(name)) else {
                continue;
            };
            if entity.meaning != Meaning::Variable {
                continue;
            }
            keys.push((format!("{owner}:{name}"), index));
            if let Some(overlay) = entity.overlay {
                keys.push((format!("{owner}#{overlay}"), index));
            }
            if self.may_share_unseen(*owner, entity) {
                keys.push((format!("{owner}#unseen"), index));
            }
            if let Some(block) = &entity.common {
                // Views of one block from one scope do not overlap; from two scopes they do.
                let other = |(other_owner, other_name): &(UnitIndex, String)| {
                    other_owner != owner
                        && self.scopes.list[*other_owner]
                            .as_ref()
                            .and_then(|scope| scope.entities.get(other_name))
                            .is_some_and(|entity| entity.common.as_ref() == Some(block))
                };
                if self.origins.iter().flatten().any(other) {
                    keys.push((block.clone(), index));
                }
            }
        }
        keys.sort();
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (a, b) = (root(&parents, pair[0].1), root(&parents, pair[1].1));
            parents[a.max(b)] = a.min(b);
        }
        for index in 0..self.symbols.len() {
            let group = root(&parents, index);
            if group != index {
                self.symbols[index].overlay = Some(group);
                self.symbols[group].overlay = Some(group);
            }
        }
    }
}

fn root(parents: &[usize], mut index: usize) -> usize {
    while parents[index] != index {
        index = parents[index];
    }
    index
}
