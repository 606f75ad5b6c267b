//! The `GRAVEL_*` environment variables.
//!
//! | name | values | default | what it does |
//! |---|---|---|---|
//! | `GRAVEL_LOG` | `off`, `error`, `warn`, `info`, `debug` | `warn` | how much is written to standard error |
//! | `GRAVEL_TILE` | number of iterations, or `all` | by message size | forces `gravel_tile`; `all` is one tile |
//! | `GRAVEL_EAGER_LIMIT` | bytes, suffix `K`, `M`, `G` allowed | `64K` | sends up to this length never wait for their receiver; values below 64 KiB count as 64 KiB |
//! | `GRAVEL_SPIN` | microseconds | 20 to 200, three times what waking takes | how long a wait polls before it sleeps; where ranks outnumber processors it yields between polls |
//! | `GRAVEL_PROVIDER` | comma list of `shm`, `tcp`, or `auto` | `auto` | interconnects that may be used; between two ranks the first of shm, tcp that both may use and that works |
//! | `GRAVEL_TCP_INTERFACE` | comma list of interface names or networks such as `10.1.0.0/16` | all that are up | where this rank can be reached by tcp from other hosts |
//! | `GRAVEL_SHM` | comma list of `adopt`, `cma`, or `staged` | `adopt,cma` | data paths of the shared-memory provider: page adoption, process_vm_writev; `staged` alone forbids both |
//!
//! `GRAVEL_CACHE_DIR` and `GRAVEL_LIB_DIR` belong to `gravelc`. Other names that begin with `GRAVEL_` are reported once,
//! by rank 0.

use std::ffi::OsString;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::log::Level;
use crate::provider::select::{Choice, Interconnects};
use crate::provider::tcp::interfaces::Wanted;

/// Standard sends up to this length never block, whatever `GRAVEL_EAGER_LIMIT` says: programs rely on it with MPI.
pub const MINIMUM_EAGER_LIMIT: u64 = 64 * 1024;

/// Variables that `gravelc` reads: known, but nothing to the runtime.
const NAMES_OF_THE_COMPILER: [&str; 2] = ["GRAVEL_CACHE_DIR", "GRAVEL_LIB_DIR"];

/// Tiles forced by `GRAVEL_TILE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedTile {
    /// Exactly so many iterations.
    Iterations(u64),
    /// The whole loop in one tile.
    All,
}

/// Which ways of moving data the shared-memory provider may use besides its staging ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataPaths {
    /// Move receive buffers into memory that peers map.
    pub adopt: bool,
    /// Write into peers with `process_vm_writev`.
    pub cma: bool,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `GRAVEL_LOG`.
    pub log: Level,
    /// `GRAVEL_TILE`.
    pub tile: Option<ForcedTile>,
    /// `GRAVEL_EAGER_LIMIT` in bytes, never below [`MINIMUM_EAGER_LIMIT`].
    pub eager_limit: u64,
    /// `GRAVEL_SPIN`.
    pub spin: Option<Duration>,
    /// `GRAVEL_SHM`.
    pub shm: DataPaths,
    /// `GRAVEL_PROVIDER`.
    pub providers: Interconnects,
    /// `GRAVEL_TCP_INTERFACE`.
    pub tcp_interfaces: Wanted,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            log: Level::Warn,
            tile: None,
            eager_limit: MINIMUM_EAGER_LIMIT,
            spin: None,
            shm: DataPaths { adopt: true, cma: true },
            providers: Interconnects::all(),
            tcp_interfaces: Wanted::default(),
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
            let value = value.to_string_lossy();
            let value = value.trim();
            if !settings.set(name, value)? && !NAMES_OF_THE_COMPILER.contains(&name) {
                unknown.push(name.to_owned());
            }
        }
        unknown.sort();
        Ok((settings, unknown))
    }

    /// What is set about providers.
    pub fn provider_choice(&self) -> Choice {
        Choice { permitted: self.providers, shm: self.shm, tcp: self.tcp_interfaces.clone() }
    }

    /// Sets one variable; false if there is none of that name.
    fn set(&mut self, name: &str, value: &str) -> Result<bool> {
        match name {
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
            "GRAVEL_SHM" => self.shm = parse_data_paths(name, value)?,
            "GRAVEL_PROVIDER" => match Interconnects::parse(value) {
                Some(providers) => self.providers = providers,
                None => return invalid(name, value, "auto, or a comma list of shm and tcp"),
            },
            "GRAVEL_TCP_INTERFACE" => match Wanted::parse(value) {
                Some(interfaces) => self.tcp_interfaces = interfaces,
                None => return invalid(name, value, "a comma list of interface names or networks such as 10.1.0.0/16"),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn parse_data_paths(name: &str, value: &str) -> Result<DataPaths> {
    let mut paths = DataPaths { adopt: false, cma: false };
    for path in value.split(',') {
        match path.trim() {
            "adopt" => paths.adopt = true,
            "cma" => paths.cma = true,
            "staged" => {}
            _ => return invalid(name, value, "a comma list of adopt, cma and staged"),
        }
    }
    Ok(paths)
}

/// Bytes with an optional binary suffix.
fn parse_bytes(value: &str) -> Option<u64> {
    let (digits, unit) = match value.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&value[..value.len() - 1], 1 << 10),
        b'M' => (&value[..value.len() - 1], 1 << 20),
        b'G' => (&value[..value.len() - 1], 1 << 30),
        _ => (value, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn invalid<T>(name: &str, value: &str, expected: &'static str) -> Result<T> {
    Err(Error::InvalidSetting { name: name.to_owned(), value: value.to_owned(), expected }.into())
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
    }

    #[test]
    fn every_variable_is_read() {
        let (settings, unknown) = read(&[
            ("GRAVEL_LOG", "Debug"),
            ("GRAVEL_TILE", "37"),
            ("GRAVEL_EAGER_LIMIT", "1M"),
            ("GRAVEL_SPIN", "5"),
            ("GRAVEL_SHM", "staged"),
            ("GRAVEL_PROVIDER", "tcp"),
            ("GRAVEL_TCP_INTERFACE", "eth0,10.0.0.0/8"),
        ])
        .unwrap();
        assert!(unknown.is_empty());
        assert_eq!(settings.log, Level::Debug);
        assert_eq!(settings.tile, Some(ForcedTile::Iterations(37)));
        assert_eq!(settings.eager_limit, 1 << 20);
        assert_eq!(settings.spin, Some(Duration::from_micros(5)));
        assert_eq!(settings.shm, DataPaths { adopt: false, cma: false });
        assert_eq!(Some(settings.providers), Interconnects::parse("tcp"));
        assert_eq!(Some(settings.tcp_interfaces), Wanted::parse("eth0,10.0.0.0/8"));
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
            ("GRAVEL_PROVIDER", "verbs"),
            ("GRAVEL_TCP_INTERFACE", "10.0.0.0/99"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name}={value} is not valid")), "{error}");
        }
    }
}
