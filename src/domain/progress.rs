//! How long work tells its caller how far it is.

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The files of a model come over the network; counted in bytes.
    Downloading,
    /// An index that was made elsewhere is unpacked; counted in bytes.
    Unpacking,
    /// A model is converted to the form that tars runs.
    Preparing,
    /// Notes are read and indexed by words.
    Reading,
    /// Passages get their vectors.
    Embedding,
    /// Sessions of an agent become notes.
    Importing,
    /// Questions are put to the index.
    Asking,
    /// Months of notes are summed up.
    Compacting,
}

impl Stage {
    /// Returns what a person is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Downloading => "download",
            Self::Unpacking => "unpacking",
            Self::Preparing => "preparing the model",
            Self::Reading => "reading",
            Self::Embedding => "embedding",
            Self::Importing => "importing",
            Self::Asking => "asking",
            Self::Compacting => "compacting",
        }
    }
}

/// Observes a run. Every method has an empty default: an observer listens to what it cares about.
pub trait Progress: Sync {
    /// `total` units of `stage` lie ahead.
    fn start(&self, _stage: Stage, _total: usize) {}
    /// `count` units of the running stage are done.
    fn advance(&self, _count: usize) {}
    /// The running stage has ended.
    fn finish(&self) {}
    /// All that a run has found is searchable by its words; what follows makes answers better or faster. `missing` says of which
    /// folders nothing could be found.
    fn searchable(&self, _missing: &[String]) {}
    /// Something was skipped or degraded; the run goes on.
    fn warn(&self, _message: &str) {}
    /// Whether the person asked to stop; work ends at the next safe point.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
