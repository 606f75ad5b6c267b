//! What the benchmark prints, and what is made of it.

use std::collections::BTreeMap;

/// What is measured, in the order in which it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// Microseconds from one rank to the other.
    Latency,
    /// Messages per microsecond.
    Rate,
    /// Bytes per microsecond.
    Bandwidth,
    /// Microseconds to read a message of the other rank that it has announced.
    GetLatency,
    /// Bytes per microsecond of such messages.
    GetBandwidth,
    /// Bytes per microsecond of puts of this length, which together make a message.
    PutBandwidth,
    /// Microseconds that eight segments need beyond the computation that makes them.
    Segments,
    /// Percent of a sender's time that it could compute in.
    SendOverlap,
    /// Percent of a receiver's time.
    ReceiveOverlap,
    /// Microseconds per message in a ring of all ranks.
    Ring,
    /// Seconds that `gravel_init` takes, by the number of ranks.
    Init,
}

/// All tests.
pub const TESTS: [Test; 11] = [
    Test::Latency,
    Test::Rate,
    Test::Bandwidth,
    Test::GetLatency,
    Test::GetBandwidth,
    Test::PutBandwidth,
    Test::Segments,
    Test::SendOverlap,
    Test::ReceiveOverlap,
    Test::Ring,
    Test::Init,
];

impl Test {
    /// Its name in the benchmark's output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Rate => "rate",
            Self::Bandwidth => "bandwidth",
            Self::GetLatency => "get-latency",
            Self::GetBandwidth => "get-bandwidth",
            Self::PutBandwidth => "put-bandwidth",
            Self::Segments => "segments",
            Self::SendOverlap => "send-overlap",
            Self::ReceiveOverlap => "receive-overlap",
            Self::Ring => "ring",
            Self::Init => "init",
        }
    }

    /// What it is, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Latency => "one-way latency, microseconds",
            Self::Rate => "message rate, million per second",
            Self::Bandwidth => "bandwidth, GB/s",
            Self::GetLatency => "time to get an announced message, microseconds",
            Self::GetBandwidth => "bandwidth of gets, GB/s",
            Self::PutBandwidth => "bandwidth of puts into one message, GB/s",
            Self::Segments => "8 segments put while 400 us of computation proceed: exposed microseconds",
            Self::SendOverlap => "overlap at the sender, percent of its time spent computing",
            Self::ReceiveOverlap => "overlap at the receiver, percent of its time spent computing",
            Self::Ring => "ring of all ranks, microseconds per message of each",
            Self::Init => "gravel_init, seconds",
        }
    }

    /// From the benchmark's unit into the title's.
    fn scale(self) -> f64 {
        if matches!(self, Self::Bandwidth | Self::GetBandwidth | Self::PutBandwidth) { 1e-3 } else { 1.0 }
    }

    /// Whether more is better.
    pub fn more_is_better(self) -> bool {
        !matches!(self, Self::Latency | Self::GetLatency | Self::Segments | Self::Ring | Self::Init)
    }
}

/// Who was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Gravel.
    Gravel,
    /// The MPI beside it.
    Mpi,
    /// A plain copy between two shared mappings.
    Copy,
    /// A plain loop over libibverbs.
    Verbs,
    /// Words in shared memory that are looked at until they change.
    Spinning,
}

/// All that can be measured.
pub const SUBJECTS: [Subject; 5] = [Subject::Gravel, Subject::Mpi, Subject::Copy, Subject::Verbs, Subject::Spinning];

impl Subject {
    /// Its name in the benchmark's output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gravel => "gravel",
            Self::Mpi => "mpi",
            Self::Copy => "copy",
            Self::Verbs => "verbs",
            Self::Spinning => "spinning",
        }
    }
}

