//! The settings that a daemon must share with a command to answer for it.

use serde::Serialize;

use crate::App;
use tars_config::{
    ChunkSettings, CollectionSettings, Config, DataSettings, EmbeddingSettings, IndexSettings, ModelsSettings,
    VaultSettings,
};

impl App {
    /// Returns a hash of the settings that decide the content of the index and the model that reads it: a daemon with other
    /// settings is not asked. All other settings for an answer come with the question.
    pub fn fingerprint(&self) -> String {
        // Every structure is destructured in full, so that a new setting does not compile until somebody decides about it here.
        let Config {
            vault: VaultSettings { path, memory_folder },
            collections,
            data: DataSettings { dir: data },
            models: ModelsSettings { dir: models, hub: _, hub_token_env: _ },
            index:
                IndexSettings {
                    max_file_size,
                    extensions,
                    pdf,
                    exclude,
                    follow_links,
                    gitignore,
                    obsidian,
                    conflict_copies,
                    client_memory: _,
                },
            chunk: ChunkSettings { target_tokens, passage_tokens, overlap, context_prefix },
            embedding:
                EmbeddingSettings {
                    provider,
                    model,
                    kernel,
                    runtime,
                    base_url,
                    dimensions,
                    window,
                    api_key_env,
                    query_prefix,
                    passage_prefix,
                    keep_former,
                    // These affect only the speed of embedding, not the vectors.
                    threads: _,
                    batch_size: _,
                    timeout: _,
                    instructions: _,
                },
            // The profile only sets values of other sections.
            profile: _,
            search: _,
            fusion: _,
            context: _,
            hooks: _,
            summary: _,
            model: _,
            watch: _,
            auto: _,
            mcp: _,
            http: _,
            chat: _,
            output: _,
        } = &self.settings.config;
        // The process that asks weighs and hides.
        let folders: Vec<_> = collections
            .iter()
            .map(|(name, one)| {
                let CollectionSettings { path, ignore, weight: _, private: _, read_only: _, description: _ } = one;
                (name, path, ignore)
            })
            .collect();
        let client_memories: Vec<_> =
            self.client_memories().into_iter().map(|memory| (memory.collection, memory.path)).collect();
        name(&(
            env!("CARGO_PKG_VERSION"),
            (path, memory_folder, folders, data, models),
            (max_file_size, extensions, pdf, exclude, follow_links),
            (gitignore, obsidian, conflict_copies, client_memories),
            (target_tokens, passage_tokens, overlap, context_prefix),
            (provider, model, kernel, runtime, keep_former),
            (base_url, dimensions, window, api_key_env, query_prefix, passage_prefix),
        ))
    }
}

fn name(deciding: &impl Serialize) -> String {
    let text =
        serde_json::to_vec(deciding).expect("paths among the settings are read from text, so that they are UTF-8");
    blake3::hash(&text).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_config::Environment;

    fn fingerprint(key: &str, value: &str) -> String {
        let home = Some("/home/nobody".into());
        let environment = Environment { home: home.clone(), directory: home, ..Environment::default() };
        let flags = [("vault.path", "/notes"), (key, value)].map(|(key, value)| (key.to_owned(), value.to_owned()));
        App::new(environment, &flags).unwrap().fingerprint()
    }

    #[test]
    fn settings_that_do_not_affect_the_index_leave_the_fingerprint_unchanged() {
        let usual = fingerprint("vault.memory_folder", "tars");
        for (key, value) in [
            ("embedding.threads", "3"),
            ("embedding.batch_size", "5"),
            ("embedding.timeout_seconds", "7"),
            ("models.hub", "https://example.org"),
            ("search.limit", "3"),
            ("watch.threads", "1"),
        ] {
            assert_eq!(fingerprint(key, value), usual, "{key}");
        }
    }

    #[test]
    fn settings_that_affect_the_index_change_the_fingerprint() {
        let usual = fingerprint("vault.memory_folder", "tars");
        let mut all = vec![usual];
        for (key, value) in [
            ("vault.path", "/others"),
            ("vault.memory_folder", "kept"),
            ("collections.work", "/work"),
            ("collections.play", "/work"),
            ("data.dir", "/elsewhere"),
            ("models.dir", "/elsewhere"),
            ("index.follow_links", "Shared"),
            ("index.gitignore", "false"),
            ("index.obsidian", "false"),
            ("index.conflict_copies", "true"),
            ("chunk.target_tokens", "300"),
            ("embedding.provider", "none"),
            ("embedding.model", "another"),
            ("embedding.kernel", "off"),
            ("embedding.query_prefix", "query: "),
            ("embedding.passage_prefix", "query: "),
        ] {
            let name = fingerprint(key, value);
            assert!(!all.contains(&name), "{key}");
            all.push(name);
        }
    }
}
