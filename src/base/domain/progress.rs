//! Progress reports of long-running work.

/// The stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Downloads the files of a model; counted in bytes.
    Downloading,
    /// Unpacks an index built elsewhere; counted in bytes.
    Unpacking,
    /// Converts a model to the form that tars runs.
    Preparing,
    /// Reads notes and indexes their words.
    Reading,
    /// Embeds passages.
    Embedding,
    /// Turns an agent's sessions into notes.
    Importing,
    /// Runs questions against the index.
    Asking,
    /// Summarizes months of notes.
    Compacting,
}

impl Stage {
    /// Returns the name shown to a person.
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

/// Observes a run. Every method has an empty default.
pub trait Progress: Sync {
    /// A stage of `total` units begins.
    fn start(&self, _stage: Stage, _total: usize) {}
    /// `count` more units of the running stage are done.
    fn advance(&self, _count: usize) {}
    /// The running stage has ended.
    fn finish(&self) {}
    /// Everything that the run found is searchable by its words; the rest of the run improves answers or speed.
    /// `missing` lists the folders that could not be found.
    fn searchable(&self, _missing: &[String]) {}
    /// Something was skipped or degraded; the run continues.
    fn warn(&self, _message: &str) {}
    /// Whether the person asked to stop. Work ends at the next safe point.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}
