//! The ways in which a program is built and run when its transformation is compared with it.

use std::fmt;

use crate::directives::Directives;
use crate::mpi_flavour::MpiFlavour;

/// Flags that decide how the compiler optimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Optimisation {
    /// `-O0`
    None,
    /// `-O2`
    Usual,
    /// `-O3 -march=native`: vectorised for this machine.
    Native,
}

impl Optimisation {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Usual, Self::Native];

    /// The flags.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Self::None => &["-O0"],
            Self::Usual => &["-O2"],
            Self::Native => &["-O3", "-march=native"],
        }
    }
}

impl fmt::Display for Optimisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flags().join(" "))
    }
}

/// A value of `GRAVEL_TILE`: how many iterations make a tile of a strip-mined loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tile {
    /// Not set: the runtime decides.
    Unset,
    /// So many.
    Iterations(u32),
    /// The whole loop.
    All,
}

impl Tile {
    /// Those that are tried; 37 is in step with nothing.
    pub const ALL: [Self; 5] =
        [Self::Unset, Self::Iterations(1), Self::Iterations(37), Self::Iterations(64), Self::All];

    /// Reads `unset`, a number or `all`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "unset" => Some(Self::Unset),
            "all" => Some(Self::All),
            number => number.parse().ok().filter(|iterations| *iterations > 0).map(Self::Iterations),
        }
    }

    /// The value of the variable; `None` if it is not set.
    pub fn value(self) -> Option<String> {
        match self {
            Self::Unset => None,
            Self::Iterations(iterations) => Some(iterations.to_string()),
            Self::All => Some("all".to_owned()),
        }
    }
}

/// A value of `GRAVEL_SHM`: the ways in which data moves between processes of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataPath {
    /// Not set: the runtime decides.
    Unset,
    /// Writes into the other process through the kernel.
    Cma,
    /// Through a shared staging ring, as where the kernel forbids everything else.
    Staged,
}

impl DataPath {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Unset, Self::Cma, Self::Staged];

    /// The value of the variable; `None` if it is not set.
    pub fn value(self) -> Option<&'static str> {
        match self {
            Self::Unset => None,
            Self::Cma => Some("cma"),
            Self::Staged => Some("staged"),
        }
    }
}

/// How a program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Build {
    /// With which MPI.
    pub mpi: MpiFlavour,
    /// With which flags.
    pub optimisation: Optimisation,
}

impl Build {
    /// All of them, such that neighbours differ in both respects.
    pub const ALL: [Self; 6] = {
        use MpiFlavour::{Mpich, OpenMpi};
        use Optimisation::{Native, None, Usual};
        [
            Self { mpi: OpenMpi, optimisation: Usual },
            Self { mpi: Mpich, optimisation: Native },
            Self { mpi: OpenMpi, optimisation: None },
            Self { mpi: Mpich, optimisation: Usual },
            Self { mpi: OpenMpi, optimisation: Native },
            Self { mpi: Mpich, optimisation: None },
        ]
    };

    /// A name for a folder.
    pub fn folder_name(self) -> String {
        format!("{}{}", self.mpi.suffix(), self.optimisation.flags()[0])
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.mpi, self.optimisation)
    }
}

/// How the transformed program is run; the original runs on as many ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Execution {
    /// On so many ranks.
    pub ranks: usize,
    /// With these tiles.
    pub tile: Tile,
    /// With data on this path.
    pub data_path: DataPath,
}

impl Execution {
    /// The variables of the environment that it takes.
    pub fn environment(self) -> Vec<(&'static str, String)> {
        let tile = self.tile.value().map(|value| ("GRAVEL_TILE", value));
        let data_path = self.data_path.value().map(|value| ("GRAVEL_SHM", value.to_owned()));
        // Both ways, and else whatever the runtime finds.
        let overlap = (self.tile != Tile::All).then(|| ("GRAVEL_OVERLAP", "always".to_owned()));
        tile.into_iter().chain(data_path).chain(overlap).collect()
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rank{}", self.ranks, if self.ranks == 1 { "" } else { "s" })?;
        for (name, value) in self.environment() {
            write!(f, ", {name}={value}")?;
        }
        Ok(())
    }
}

