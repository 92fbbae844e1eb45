//! Finds the notes of a root.

mod job_queue;
mod visit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, available_parallelism};

use ignore::gitignore::GitignoreBuilder;

use super::Skipped;
use super::ignore_files::{composed_path, outer_rules};
use super::obsidian::Obsidian;
use tars_base::disk::FileStat;
use tars_text::names::composed;
use visit::{Job, Visit};

/// Most threads that read folders in parallel; most of the time is spent waiting for the system.
const MAX_THREADS: usize = 4;

/// The rules for which files are notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Extensions without the dot, lower-case. Files' extensions are compared case-insensitively.
    pub extensions: Vec<String>,
    /// Exclusion patterns in the syntax of `.gitignore`, relative to the root.
    pub exclude: Vec<String>,
    /// Further patterns for single roots, by their paths, applied after `exclude`.
    pub exclude_in: BTreeMap<PathBuf, Vec<String>>,
    /// The absolute paths of links to folders that are followed, because the person's settings name them.
    pub follow_links: Vec<PathBuf>,
    /// Whether `.gitignore` files count: those inside the root, and above it up to its repository.
    pub gitignore: bool,
    /// Whether Obsidian's excluded files and template folders are left out.
    pub obsidian: bool,
    /// Whether conflict copies of sync programs are included.
    pub conflict_copies: bool,
    /// The absolute path of the memory folder, to which Obsidian's settings do not apply.
    pub memory: Option<PathBuf>,
    /// If not empty, the walk is limited to these absolute paths and everything below them.
    pub only: Vec<PathBuf>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            extensions: ["md", "markdown", "canvas", "excalidraw"].map(str::to_owned).to_vec(),
            exclude: Vec::new(),
            exclude_in: BTreeMap::new(),
            follow_links: Vec::new(),
            gitignore: true,
            obsidian: true,
            conflict_copies: false,
            memory: None,
            only: Vec::new(),
        }
    }
}

/// A note found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNote {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// Its metadata.
    pub stat: FileStat,
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkResult {
    /// The walked folder.
    pub root: PathBuf,
    /// The notes by path; empty after [`walk_into`], which passes them on as they are found.
    pub notes: Vec<FoundNote>,
    /// Paths of notes that iCloud has evicted from this disk, sorted.
    pub evicted: Vec<String>,
    /// Paths of notes that are left out as conflict copies, sorted.
    pub conflict_copies: Vec<String>,
    /// Paths of links to notes and folders outside the root that are left out, sorted; those of folders end with a slash.
    pub links: Vec<String>,
    /// Places that could not be read.
    pub skipped: Vec<Skipped>,
    /// The ignored parts of Obsidian's settings, with reasons.
    pub remarks: Vec<String>,
}

impl WalkResult {
    /// Whether the note `path` may exist although the walk did not find it.
    pub fn may_hide(&self, path: &str) -> bool {
        self.evicted.binary_search_by(|evicted| evicted.as_str().cmp(path)).is_ok()
            || self.skipped.iter().any(|place| place.may_hide(&self.root.join(path)))
    }
}

/// Returns the notes below `root`, and the walk's remarks.
///
/// The walk leaves out hidden files and folders (`.obsidian`, `.trash`, `.git`), the paths named by a `.tarsignore`, `.ignore` or
/// (optionally) `.gitignore` inside the root, Obsidian's exclusions (optionally), conflict copies (unless requested), other
/// extensions, and symbolic links that the options do not name: a link's target inside the root is found there anyway, and a target
/// outside does not belong to the root. If the root lies in a repository, the `.gitignore` files above it count as git counts them, unless
/// they exclude the root itself.
///
/// # Errors
/// A pattern of `exclude` is invalid.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<WalkResult, ignore::Error> {
    let (found, mut notes) = walk_into(root, options, |notes| notes.into_iter().flatten().collect::<Vec<_>>());
    notes.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    Ok(WalkResult { notes, ..found? })
}

/// Like [`walk`], but runs `receive` in this thread meanwhile: it receives the notes in batches, unordered, as they are found.
pub fn walk_into<T>(
    root: &Path,
    options: &WalkOptions,
    receive: impl FnOnce(Receiver<Vec<FoundNote>>) -> T,
) -> (Result<WalkResult, ignore::Error>, T) {
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let walking = scope.spawn(move || gather(root, options, sender));
        let received = receive(receiver);
        (walking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), received)
    })
}

