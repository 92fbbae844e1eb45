//! The aliases in a note's front matter.

use std::path::PathBuf;

use super::App;
use tars_text::markdown;
use tars_vault::read;

impl App {
    /// Whether the note `path` of a collection has the alias `name`, ignoring case. A private or unreadable note has none.
    pub fn is_alias(&self, name: &str, collection: &str, path: &str) -> bool {
        let Some(root) = self.root_of(collection) else { return false };
        let Ok(file) = read(&root, path, self.settings.config.index.max_file_size) else { return false };
        let document = markdown::parse(path, &file.text);
        !document.private && document.aliases.iter().any(|alias| alias.to_lowercase() == name.to_lowercase())
    }

    /// Returns the absolute path of a note, which names it unambiguously.
    pub fn path_of(&self, collection: &str, path: &str) -> Option<String> {
        Some(format!("{}/{path}", self.root_of(collection)?.to_str()?))
    }

    fn root_of(&self, collection: &str) -> Option<PathBuf> {
        self.roots().ok()?.into_iter().find(|root| root.name == collection).map(|root| root.path)
    }
}
