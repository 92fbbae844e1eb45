//! Tells whether a branch still holds: whether it is checked out, merged, or gone.
//!
//! Only refs, their logs and commits are read; no program is run. A branch is merged if its last commit is an ancestor of the branch that is
//! checked out or of the main one, or if one of their commits has the same files as its last one (a squash, if nothing else came between).
//! The last commit of a removed branch stands in the log of `HEAD`, where the person left the branch.

use std::cell::RefCell;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Repository;
use super::commits::{Commit, ObjectId, Objects};
use tars_base::private;

/// Most bytes of `packed-refs`, and of the end of a log, that are read.
const MAX_REFS: u64 = 4 << 20;
const MAX_LOG: u64 = 1 << 20;
/// Most commits of a branch that are compared. A person waits for the answer.
const MAX_COMMITS: usize = 3_000;
/// Clocks of people who work together differ by this many seconds at most.
const CLOCK_SKEW: i64 = 24 * 3600;
/// Names of the main branch where the remote names none.
const USUAL_NAMES: [&str; 3] = ["main", "master", "trunk"];

/// What became of a branch, as seen from a working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchState {
    /// It is checked out.
    Current,
    /// What it held is part of the branch that is checked out, or of the main one.
    Merged,
    /// It goes on elsewhere.
    Elsewhere,
    /// It was removed, and nothing shows that it was merged.
    Gone,
    /// The repository does not tell.
    Unknown,
}

impl BranchState {
    /// Whether a decision of the branch may be brought up in the working directory.
    pub fn may_hold(self) -> bool {
        !matches!(self, Self::Elsewhere | Self::Gone)
    }
}

/// The branches of a repository, as seen from one of its working directories.
pub struct Branches {
    /// The data of the worktree: `HEAD` and its log.
    git_dir: PathBuf,
    /// The data that all worktrees share.
    common: PathBuf,
    /// The branch that is checked out.
    current: Option<String>,
    main: Option<String>,
    objects: Objects,
    known: RefCell<HashMap<String, BranchState>>,
}

impl Branches {
    /// Returns the branches of the repository that a directory belongs to.
    pub fn of(directory: &Path) -> Option<Self> {
        let Repository { git_dir, common, .. } = Repository::containing(directory)?;
        let current = branch_named_in(&git_dir.join("HEAD"), "refs/heads/");
        let objects = Objects::new(common.join("objects"));
        let mut branches = Self { git_dir, common, current, main: None, objects, known: RefCell::default() };
        let of_remote = branch_named_in(&branches.common.join("refs/remotes/origin/HEAD"), "refs/remotes/origin/");
        let usual = || USUAL_NAMES.iter().find(|name| branches.hash_of("refs/heads/", name).is_some());
        branches.main = of_remote.or_else(|| usual().map(|name| (*name).to_owned())).or_else(|| branches.only_branch());
        Some(branches)
    }

    /// Returns the branch of a repository that has only one.
    fn only_branch(&self) -> Option<String> {
        let packed = self.packed_refs().is_some_and(|text| text.contains(" refs/heads/"));
        let entries: Vec<_> =
            fs::read_dir(self.common.join("refs/heads")).ok()?.filter_map(Result::ok).take(2).collect();
        let [only] = &entries[..] else { return None };
        only.file_name().into_string().ok().filter(|_| !packed && only.path().is_file())
    }

    /// Whether a branch of the repository of `directory` is not its main one. Without a repository, the usual names tell.
    pub fn is_side_branch(directory: &Path, branch: &str) -> bool {
        Self::of(directory).map_or(!USUAL_NAMES.contains(&branch), |branches| !branches.is_main(branch))
    }

    /// Whether a branch is the main one of the repository.
    pub fn is_main(&self, branch: &str) -> bool {
        self.main.as_deref().map_or(USUAL_NAMES.contains(&branch), |main| main == branch)
    }

    /// Returns what became of a branch.
    pub fn state(&self, branch: &str) -> BranchState {
        if self.current.as_deref() == Some(branch) {
            return BranchState::Current;
        }
        if self.is_main(branch) {
            return BranchState::Merged;
        }
        if let Some(known) = self.known.borrow().get(branch) {
            return *known;
        }
        let state = self.read_state(branch);
        self.known.borrow_mut().insert(branch.to_owned(), state);
        state
    }

    fn read_state(&self, branch: &str) -> BranchState {
        let (tip, start, without_merge) = match self.hash_of("refs/heads/", branch) {
            Some(tip) => (tip, self.first_commit(branch), BranchState::Elsewhere),
            None => match self.left_at(branch) {
                Some((start, tip)) => (tip, Some(start), BranchState::Gone),
                None => return BranchState::Unknown,
            },
        };
        // A branch without a commit of its own is part of every other one, and was never merged.
        if start == Some(tip) {
            return without_merge;
        }
        let Some(last) = self.objects.commit(tip) else { return BranchState::Unknown };
        let heads = [self.head(), self.main.as_deref().and_then(|main| self.hash_of("refs/heads/", main))];
        let of_remote = self.main.as_deref().and_then(|main| self.hash_of("refs/remotes/origin/", main));
        let heads = heads.into_iter().chain([of_remote]).flatten();
        match self.holds(heads, tip, &last) {
            Some(true) => BranchState::Merged,
            Some(false) => without_merge,
            None => BranchState::Unknown,
        }
    }

