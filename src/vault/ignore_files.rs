//! Applies the ignore files of a root.
//!
//! The files are opened like notes: below the descriptor of the root, never through a link, without waiting, and only up to a size
//! limit. A repository cloned into a vault can hold anything under these names.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Skipped;
use super::lines::BOM;
use tars_base::disk::{Access, Folder};
use tars_text::names::composed;

/// The ignore files by precedence, highest first.
const NAMES: [&str; 3] = [".tarsignore", ".ignore", GITIGNORE];
const GITIGNORE: &str = ".gitignore";
/// Marks the root of a repository.
const REPOSITORY: &str = ".git";
/// Most folders above a root in which its repository is looked for.
const MAX_ABOVE: usize = 64;
/// Largest ignore file that counts, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The rules of one folder, chained to those of the folders above it.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// One for each of [`NAMES`].
    files: [Gitignore; 3],
    /// Whether a repository begins here, so that `.gitignore` files above it do not count.
    is_repository: bool,
}

/// The listing of a folder, from which its ignore files are read.
pub(super) struct FolderListing<'a> {
    /// The folder.
    pub(super) folder: &'a Folder,
    /// The names that begin with a dot.
    pub(super) hidden: &'a [OsString],
    /// Whether `.gitignore` files count.
    pub(super) gitignore: bool,
}

impl FolderListing<'_> {
    /// Returns the rules for the folder's entries: its own, or those `above` it if it has none; `None` if there are none at all.
    /// Unusable ignore files are added to `skipped`.
    ///
    /// # Errors
    /// An ignore file cannot be read. Then nothing in the folder may be shown.
    pub(super) fn rules(
        &self,
        above: Option<Arc<Rules>>,
        skipped: &mut Vec<Skipped>,
    ) -> io::Result<Option<Arc<Rules>>> {
        let has = |name: &str| self.hidden.iter().any(|one| one.eq_ignore_ascii_case(OsStr::new(name)));
        let is_repository = has(REPOSITORY);
        let has_rules = NAMES.iter().any(|name| has(name));
        let hides_outer_rules = is_repository && above.is_some();
        if !has_rules && !hides_outer_rules {
            return Ok(above);
        }
        let mut files = [const { Gitignore::empty }; 3].map(|empty| empty());
        for (name, file) in NAMES.iter().zip(&mut files) {
            if !has(name) || (*name == GITIGNORE && !self.gitignore) {
                continue;
            }
            let mut report = |what: String| {
                let location = self.folder.path().join(name);
                let message = format!("{}: {what}", location.display());
                skipped.push(Skipped { location: Some(location), message });
            };
            match read_settings_file(self.folder, name)? {
                Content::None => {}
                Content::Unusable(why) => report(format!("ignored: {why}")),
                Content::Text(text) => {
                    let folder = self.folder.path();
                    *file = rules_of(folder, &folder.join(name), &text, &mut report);
                }
            }
        }
        Ok(Some(Arc::new(Rules { above, files, is_repository })))
    }
}

