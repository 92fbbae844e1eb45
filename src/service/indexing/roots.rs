//! The folders to index.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{App, Result, VAULT, bail};
use tars_engine::index::Root;

impl App {
    /// Returns the folders to index: the vault, the collections by name, then the memories of clients. Links in their paths are
    /// resolved if the paths exist.
    ///
    /// # Errors
    /// There is none; or the index would lie inside one; or one lies inside another.
    pub fn roots(&self) -> Result<Vec<Root>> {
        let config = &self.settings.config;
        let vault = config.vault.path.iter().map(|path| (VAULT.to_owned(), path.clone()));
        let others = config.collections.iter().map(|(name, one)| (name.clone(), one.path.clone()));
        let memories = self.client_memories().into_iter().filter(|memory| memory.path.is_dir());
        let memories = memories.map(|memory| (memory.collection.to_owned(), memory.path));
        let roots: Vec<Root> = vault
            .chain(others)
            .chain(memories)
            .map(|(name, path)| Root { name, path: fs::canonicalize(&path).unwrap_or(path) })
            .collect();
        if roots.is_empty() {
            return Err(NoVault.into());
        }
        let data = resolved(&config.data.dir);
        if let Some(root) = roots.iter().find(|root| data.starts_with(&root.path)) {
            bail!(
                "the data directory {} lies inside {}: a sync tool would carry the index along",
                data.display(),
                root.path.display()
            );
        }
        for inner in &roots {
            let around = roots.iter().find(|outer| outer.name != inner.name && inner.path.starts_with(&outer.path));
            if let Some(outer) = around {
                bail!(
                    "the folder of '{}' ({}) lies inside that of '{}' ({}): its notes would be found twice",
                    inner.name,
                    inner.path.display(),
                    outer.name,
                    outer.path.display()
                );
            }
        }
        Ok(roots)
    }
}

impl App {
    /// Returns `typed` as a path below a folder to index, if it is an absolute path that leads into one, perhaps through a link. Other
    /// names, and links within the folder, stay as they are.
    pub(crate) fn below_root<'t>(&self, typed: &'t str) -> Cow<'t, str> {
        let Ok(roots) = self.roots() else { return Cow::Borrowed(typed) };
        if !typed.starts_with('/') {
            return Cow::Borrowed(typed);
        }
        let mut around: Vec<&Path> = Path::new(typed).ancestors().collect();
        around.reverse();
        for folder in around {
            let Ok(real) = fs::canonicalize(folder) else { break };
            if let Some(root) = roots.iter().find(|root| root.path == real)
                && let Ok(inside) = Path::new(typed).strip_prefix(folder)
            {
                let path = if inside.as_os_str().is_empty() { real } else { root.path.join(inside) };
                return path.to_str().map_or(Cow::Borrowed(typed), |path| Cow::Owned(path.to_owned()));
            }
        }
        Cow::Borrowed(typed)
    }
}

/// Returns a path with links resolved as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|folder| Some((folder, fs::canonicalize(folder).ok()?)));
    match known.and_then(|(folder, real)| Some(real.join(path.strip_prefix(folder).ok()?))) {
        // Joining an empty rest leaves a slash at the end.
        Some(real) => real.components().collect(),
        None => path.to_owned(),
    }
}

/// Neither a vault nor another collection is configured.
#[derive(Debug, thiserror::Error)]
#[error("no vault is set: tars does not know which notes are meant")]
pub struct NoVault;
