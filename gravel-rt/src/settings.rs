//! The `GRAVEL_*` environment variables.
//!
//! | name | values | default | what it does |
//! |---|---|---|---|
//! | `GRAVEL_CHECK` | `0`, `1` | `0` | watches the rules of split-phase transfers while the program runs; a broken one is an error that names the call; of waits that last it says who waits for whom, and ends those for what never comes |
//! | `GRAVEL_EAGER_LIMIT` | bytes, suffix `K`, `M`, `G` allowed | `64K` | sends up to this length never wait for their receiver; values below 64 KiB count as 64 KiB |
//! | `GRAVEL_LOG` | `off`, `error`, `warn`, `info`, `debug` | `warn` | how much is written to standard error |
//! | `GRAVEL_OVERLAP` | `always`, `never`, or `measured` | `measured` | whether `gravel_worth_overlapping` says yes; measured: both are tried at each place, and the faster one is kept |
//! | `GRAVEL_SPIN` | microseconds | 20 to 200, three times what waking takes; 50000 more where each rank has a processor | how long a wait polls before it sleeps; where ranks outnumber processors it yields between polls |
//! | `GRAVEL_STATS` | `0`, `1`, or a file | `0` | counts messages, puts, waits and tiles; printed at the end to standard error, or to the file, as JSON if its name ends in `.json` |
//! | `GRAVEL_TILE` | number of iterations, or `all` | by message size | forces `gravel_tile`; `all` is one tile |
//! | `GRAVEL_TRACE` | a file | none | records what happens when, and writes it at the end in the trace event format, which Perfetto opens; until then each rank has its own in `FILE.RANK`, which is whole at any time and stays if the job is killed |
//!
//! Beside these, `GRAVEL_PROVIDER` chooses among the interconnects, and each of them has its own ([`crate::provider::registry`]).
//! `GRAVEL_CACHE_DIR` and `GRAVEL_LIB_DIR` belong to `gravelc`. Other names that begin with `GRAVEL_` are reported once,
//! by rank 0. [`all`] has all of them as data; a test compares it with the code, and with the project's README.

mod values;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use self::values::{invalid, parse_bytes, parse_file};
use crate::error::Result;
use crate::overlap::Way;
use crate::provider::choice::{Choice, Interconnects};
use crate::provider::registry::{INTERCONNECTS, OFFERED, OfferedNames, WRAPPERS};
use crate::sys::log::Level;
pub use crate::sys::setting::Setting;
use crate::sys::setting::switch;
use crate::tile::ForcedTile;

/// Standard sends up to this length never block, whatever `GRAVEL_EAGER_LIMIT` says: programs rely on it with MPI.
pub const MINIMUM_EAGER_LIMIT: u64 = 64 * 1024;

/// Which interconnects may be used.
const PROVIDER: &str = "GRAVEL_PROVIDER";

/// Variables that `gravelc`, the macros and `gravel-run` have: known, but no settings.
const NAMES_OF_OTHERS: [&str; 7] = [
    "GRAVEL_CACHE_DIR",
    "GRAVEL_EXPLAIN",
    "GRAVEL_LIB_DIR",
    "GRAVEL_RANK",
    "GRAVEL_RANKS",
    "GRAVEL_JOB",
    "GRAVEL_MEETING",
];