/// Walks the root and sends the notes of each job.
fn gather(root: &Path, options: &WalkOptions, notes: Sender<Vec<FoundNote>>) -> Result<WalkResult, ignore::Error> {
    let mut excluded = GitignoreBuilder::new(composed_path(root));
    for pattern in options.exclude.iter().chain(options.exclude_in.get(root).into_iter().flatten()) {
        excluded.add_line(None, &composed(pattern))?;
    }
    let excluded = excluded.build()?;
    let mut all = WalkResult { root: root.to_owned(), ..WalkResult::default() };
    let obsidian = if options.obsidian { Obsidian::read(root, &mut all.remarks) } else { Obsidian::default() };
    let visit = Visit::new(root, options, excluded, obsidian);
    let outer = options.gitignore.then(|| outer_rules(root, options.memory.as_deref(), &mut all.skipped)).flatten();
    let threads = MAX_THREADS.min(available_parallelism().map_or(1, usize::from));
    let parts = job_queue::run(Job::root(outer), threads, |found: &mut WalkResult, job, queue| {
        visit.run(job, found, queue);
        // A failed receiver needs no more notes.
        let _ = notes.send(std::mem::take(&mut found.notes));
    });
    for mut part in parts {
        all.evicted.append(&mut part.evicted);
        all.conflict_copies.append(&mut part.conflict_copies);
        all.links.append(&mut part.links);
        all.skipped.append(&mut part.skipped);
    }
    all.evicted.sort_unstable();
    all.conflict_copies.sort_unstable();
    all.links.sort_unstable();
    all.remarks.extend(links_remark(&all.links));
    all.skipped.sort_by(|left, right| left.message.cmp(&right.message));
    Ok(all)
}

