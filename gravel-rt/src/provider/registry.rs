//! The list of interconnects. One more is one line here, and its folder: settings, counters, `gravel-info`, error texts and
//! the choice between them walk the list.

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::io;
use std::sync::LazyLock;

use super::Provider;
use super::counters::Path;
#[cfg(feature = "hostile")]
use super::hostile::Hostile;
#[cfg(test)]
use super::in_process::InProcess;
use super::interconnect::{Bells, Interconnect, Options, SetUp, Start, Wrapper};
use super::probe::Probe;
use super::shm::interconnect::Shm;
use super::tcp::interconnect::Tcp;
use super::verbs::interconnect::Verbs;
use crate::Rank;
use crate::error::Result;
use crate::sys::setting::Setting;

/// All interconnects, the best first: between two ranks the first is used that both permit and that works.
pub static INTERCONNECTS: &[Entry] = &[
    Entry::of::<Shm>(),
    Entry::of::<Verbs>(),
    Entry::of::<Tcp>(),
    #[cfg(test)]
    Entry::of::<InProcess>(),
];

/// What may stand before the provider that was made of them.
pub static WRAPPERS: &[WrapperEntry] = &[
    #[cfg(feature = "hostile")]
    WrapperEntry::of::<Hostile>(),
];

// A set of them is the bits of a byte.
const _: () = assert!(INTERCONNECTS.len() <= 8);

/// An interconnect on the list: what [`Interconnect`] says, without its type.
pub struct Entry {
    /// See [`Interconnect::NAME`].
    pub name: &'static str,
    /// See [`Interconnect::TITLE`].
    pub title: &'static str,
    /// See [`Interconnect::REACH`].
    pub reach: &'static str,
    /// See [`Interconnect::IS_OFFERED`].
    pub is_offered: bool,
    /// See [`Interconnect::PATHS`].
    pub paths: &'static [&'static Path],
    /// See [`Interconnect::CARD_BYTES`].
    pub card_bytes: usize,
    /// See [`Options::SETTINGS`].
    pub settings: &'static [Setting],
    /// See [`Interconnect::assist`].
    pub assist: fn(&str) -> io::Result<()>,
    default_options: fn() -> Box<dyn AnyOptions>,
    moves_static_data: fn(&dyn AnyOptions) -> bool,
    survey: fn(&dyn AnyOptions) -> Vec<Probe>,
    begin: fn(&Start, &dyn AnyOptions) -> Result<Box<dyn SetUp>>,
}

impl Entry {
    const fn of<I: Interconnect>() -> Self {
        Self {
            name: I::NAME,
            title: I::TITLE,
            reach: I::REACH,
            is_offered: I::IS_OFFERED,
            paths: I::PATHS,
            card_bytes: I::CARD_BYTES,
            settings: I::Options::SETTINGS,
            assist: I::assist,
            default_options: || Box::new(I::Options::default()),
            moves_static_data: |options| I::moves_static_data(typed::<I>(options)),
            survey: |options| I::survey(typed::<I>(options)),
            begin: |start, options| I::begin(start, typed::<I>(options)),
        }
    }
}

/// The options of an interconnect, which its own entry has made.
fn typed<I: Interconnect>(options: &dyn AnyOptions) -> &I::Options {
    let options: &dyn Any = options;
    options.downcast_ref().expect("options stand in the order of the list")
}

/// An interconnect, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    /// All of them, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..INTERCONNECTS.len() as u8).map(Self)
    }

    /// The one of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name() == name)
    }

    /// What the list says of it.
    pub fn entry(self) -> &'static Entry {
        &INTERCONNECTS[self.index()]
    }

    /// Its name in settings and messages.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Its place in the list.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Its bit in a set.
    pub(super) fn bit(self) -> u8 {
        1 << self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// [`Options`] without their type.
trait AnyOptions: Any + Debug + Send + Sync {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), &'static str>;
    fn value(&self, name: &str) -> Option<String>;
    fn copy(&self) -> Box<dyn AnyOptions>;
    fn is_equal(&self, other: &dyn AnyOptions) -> bool;
}

impl<O: Options> AnyOptions for O {
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), &'static str> {
        Options::set(self, name, value)
    }

    fn value(&self, name: &str) -> Option<String> {
        Options::value(self, name)
    }

    fn copy(&self) -> Box<dyn AnyOptions> {
        Box::new(self.clone())
    }

    fn is_equal(&self, other: &dyn AnyOptions) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }
}

/// What is set about all interconnects.
#[derive(Debug)]
pub struct AllOptions(Vec<Box<dyn AnyOptions>>);

impl Default for AllOptions {
    fn default() -> Self {
        Self(INTERCONNECTS.iter().map(|entry| (entry.default_options)()).collect())
    }
}