/// A build with the runs that are made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The build.
    pub build: Build,
    /// The runs.
    pub executions: Vec<Execution>,
}

/// How much of the product of all builds and runs is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A sample: so many builds with so many runs each.
    Sample {
        /// Builds of each program.
        builds: usize,
        /// Runs of each build.
        executions: usize,
    },
    /// All of it.
    Full,
}

/// The builds and runs of the program `name`. The sample depends on the name only, so that it is the same every time
/// while many programs together cover everything.
pub fn trials(name: &str, directives: &Directives, effort: Effort) -> Vec<Trial> {
    let all = all_executions(directives);
    match effort {
        Effort::Full => Build::ALL.iter().map(|&build| Trial { build, executions: all.clone() }).collect(),
        Effort::Sample { builds, executions } => {
            let start = fnv1a(name);
            let stride = stride_through(all.len());
            let builds = builds.min(Build::ALL.len());
            let executions = executions.min(all.len());
            (0..builds)
                .map(|build| Trial {
                    build: Build::ALL[(start + build) % Build::ALL.len()],
                    executions: (0..executions)
                        .map(|execution| {
                            let position = start / Build::ALL.len() + (build * executions + execution) * stride;
                            all[position % all.len()]
                        })
                        .collect(),
                })
                .collect()
        }
    }
}

fn all_executions(directives: &Directives) -> Vec<Execution> {
    let mut executions = Vec::new();
    for data_path in DataPath::ALL {
        for &tile in &directives.tiles {
            for &ranks in &directives.ranks {
                executions.push(Execution { ranks, tile, data_path });
            }
        }
    }
    executions
}

/// A stride that visits every one of `length` places before it comes back, far apart at first.
fn stride_through(length: usize) -> usize {
    let golden_section = length * 618 / 1000;
    (golden_section.max(1)..).find(|&stride| greatest_common_divisor(stride, length) == 1).unwrap_or(1)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The 32-bit FNV-1a hash: stable from version to version, unlike the standard library's.
pub fn fnv1a(text: &str) -> usize {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SAMPLE: Effort = Effort::Sample { builds: 3, executions: 3 };

    #[test]
    fn the_full_product_is_complete() {
        let trials = trials("any", &Directives::default(), Effort::Full);
        assert_eq!(trials.len(), 6);
        for trial in &trials {
            let distinct: HashSet<_> = trial.executions.iter().collect();
            assert_eq!(distinct.len(), 3 * 5 * 3);
        }
    }

    #[test]
    fn a_sample_is_fixed_and_has_both_flavours_and_no_run_twice() {
        for name in ["ring", "halo2d", "short-message"] {
            let sample = trials(name, &Directives::default(), SAMPLE);
            assert_eq!(sample, trials(name, &Directives::default(), SAMPLE));
            let flavours: HashSet<_> = sample.iter().map(|trial| trial.build.mpi).collect();
            assert_eq!(flavours.len(), 2);
            let executions: Vec<_> = sample.iter().flat_map(|trial| &trial.executions).collect();
            assert_eq!(executions.iter().collect::<HashSet<_>>().len(), 9);
        }
    }

    #[test]
    fn directives_limit_the_runs() {
        let directives =
            Directives { ranks: vec![2], tiles: vec![Tile::Unset, Tile::Iterations(64)], ..Directives::default() };
        for trial in trials("any", &directives, SAMPLE) {
            for execution in trial.executions {
                assert_eq!(execution.ranks, 2);
                assert!(directives.tiles.contains(&execution.tile));
            }
        }
    }

    #[test]
    fn strides_visit_every_place() {
        for length in 1..100 {
            let stride = stride_through(length);
            let visited: HashSet<_> = (0..length).map(|step| step * stride % length).collect();
            assert_eq!(visited.len(), length);
        }
    }
}
