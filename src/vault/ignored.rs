//! What the ignore files of a root leave out.
//!
//! The files are opened like notes: below the descriptor of the root, never through a link, never waited for, and only to a
//! bounded length. A repository that was cloned into a vault can hold anything under these names.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Skipped;
use crate::disk::{Access, Folder};

/// The names, from the one that decides first to the one that decides last.
const NAMES: [&str; 3] = [".tarsignore", ".ignore", GITIGNORE];
const GITIGNORE: &str = ".gitignore";
/// Where a repository begins.
const REPOSITORY: &str = ".git";
/// Bytes of an ignore file; longer ones do not count.
const LONGEST: u64 = 1 << 20;

/// The rules of one folder, and those of the folders above it.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// One for each of [`NAMES`].
    files: [Gitignore; 3],
    /// Whether a repository begins here: `.gitignore` files above it do not count.
    is_repository: bool,
}

/// A folder that was listed, for what its ignore files say.
pub(super) struct Listed<'a> {
    /// The folder.
    pub(super) folder: &'a Folder,
    /// The names that begin with a dot.
    pub(super) hidden: &'a [OsString],
    /// Whether `.gitignore` files count.
    pub(super) gitignore: bool,
}

impl Listed<'_> {
    /// Returns the rules for what lies in the folder: its own, or where it has none those `above` it; `None` where there are none
    /// at all. Ignore files that do not count are added to `skipped`.
    ///
    /// # Errors
    /// The system refuses to say what an ignore file holds: then nothing in the folder may be shown.
    pub(super) fn rules(
        &self,
        above: Option<Arc<Rules>>,
        skipped: &mut Vec<Skipped>,
    ) -> io::Result<Option<Arc<Rules>>> {
        let has = |name: &str| self.hidden.iter().any(|one| one.eq_ignore_ascii_case(OsStr::new(name)));
        let is_repository = has(REPOSITORY);
        let has_rules = NAMES.iter().any(|name| has(name));
        let ends_others = is_repository && above.is_some();
        if !has_rules && !ends_others {
            return Ok(above);
        }
        let mut files = [const { Gitignore::empty }; 3].map(|empty| empty());
        for (name, file) in NAMES.iter().zip(&mut files) {
            if !has(name) || (*name == GITIGNORE && !self.gitignore) {
                continue;
            }
            let mut say = |what: String| {
                let location = self.folder.path().join(name);
                let message = format!("{}: {what}", location.display());
                skipped.push(Skipped { location: Some(location), message });
            };
            match text(self.folder, name)? {
                Content::None => {}
                Content::Unusable(why) => say(format!("it does not count: {why}")),
                Content::Text(text) => {
                    let folder = self.folder.path();
                    *file = rules_of(folder, &folder.join(name), &text, &mut say);
                }
            }
        }
        Ok(Some(Arc::new(Rules { above, files, is_repository })))
    }
}

impl Rules {
    /// Whether the file or folder at `path`, right in the folder of these rules or below, is left out.
    pub(super) fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        (0..NAMES.len()).find_map(|kind| self.decide(kind, path, is_folder)).unwrap_or(false)
    }

    /// Returns whether the files of this kind leave the place out, the nearest first; `None` if none names it.
    fn decide(&self, kind: usize, path: &Path, is_folder: bool) -> Option<bool> {
        let found = self.files[kind].matched(path, is_folder);
        if !found.is_none() {
            return Some(found.is_ignore());
        }
        if NAMES[kind] == GITIGNORE && self.is_repository {
            return None;
        }
        self.above.as_ref()?.decide(kind, path, is_folder)
    }
}

/// What lies under a name that a person's settings, or a stranger's, may stand under.
pub(super) enum Content {
    /// Nothing.
    None,
    /// A text.
    Text(String),
    /// Something that is not read, and why.
    Unusable(&'static str),
}

/// Reads the file `name` of at most a megabyte.
///
/// # Errors
/// The system refuses.
pub(super) fn text(folder: &Folder, name: &str) -> io::Result<Content> {
    match folder.stat(name)? {
        None => return Ok(Content::None),
        Some(stat) if stat.is_link => return Ok(Content::Unusable("it is a link")),
        Some(stat) if !stat.is_file => return Ok(Content::Unusable("it is not a regular file")),
        Some(_) => {}
    }
    let Some(file) = folder.file(name, Access::Read)? else { return Ok(Content::None) };
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Ok(Content::Unusable("it is longer than a megabyte"));
    }
    Ok(Content::Text(String::from_utf8_lossy(&bytes).into_owned()))
}

fn rules_of(folder: &Path, file: &Path, text: &str, say: &mut dyn FnMut(String)) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.strip_prefix('\u{feff}').unwrap_or(text).lines() {
        if let Err(error) = builder.add_line(Some(file.to_owned()), line) {
            say(error.to_string());
        }
    }
    builder.build().unwrap_or_else(|error| {
        say(error.to_string());
        Gitignore::empty()
    })
}
