//! What the ignore files of a root leave out.
//!
//! The files are opened like notes: below the descriptor of the root, never through a link, never waited for, and only to a
//! bounded length. A repository that was cloned into a vault can hold anything under these names.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Skipped;
use crate::disk::{Access, Folder};

/// The names, from the one that decides first to the one that decides last.
const NAMES: [&str; 3] = [".tarsignore", ".ignore", GITIGNORE];
const GITIGNORE: &str = ".gitignore";
/// Bytes of an ignore file; longer ones do not count.
const LONGEST: u64 = 1 << 20;

/// The rules of a root's folders, read when they are first needed.
pub(super) struct Ignored {
    root: PathBuf,
    gitignore: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` for a folder whose rules cannot be read: nothing in it is shown.
    known: HashMap<PathBuf, Option<Arc<Rules>>>,
    skipped: Vec<Skipped>,
}

/// The rules of one folder, and those of the folders above it.
struct Rules {
    above: Option<Arc<Rules>>,
    /// One for each of [`NAMES`].
    files: [Gitignore; 3],
    /// Whether a repository begins here: `.gitignore` files above it do not count.
    is_repository: bool,
}

impl Ignored {
    /// Names the rules of `root`; `gitignore` says whether `.gitignore` files count.
    pub(super) fn new(root: &Path, gitignore: bool) -> Self {
        Self { root: root.to_owned(), gitignore, state: Mutex::default() }
    }

    /// Whether the file or folder at `path`, below the root, is left out by the rules of the folders around it.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let Some(folder) = path.parent() else { return false };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rules) = self.rules(&mut state, folder) else { return true };
        drop(state);
        (0..NAMES.len()).find_map(|kind| rules.decide(kind, path, is_folder)).unwrap_or(false)
    }

    /// Returns the ignore files and folders that could not be read.
    pub(super) fn skipped(&self) -> Vec<Skipped> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).skipped)
    }

    fn rules(&self, state: &mut State, folder: &Path) -> Option<Arc<Rules>> {
        if let Some(known) = state.known.get(folder) {
            return known.clone();
        }
        let is_root = folder == self.root;
        let above = match folder.parent().filter(|_| !is_root) {
            Some(parent) => Some(self.rules(state, parent)?),
            None => None,
        };
        let rules = match self.read(state, folder, above) {
            Ok(rules) => Some(Arc::new(rules)),
            Err(error) => {
                let message = format!("{}: its ignore files cannot be read: {error}", folder.display());
                state.skipped.push(Skipped { location: Some(folder.to_owned()), message });
                None
            }
        };
        state.known.insert(folder.to_owned(), rules.clone());
        rules
    }

    fn read(&self, state: &mut State, folder: &Path, above: Option<Arc<Rules>>) -> io::Result<Rules> {
        let inside = folder.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
        // The notes in a folder without a name that is text are reported one by one.
        let Some(parts) = parts else {
            return Ok(Rules {
                above,
                files: [const { Gitignore::empty }; 3].map(|empty| empty()),
                is_repository: false,
            });
        };
        let opened = Folder::open(&self.root)?.descend(parts)?;
        let mut files = [const { Gitignore::empty }; 3].map(|empty| empty());
        for (name, file) in NAMES.iter().zip(&mut files) {
            if *name == GITIGNORE && !self.gitignore {
                continue;
            }
            let mut say = |what: String| {
                let location = folder.join(name);
                let message = format!("{}: {what}", location.display());
                state.skipped.push(Skipped { location: Some(location), message });
            };
            match text(&opened, name)? {
                Content::None => {}
                Content::Unusable(why) => say(format!("it does not count: {why}")),
                Content::Text(text) => *file = rules_of(folder, &folder.join(name), &text, &mut say),
            }
        }
        Ok(Rules { above, files, is_repository: opened.stat(".git")?.is_some() })
    }
}

impl Rules {
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