/// Says which links are left out.
fn links_remark(links: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    let (first, rest) = links.split_at(links.len().min(SHOWN));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let verb = if links.len() == 1 { "a link out of the vault is" } else { "links out of the vault are" };
    let hint = "index.follow_links names the folders to follow";
    (!first.is_empty()).then(|| format!("{verb} left out: {}{more} ({hint})", first.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn paths(root: &Path, options: &WalkOptions) -> Vec<String> {
        walk(root, options).unwrap().notes.into_iter().map(|walked| walked.path).collect()
    }

    #[test]
    fn notes_are_found_and_other_files_left_out() {
        let vault = vault(&[
            ("a.md", ""),
            ("deep/er/B.Markdown", ""),
            ("picture.png", ""),
            (".obsidian/app.md", ""),
            (".trash/gone.md", ""),
            ("build/out.md", ""),
            ("secret/key.md", ""),
            ("kept/drafts/x.md", ""),
            (".gitignore", "build/\n"),
            (".tarsignore", "secret\n"),
        ]);
        assert_eq!(paths(vault.path(), &WalkOptions::default()), ["a.md", "deep/er/B.Markdown", "kept/drafts/x.md"]);
        let options = WalkOptions { exclude: vec!["drafts/".into()], gitignore: false, ..WalkOptions::default() };
        assert_eq!(paths(vault.path(), &options), ["a.md", "build/out.md", "deep/er/B.Markdown"]);
        // An exception revokes an earlier pattern, and nothing else.
        let exclude = vec!["*.md".into(), "!a.md".into()];
        let options = WalkOptions { exclude, ..WalkOptions::default() };
        assert_eq!(paths(vault.path(), &options), ["a.md", "deep/er/B.Markdown"]);
    }

    #[test]
    fn an_ignore_file_above_the_root_does_not_empty_it() {
        let outer = vault(&[(".gitignore", "*\n"), ("vault/a.md", "")]);
        assert_eq!(paths(&outer.path().join("vault"), &WalkOptions::default()), ["a.md"]);
    }

    #[test]
    fn a_repository_around_the_root_excludes_what_git_does() {
        let outer = vault(&[
            (".git/HEAD", ""),
            (".gitignore", "node_modules/\n/notes/old.md\n*.tmp.md\n"),
            ("docs/.gitignore", "!kept.tmp.md\n"),
            ("docs/notes/node_modules/x/README.md", ""),
            ("docs/notes/a.md", ""),
            ("docs/notes/b.tmp.md", ""),
            ("docs/notes/kept.tmp.md", ""),
            ("docs/notes/old.md", ""),
        ]);
        let root = outer.path().join("docs/notes");
        assert_eq!(paths(&root, &WalkOptions::default()), ["a.md", "kept.tmp.md", "old.md"]);
        let all = paths(&root, &WalkOptions { gitignore: false, ..WalkOptions::default() });
        assert_eq!(all.len(), 5);
        for rules in ["docs/\n*.tmp.md\n", "docs/*\n", "docs/notes/**\n!docs/notes/.gitkeep\n", "*\n!*/\n", "*.md\n"] {
            std::fs::write(outer.path().join(".gitignore"), rules).unwrap();
            assert_eq!(
                paths(&root, &WalkOptions::default()),
                all,
                "the person named a folder that git leaves out: {rules}"
            );
        }
        std::fs::write(outer.path().join(".gitignore"), "tars/\n").unwrap();
        let options = WalkOptions { memory: Some(root.join("tars")), ..WalkOptions::default() };
        assert_eq!(paths(&root, &options), all, "the memory folder is the person's choice too");
    }

    #[test]
    fn the_nearest_ignore_file_decides_and_tarsignore_has_precedence() {
        let vault = vault(&[
            ("a.md", ""),
            ("deep/b.md", ""),
            ("deep/c.md", ""),
            ("repository/.git/HEAD", ""),
            ("repository/a.md", ""),
            (".gitignore", "a.md\n*.tmp.md\n"),
            (".ignore", "b.md\n"),
            ("deep/.tarsignore", "c.md\n!b.md\n"),
            ("deep/x.tmp.md", ""),
        ]);
        assert_eq!(paths(vault.path(), &WalkOptions::default()), ["deep/b.md", "repository/a.md"]);
    }

    /// Ignore files are opened like notes: without following links, without waiting, and with a size limit.
    #[test]
    fn an_unusable_ignore_file_is_reported_and_ignored() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let outside = vault(&[("rules", "*.md\n")]);
        let vault = vault(&[("a.md", ""), ("pipe/b.md", ""), ("long/c.md", ""), ("zero/d.md", "")]);
        std::os::unix::fs::symlink(outside.path().join("rules"), vault.path().join(".gitignore")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", vault.path().join("zero/.tarsignore")).unwrap();
        mknodat(CWD, vault.path().join("pipe/.ignore"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        std::fs::File::create(vault.path().join("long/.gitignore")).unwrap().set_len(1 << 40).unwrap();
        let WalkResult { notes, skipped, .. } = walk(vault.path(), &WalkOptions::default()).unwrap();
        assert_eq!(notes.len(), 4, "{skipped:?}");
        let said: Vec<&str> = skipped.iter().map(|place| place.message.rsplit(": ").next().unwrap()).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(said.contains(&"it is a link") && said.contains(&"it is not a regular file"), "{said:?}");
        assert!(said.contains(&"it is longer than a megabyte"), "{said:?}");
        assert!(skipped.iter().all(|place| !place.may_hide(&vault.path().join("a.md"))));
    }

    #[test]
    fn symbolic_links_are_not_followed() {
        let outside = vault(&[("private.md", "")]);
        let vault = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink(outside.path(), vault.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("private.md"), vault.path().join("note.md")).unwrap();
        std::os::unix::fs::symlink(vault.path(), vault.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("a.md", vault.path().join("inside.md")).unwrap();
        std::os::unix::fs::symlink("nowhere", vault.path().join("dead.md")).unwrap();
        let found = walk(vault.path(), &WalkOptions::default()).unwrap();
        assert_eq!(found.notes.iter().map(|note| note.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
        assert_eq!(found.links, ["folder/", "note.md"], "those that lead into the vault hide nothing");
    }

    #[test]
    fn a_linked_folder_that_the_person_names_is_walked_once() {
        let outside = vault(&[("x.md", "out"), ("deep/y.md", ""), ("private/z.md", "")]);
        let vault = vault(&[("a.md", ""), (".tarsignore", "Shared/private\n")]);
        let root = vault.path().canonicalize().unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        link(outside.path(), "Shared");
        link(&root, "loop");
        // Back into the vault, and to itself.
        std::os::unix::fs::symlink(&root, outside.path().join("deep/back")).unwrap();
        std::os::unix::fs::symlink(outside.path(), outside.path().join("again")).unwrap();
        link(root.parent().unwrap(), "above");
        link(&outside.path().join("deep"), "twice");
        let follow_links = ["Shared", "loop", "above", "none", "twice"].map(|name| root.join(name)).to_vec();
        let options = WalkOptions { follow_links: follow_links.clone(), ..WalkOptions::default() };
        let found = walk(&root, &options).unwrap();
        let paths: Vec<&str> = found.notes.iter().map(|note| note.path.as_str()).collect();
        assert_eq!(paths, ["Shared/deep/y.md", "Shared/x.md", "a.md"]);
        assert_eq!(found.links, ["Shared/again/", "above/", "twice/"]);
        let read = |path: &str| crate::read_following(&root, &follow_links, path, 100).map(|file| file.text);
        assert_eq!(read("Shared/x.md").unwrap(), "out");
        assert!(crate::read(&root, "Shared/x.md", 100).is_err() && read("Shared/again/x.md").is_err());
        assert!(read("loop/a.md").is_err() && read("Shared/../a.md").is_err());
    }
}