/// The variables that belong to no interconnect, but for the one that chooses among these.
const OWN: [Setting; 8] = [
    Setting {
        name: "GRAVEL_CHECK",
        values: "`0`, `1`",
        default: "`0`",
        meaning: "watches the rules of split-phase transfers while the program runs; a broken one is an error that \
                  names the call; of waits that last it says who waits for whom, and ends those for what never comes",
        example: "1",
    },
    Setting {
        name: "GRAVEL_EAGER_LIMIT",
        values: "bytes, suffix `K`, `M`, `G` allowed",
        default: "`64K`",
        meaning: "sends up to this length never wait for their receiver; values below 64 KiB count as 64 KiB",
        example: "131072",
    },
    Setting {
        name: "GRAVEL_LOG",
        values: "`off`, `error`, `warn`, `info`, `debug`",
        default: "`warn`",
        meaning: "how much is written to standard error",
        example: "error",
    },
    Setting {
        name: "GRAVEL_OVERLAP",
        values: "`always`, `never`, or `measured`",
        default: "`measured`",
        meaning: "whether `gravel_worth_overlapping` says yes; measured: both are tried at each place, and the faster one is kept",
        example: "never",
    },
    Setting {
        name: "GRAVEL_SPIN",
        values: "microseconds",
        default: "20 to 200, three times what waking takes; 50000 more where each rank has a processor",
        meaning: "how long a wait polls before it sleeps; where ranks outnumber processors it yields between polls",
        example: "7",
    },
    Setting {
        name: "GRAVEL_STATS",
        values: "`0`, `1`, or a file",
        default: "`0`",
        meaning: "counts messages, puts, waits and tiles; printed at the end to standard error, or to the file, as \
                  JSON if its name ends in `.json`",
        example: "counters.txt",
    },
    Setting {
        name: "GRAVEL_TILE",
        values: "number of iterations, or `all`",
        default: "by message size",
        meaning: "forces `gravel_tile`; `all` is one tile",
        example: "all",
    },
    Setting {
        name: "GRAVEL_TRACE",
        values: "a file",
        default: "none",
        meaning: "records what happens when, and writes it at the end in the trace event format, which Perfetto opens; until then each rank has its own in `FILE.RANK`, which is whole at any time and stays if the job is killed",
        example: "trace.json",
    },
];

/// All variables of the runtime, by name.
pub fn all() -> &'static [Setting] {
    static ALL: LazyLock<Vec<Setting>> = LazyLock::new(|| {
        // Made once, for as long as the process lives.
        let text = |text: String| -> &'static str { text.leak() };
        let OfferedNames { plain, quoted, .. } = &*OFFERED;
        let choice = Setting {
            name: PROVIDER,
            values: text(format!("comma list of {quoted}, or `auto`")),
            default: "`auto`",
            meaning: text(format!(
                "interconnects that may be used; between two ranks the first of {plain} that both may use and that works"
            )),
            example: INTERCONNECTS.iter().rfind(|entry| entry.is_offered).map_or("auto", |entry| entry.name),
        };
        let entries = INTERCONNECTS.iter().filter(|entry| entry.is_offered);
        let of_interconnects = entries.flat_map(|entry| entry.settings.iter().copied());
        let mut all: Vec<Setting> = OWN.into_iter().chain([choice]).chain(of_interconnects).collect();
        all.sort_unstable_by_key(|setting| setting.name);
        all
    });
    &ALL
}

/// Where a setting's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nobody has set it.
    Default,
    /// The variable of its name.
    Environment,
}