    /// Whether one of these histories holds a commit, or one with the same files; `None` if there are too many commits to tell.
    fn holds(&self, heads: impl Iterator<Item = ObjectId>, tip: ObjectId, last: &Commit) -> Option<bool> {
        let mut seen = HashSet::new();
        let mut waiting = BinaryHeap::new();
        let mut found: HashMap<ObjectId, Commit> = HashMap::new();
        let mut next: Vec<ObjectId> = heads.collect();
        loop {
            for id in next.drain(..).filter(|id| seen.insert(*id)) {
                if id == tip {
                    return Some(true);
                }
                // A shallow clone ends somewhere.
                let Some(commit) = self.objects.commit(id) else { continue };
                if commit.time + CLOCK_SKEW >= last.time {
                    waiting.push((commit.time, id));
                    found.insert(id, commit);
                }
            }
            let Some((_, id)) = waiting.pop() else { return Some(false) };
            let commit = found.remove(&id)?;
            if commit.tree == last.tree && commit.time >= last.time {
                return Some(true);
            }
            if seen.len() > MAX_COMMITS {
                return None;
            }
            next = commit.parents;
        }
    }

    /// Returns the commit that is checked out.
    fn head(&self) -> Option<ObjectId> {
        match &self.current {
            Some(branch) => self.hash_of("refs/heads/", branch),
            None => ObjectId::parse(start_of(&self.git_dir.join("HEAD"))?.trim()),
        }
    }

    /// Returns the commit that a ref names.
    fn hash_of(&self, kind: &str, branch: &str) -> Option<ObjectId> {
        let name = format!("{kind}{branch}");
        if !is_safe(&name) {
            return None;
        }
        if let Some(text) = start_of(&self.common.join(&name)) {
            return ObjectId::parse(text.trim());
        }
        let packed = self.packed_refs()?;
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(_, of)| of.trim_end() == name).and_then(|(id, _)| ObjectId::parse(id))
    }

    fn packed_refs(&self) -> Option<String> {
        let mut text = Vec::new();
        let file = private::open_untrusted_path(&self.common.join("packed-refs")).ok()?;
        file.take(MAX_REFS).read_to_end(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the commit at which a branch was made, if its log still says so.
    fn first_commit(&self, branch: &str) -> Option<ObjectId> {
        let log = start_of(&self.common.join("logs/refs/heads").join(branch))?;
        let entry = LogEntry::parse(log.lines().next()?)?;
        (entry.old.is_none()).then_some(entry.new)
    }

    /// Returns the commit at which the person first came to a branch, and the one at which they last left it.
    fn left_at(&self, branch: &str) -> Option<(ObjectId, ObjectId)> {
        let (mut came, mut left) = (None, None);
        let own = self.git_dir.join("logs/HEAD");
        let shared = Some(self.common.join("logs/HEAD")).filter(|path| *path != own);
        for path in [own].into_iter().chain(shared) {
            for entry in end_of(&path).unwrap_or_default().lines().filter_map(LogEntry::parse) {
                let Some((from, to)) = entry.checkout() else { continue };
                if to == branch {
                    came = came.or(Some(entry.new));
                }
                if from == branch {
                    left = entry.old.or(left);
                }
            }
        }
        let left = left?;
        Some((came.unwrap_or(left), left))
    }
}

/// A line of the log of a ref: `OLD NEW NAME <ADDRESS> SECONDS ZONE\tMESSAGE`.
struct LogEntry<'a> {
    old: Option<ObjectId>,
    new: ObjectId,
    message: &'a str,
}

impl<'a> LogEntry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (ids, message) = line.split_once('\t')?;
        let mut ids = ids.split(' ');
        Some(Self { old: ObjectId::parse(ids.next()?), new: ObjectId::parse(ids.next()?)?, message })
    }

    /// Returns the branches of a checkout: from where, and to where.
    fn checkout(&self) -> Option<(&'a str, &'a str)> {
        self.message.strip_prefix("checkout: moving from ")?.split_once(" to ")
    }
}

/// Returns the branch that a symbolic ref names.
fn branch_named_in(file: &Path, kind: &str) -> Option<String> {
    let text = start_of(file)?;
    Some(text.strip_prefix("ref:")?.trim().strip_prefix(kind)?.to_owned()).filter(|branch| !branch.is_empty())
}

/// Whether the name of a ref stays in its folder.
fn is_safe(name: &str) -> bool {
    !name.split('/').any(|part| part.is_empty() || part.starts_with('.')) && !name.contains('\0')
}

/// Returns the first bytes of a file.
fn start_of(file: &Path) -> Option<String> {
    let mut text = Vec::new();
    private::open_untrusted_path(file).ok()?.take(4 << 10).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Returns the last bytes of a file.
fn end_of(file: &Path) -> Option<String> {
    let mut file: File = private::open_untrusted_path(file).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_LOG))).ok()?;
    let mut text = Vec::new();
    file.take(MAX_LOG).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests;
