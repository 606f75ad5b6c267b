//! The arguments of routines, by the names that the standard gives them.

/// What an argument is, in the bindings that give it a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Memory of any type.
    Buffer,
    /// An integer, of whatever kind.
    Number,
    /// What stands for an object of MPI, but for requests.
    Handle,
    /// A truth value.
    Truth,
    /// A request.
    Request,
    /// A status.
    Status,
}

/// An argument of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it holds before the call matters.
    pub is_read: bool,
    /// The call, or what completes its operation, stores there.
    pub is_written: bool,
}

impl Argument {
    pub(super) fn of(word: &'static str) -> Self {
        match (word.strip_prefix('>'), word.strip_prefix('=')) {
            (Some(name), _) => Self { name, is_read: false, is_written: true },
            (_, Some(name)) => Self { name, is_read: true, is_written: true },
            _ => Self { name: word, is_read: true, is_written: false },
        }
    }

    /// Does it hand over a function that MPI calls?
    pub fn is_function(&self) -> bool {
        self.name.ends_with("_fn") || self.name == "function"
    }

    /// Does it say with which tag?
    pub fn is_tag(&self) -> bool {
        ["tag", "sendtag", "recvtag"].contains(&self.name)
    }

    /// What it is, as far as its name tells; the one exception is the `status` of MPI_TOPO_TEST, a number.
    pub fn kind(&self) -> Option<ArgumentKind> {
        Some(match self.name {
            "buf" | "buffer" => ArgumentKind::Buffer,
            "count" | "dest" | "size" | "source" | "tag" => ArgumentKind::Number,
            "comm" | "datatype" | "message" => ArgumentKind::Handle,
            "flag" => ArgumentKind::Truth,
            "request" => ArgumentKind::Request,
            "status" => ArgumentKind::Status,
            _ => return None,
        })
    }
}
