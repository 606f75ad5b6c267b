//! Places in memory that several procedures have names for, and paths to components of objects.

use std::sync::Arc;

/// A variable, or a piece of memory, that more than one procedure can reach by a name of its own. Two names mean the same memory
/// where their places are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A member of a block that all units cut into the same members: one variable, whatever its names are.
    Member {
        /// The block.
        block: Arc<str>,
        /// The member, counted from 0.
        position: usize,
    },
    /// A block of memory that each unit may cut and name in its own way (Fortran COMMON): all that is in it may overlap.
    Block(Arc<str>),
    /// A request of a procedure that goes down to others as an argument, and only as that.
    Handed {
        /// The procedure.
        owner: Arc<str>,
        /// Its variable.
        variable: Arc<str>,
    },
    /// Variables of a procedure that share memory, and that those inside it may name.
    HostOverlay {
        /// The procedure.
        host: Arc<str>,
        /// Which of its sets of such variables.
        number: usize,
    },
    /// A variable of a procedure that those inside it name.
    Host {
        /// The procedure.
        host: Arc<str>,
        /// Its variable.
        name: Arc<str>,
    },
    /// A variable of a unit that holds variables for others and can be imported (see [`super::Module`]).
    Module {
        /// The unit.
        module: Arc<str>,
        /// Its variable.
        name: Arc<str>,
    },
    /// A variable of a unit that extends another one (see [`super::Submodule`]) and can't be imported.
    Submodule {
        /// The unit: two may have one name.
        number: usize,
        /// Its variable.
        name: Arc<str>,
    },
    /// An object with external linkage: one in the whole program (C11 6.2.2).
    External {
        /// Its name.
        name: Arc<str>,
    },
    /// An object with internal linkage: one in the file that is translated.
    OfFile {
        /// The file.
        file: usize,
        /// Its name.
        name: Arc<str>,
    },
}

impl Place {
    /// Is it one variable, the same elements for everybody who sees it, wherever in the program that is?
    pub fn is_one_variable(&self) -> bool {
        matches!(self, Self::Member { .. } | Self::External { .. } | Self::OfFile { .. }) || self.is_of_module()
    }

    /// Is it a variable of a unit that holds variables for others, or of one that extends such a unit?
    pub fn is_of_module(&self) -> bool {
        matches!(self, Self::Module { .. } | Self::Submodule { .. })
    }

    /// Does it belong to a procedure, for those inside it to see?
    pub fn is_of_host(&self) -> bool {
        self.host().is_some()
    }

    /// The procedure that it belongs to, for those inside it to see.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Host { host, .. } | Self::HostOverlay { host, .. } => Some(host),
            _ => None,
        }
    }

    /// The module and the variable's name there, where units can import it.
    pub fn import(&self) -> Option<(&str, &str)> {
        match self {
            Self::Module { module, name } => Some((module, name)),
            _ => None,
        }
    }

    /// The block that it is, or is a member of.
    pub fn block(&self) -> Option<&str> {
        match self {
            Self::Member { block, .. } | Self::Block(block) => Some(block),
            _ => None,
        }
    }

    /// The name of the variable where it is declared; `None` of what is no single variable with a name.
    pub fn declared_name(&self) -> Option<&str> {
        match self {
            Self::Handed { variable: name, .. }
            | Self::Host { name, .. }
            | Self::Module { name, .. }
            | Self::Submodule { name, .. }
            | Self::External { name }
            | Self::OfFile { name, .. } => Some(name),
            Self::Member { .. } | Self::Block(_) | Self::HostOverlay { .. } => None,
        }
    }
}

/// The way from an object to a component of it, or to one of an object that is a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentPath {
    /// What the object is called here: by its own name, or by that of a construct.
    pub object: String,
    /// The components in the order in which they are named. There is at least one.
    pub members: Vec<String>,
}

impl ComponentPath {
    /// What leads to the object that the component is a part of itself: it may be a component, too.
    pub fn holder(&self) -> (&str, &[String]) {
        (&self.object, self.members.split_last().map_or(&[], |(_, holder)| holder))
    }

    /// How the language writes it, with `separator` in front of each component.
    pub fn written(&self, separator: &str) -> String {
        self.object.clone() + &self.members_written(separator)
    }

    /// What stands behind the object's name.
    pub fn members_written(&self, separator: &str) -> String {
        self.members.iter().flat_map(|member| [separator, member]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_one_variable_is_so_for_all() {
        let of_module = Place::Module { module: "m".into(), name: "x".into() };
        let of_host = Place::Host { host: "main".into(), name: "x".into() };
        let member = Place::Member { block: "b".into(), position: 1 };
        let block = Place::Block("b".into());
        assert!(of_module.is_one_variable() && member.is_one_variable());
        assert!(!of_host.is_one_variable() && !block.is_one_variable());
        assert_eq!((of_module.import(), of_host.import()), (Some(("m", "x")), None));
        assert_eq!((member.block(), block.block(), of_host.block()), (Some("b"), Some("b"), None));
        assert_eq!((of_host.host(), of_host.declared_name(), member.declared_name()), (Some("main"), Some("x"), None));
        let extending = Place::Submodule { number: 2, name: "x".into() };
        assert!(extending.is_one_variable() && extending.import().is_none());
    }

    #[test]
    fn paths_are_written_as_the_language_does() {
        let path = ComponentPath { object: "grid".into(), members: vec!["halo".into(), "left".into()] };
        assert_eq!((path.written("%"), path.written(".")), ("grid%halo%left".into(), "grid.halo.left".into()));
        assert_eq!(path.holder(), ("grid", &["halo".to_string()][..]));
    }
}
