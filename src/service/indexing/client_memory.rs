//! The memory of a client's agent, as a read-only collection.
//!
//! Claude Code has a folder `memory` for each project beside the project's transcripts: `MEMORY.md`, whose beginning it shows the
//! agent at the start of a session, and files by topic that the agent opens on demand.

use std::fs;
use std::path::{Path, PathBuf};

use crate::App;
use tars_agent::client::claude_code::{FOLDER, FOLDER_VARIABLE, TRANSCRIPTS};

/// Name of the collection.
pub const CLIENT_MEMORY: &str = "claude-memory";

/// Everything in the client's folder of projects except `*/memory/*`, in the syntax of `.gitignore`.
pub(crate) const NO_MEMORY: [&str; 5] = ["/*", "!/*/", "/*/*", "!/*/memory/", "/*/memory/*/"];

impl App {
    /// Returns the folder of Claude Code's transcripts.
    pub fn claude_code_projects(&self) -> Option<PathBuf> {
        let home = || Some(self.environment.home.as_ref()?.join(FOLDER));
        let configured = self.environment.variable(FOLDER_VARIABLE).filter(|path| !path.is_empty());
        configured.map(PathBuf::from).or_else(home).map(|folder| folder.join(TRANSCRIPTS))
    }

    /// Returns the folder of projects whose memories are indexed; `None` unless the person has enabled it. A collection of the
    /// same name in the settings replaces it.
    pub(crate) fn client_memory(&self) -> Option<PathBuf> {
        let config = &self.settings.config;
        let is_wanted = config.index.client_memory && !config.collections.contains_key(CLIENT_MEMORY);
        let projects = self.claude_code_projects().filter(|_| is_wanted)?;
        Some(fs::canonicalize(&projects).unwrap_or(projects))
    }

    /// Whether the client has a memory that could be indexed and is not.
    pub fn may_index_client_memory(&self) -> bool {
        let config = &self.settings.config;
        let is_indexed = config.index.client_memory || config.collections.contains_key(CLIENT_MEMORY);
        !is_indexed && self.claude_code_projects().is_some_and(|projects| holds_memory(&projects))
    }
}

/// Whether one of the client's memories holds a note.
fn holds_memory(projects: &Path) -> bool {
    let folders = fs::read_dir(projects).into_iter().flatten().flatten();
    let notes = folders.flat_map(|project| fs::read_dir(project.path().join("memory")).into_iter().flatten().flatten());
    notes.into_iter().any(|note| note.path().extension().is_some_and(|extension| extension == "md"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_config::Environment;
    use tars_vault::walk;

    fn app(home: &Path, flags: &[(&str, &str)]) -> App {
        let environment =
            Environment { home: Some(home.to_owned()), directory: Some(home.to_owned()), ..Environment::default() };
        let flags: Vec<_> = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        App::new(environment, &flags).unwrap()
    }

    fn home(files: &[&str]) -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for file in files {
            let file = home.path().join(".claude/projects").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "# x\n").unwrap();
        }
        fs::create_dir(home.path().join("notes")).unwrap();
        home
    }

    #[test]
    fn only_memory_folders_are_walked_and_only_if_enabled() {
        let home = home(&[
            "-work-pump/memory/MEMORY.md",
            "-work-pump/memory/valves.md",
            "-work-pump/memory/logs/2026.md",
            "-work-pump/5e55b0a2.jsonl",
            "-work-pump/notes.md",
            "-work-pump/5e55b0a2/memory/x.md",
            "-work-pump/tool-results/x.md",
            "stray.md",
        ]);
        let vault = home.path().join("notes");
        let flags = [("vault.path", vault.to_str().unwrap())];
        let without = app(home.path(), &flags);
        assert_eq!(without.roots().unwrap().len(), 1);
        assert!(without.may_index_client_memory());

        let with = app(home.path(), &[flags[0], ("index.client_memory", "true")]);
        assert!(!with.may_index_client_memory());
        let root = with.roots().unwrap().into_iter().find(|root| root.name == CLIENT_MEMORY).unwrap();
        let found = walk(&root.path, &with.walk_options()).unwrap();
        let paths: Vec<&str> = found.notes.iter().map(|note| note.path.as_str()).collect();
        assert_eq!(paths, ["-work-pump/memory/MEMORY.md", "-work-pump/memory/valves.md"]);
        assert_ne!(with.fingerprint(), without.fingerprint());
    }

    #[test]
    fn a_configured_collection_of_that_name_takes_precedence() {
        let home = home(&["-work-pump/memory/MEMORY.md"]);
        let own = home.path().join("notes");
        let flags = [("index.client_memory", "true"), ("collections.claude-memory", own.to_str().unwrap())];
        let app = app(home.path(), &flags);
        let roots = app.roots().unwrap();
        assert_eq!((roots.len(), roots[0].path.clone()), (1, fs::canonicalize(own).unwrap()));
        assert!(app.walk_options().exclude_in.is_empty());
    }

    #[test]
    fn without_a_client_memory_nothing_is_offered_and_nothing_fails() {
        let home = home(&["-work-pump/5e55b0a2.jsonl"]);
        let vault = home.path().join("notes");
        let flags = [("vault.path", vault.to_str().unwrap()), ("index.client_memory", "true")];
        assert!(!app(home.path(), &flags[..1]).may_index_client_memory());
        fs::remove_dir_all(home.path().join(".claude")).unwrap();
        assert_eq!(app(home.path(), &flags).roots().unwrap().len(), 1);
    }
}