/// Returns the rules of the `.gitignore` files above a root that lies in a repository; `None` if there are none. They do not count if they
/// exclude the root itself, all that is in it, or the memory folder: the person named these. Files of other users do not count either, as
/// for git.
pub(super) fn outer_rules(root: &Path, memory: Option<&Path>, skipped: &mut Vec<Skipped>) -> Option<Arc<Rules>> {
    let owner = root.metadata().ok()?.uid();
    let is_trusted = |path: &Path| path.symlink_metadata().is_ok_and(|found| [owner, 0].contains(&found.uid()));
    let is_repository = |folder: &Path| is_trusted(&folder.join(REPOSITORY));
    if is_repository(root) {
        return None;
    }
    let mut above: Vec<&Path> = root.ancestors().skip(1).take(MAX_ABOVE).collect();
    above.truncate(above.iter().position(|folder| is_repository(folder))? + 1);
    let mut rules: Option<Arc<Rules>> = None;
    for (depth, path) in above.iter().enumerate().rev() {
        if !is_trusted(&path.join(GITIGNORE)) {
            continue;
        }
        let mut report = |why: String| {
            let location = path.join(GITIGNORE);
            let message = format!("{}: {why}", location.display());
            skipped.push(Skipped { location: Some(location), message });
        };
        let text = match Folder::open(path).and_then(|folder| read_settings_file(&folder, GITIGNORE)) {
            Ok(Content::Text(text)) => text,
            Ok(Content::None) => continue,
            Ok(Content::Unusable(why)) => {
                report(format!("ignored: {why}"));
                continue;
            }
            Err(error) => {
                report(format!("cannot be read: {error}"));
                continue;
            }
        };
        let mut files = [const { Gitignore::empty }; 3].map(|empty| empty());
        files[2] = rules_of(path, &path.join(GITIGNORE), &text, &mut report);
        let all = Rules { above: rules, files, is_repository: Some(path) == above.last() };
        let below = depth.checked_sub(1).map_or(root, |depth| above[depth]);
        if all.excludes(below, true) {
            return None;
        }
        rules = Some(Arc::new(all));
    }
    // Patterns such as `notes/*` name the contents of a folder instead of the folder.
    let named = [(root.join("note.md"), false), (root.join("folder"), true)];
    let memory = memory.into_iter().flat_map(|memory| [(memory.to_owned(), true), (memory.join("note.md"), false)]);
    let is_named = |rules: &Rules| named.into_iter().chain(memory).any(|(path, kind)| rules.excludes(&path, kind));
    rules.filter(|rules| !is_named(rules))
}

impl Rules {
    /// Whether the rules exclude the file or folder at `path`, which lies in this folder or below and is composed ([`composed_path`]).
    pub(super) fn excludes(&self, path: &Path, is_folder: bool) -> bool {
        (0..NAMES.len()).find_map(|kind| self.decide(kind, path, is_folder)).unwrap_or(false)
    }

    /// Returns whether the files of this kind exclude the path, the nearest file first; `None` if none mentions it.
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

/// Returns a path in the form in which it is compared with patterns.
pub(super) fn composed_path(path: &Path) -> Cow<'_, Path> {
    match path.to_str().map(composed) {
        Some(Cow::Owned(path)) => Cow::Owned(PathBuf::from(path)),
        _ => Cow::Borrowed(path),
    }
}

/// The content found under the name of a settings file, which may be anybody's.
pub(super) enum Content {
    /// The file does not exist.
    None,
    /// The text.
    Text(String),
    /// It is not read, for this reason.
    Unusable(&'static str),
}

/// Reads the file `name` of at most 1 MiB, without its byte order mark.
///
/// # Errors
/// The system refuses.
pub(super) fn read_settings_file(folder: &Folder, name: &str) -> io::Result<Content> {
    match folder.stat(name)? {
        None => return Ok(Content::None),
        Some(stat) if stat.is_link => return Ok(Content::Unusable("it is a link")),
        Some(stat) if !stat.is_file => return Ok(Content::Unusable("it is not a regular file")),
        Some(_) => {}
    }
    let Some(file) = folder.open_file(name, Access::Read)? else { return Ok(Content::None) };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(Content::Unusable("it is longer than a megabyte"));
    }
    let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    Ok(Content::Text(String::from_utf8_lossy(text).into_owned()))
}

fn rules_of(folder: &Path, file: &Path, text: &str, report: &mut dyn FnMut(String)) -> Gitignore {
    let mut builder = GitignoreBuilder::new(composed_path(folder));
    for line in text.lines() {
        if let Err(error) = builder.add_line(Some(file.to_owned()), &composed(line)) {
            report(error.to_string());
        }
    }
    builder.build().unwrap_or_else(|error| {
        report(error.to_string());
        Gitignore::empty()
    })
}
