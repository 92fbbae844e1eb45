//! Visits one folder and the notes in it.
//!
//! Folders are opened by descriptor, one name at a time, and notes are examined by name in the open folder: no path is resolved
//! twice, and a link that replaces a folder meanwhile leads nowhere.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::Gitignore;

use super::job_queue::JobQueue;
use super::{FoundNote, WalkOptions, WalkResult};
use crate::Skipped;
use crate::conflict_copy::is_conflict_copy;
use crate::evicted::{evicted, placeholder};
use crate::follow::followed;
use crate::ignore_files::{FolderListing, Rules, composed_path};
use crate::obsidian::Obsidian;
use tars_base::disk::{EntryKind, FileStat, Folder};

/// Notes of one folder per job; further notes form jobs for other threads.
const NOTES_PER_JOB: usize = 256;
/// Down to this depth, a waiting folder keeps its parent open and is opened from it. Deeper folders are opened by all names from
/// that level, because a process may hold only some hundred open files.
const MAX_HELD_DEPTH: usize = 32;

/// The parameters of a walk.
pub(super) struct Visit<'a> {
    root: &'a Path,
    options: &'a WalkOptions,
    excluded: Gitignore,
    obsidian: Obsidian,
    /// Whether only the ignore files inside the root exclude anything.
    is_unfiltered: bool,
}

/// A unit of work of the walk.
pub(super) enum Job {
    /// A folder to visit.
    Folder(UnopenedFolder),
    /// Notes of an open folder to examine.
    Notes(Arc<Folder>, Vec<Note>),
}

/// A folder that is not open yet.
pub(super) struct UnopenedFolder {
    /// An open ancestor, and the names that lead down from it; `None` for the root.
    from: Option<(Arc<Folder>, Vec<OsString>)>,
    depth: usize,
    /// Path within the root with a trailing slash, empty for the root; `None` if it is not valid UTF-8.
    inside: Option<String>,
    /// The exclusion rules of its parent.
    rules: Option<Arc<Rules>>,
    /// The folder to which a link of this name leads.
    target: Option<PathBuf>,
}

/// A file with a note's name: its path within the root.
pub(super) struct Note(String);

impl Note {
    fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl Job {
    /// Returns the first job of the walk, under the exclusion `rules` from above the root.
    pub(super) fn root(rules: Option<Arc<Rules>>) -> Self {
        Self::Folder(UnopenedFolder { from: None, depth: 0, inside: Some(String::new()), rules, target: None })
    }
}

impl<'a> Visit<'a> {
    /// Returns a walk of `root` without the paths that `excluded` and `obsidian` exclude.
    pub(super) fn new(root: &'a Path, options: &'a WalkOptions, excluded: Gitignore, obsidian: Obsidian) -> Self {
        let takes_all = options.only.is_empty() && excluded.is_empty() && obsidian.is_empty();
        Self { root, options, excluded, obsidian, is_unfiltered: takes_all }
    }

    /// Performs one job.
    pub(super) fn run(&self, job: Job, found: &mut WalkResult, queue: &JobQueue<Job>) {
        match job {
            Job::Folder(waiting) => self.folder(waiting, found, queue),
            Job::Notes(folder, notes) => notes.into_iter().for_each(|note| examine(&folder, note, found)),
        }
    }

