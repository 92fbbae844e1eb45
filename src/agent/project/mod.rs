//! Finds the project that a directory belongs to.
//!
//! A project is a repository. One with a remote is identified by that, so that clones are one project wherever they
//! lie, and two repositories called `api` are two. Other repositories are identified by their path. A worktree belongs
//! to its main repository, because notes about the one hold for the other. Without a repository, the folder itself is
//! the project.
//!
//! This module reads `.git` and the repository's configuration and runs no program.

mod branches;
mod commits;
mod git_config;
mod remote;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

pub use branches::{BranchState, Branches};

use crate::client::claude_code::{FOLDER, WORKTREES};
use git_config::remote_address;
use remote::{Remote, identity_of};
use tars_base::domain::{ContentHash, hex};
use tars_base::private;

/// The name of a project without one.
const NAMELESS: &str = "unnamed";
/// Maximum length of a folder's name, in characters.
const MAX_NAME_LENGTH: usize = 64;
/// Number of hash bytes in a key.
const KEY_BYTES: usize = 4;

/// A project: its name for people and its unique key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// `owner/name` if the repository's remote gives both, otherwise `name`: the remote's or the folder's. Each part
    /// consists of letters, digits, `-`, `_` and `.`, starts with a letter or digit, and is never empty.
    pub name: String,
    /// Eight hexadecimal digits of a hash over the repository's remote, without users and passwords, or over the
    /// canonical path of its root.
    pub key: String,
}

impl Project {
    /// Returns the project of `directory`, which need not exist any more.
    pub fn of(directory: &Path) -> Self {
        Self::of_repository(directory, Repository::containing(directory))
    }

    /// Returns the project that holds the repository of `directory` as a submodule.
    pub fn parent_of(directory: &Path) -> Option<Self> {
        let own = Repository::containing(directory).filter(Repository::is_submodule)?;
        let above = own.root.parent()?;
        Some(Self::of_repository(above, Some(Repository::containing(above)?)))
    }

    fn of_repository(directory: &Path, repository: Option<Repository>) -> Self {
        let remote = repository.as_ref().and_then(|repository| {
            let address = remote_address(&repository.common.join("config"))?;
            Remote::parse(&address, &repository.root)
        });
        let root = repository.map_or_else(|| without_agent_worktree(&native(directory)), |repository| repository.root);
        let (identity, name) = match remote {
            Some(Remote { identity, name }) => (identity, name),
            None => (identity_of(&root), None),
        };
        let folder = || sanitize_name(&root.file_name().unwrap_or_default().to_string_lossy());
        Self {
            name: name.or_else(folder).unwrap_or_else(|| NAMELESS.into()),
            key: hex(&ContentHash::of_parts([identity.as_bytes()]).as_bytes()[..KEY_BYTES]),
        }
    }
}

/// Returns a project's name in a form for file names.
pub fn file_name_form(name: &str) -> String {
    let name = name.replace('/', "-");
    name[..name.floor_char_boundary(MAX_FILE_NAME_FORM)].to_owned()
}

/// Maximum bytes of a project's name in a file name. Most systems allow 255 in total, and other parts come before and
/// after.
const MAX_FILE_NAME_FORM: usize = 160;

/// Returns a project's name without its owner. Notes of older versions use this form.
pub fn short_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A repository, found at the root of its main folder or of a worktree.
struct Repository {
    /// The folder that gives the name.
    root: PathBuf,
    /// The data of the worktree.
    git_dir: PathBuf,
    /// The data that all worktrees share, its configuration among them.
    common: PathBuf,
}

impl Repository {
    /// Returns the repository that a directory belongs to. The directory need not exist any more.
    fn containing(directory: &Path) -> Option<Self> {
        native(directory).ancestors().find_map(Self::at)
    }