/// Where `GRAVEL_STATS` sends the counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatsOutput {
    /// Every rank prints its own.
    StandardError,
    /// One file for the job.
    File(PathBuf),
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `GRAVEL_LOG`.
    pub log: Level,
    /// `GRAVEL_OVERLAP`.
    pub overlap: Option<Way>,
    /// `GRAVEL_TILE`.
    pub tile: Option<ForcedTile>,
    /// `GRAVEL_EAGER_LIMIT` in bytes, never below [`MINIMUM_EAGER_LIMIT`].
    pub eager_limit: u64,
    /// `GRAVEL_SPIN`.
    pub spin: Option<Duration>,
    /// `GRAVEL_PROVIDER`, and the variables of the interconnects.
    pub provider: Choice,
    /// `GRAVEL_CHECK`.
    pub check: bool,
    /// `GRAVEL_STATS`.
    pub stats: Option<StatsOutput>,
    /// `GRAVEL_TRACE`.
    pub trace: Option<PathBuf>,
    /// Names of the variables that were set.
    given: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            log: Level::Warn,
            overlap: None,
            tile: None,
            eager_limit: MINIMUM_EAGER_LIMIT,
            spin: None,
            provider: Choice::default(),
            check: false,
            stats: None,
            trace: None,
            given: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the variables given, usually [`std::env::vars_os`]. Returns the settings and the unknown `GRAVEL_*` names.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<(Self, Vec<String>)> {
        let mut settings = Self::default();
        let mut unknown = Vec::new();
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with("GRAVEL_")) else {
                continue;
            };
            if WRAPPERS.iter().any(|wrapper| wrapper.setting == name) {
                continue;
            }
            if !settings.set(name, &value)? && !NAMES_OF_OTHERS.contains(&name) {
                unknown.push(name.to_owned());
            }
        }
        if let (Some(trace), Some(StatsOutput::File(counters))) = (&settings.trace, &settings.stats)
            && trace == counters
        {
            return invalid("GRAVEL_STATS", &counters.to_string_lossy(), "another file than GRAVEL_TRACE");
        }
        unknown.sort();
        Ok((settings, unknown))
    }

    /// Where the value of a variable comes from.
    pub fn origin(&self, name: &str) -> Origin {
        if self.given.contains(&name) { Origin::Environment } else { Origin::Default }
    }

    /// The value in force of a variable, as it could be given; nothing if there is none of that name.
    pub fn value(&self, name: &str) -> Option<String> {
        let or_default = |value: Option<String>| {
            let default = all().iter().find(|setting| setting.name == name)?.default;
            Some(value.unwrap_or_else(|| default.replace('`', "")))
        };
        match name {
            "GRAVEL_CHECK" => Some(u8::from(self.check).to_string()),
            "GRAVEL_EAGER_LIMIT" => Some(self.eager_limit.to_string()),
            "GRAVEL_LOG" => Some(format!("{:?}", self.log).to_ascii_lowercase()),
            "GRAVEL_OVERLAP" => or_default(self.overlap.map(|way| match way {
                Way::Apart => "always".into(),
                Way::Whole => "never".into(),
            })),
            PROVIDER => Some(self.provider.permitted.to_string()),
            "GRAVEL_SPIN" => or_default(self.spin.map(|spin| spin.as_micros().to_string())),
            "GRAVEL_STATS" => or_default(self.stats.as_ref().map(|output| match output {
                StatsOutput::StandardError => "1".into(),
                StatsOutput::File(path) => path.display().to_string(),
            })),
            "GRAVEL_TILE" => or_default(self.tile.map(|tile| match tile {
                ForcedTile::Iterations(iterations) => iterations.to_string(),
                ForcedTile::All => "all".into(),
            })),
            "GRAVEL_TRACE" => or_default(self.trace.as_ref().map(|path| path.display().to_string())),
            _ => or_default(self.provider.options.value(name)),
        }
    }

    /// Sets one variable; false if there is none of that name.
    fn set(&mut self, name: &str, given: &OsStr) -> Result<bool> {
        let text = given.to_string_lossy();
        let value = text.trim();
        if let Some(outcome) = self.provider.options.set(name, value) {
            outcome.or_else(|expected| invalid(name, value, expected))?;
        } else if !self.set_own(name, given, value)? {
            return Ok(false);
        }
        self.given.extend(all().iter().map(|setting| setting.name).find(|known| *known == name));
        Ok(true)
    }

    /// Sets a variable that belongs to no interconnect; false if there is none of that name.
    fn set_own(&mut self, name: &str, given: &OsStr, value: &str) -> Result<bool> {
        match name {
            "GRAVEL_CHECK" => self.check = switch(value).or_else(|expected| invalid(name, value, expected))?,
            "GRAVEL_STATS" => {
                self.stats = match value {
                    "0" => None,
                    "1" => Some(StatsOutput::StandardError),
                    _ => Some(StatsOutput::File(parse_file(
                        name,
                        given,
                        "0, 1 or the name of a file (./2 for one called 2)",
                    )?)),
                }
            }
            "GRAVEL_TRACE" => {
                self.trace = Some(parse_file(name, given, "the name of a file (./1 for one called 1)")?);
            }
            "GRAVEL_LOG" => {
                self.log = match value.to_ascii_lowercase().as_str() {
                    "off" => Level::Off,
                    "error" => Level::Error,
                    "warn" => Level::Warn,
                    "info" => Level::Info,
                    "debug" => Level::Debug,
                    _ => return invalid(name, value, "off, error, warn, info or debug"),
                }
            }
            "GRAVEL_OVERLAP" => {
                self.overlap = match value.to_ascii_lowercase().as_str() {
                    "always" => Some(Way::Apart),
                    "never" => Some(Way::Whole),
                    "measured" => None,
                    _ => return invalid(name, value, "always, never or measured"),
                }
            }
            "GRAVEL_TILE" => {
                self.tile = Some(match value.parse() {
                    Ok(iterations) if iterations > 0 => ForcedTile::Iterations(iterations),
                    _ if value.eq_ignore_ascii_case("all") => ForcedTile::All,
                    _ => return invalid(name, value, "a number of iterations above 0, or all"),
                });
            }
            "GRAVEL_EAGER_LIMIT" => match parse_bytes(value) {
                Some(bytes) => self.eager_limit = bytes.max(MINIMUM_EAGER_LIMIT),
                None => return invalid(name, value, "a number of bytes, such as 65536, 64K or 1M"),
            },
            "GRAVEL_SPIN" => match value.parse() {
                Ok(microseconds) => self.spin = Some(Duration::from_micros(microseconds)),
                Err(_) => return invalid(name, value, "a number of microseconds"),
            },
            PROVIDER => match Interconnects::parse(value) {
                Some(permitted) => self.provider.permitted = permitted,
                None => return invalid(name, value, &OFFERED.expected),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<(Settings, Vec<String>)> {
        Settings::from_variables(pairs.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn defaults_hold_without_variables() {
        let (settings, unknown) = read(&[("PATH", "/bin")]).unwrap();
        assert_eq!(settings, Settings::default());
        assert!(unknown.is_empty());
        for Setting { name, .. } in all() {
            assert_eq!(settings.origin(name), Origin::Default, "{name}");
        }
    }

    #[test]
    fn the_table_and_the_code_know_the_same_variables() {
        for setting in all() {
            let &Setting { name, example: value, .. } = setting;
            let (settings, unknown) = read(&[(name, value)]).unwrap();
            assert!(unknown.is_empty());
            assert_ne!(
                settings,
                Settings { given: settings.given.clone(), ..Settings::default() },
                "{name} does nothing"
            );
            assert_eq!(settings.value(name).as_deref(), Some(value), "{name} is shown as it was given");
            let default = Settings::default().value(name).unwrap();
            if let Some(quoted) = setting.default.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
                // What the table gives as default means the default.
                let (given, _) = read(&[(name, quoted)]).unwrap();
                assert_eq!(given.value(name), Some(default), "{name}");
            } else {
                assert_eq!(default, setting.default, "{name}");
            }
            // Every value in the table's second column is one.
            for quoted in setting.values.split('`').skip(1).step_by(2).filter(|value| !["K", "M", "G"].contains(value))
            {
                assert!(read(&[(name, quoted)]).is_ok(), "{name}={quoted}");
            }
        }
    }

    #[test]
    fn the_documents_show_the_table() {
        let row = |Setting { name, values, default, meaning, .. }: &Setting| {
            format!("| `{name}` | {values} | {default} | {meaning} |")
        };
        let shown = |text: &str, prefix: &str| -> Vec<String> {
            let rows = text.lines().filter_map(|line| line.strip_prefix(prefix));
            rows.filter(|row| row.starts_with("| `GRAVEL_")).map(str::to_owned).collect()
        };
        assert_eq!(shown(include_str!("settings.rs"), "//! "), OWN.iter().map(row).collect::<Vec<_>>());
        assert_eq!(shown(include_str!("../../README.md"), ""), all().iter().map(row).collect::<Vec<_>>());
    }

    #[test]
    fn every_variable_is_read() {
        let (settings, unknown) = read(&[
            ("GRAVEL_LOG", "Debug"),
            ("GRAVEL_TILE", "37"),
            ("GRAVEL_EAGER_LIMIT", "1M"),
            ("GRAVEL_OVERLAP", "never"),
            ("GRAVEL_SPIN", "5"),
            ("GRAVEL_SHM", "staged"),
            ("GRAVEL_ADOPT_HEAP", "64"),
            ("GRAVEL_PROVIDER", "tcp"),
            ("GRAVEL_TCP_INTERFACE", "eth0,10.0.0.0/8"),
            ("GRAVEL_CHECK", "1"),
            ("GRAVEL_STATS", "counters.json"),
            ("GRAVEL_TRACE", "trace.json"),
            ("GRAVEL_VERBS_CONNECT_ALL", "3"),
            ("GRAVEL_VERBS_FENCE", "1"),
        ])
        .unwrap();
        assert!(unknown.is_empty());
        for Setting { name, .. } in all() {
            assert_eq!(settings.origin(name), Origin::Environment, "{name}");
        }
        assert!(settings.check);
        assert_eq!(settings.stats, Some(StatsOutput::File("counters.json".into())));
        assert_eq!(settings.trace, Some("trace.json".into()));
        assert_eq!(settings.log, Level::Debug);
        assert_eq!(settings.tile, Some(ForcedTile::Iterations(37)));
        assert_eq!(settings.overlap, Some(Way::Whole));
        assert_eq!(settings.eager_limit, 1 << 20);
        assert_eq!(settings.spin, Some(Duration::from_micros(5)));
        assert_eq!(Some(settings.provider.permitted), Interconnects::parse("tcp"));
        for (name, value) in [
            ("GRAVEL_SHM", "staged"),
            ("GRAVEL_TCP_INTERFACE", "eth0,10.0.0.0/8"),
            ("GRAVEL_VERBS_CONNECT_ALL", "3"),
            ("GRAVEL_VERBS_FENCE", "1"),
        ] {
            assert_eq!(settings.value(name).as_deref(), Some(value));
        }
    }

    #[test]
    fn eager_limit_never_falls_below_what_programs_rely_on() {
        assert_eq!(read(&[("GRAVEL_EAGER_LIMIT", "0")]).unwrap().0.eager_limit, MINIMUM_EAGER_LIMIT);
    }

    #[test]
    fn unknown_names_are_listed_and_do_not_fail() {
        let (_, unknown) = read(&[("GRAVEL_TYLE", "3"), ("GRAVEL_LOGG", "x"), ("GRAVEL", "y")]).unwrap();
        assert_eq!(unknown, ["GRAVEL_LOGG", "GRAVEL_TYLE"]);
    }

    #[test]
    fn bad_values_name_the_variable() {
        for (name, value) in [
            ("GRAVEL_TILE", "0"),
            ("GRAVEL_TILE", "-3"),
            ("GRAVEL_LOG", "loud"),
            ("GRAVEL_EAGER_LIMIT", "99999999999999999999G"),
            ("GRAVEL_EAGER_LIMIT", ""),
            ("GRAVEL_SPIN", "1.5"),
            ("GRAVEL_SHM", "adopt,magic"),
            ("GRAVEL_ADOPT_HEAP", "some"),
            ("GRAVEL_PROVIDER", "ofi"),
            ("GRAVEL_TCP_INTERFACE", "10.0.0.0/99"),
            ("GRAVEL_CHECK", "yes"),
            ("GRAVEL_CHECK", "2"),
            ("GRAVEL_STATS", ""),
            ("GRAVEL_STATS", "2"),
            ("GRAVEL_STATS", " 01 "),
            ("GRAVEL_STATS", "-1"),
            ("GRAVEL_STATS", "1.0"),
            ("GRAVEL_STATS", "yes"),
            ("GRAVEL_STATS", "True"),
            ("GRAVEL_STATS", "folder/"),
            ("GRAVEL_TRACE", ""),
            ("GRAVEL_TRACE", "0"),
            ("GRAVEL_TRACE", "1"),
            ("GRAVEL_TRACE", "2"),
            ("GRAVEL_TRACE", "off"),
            ("GRAVEL_TRACE", "/tmp/"),
            ("GRAVEL_VERBS_CONNECT_ALL", "-1"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name}={} is not valid", value.trim())), "{error}");
        }
    }

    #[test]
    fn names_of_files_are_taken_as_they_are() {
        use std::os::unix::ffi::OsStringExt as _;
        for name in ["2nd.txt", "./2", "1.json", "trace of 1", "nothing", "-"] {
            assert_eq!(read(&[("GRAVEL_TRACE", name)]).unwrap().0.trace, Some(name.into()));
            assert_eq!(read(&[("GRAVEL_STATS", name)]).unwrap().0.stats, Some(StatsOutput::File(name.into())));
        }
        let bytes = OsString::from_vec(b"/tmp/\xffx".to_vec());
        let (settings, _) = Settings::from_variables([("GRAVEL_TRACE".into(), bytes.clone())]).unwrap();
        assert_eq!(settings.trace, Some(bytes.into()));
    }

    #[test]
    fn two_outputs_are_two_files() {
        let error = read(&[("GRAVEL_TRACE", "both.json"), ("GRAVEL_STATS", "both.json")]).unwrap_err();
        assert!(error.to_string().contains("GRAVEL_STATS=both.json is not valid"), "{error}");
        assert!(read(&[("GRAVEL_TRACE", "a.json"), ("GRAVEL_STATS", "b.json")]).is_ok());
    }
}
