//! Which files of a root are notes.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, available_parallelism};

use ignore::gitignore::GitignoreBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::FileStat;

/// Threads that look into folders at once, where there are so many: most of the time goes into waiting for the system.
const THREADS: usize = 4;

/// What counts as a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Extensions without the dot, lower-case; a file's own is compared without case.
    pub extensions: Vec<String>,
    /// Patterns in the syntax of `.gitignore`, relative to the root, that leave files out.
    pub exclude: Vec<String>,
    /// Whether `.gitignore` files inside the root count.
    pub gitignore: bool,
    /// Where not empty, only these absolute paths and what lies below them are looked at.
    pub only: Vec<PathBuf>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            extensions: vec!["md".into(), "markdown".into()],
            exclude: Vec::new(),
            gitignore: true,
            only: Vec::new(),
        }
    }
}

/// A note found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// Path relative to the root, `/` between its parts.
    pub path: String,
    /// Where to open it.
    pub location: PathBuf,
    /// What the directory tells of it.
    pub stat: FileStat,
}

/// A place that could not be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The place, where it is known.
    pub location: Option<PathBuf>,
    /// What and why, in one line.
    pub message: String,
}

impl Skipped {
    fn of(error: &ignore::Error) -> Self {
        Self { location: place(error).map(Path::to_owned), message: error.to_string() }
    }

    /// Whether the file at `path` may be there and was merely not seen.
    pub fn may_hide(&self, path: &Path) -> bool {
        self.location.as_ref().is_none_or(|place| path.starts_with(place))
    }
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        ignore::Error::Partial(errors) => errors.first().and_then(place),
        _ => None,
    }
}

/// Notes by path, and the places that could not be looked into.
pub type Found = (Vec<Walked>, Vec<Skipped>);

/// Returns the notes below `root`, by path, and the places that could not be looked into.
///
/// Left out are: hidden files and folders (`.obsidian`, `.trash`, `.git`), what a `.tarsignore`, `.ignore` or (if so
/// asked) `.gitignore` inside the root names, other extensions, and symbolic links: what they point to inside the root
/// is found there, and what lies outside is none of ours. Ignore files above the root do not count.
///
/// # Errors
/// A pattern of `exclude` is not one.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Found, ignore::Error> {
    let mut excluded = GitignoreBuilder::new(root);
    for pattern in &options.exclude {
        excluded.add_line(None, pattern)?;
    }
    let excluded = excluded.build()?;
    let mut builder = WalkBuilder::new(root);
    builder
        .follow_links(false)
        .hidden(true)
        .parents(false)
        .ignore(true)
        .git_ignore(options.gitignore)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .add_custom_ignore_filename(".tarsignore");
    // The folders on the way to what is wanted are opened for their ignore files; what lies beside it is not.
    let only = options.only.clone();
    builder.filter_entry(move |entry| {
        let path = entry.path();
        let wanted = only.is_empty() || only.iter().any(|one| one.starts_with(path) || path.starts_with(one));
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        wanted && (entry.depth() == 0 || !excluded.matched(path, is_folder).is_ignore())
    });
    let (sender, receiver) = mpsc::channel();
    builder.threads(THREADS.min(available_parallelism().map_or(1, usize::from)));
    builder.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            look(root, entry, options, |place| {
                // The receiver outlives the walk.
                let _ = sender.send(place);
            });
            WalkState::Continue
        })
    });
    drop(sender);
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for place in receiver {
        match place {
            Ok(walked) => found.push(walked),
            Err(place) => skipped.push(place),
        }
    }
    found.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    skipped.sort_by(|left, right| left.message.cmp(&right.message));
    Ok((found, skipped))
}

/// As [`walk`], with `meanwhile` done in this thread: who compares a root with what is known of it reads the one while
/// the system is asked for the other.
pub fn walk_while<T>(
    root: &Path,
    options: &WalkOptions,
    meanwhile: impl FnOnce() -> T,
) -> (Result<Found, ignore::Error>, T) {
    thread::scope(|scope| {
        let walking = scope.spawn(|| walk(root, options));
        let done = meanwhile();
        (walking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), done)
    })
}

/// Tells what an entry is: a note, or a place that could not be looked into.
fn look(
    root: &Path,
    entry: Result<DirEntry, ignore::Error>,
    options: &WalkOptions,
    mut tell: impl FnMut(Result<Walked, Skipped>),
) {
    match entry {
        Ok(entry) => {
            if let Some(error) = entry.error() {
                tell(Err(Skipped::of(error)));
            }
            match note(root, &entry, options) {
                Ok(Some(walked)) => tell(Ok(walked)),
                Ok(None) => {}
                Err(message) => tell(Err(Skipped { location: Some(entry.into_path()), message })),
            }
        }
        Err(error) => tell(Err(Skipped::of(&error))),
    }
}

fn note(root: &Path, entry: &DirEntry, options: &WalkOptions) -> Result<Option<Walked>, String> {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return Ok(None);
    }
    let location = entry.path();
    let extension = location.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if !extension.is_some_and(|extension| options.extensions.contains(&extension)) {
        return Ok(None);
    }
    let relative = location.strip_prefix(root).unwrap_or(location);
    let parts: Option<Vec<_>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
    let parts = parts.ok_or_else(|| format!("{}: the name is not valid UTF-8", location.display()))?;
    let metadata = entry.metadata().map_err(|error| error.to_string())?;
    Ok(Some(Walked { path: parts.join("/"), location: location.to_owned(), stat: FileStat::of(&metadata) }))
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
        walk(root, options).unwrap().0.into_iter().map(|walked| walked.path).collect()
    }

    #[test]
    fn notes_are_found_and_the_rest_left_out() {
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
        // An exception takes back a pattern before it, and nothing else.
        let exclude = vec!["*.md".into(), "!a.md".into()];
        let options = WalkOptions { exclude, ..WalkOptions::default() };
        assert_eq!(paths(vault.path(), &options), ["a.md", "deep/er/B.Markdown"]);
    }

    #[test]
    fn an_ignore_file_above_the_root_does_not_empty_it() {
        let outer = vault(&[(".gitignore", "*\n"), ("vault/a.md", "")]);
        assert_eq!(paths(&outer.path().join("vault"), &WalkOptions::default()), ["a.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_not_followed() {
        let outside = vault(&[("private.md", "")]);
        let vault = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink(outside.path(), vault.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("private.md"), vault.path().join("note.md")).unwrap();
        std::os::unix::fs::symlink(vault.path(), vault.path().join("loop")).unwrap();
        assert_eq!(paths(vault.path(), &WalkOptions::default()), ["a.md"]);
    }
}
