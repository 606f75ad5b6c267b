//! `gravel-info`: what this machine permits Gravel to do, why a way of moving data cannot be used on it, and which settings
//! are in force.
//!
//! It looks at one process on one machine, without MPI. Whether two particular ranks can reach one another is found out by
//! `gravel_init`, peer by peer, and told with `GRAVEL_LOG=info`.

mod limits;
mod report;

use std::process::ExitCode;

use clap::Parser;
use gravel::provider::survey;
use gravel::settings::Settings;

/// Tells what Gravel can do on this machine, and why not more.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// As one JSON object
    #[arg(long)]
    json: bool,
    /// Takes part in a probe of another process: its own helper
    #[arg(long, hide = true, value_name = "INTERCONNECT:TASK")]
    assist: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(task) = &arguments.assist {
        return match survey::assist(task) {
            Ok(()) => ExitCode::SUCCESS,
            Err(cause) => {
                eprintln!("{cause}");
                ExitCode::FAILURE
            }
        };
    }
    let (settings, unknown) = match Settings::from_variables(std::env::vars_os()) {
        Ok(read) => read,
        Err(error) => {
            eprintln!("gravel-info: {error}");
            return ExitCode::from(2);
        }
    };
    let report = report::Report::new(&settings, unknown, survey::all(&settings.provider), limits::all());
    if arguments.json {
        println!("{}", report.to_json());
    } else {
        print!("{}", report.to_text());
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
        let assist = Arguments::command().get_arguments().any(|argument| argument.get_long() == Some(survey::ASSIST));
        assert!(assist, "probes start this program with --{}", survey::ASSIST);
    }
}
