//! What calls of MPI are about, as the names in them say: so what becomes of each kind can be counted.

/// What a call of MPI is about, as the names in it say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A message of a datatype that the program has made.
    DerivedDatatype,
    /// A datatype that a procedure was handed.
    HandedDatatype,
    /// A request, or an array of them, that a procedure was handed.
    HandedRequest,
    /// A request in a module.
    ModuleRequest,
    /// A request in a COMMON block.
    CommonRequest,
    /// Of several requests what happens to be over.
    SeveralRequests,
    /// Is a request over?
    Test,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::DerivedDatatype,
        Self::HandedDatatype,
        Self::HandedRequest,
        Self::ModuleRequest,
        Self::CommonRequest,
        Self::SeveralRequests,
        Self::Test,
    ];

    /// How it is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::DerivedDatatype => "derived-datatype",
            Self::HandedDatatype => "handed-datatype",
            Self::HandedRequest => "handed-request",
            Self::ModuleRequest => "module-request",
            Self::CommonRequest => "common-request",
            Self::SeveralRequests => "any-or-some",
            Self::Test => "test",
        }
    }

    /// What a call is about that one of the languages has written, with the lines on which it goes on.
    pub fn of_call(text: &str) -> Vec<Self> {
        let text = text.to_lowercase();
        let has = |subject: &Self| match subject {
            Self::DerivedDatatype => text.contains("layout") || text.contains("handed_type"),
            Self::HandedDatatype => text.contains("handed_type"),
            Self::HandedRequest => text.contains("handed_request"),
            Self::ModuleRequest => text.contains("module_request"),
            Self::CommonRequest => text.contains("common_request"),
            Self::SeveralRequests => {
                ["mpi_waitany", "mpi_testany", "mpi_waitsome", "mpi_testsome"].iter().any(|name| text.contains(name))
            }
            Self::Test => text.contains("mpi_test(") || text.contains("mpi_testall("),
        };
        Self::ALL.into_iter().filter(has).collect()
    }
}
