//! What can be chosen of interconnects: a set of them, and what is set about them.

use std::fmt;

use super::registry::{AllOptions, Kind};

/// A set of interconnects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interconnects(pub(super) u8);

impl Interconnects {
    /// Every interconnect that `auto` means.
    pub fn all() -> Self {
        Kind::all().filter(|kind| kind.entry().is_offered).fold(Self::default(), Self::with)
    }

    /// From a comma list of names, or `auto` for all of them.
    pub fn parse(list: &str) -> Option<Self> {
        list.split(',').try_fold(Self::default(), |set, name| match name.trim() {
            "auto" => Some(Self(set.0 | Self::all().0)),
            name => Some(set.with(Kind::of_name(name)?)),
        })
    }

    /// With one more.
    #[must_use]
    pub fn with(self, kind: Kind) -> Self {
        Self(self.0 | kind.bit())
    }

    /// Whether one is in it.
    pub fn contains(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Without those of another set.
    #[must_use]
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Those that are in both sets.
    pub(super) fn of_both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The best one.
    pub(super) fn best(self) -> Option<Kind> {
        Kind::all().find(|&kind| self.contains(kind))
    }
}

/// As [`Interconnects::parse`] reads it.
impl fmt::Display for Interconnects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() {
            return formatter.write_str("auto");
        }
        let names = Kind::all().filter(|&kind| self.contains(kind)).map(Kind::name);
        formatter.write_str(&names.collect::<Vec<_>>().join(","))
    }
}

/// What the user has set about interconnects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// `GRAVEL_PROVIDER`.
    pub permitted: Interconnects,
    /// The variables of each of them.
    pub options: AllOptions,
}

impl Default for Choice {
    fn default() -> Self {
        Self { permitted: Interconnects::all(), options: AllOptions::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> Interconnects {
        names
            .iter()
            .map(|name| Kind::of_name(name).expect("a name"))
            .fold(Interconnects::default(), Interconnects::with)
    }

    #[test]
    fn names_make_sets() {
        assert_eq!(Interconnects::parse("tcp"), Some(set(&["tcp"])));
        assert_eq!(Interconnects::parse("tcp, verbs,shm"), Some(Interconnects::all()));
        assert_eq!(Interconnects::parse("auto"), Some(Interconnects::all()));
        for invalid in ["", "ofi", "tcp,", "TCP "] {
            assert_eq!(Interconnects::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn what_is_not_offered_has_to_be_named() {
        let own = set(&["in-process"]);
        assert!(!Interconnects::all().contains(own.best().expect("one")));
        assert_eq!(Interconnects::parse("in-process"), Some(own));
        let both = Interconnects::parse("auto,in-process").expect("a list");
        assert_eq!(both.to_string(), "shm,verbs,tcp,in-process");
    }

    #[test]
    fn the_best_that_both_can_use_is_taken() {
        let all = Interconnects::all();
        let (shm, tcp) = (set(&["shm"]), set(&["tcp"]));
        assert_eq!(all.of_both(all).best(), Kind::of_name("shm"));
        assert_eq!(all.of_both(tcp).best(), Kind::of_name("tcp"));
        assert_eq!(shm.of_both(tcp).best(), None);
        assert_eq!(all.without(shm).best(), Kind::of_name("verbs"));
    }
}