/// The values of all rounds for one test, subject and length.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// In ascending order, so that quantiles can be read off.
    fn new(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    /// The value below which this share of all lies; between two values, on the line that joins them.
    fn quantile(&self, share: f64) -> f64 {
        let place = share * (self.0.len() - 1) as f64;
        let (below, above) = (self.0[place.floor() as usize], self.0[place.ceil() as usize]);
        below + (above - below) * place.fract()
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The first and the third quartile.
    pub fn quartiles(&self) -> (f64, f64) {
        (self.quantile(0.25), self.quantile(0.75))
    }

    /// All values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

/// Everything that was measured beside one MPI.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Name and version of the MPI.
    pub mpi: String,
    /// By test, length in bytes and subject.
    pub samples: BTreeMap<(Test, u64, Subject), Sample>,
}

impl Run {
    /// Reads the benchmark's output. What comes before the line `start` is not a measurement yet.
    pub fn parse(output: &str) -> Result<Self, String> {
        let mpi = output.lines().find_map(|line| line.strip_prefix("library "));
        let mpi = mpi.ok_or("the benchmark did not say which MPI it runs with")?;
        // "MPICH Version:	4.0.2" and "Open MPI v4.1.4" alike.
        let mpi = mpi.replace("Version:", "").split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, measured) = output.split_once("\nstart\n").ok_or("the benchmark ended before its first round")?;
        let mut values: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for line in measured.lines() {
            let (key, value) =
                parse_line(line).ok_or_else(|| format!("the benchmark printed an unknown line: {line}"))?;
            values.entry(key).or_default().push(value);
        }
        if values.is_empty() {
            return Err("the benchmark measured nothing".into());
        }
        Ok(Self { mpi, samples: values.into_iter().map(|(key, values)| (key, Sample::new(values))).collect() })
    }

    /// The lengths that a test was made with.
    pub fn lengths(&self, test: Test) -> Vec<u64> {
        let mut lengths: Vec<u64> =
            self.samples.keys().filter(|(other, ..)| *other == test).map(|&(_, bytes, _)| bytes).collect();
        lengths.dedup();
        lengths
    }

    /// What was measured for a test and a length.
    pub fn sample(&self, test: Test, bytes: u64, subject: Subject) -> Option<&Sample> {
        self.samples.get(&(test, bytes, subject))
    }

    /// How good Gravel is, measured by another one: its speed over that one's, of medians. Nothing where one of both is
    /// missing, or not positive (exposed time can be).
    pub fn speed_over(&self, test: Test, bytes: u64, other: Subject) -> Option<f64> {
        let gravel = self.sample(test, bytes, Subject::Gravel)?.median();
        let other = self.sample(test, bytes, other)?.median();
        if gravel <= 0.0 || other <= 0.0 {
            return None;
        }
        Some(if test.more_is_better() { gravel / other } else { other / gravel })
    }
}

fn parse_line(line: &str) -> Option<((Test, u64, Subject), f64)> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?;
    let test = TESTS.into_iter().find(|test| test.name() == name)?;
    let name = words.next()?;
    let subject = SUBJECTS.into_iter().find(|subject| subject.name() == name)?;
    let bytes = words.next()?.parse().ok()?;
    let value: f64 = words.next()?.parse().ok()?;
    (words.next().is_none() && value.is_finite()).then_some(((test, bytes, subject), value * test.scale()))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Two rounds of a few measurements.
    pub const OUTPUT: &str = "library Some MPI 1.0\nlatency mpi 8 99\nstart\n\
        latency gravel 8 0.5\nlatency mpi 8 0.25\nbandwidth gravel 65536 8000\nbandwidth mpi 65536 4000\n\
        bandwidth copy 65536 10000\nlatency gravel 8 0.7\nlatency mpi 8 0.35\nlatency gravel 64 0.8\nlatency mpi 64 0.4\n";

    #[test]
    fn medians_leave_the_first_round_out() {
        let run = Run::parse(OUTPUT).unwrap();
        assert_eq!(run.mpi, "Some MPI 1.0");
        assert_eq!(Run::parse(&OUTPUT.replace("MPI 1.0", "Version:\t1.0")).unwrap().mpi, "Some 1.0");
        let median = |test, bytes, subject| run.samples[&(test, bytes, subject)].median();
        assert_eq!(median(Test::Latency, 8, Subject::Gravel), 0.6);
        assert_eq!(median(Test::Bandwidth, 65536, Subject::Copy), 10.0);
        assert_eq!(run.lengths(Test::Latency), [8, 64]);
    }

    #[test]
    fn quantiles_lie_between_values() {
        let sample = Sample::new(vec![4.0, 1.0, 3.0, 2.0, 5.0]);
        assert_eq!((sample.median(), sample.quartiles()), (3.0, (2.0, 4.0)));
        let sample = Sample::new(vec![1.0, 2.0]);
        assert_eq!((sample.median(), sample.quartiles()), (1.5, (1.25, 1.75)));
    }

    #[test]
    fn output_that_is_cut_or_damaged_is_refused() {
        for output in ["", "library X\n", "library X\nstart\n", "library X\nstart\nlatency gravel 8 fast\n"] {
            assert!(Run::parse(output).is_err(), "{output}");
        }
        assert!(Run::parse("library X\nstart\nlatency gravel 8 1 2\n").unwrap_err().contains("latency gravel 8 1 2"));
    }
}
