//! Where the clients keep what tars reads: the transcripts of their sessions, and the memory of their agents.

/// The folder of a client on this machine.
#[derive(Debug, Clone, Copy)]
pub struct ClientFolder {
    /// The environment variable with its path.
    pub variable: &'static str,
    /// Whether the variable names the home that contains the folder, instead of the folder itself.
    pub is_variable_home: bool,
    /// Its path in the user's home, if the variable is empty.
    pub name: &'static str,
    /// The folders in it that hold transcripts.
    pub transcripts: &'static [&'static str],
    /// How many levels of folders lie between such a folder and a transcript.
    pub depth: usize,
    /// Returns the id of the session in a transcript with this name, or its beginning, or `None` if a file with this name is no transcript.
    pub session: fn(&str) -> Option<&str>,
    /// The memory that the client's agents write for themselves.
    pub memory: Option<ClientMemory>,
}

/// The notes that the agents of a client write for themselves.
#[derive(Debug, Clone, Copy)]
pub struct ClientMemory {
    /// The name of the collection in which tars reads it.
    pub collection: &'static str,
    /// Its folder in the client's folder.
    pub folder: &'static str,
    /// Other files in that folder, in the syntax of `.gitignore`.
    pub others: &'static [&'static str],
}