impl Clone for AllOptions {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|options| options.copy()).collect())
    }
}

impl PartialEq for AllOptions {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own.is_equal(&**other))
    }
}

impl Eq for AllOptions {}

impl AllOptions {
    /// Sets one variable; nothing if no interconnect has one of that name. The error is what is expected.
    pub fn set(&mut self, name: &str, value: &str) -> Option<std::result::Result<(), &'static str>> {
        let kind = owner(name)?;
        Some(self.0[kind.index()].set(name, value))
    }

    /// The value in force of a variable of some interconnect, unless that is its default.
    pub fn value(&self, name: &str) -> Option<String> {
        self.0[owner(name)?.index()].value(name)
    }

    /// See [`Interconnect::moves_static_data`].
    pub fn move_static_data(&self, kind: Kind) -> bool {
        (kind.entry().moves_static_data)(&*self.0[kind.index()])
    }

    /// See [`Interconnect::survey`].
    pub fn survey(&self, kind: Kind) -> Vec<Probe> {
        (kind.entry().survey)(&*self.0[kind.index()])
    }

    /// See [`Interconnect::begin`].
    pub fn begin(&self, kind: Kind, start: &Start) -> Result<Box<dyn SetUp>> {
        (kind.entry().begin)(start, &*self.0[kind.index()])
    }
}

/// The interconnect that a variable belongs to.
fn owner(name: &str) -> Option<Kind> {
    Kind::all().find(|kind| kind.entry().settings.iter().any(|setting| setting.name == name))
}

/// Names of interconnects, in words, for people.
pub struct OfferedNames {
    /// `shm, verbs, tcp`.
    pub plain: String,
    /// The same between backquotes.
    pub quoted: String,
    /// What `GRAVEL_PROVIDER` expects.
    pub expected: String,
}

/// The names of those that `auto` means.
pub static OFFERED: LazyLock<OfferedNames> = LazyLock::new(|| {
    let names: Vec<&str> = INTERCONNECTS.iter().filter(|entry| entry.is_offered).map(|entry| entry.name).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let expected = format!("auto, or a comma list of {}", in_words(&names));
    OfferedNames { plain: names.join(", "), quoted: quoted.join(", "), expected }
});

fn in_words(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// The ways that pieces of messages can take, each once.
pub fn paths() -> Vec<&'static Path> {
    let mut paths: Vec<&'static Path> = Vec::new();
    for path in INTERCONNECTS.iter().flat_map(|entry| entry.paths) {
        if !paths.contains(path) {
            paths.push(path);
        }
    }
    paths
}

/// A wrapper on the list.
pub struct WrapperEntry {
    /// See [`Wrapper::SETTING`].
    pub setting: &'static str,
    /// See [`Wrapper::is_asked_for`].
    pub is_asked_for: fn() -> bool,
    /// See [`Wrapper::wrap`].
    pub wrap: fn(Box<dyn Provider>, Rank, Bells) -> Box<dyn Provider>,
}

impl WrapperEntry {
    #[cfg_attr(not(feature = "hostile"), expect(dead_code, reason = "there is none"))]
    const fn of<W: Wrapper>() -> Self {
        Self { setting: W::SETTING, is_asked_for: W::is_asked_for, wrap: W::wrap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_variables_are_told_apart() {
        for (place, entry) in INTERCONNECTS.iter().enumerate() {
            assert_eq!(Kind::of_name(entry.name).map(Kind::index), Some(place));
            for setting in entry.settings {
                assert_eq!(owner(setting.name).map(Kind::index), Some(place), "{}", setting.name);
                assert!(setting.name.starts_with("GRAVEL_"), "{}", setting.name);
            }
        }
        let mut keys: Vec<&str> = paths().iter().map(|path| path.key).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
    }

    #[test]
    fn options_are_set_copied_and_compared_by_their_variables() {
        for setting in INTERCONNECTS.iter().flat_map(|entry| entry.settings) {
            let mut options = AllOptions::default();
            assert_eq!(options.set(setting.name, setting.example), Some(Ok(())));
            assert_eq!(options.value(setting.name).as_deref(), Some(setting.example));
            assert_eq!(options.clone(), options);
            assert_ne!(options, AllOptions::default());
        }
        assert_eq!(AllOptions::default().set("GRAVEL_NOBODY", "1"), None);
        assert_eq!(AllOptions::default().value("GRAVEL_NOBODY"), None);
    }

    #[test]
    fn names_are_listed_in_words() {
        assert_eq!(in_words(&["a", "b", "c"]), "a, b and c");
        assert_eq!(in_words(&["a"]), "a");
        assert_eq!(OFFERED.expected, "auto, or a comma list of shm, verbs and tcp");
    }
}
