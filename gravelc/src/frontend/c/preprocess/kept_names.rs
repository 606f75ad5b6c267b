//! Names of the system's macros that stay names in what is read.

use std::collections::HashSet;

/// The list: a name, or the beginning of names with a star.
const LIST: &str = include_str!("kept_names.txt");

/// Macros of system headers that stay names, since what they become differs between systems and says less than the name.
#[derive(Debug, Clone)]
pub struct KeptNames {
    names: HashSet<&'static str>,
    beginnings: Vec<&'static str>,
}

impl Default for KeptNames {
    fn default() -> Self {
        let lines = LIST.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        let entries: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let beginnings = entries.iter().filter_map(|entry| entry.strip_suffix('*')).collect();
        Self { names: entries.into_iter().filter(|entry| !entry.ends_with('*')).collect(), beginnings }
    }
}

impl KeptNames {
    /// Does the macro of this name stay one, if a header of the system defines it?
    pub fn contains(&self, name: &[u8]) -> bool {
        let Ok(name) = str::from_utf8(name) else { return false };
        self.names.contains(name) || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_beginnings_are_found() {
        let kept = KeptNames::default();
        for name in ["MPI_COMM_WORLD", "PMPI_Send", "assert", "errno", "va_arg", "M_PI", "NULL", "stdout"] {
            assert!(kept.contains(name.as_bytes()), "{name}");
        }
        for name in ["INT_MAX", "true", "bool", "CHECK", "MPI", "assertion", "complex"] {
            assert!(!kept.contains(name.as_bytes()), "{name}");
        }
    }
}
