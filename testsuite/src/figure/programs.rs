//! The programs of the figure, built.

use std::fs;
use std::path::{Path, PathBuf};

use super::variant::{Pattern, Variant};
use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use crate::setup::succeed;
use crate::workspace;

/// What all programs share.
const TOOLS: &str = "figure_tools.f90";

/// How long a segment should be, in bytes: what the runtime aims at with its tiles.
const SEGMENT: usize = 64 * 1024;
/// The fewest and the most segments of a message that is strip-mined by hand.
const SEGMENTS: (usize, usize) = (4, 64);

/// The programs of a pattern.
#[derive(Debug)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Transforms and builds what a pattern needs.
    ///
    /// # Errors
    ///
    /// A message, if gravelc or a compiler fails.
    pub fn build(gravelc: &Gravelc, pattern: Pattern, folder: &Path) -> Result<Self, String> {
        let folder = folder.join(pattern.name());
        let sources = workspace::package().join("figure");
        let plain = format!("{}.f90", pattern.name());
        make_folder(&folder)?;
        let no_communication = folder.join("no_communication.o");
        let c_compiler = CommandLine::new("cc").args(["-O2", "-c"]);
        let c_source = workspace::package().join("src/no_communication.c");
        succeed(&c_compiler.arg(c_source).arg("-o").arg(&no_communication), COMPILE_LIMIT)?;

        let programs = Self { folder };
        for mpi in MpiFlavour::ALL {
            let compiler = mpi.fortran_compiler();
            let original = [sources.join(TOOLS), sources.join(&plain)];
            let segments = [sources.join(TOOLS), sources.join(format!("{}_segments.f90", pattern.name()))];
            programs.compile(CommandLine::new(compiler.as_str()), &original, mpi, "plain")?;
            programs.compile(CommandLine::new(compiler.as_str()), &segments, mpi, "segments")?;
            if mpi == Variant::Transformed.mpi() {
                let mut alone = original.to_vec();
                alone.push(no_communication.clone());
                programs.compile(CommandLine::new(compiler.as_str()), &alone, mpi, "computation")?;
                let by_hand = [sources.join(TOOLS), sources.join(format!("{}_gravel.f90", pattern.name()))];
                programs.compile(gravelc.wrap(&compiler), &by_hand, mpi, "gravel")?;
                let producer: &[&str] = &["--skip", "strip-mine-consumer"];
                for (name, options) in [("transformed", &[][..]), ("transformed-producer", producer)] {
                    let destination = programs.folder.join(name).join("sources");
                    let command = gravelc.command().args(["transform", TOOLS, &plain, "--out-dir"]).arg(&destination);
                    succeed(&command.args(options).in_folder(&sources), COMPILE_LIMIT)?;
                    let transformed = [destination.join(TOOLS), destination.join(&plain)];
                    programs.compile(gravelc.wrap(&compiler), &transformed, mpi, name)?;
                }
            }
        }
        Ok(programs)
    }

    fn compile(&self, compiler: CommandLine, sources: &[PathBuf], mpi: MpiFlavour, name: &str) -> Result<(), String> {
        // Compilers leave module files behind.
        let folder = self.folder.join(name).join(mpi.suffix());
        make_folder(&folder)?;
        let command = compiler.arg("-O2").args(mpi.fortran_flags()).args(sources).args(["-o", "program"]);
        succeed(&command.in_folder(folder), COMPILE_LIMIT).map(drop)
    }

    /// The program of a variant, and its arguments.
    pub fn of(&self, variant: Variant, bytes: usize, iterations: usize, work: usize) -> (PathBuf, Vec<String>) {
        let (fewest, most) = SEGMENTS;
        let segments = (bytes / SEGMENT).clamp(fewest, most);
        let (name, work, more) = match variant {
            Variant::Computation => ("computation", work, vec![]),
            Variant::Wire(_) | Variant::Socket => ("segments", 0, vec![1]),
            Variant::Mpi(_) => ("plain", work, vec![]),
            Variant::Gravel(protocol) => ("gravel", work, vec![1, protocol as usize]),
            Variant::MpiSegments(_) => ("segments", work, vec![segments]),
            Variant::GravelSegments(protocol) => ("gravel", work, vec![segments, protocol as usize]),
            Variant::Transformed => ("transformed", work, vec![]),
            Variant::TransformedProducer => ("transformed-producer", work, vec![]),
        };
        let program = self.folder.join(name).join(variant.mpi().suffix()).join("program");
        let arguments = [bytes, iterations, work].into_iter().chain(more).map(|number| number.to_string());
        (program, arguments.collect())
    }
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))
}