    fn folder(&self, waiting: UnopenedFolder, found: &mut WalkResult, queue: &JobQueue<Job>) {
        let opened = match (&waiting.from, &waiting.target) {
            (_, Some(target)) => Folder::open_as(target, &self.place(&waiting)),
            (None, None) => Folder::open(self.root),
            (Some((around, names)), None) => around.descend(names),
        };
        let listed = opened.and_then(|folder| folder.entries().map(|entries| (folder, entries)));
        let (folder, entries) = match listed {
            Ok(listed) => listed,
            // The folder was removed after its parent was listed.
            Err(error) if error.kind() == ErrorKind::NotFound && waiting.from.is_some() => return,
            Err(error) => return found.skipped.push(Skipped::because(self.place(&waiting), &error)),
        };
        let folder = Arc::new(folder);
        let (hidden, shown): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|(name, _)| name.as_encoded_bytes().starts_with(b"."));
        // Placeholders of iCloud are hidden files.
        let evicted_names =
            hidden.iter().filter(|(_, kind)| *kind == EntryKind::File).filter_map(|(name, _)| evicted(name));
        let mut placeholders: Vec<String> = evicted_names.map(str::to_owned).collect();
        if !placeholders.is_empty() {
            // A downloaded note may still have its placeholder.
            let files = shown.iter().filter(|(_, kind)| *kind == EntryKind::File);
            let there: HashSet<&OsStr> = files.map(|(name, _)| name.as_os_str()).collect();
            placeholders.retain(|name| !there.contains(OsStr::new(name)));
        }
        let hidden: Vec<OsString> = hidden.into_iter().map(|(name, _)| name).collect();
        let listed = FolderListing { folder: &folder, hidden: &hidden, gitignore: self.options.gitignore };
        let rules = match listed.rules(waiting.rules.clone(), &mut found.skipped) {
            Ok(rules) => rules,
            Err(error) => {
                let location = folder.path().to_owned();
                let message = format!("{}: its ignore files cannot be read: {error}", location.display());
                return found.skipped.push(Skipped { location: Some(location), message });
            }
        };
        let seen = OpenFolder { folder: &folder, waiting: &waiting, rules: rules.as_ref() };
        for name in placeholders {
            if let Some(Note(path)) = self.note(&seen, name.into(), found) {
                found.evicted.push(path);
            }
        }
        let (mut jobs, mut notes) = (Vec::new(), Vec::new());
        for (name, kind) in shown {
            match kind {
                EntryKind::File => notes.extend(self.note(&seen, name, found)),
                EntryKind::Folder => jobs.extend(self.below(&seen, name).map(Job::Folder)),
                EntryKind::Link => jobs.extend(self.link(&seen, name, found).map(Job::Folder)),
                EntryKind::Other => {}
            }
        }
        while notes.len() > NOTES_PER_JOB {
            let rest = notes.split_off(notes.len() - NOTES_PER_JOB);
            jobs.push(Job::Notes(Arc::clone(&folder), rest));
        }
        queue.add(jobs);
        found.notes.reserve(notes.len());
        notes.into_iter().for_each(|note| examine(&folder, note, found));
    }

    /// Returns the note `name` if it is a wanted note. Conflict copies are recorded at once.
    fn note(&self, seen: &OpenFolder<'_>, name: OsString, found: &mut WalkResult) -> Option<Note> {
        if !self.is_note(&name) {
            return None;
        }
        if !self.is_wanted(seen, &name, false) {
            return None;
        }
        let path = seen.waiting.inside.as_deref().zip(name.to_str()).map(|(inside, name)| format!("{inside}{name}"));
        let Some(path) = path else {
            let location = seen.folder.path().join(&name);
            let message = format!("{}: the name is not valid UTF-8", location.display());
            found.skipped.push(Skipped { location: Some(location), message });
            return None;
        };
        if !self.options.conflict_copies && is_conflict_copy(seen.folder.path(), &name) {
            found.conflict_copies.push(path);
            return None;
        }
        Some(Note(path))
    }

    fn is_note(&self, name: &OsStr) -> bool {
        let Some(extension) = Path::new(name).extension() else { return false };
        let extensions = &self.options.extensions;
        let is = |extension: &OsStr| extensions.iter().any(|known| extension == known.as_str());
        is(extension) || is(extension.to_string_lossy().to_lowercase().as_ref())
    }

    /// Returns the folder `name` for a visit, if it is wanted.
    fn below(&self, seen: &OpenFolder<'_>, name: OsString) -> Option<UnopenedFolder> {
        self.is_wanted(seen, &name, true).then_some(())?;
        let OpenFolder { folder, waiting, rules } = *seen;
        let inside = waiting.inside.as_deref().zip(name.to_str()).map(|(inside, name)| format!("{inside}{name}/"));
        let from = match &waiting.from {
            // A linked folder is opened by its target, so that what lies below must be opened from it.
            Some((around, names)) if waiting.depth >= MAX_HELD_DEPTH && waiting.target.is_none() => {
                (Arc::clone(around), names.iter().cloned().chain([name]).collect())
            }
            _ => (Arc::clone(folder), vec![name]),
        };
        Some(UnopenedFolder { from: Some(from), depth: waiting.depth + 1, inside, rules: rules.cloned(), target: None })
    }

