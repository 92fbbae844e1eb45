//! The context in which a model makes notes.

/// The project's memory before the turns. The caller gives only texts that an agent in this project may see, without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionKnowledge {
    /// The project's name.
    pub project: Option<String>,
    /// Decisions of the project that hold. An answer names them `d1`, `d2` and so on.
    pub decisions: Vec<String>,
    /// Its open ends, `o1`, `o2` and so on.
    pub open: Vec<String>,
    /// Lines of the memory about similar things.
    pub memory: Vec<String>,
}