    /// Whether another repository keeps its data: `PARENT/.git/modules/NAME`.
    fn is_submodule(&self) -> bool {
        let is_mark = |pair: &[Component<'_>]| pair[0].as_os_str() == ".git" && pair[1].as_os_str() == "modules";
        self.git_dir.components().collect::<Vec<_>>().windows(2).any(is_mark)
    }

    /// Returns the repository with its root at `folder`, if there is one.
    fn at(folder: &Path) -> Option<Self> {
        let mark = folder.join(".git");
        let kind = mark.metadata().ok()?.file_type();
        if kind.is_dir() {
            return Some(Self { root: folder.to_owned(), git_dir: mark.clone(), common: mark });
        }
        let mut text = Vec::new();
        private::open_untrusted_path(&mark).ok()?.take(4 << 10).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        let named = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?.trim();
        let git_dir = lexically_normalized(&folder.join(named));
        let of_worktree = common_dir(&git_dir).and_then(|common| {
            let root = main_repository(common)?;
            Some(Self { root, git_dir: git_dir.clone(), common: common.to_owned() })
        });
        let own = || Self { root: folder.to_owned(), git_dir: git_dir.clone(), common: git_dir.clone() };
        Some(of_worktree.unwrap_or_else(own))
    }
}

/// Returns the common directory of a worktree and its main repository, if `git_dir` belongs to a worktree:
/// `COMMON/worktrees/NAME`. The data of submodules lie elsewhere.
fn common_dir(git_dir: &Path) -> Option<&Path> {
    git_dir.parent().filter(|parent| parent.file_name() == Some(OsStr::new("worktrees")))?.parent()
}

/// Returns the root of the repository with the data in `common`: `ROOT/.git`, or `ROOT.git` if it is bare.
fn main_repository(common: &Path) -> Option<PathBuf> {
    let name = common.file_name()?.to_string_lossy();
    match name.strip_suffix(".git") {
        Some(bare) if !bare.is_empty() => Some(common.with_file_name(bare)),
        // Includes `.bare`, a common name for a bare repository.
        _ if name.starts_with('.') => common.parent().map(Path::to_owned),
        _ => Some(common.to_owned()),
    }
}

/// Returns a directory as this system names it.
fn native(directory: &Path) -> Cow<'_, Path> {
    of_windows(directory).map_or(Cow::Borrowed(directory), Cow::Owned)
}

/// Returns the path under which Linux mounts a folder of Windows, `/mnt/c/Users/anna` for `C:\Users\anna`; `None` for other paths. A client on
/// Windows and tars in its Linux subsystem name one folder differently.
fn of_windows(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    let (drive, rest) = text.split_once(':')?;
    let is_drive = drive.len() == 1 && drive.chars().all(|letter| letter.is_ascii_alphabetic());
    let rest = rest.strip_prefix(['\\', '/']).filter(|_| is_drive)?;
    Some(Path::new("/mnt").join(drive.to_ascii_lowercase()).join(rest.replace('\\', "/")))
}

/// Returns a path with links resolved, as far as it or its folder exists.
fn canonical(path: &Path) -> PathBuf {
    let path = lexically_normalized(path);
    let beside = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    fs::canonicalize(&path).ok().or_else(beside).unwrap_or(path)
}

fn without_agent_worktree(directory: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = directory.components().collect();
    let is_mark = |pair: &[Component<'_>]| pair[0].as_os_str() == FOLDER && pair[1].as_os_str() == WORKTREES;
    let end = parts.windows(2).position(is_mark).unwrap_or(parts.len());
    parts[..end].iter().collect()
}

/// Removes `.` and `..` from a path lexically.
fn lexically_normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Sanitizes a name to a single path component for every system. Returns `None` if nothing is left.
fn sanitize_name(name: &str) -> Option<String> {
    // Combining marks belong to their letter: some systems store names decomposed.
    let is_letter = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
    let mut out = String::new();
    for character in name.chars() {
        match character {
            c if is_letter(c) || "_-.".contains(c) => out.push(c),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    let out: String = out.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().take(MAX_NAME_LENGTH).collect();
    let out = out.trim_end_matches(['-', '.']);
    (!out.is_empty()).then(|| out.to_owned())
}

#[cfg(test)]
mod tests;