    /// Returns the folder to which the link `name` leads, if the options name the link. Other links to notes and folders outside the root
    /// are recorded.
    fn link(&self, seen: &OpenFolder<'_>, name: OsString, found: &mut WalkResult) -> Option<UnopenedFolder> {
        let path = seen.folder.path().join(&name);
        let inside = seen.waiting.inside.as_deref().zip(name.to_str()).map(|(inside, name)| format!("{inside}{name}"));
        // A link that nobody wants is not resolved: its target may be on a disk that is away.
        if !self.options.follow_links.contains(&path) && !self.is_wanted(seen, &name, false) {
            return None;
        }
        let target = match fs::canonicalize(&path) {
            Ok(target) => target,
            Err(error) => {
                // The notes of a disk that is away stay known.
                let is_named = self.options.follow_links.contains(&path);
                found.skipped.extend(is_named.then(|| Skipped::because(path, &error)));
                return None;
            }
        };
        let inside = inside?;
        let is_folder = target.is_dir();
        if target.starts_with(self.root) || !(is_folder || self.is_note(&name)) {
            return None;
        }
        match followed(self.root, &self.options.follow_links, &path) {
            Some(target) => self.below(seen, name).map(|folder| UnopenedFolder { target: Some(target), ..folder }),
            None => {
                let is_left_out = self.is_wanted(seen, &name, is_folder);
                found.links.extend(is_left_out.then(|| if is_folder { inside + "/" } else { inside }));
                None
            }
        }
    }

    fn is_wanted(&self, seen: &OpenFolder<'_>, name: &OsStr, is_folder: bool) -> bool {
        if self.is_unfiltered && seen.rules.is_none() {
            return true;
        }
        let path = &*seen.folder.path().join(name);
        let WalkOptions { only, memory, .. } = self.options;
        // Ancestors of the wanted paths are opened for their ignore files; their other entries are not.
        let is_in_scope = only.is_empty() || only.iter().any(|one| one.starts_with(path) || path.starts_with(one));
        let is_memory = || memory.as_ref().is_some_and(|memory| path.starts_with(memory) || memory.starts_with(path));
        let hidden_by_obsidian = || {
            let inside = path.strip_prefix(self.root).ok().and_then(Path::to_str);
            inside.is_some_and(|inside| self.obsidian.excludes(inside, is_folder)) && !is_memory()
        };
        let name = composed_path(path);
        is_in_scope
            && !self.excluded.matched(&name, is_folder).is_ignore()
            && !seen.rules.is_some_and(|rules| rules.excludes(&name, is_folder))
            && !hidden_by_obsidian()
    }

    fn place(&self, waiting: &UnopenedFolder) -> PathBuf {
        match &waiting.from {
            None => self.root.to_owned(),
            Some((around, names)) => names.iter().fold(around.path().to_owned(), |path, name| path.join(name)),
        }
    }
}

/// A listed folder and its rules.
struct OpenFolder<'a> {
    folder: &'a Arc<Folder>,
    waiting: &'a UnopenedFolder,
    rules: Option<&'a Arc<Rules>>,
}

/// Records the metadata of a note.
fn examine(folder: &Folder, note: Note, found: &mut WalkResult) {
    let stat = folder.stat(note.name()).and_then(|stat| match stat {
        // It was a regular file when the folder was listed.
        Some(stat) if !stat.is_file && !stat.is_link => Err(io::Error::other("it is not a regular file")),
        other => Ok(other.filter(|stat| stat.is_file)),
    });
    match stat {
        Ok(Some(stat)) if stat.is_dataless => found.evicted.push(note.0),
        Ok(Some(stat)) => found.notes.push(FoundNote { path: note.0, stat: FileStat::from(stat) }),
        // It is gone (perhaps evicted to iCloud), or a link has replaced it.
        Ok(None) => {
            let its_placeholder = folder.stat(&placeholder(note.name()));
            if its_placeholder.is_ok_and(|stat| stat.is_some_and(|stat| stat.is_file)) {
                found.evicted.push(note.0);
            }
        }
        Err(error) => found.skipped.push(Skipped::because(folder.path().join(note.name()), &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates notes that went missing between the listing and the visit.
    #[test]
    fn a_vanished_note_is_evicted_only_if_it_has_a_placeholder() {
        let vault = tempfile::tempdir().unwrap();
        std::fs::create_dir(vault.path().join("sub")).unwrap();
        std::fs::write(vault.path().join("sub/.a.md.icloud"), "bplist00").unwrap();
        let folder = Folder::open(&vault.path().join("sub")).unwrap();
        let mut found = WalkResult::default();
        for path in ["sub/a.md", "sub/b.md"] {
            examine(&folder, Note(path.into()), &mut found);
        }
        assert_eq!(found, WalkResult { evicted: vec!["sub/a.md".into()], ..WalkResult::default() });
    }
}
