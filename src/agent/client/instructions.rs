//! The files from which a client gives its agent instructions by itself.

use std::path::{Path, PathBuf};

use super::{AgentClient, ConfigPlaces};

/// Most folders above the working directory that are considered.
const MAX_DEPTH: usize = 12;

impl AgentClient {
    /// Returns the paths where the client looks for instructions when it works in `directory`. Few of them exist.
    pub fn instruction_files(self, places: &ConfigPlaces, directory: &Path) -> Vec<PathBuf> {
        let names: &[&str] = match self {
            Self::ClaudeCode => &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
            Self::Codex | Self::Cursor => &["AGENTS.md"],
            Self::OpenCode => &["AGENTS.md", "CLAUDE.md"],
            Self::Gemini => &["GEMINI.md"],
            Self::OpenClaw => &["AGENTS.md", "MEMORY.md", "USER.md"],
        };
        let folder = self.config_folder(places);
        let mut files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        for above in directory.ancestors().take(MAX_DEPTH) {
            files.extend(names.iter().map(|name| above.join(name)));
        }
        if self == Self::ClaudeCode {
            // The beginning of this file is in the context of each session.
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let project: String = directory.to_string_lossy().chars().map(plain).collect();
            files.push(folder.join("projects").join(project).join("memory/MEMORY.md"));
        }
        files
    }
}
