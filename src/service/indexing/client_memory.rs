//! The memories that clients' agents write for themselves, as read-only collections.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::App;
use tars_agent::client::{AgentClient, ClientFolder, ClientMemory};
use tars_vault::{WalkOptions, walk};

/// The memory of a client's agents on this machine.
#[derive(Debug, Clone)]
pub struct ClientMemoryFolder {
    /// The client.
    pub client: AgentClient,
    /// The name of its collection.
    pub collection: &'static str,
    /// Its folder, with links resolved if it exists.
    pub path: PathBuf,
    others: &'static [&'static str],
}

impl App {
    /// Returns the folder of a client on this machine; `None` if tars reads nothing of it, or if there is no home.
    pub fn client_folder(&self, client: AgentClient) -> Option<(PathBuf, ClientFolder)> {
        let folder = client.folder()?;
        let home = || Some(self.environment.home.as_ref()?.join(folder.name));
        let configured = self.environment.variable(folder.variable).filter(|path| !path.is_empty());
        let named = |path: &OsStr| {
            let path = PathBuf::from(path);
            if folder.is_variable_home { path.join(folder.name) } else { path }
        };
        Some((configured.map(named).or_else(home)?, folder))
    }

    /// Returns the memories of clients that are indexed: none unless the person has enabled it. A collection of the same name in the
    /// settings replaces one.
    pub(crate) fn client_memories(&self) -> Vec<ClientMemoryFolder> {
        let config = &self.settings.config;
        let mut memories = if config.index.client_memory { self.memories_of_clients() } else { Vec::new() };
        memories.retain(|memory| !config.collections.contains_key(memory.collection));
        memories
    }

    /// Returns the clients with a memory that could be indexed and is not.
    pub fn unindexed_client_memories(&self) -> Vec<AgentClient> {
        let config = &self.settings.config;
        let is_indexed = |name: &str| config.index.client_memory || config.collections.contains_key(name);
        let memories = self.memories_of_clients().into_iter().filter(|memory| !is_indexed(memory.collection));
        memories.filter(|memory| self.holds_note(memory)).map(|memory| memory.client).collect()
    }

    fn holds_note(&self, memory: &ClientMemoryFolder) -> bool {
        let exclude_in = BTreeMap::from([(memory.path.clone(), memory.others())]);
        let options = WalkOptions { exclude_in, ..self.walk_options() };
        memory.path.is_dir() && walk(&memory.path, &options).is_ok_and(|found| !found.notes.is_empty())
    }

    fn memories_of_clients(&self) -> Vec<ClientMemoryFolder> {
        let memory = |client| {
            let (folder, ClientFolder { memory, .. }) = self.client_folder(client)?;
            let ClientMemory { collection, folder: inside, others } = memory?;
            let path = folder.join(inside);
            let path = fs::canonicalize(&path).unwrap_or(path);
            Some(ClientMemoryFolder { client, collection, path, others })
        };
        AgentClient::ALL.into_iter().filter_map(memory).collect()
    }
}

impl ClientMemoryFolder {
    /// Returns the patterns of files that are no part of it.
    pub(crate) fn others(&self) -> Vec<String> {
        self.others.iter().map(|pattern| (*pattern).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use tars_config::Environment;

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
        assert_eq!(without.unindexed_client_memories(), [AgentClient::ClaudeCode]);

        let with = app(home.path(), &[flags[0], ("index.client_memory", "true")]);
        assert!(with.unindexed_client_memories().is_empty());
        let root = with.roots().unwrap().into_iter().find(|root| root.name == "claude-memory").unwrap();
        let found = walk(&root.path, &with.walk_options()).unwrap();
        let paths: Vec<&str> = found.notes.iter().map(|note| note.path.as_str()).collect();
        assert_eq!(paths, ["-work-pump/memory/MEMORY.md", "-work-pump/memory/valves.md"]);
        assert_ne!(with.fingerprint(), without.fingerprint());
    }

    /// Returns the notes that are walked of `files` in a client's folder, which `variable` names, or its home.
    fn walked(collection: &str, (variable, named, folder): (&str, &str, &str), files: &[&str]) -> Vec<String> {
        let home = home(&[]);
        for file in files {
            let file = home.path().join(folder).join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "# x\n").unwrap();
        }
        let vault = home.path().join("notes");
        let flags = [("vault.path", vault.to_str().unwrap()), ("index.client_memory", "true")];
        let environment = app(home.path(), &flags).environment.clone().with(variable, home.path().join(named));
        let flags: Vec<_> = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let app = App::new(environment, &flags).unwrap();
        let root = app.roots().unwrap().into_iter().find(|root| root.name == collection).unwrap();
        let found = walk(&root.path, &app.walk_options()).unwrap();
        found.notes.iter().map(|note| note.path.clone()).collect()
    }

    #[test]
    fn the_memory_of_gemini_cli_is_its_accepted_notes() {
        let files = [
            "GEMINI.md",
            "commands/x.md",
            "tmp/pump/memory/MEMORY.md",
            "tmp/pump/memory/valves.md",
            "tmp/pump/memory/.inbox/private/x.md",
            "tmp/pump/memory/skills/a/SKILL.md",
            "tmp/pump/chats/x.md",
            "tmp/stray.md",
        ];
        let found = walked("gemini-memory", ("GEMINI_CLI_HOME", "moved", "moved/.gemini"), &files);
        assert_eq!(found, ["GEMINI.md", "tmp/pump/memory/MEMORY.md", "tmp/pump/memory/valves.md"]);
    }

    #[test]
    fn the_memory_of_openclaw_is_its_long_term_memory_and_its_days() {
        let files = [
            "workspace/MEMORY.md",
            "workspace/memory/2026-11-28.md",
            "workspace/memory/.dreams/x.md",
            "workspace/SOUL.md",
            "workspace/projects/memory/x.md",
            "extensions/tars/x.md",
        ];
        let found = walked("openclaw-memory", ("OPENCLAW_STATE_DIR", "claw", "claw"), &files);
        assert_eq!(found, ["MEMORY.md", "memory/2026-11-28.md"]);
    }

    #[test]
    fn a_configured_collection_of_that_name_takes_precedence() {
        let home = home(&["-work-pump/memory/MEMORY.md"]);
        let own = home.path().join("notes");
        let flags = [("index.client_memory", "true"), ("collections.claude-memory", own.to_str().unwrap())];
        let app = app(home.path(), &flags);
        let roots = app.roots().unwrap();
        assert_eq!((roots.len(), roots[0].path.clone()), (1, fs::canonicalize(own).unwrap()));
        let projects = fs::canonicalize(home.path().join(".claude/projects")).unwrap();
        assert!(!app.walk_options().exclude_in.contains_key(&projects));
    }

    #[test]
    fn without_a_client_memory_nothing_is_offered_and_nothing_fails() {
        let home = home(&["-work-pump/5e55b0a2.jsonl"]);
        let vault = home.path().join("notes");
        let flags = [("vault.path", vault.to_str().unwrap()), ("index.client_memory", "true")];
        assert!(app(home.path(), &flags[..1]).unindexed_client_memories().is_empty());
        fs::remove_dir_all(home.path().join(".claude")).unwrap();
        assert_eq!(app(home.path(), &flags).roots().unwrap().len(), 1);
    }
}
