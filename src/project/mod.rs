//! What project a directory belongs to.
//!
//! A project is its repository: that of a remote where it was cloned from one, so that clones are one project wherever they lie,
//! and two repositories called `api` are two; else that of a path. A worktree belongs to the repository that it was made from,
//! since what is remembered about the one is true of the other. Without a repository a folder stands for itself.
//!
//! Reads `.git` and the repository's configuration, and runs no program.

mod git_config;
mod remote;

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::client::claude_code::{FOLDER, WORKTREES};
use crate::domain::{ContentHash, hex};
use crate::private;
use git_config::remote_address;
use remote::{Remote, identity_of};

/// Name of what has none.
const NAMELESS: &str = "unnamed";
/// Longest name of a folder, in characters.
const LONGEST: usize = 64;
/// Bytes of the hash in a key.
const KEY: usize = 4;

/// A project: what people call it, and what tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// `owner/name` where the repository's remote names both, else `name`: the remote's, or that of the folder. Each part is
    /// made of letters, digits, `-`, `_` and `.`, begins with none of the marks, and is never empty.
    pub name: String,
    /// Eight hexadecimal digits of a hash over the repository's remote, without users and passwords, else over the canonical
    /// path of its root.
    pub key: String,
}

impl Project {
    /// Returns the project that `directory` belongs to. The directory need not exist any more.
    pub fn of(directory: &Path) -> Self {
        let repository = directory.ancestors().find_map(Repository::at);
        let remote = repository.as_ref().and_then(|repository| {
            let address = remote_address(&repository.config)?;
            Remote::parse(&address, &repository.root)
        });
        let root = repository.map_or_else(|| without_agent_worktree(directory), |repository| repository.root);
        let (identity, name) = match remote {
            Some(Remote { identity, name }) => (identity, name),
            None => (identity_of(&root), None),
        };
        let folder = || clean(&root.file_name().unwrap_or_default().to_string_lossy());
        Self {
            name: name.or_else(folder).unwrap_or_else(|| NAMELESS.into()),
            key: hex(&ContentHash::of_parts([identity.as_bytes()]).as_bytes()[..KEY]),
        }
    }
}

/// Returns a project's name as a part of a file's name.
pub fn file_form(name: &str) -> String {
    let name = name.replace('/', "-");
    name[..name.floor_char_boundary(LONGEST_FILE_FORM)].to_owned()
}

/// Bytes of a project's name in a file's name. The latter has 255 on most systems, and parts before and behind it.
const LONGEST_FILE_FORM: usize = 160;

/// Returns a project's name without its owner: notes of older versions name their projects so.
pub fn without_owner(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A repository, seen from the folder in which it or one of its worktrees begins.
struct Repository {
    /// The folder that it has its name from.
    root: PathBuf,
    /// Its configuration.
    config: PathBuf,
}

impl Repository {
    /// Returns the repository that begins at `folder`, if one does.
    fn at(folder: &Path) -> Option<Self> {
        let mark = folder.join(".git");
        let kind = mark.metadata().ok()?.file_type();
        if kind.is_dir() {
            return Some(Self { root: folder.to_owned(), config: mark.join("config") });
        }
        let mut text = Vec::new();
        private::open_named(&mark).ok()?.take(4 << 10).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        let named = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?.trim();
        let git_dir = plain(&folder.join(named));
        let of_worktree = common_dir(&git_dir).and_then(|common| {
            let root = main_repository(common)?;
            Some(Self { root, config: common.join("config") })
        });
        Some(of_worktree.unwrap_or_else(|| Self { root: folder.to_owned(), config: git_dir.join("config") }))
    }
}

/// Returns the folder that a worktree shares with its main repository if the worktree's own data lie in `git_dir`:
/// `COMMON/worktrees/NAME`. The data of submodules lie elsewhere.
fn common_dir(git_dir: &Path) -> Option<&Path> {
    git_dir.parent().filter(|parent| parent.file_name() == Some(OsStr::new("worktrees")))?.parent()
}

/// Returns the root of the repository whose data lie in `common`: `ROOT/.git`, or `ROOT.git` where it is bare.
fn main_repository(common: &Path) -> Option<PathBuf> {
    let name = common.file_name()?.to_string_lossy();
    match name.strip_suffix(".git") {
        Some(bare) if !bare.is_empty() => Some(common.with_file_name(bare)),
        // Also `.bare`, a common name for it.
        _ if name.starts_with('.') => common.parent().map(Path::to_owned),
        _ => Some(common.to_owned()),
    }
}

/// Returns a path without links, as far as it or its folder exists.
fn canonical(path: &Path) -> PathBuf {
    let path = plain(path);
    let beside = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    fs::canonicalize(&path).ok().or_else(beside).unwrap_or(path)
}

fn without_agent_worktree(directory: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = directory.components().collect();
    let is_mark = |pair: &[Component<'_>]| pair[0].as_os_str() == FOLDER && pair[1].as_os_str() == WORKTREES;
    let end = parts.windows(2).position(is_mark).unwrap_or(parts.len());
    parts[..end].iter().collect()
}

/// Returns a path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
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

/// Returns a name that is one plain part of a path on every system; `None` if nothing of it can be.
fn clean(name: &str) -> Option<String> {
    // Marks that combine with a letter belong to it: some systems spell names that way.
    let is_letter = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
    let mut out = String::new();
    for character in name.chars() {
        match character {
            c if is_letter(c) || "_-.".contains(c) => out.push(c),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    let out: String = out.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().take(LONGEST).collect();
    let out = out.trim_end_matches(['-', '.']);
    (!out.is_empty()).then(|| out.to_owned())
}

#[cfg(test)]
mod tests;
