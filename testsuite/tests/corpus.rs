//! `cargo suite --corpus` with kernels of the repository as codes from outside.

use std::fs;

use testsuite::corpus::{self, Corpus, Description};
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::MpiFlavour;
use testsuite::tally::Tally;
use testsuite::{native, runtime_library, workspace};

/// A makefile for the spectral solver: an object for each file, and a library.
const MAKEFILE: &str = "ft: ft.o libft.a
\t$(FC) ft.o -L. -lft -o ft
libft.a: ft_data.o fft1d.o transpose.o fft3d.o heat_modes.o
\tar rcs libft.a ft_data.o fft1d.o transpose.o fft3d.o heat_modes.o
%.o: %.f90
\t$(FC) -O1 -c $<
fft1d.o transpose.o heat_modes.o: ft_data.o
fft3d.o: fft1d.o transpose.o
ft.o: fft3d.o heat_modes.o
";

fn check(flavour: MpiFlavour) -> Result<(), String> {
    runtime_library::static_library()?;
    let gravelc = Gravelc::for_tests()?;
    let folder = native::scratch("corpus", flavour)?;
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    }
    let kernel = |name: &str| workspace::package().join("kernels").join(name);
    let write = |path: &str, text: String| {
        let path = folder.join(path);
        let within = path.parent().ok_or("a path without a folder")?;
        fs::create_dir_all(within).and_then(|()| fs::write(&path, text)).map_err(|error| error.to_string())
    };
    // A code with a makefile, one that is built by one command, one whose files are only read, and one that prints other lines
    // each time.
    for entry in fs::read_dir(kernel("ft")).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&format!("ft/{name}"), fs::read_to_string(&path).map_err(|error| error.to_string())?)?;
    }
    write("ft/Makefile", MAKEFILE.to_owned())?;
    let built = "build = 'make FC=\"$FC\"'\nprogram = 'ft'\n";
    write(
        "codes/ft.toml",
        format!("source = '../ft'\n{built}run = '$RUN tiny > out && cat out'\nranks = [2]\noutputs = ['out']\n"),
    )?;
    let stencil = kernel("stencil3d");
    let source = format!("source = '{}'\n", stencil.display());
    let files = ["grid.f90", "halo.f90", "heat.f90", "main.f90"];
    let command = format!("build = '$FC -O1 {} -o heat.$RANKS'\nprogram = 'heat.$RANKS'\n", files.join(" "));
    write("codes/heat.toml", format!("{source}{command}run = '$RUN tiny'\nranks = [2]\n"))?;
    write("codes/read.toml", format!("{source}files = {files:?}\narguments = ['--closed']\n"))?;
    let prints = "program p\ninteger :: t\ncall system_clock(t)\nprint *, 'time', t\nprint *, 'same'\nend program\n";
    write("clock/p.f90", prints.to_owned())?;
    let clock = "source = '../clock'\nbuild = '$FC p.f90 -o p'\nprogram = 'p'\nranks = [1]\n";
    write("codes/clock.toml", format!("{clock}ignore = ['time']\n"))?;
    write("bad/clock.toml", clock.to_owned())?;
    write("bad/none.toml", "source = '../clock'\nbuild = 'true'\nprogram = 'p'\nranks = [1]\n".to_owned())?;

    let corpus = Corpus { gravelc: &gravelc, flavours: vec![flavour], scratch: folder.join("scratch") };
    let mut tally = Tally::default();
    let rows = corpus.check(&Description::all(&folder.join("codes"))?, &mut tally);
    if !tally.is_clean() {
        return Err(format!("not all runs are the same:\n{tally}"));
    }
    let [clock, ft, heat, read] = rows.as_slice() else { return Err(format!("{} rows", rows.len())) };
    let is_whole = |row: &corpus::Row| row.seen > 0 && row.seen == row.in_text && row.lines > 100;
    let is_right = clock.in_text == 0 && heat.in_text == read.in_text && heat.transformed > 0;
    if !is_right || ![ft, heat, read].into_iter().all(is_whole) {
        return Err(format!("the table is wrong:\n{}", corpus::table(&rows)));
    }
    let mut tally = Tally::silent();
    corpus.check(&Description::all(&folder.join("bad"))?, &mut tally);
    let shown = tally.to_string();
    if tally.is_clean() || !shown.contains("clock") || !shown.contains("none") {
        return Err(format!("what differs, and what is not built, must be a failure: {shown}"));
    }
    Ok(())
}

#[test]
fn kernels_are_a_corpus() {
    // One MPI is enough: what differs between them, the suite's own kernels show.
    let flavours = native::installed_flavours();
    let flavour = *flavours.first().expect("an MPI is installed");
    check(flavour).unwrap_or_else(|message| panic!("{message}"));
}
