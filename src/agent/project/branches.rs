//! Tells whether a branch still holds: whether it is checked out, merged, or gone.
//!
//! Only refs, their logs and commits are read; no program is run. A branch is merged if its last commit is an ancestor of the branch that is
//! checked out or of the main one, or if one of their commits has the same files as its last one (a squash, if nothing else came between).
//! The last commit of a removed branch stands in the log of `HEAD`, where the person left the branch.

use std::cell::{OnceCell, RefCell};
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
/// Most commits that are read. A person waits for the answer.
const MAX_COMMITS: usize = 1_500;
/// Most worktrees whose logs are read.
const MAX_WORKTREES: usize = 50;
/// Clocks of people who work together differ by this many seconds at most.
const CLOCK_SKEW: i64 = 24 * 3600;
/// Names of the main branch where the remote names none.
const USUAL_NAMES: [&str; 3] = ["main", "master", "trunk"];

/// The fate of a branch, as seen from a working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchState {
    /// It is checked out.
    Current,
    /// Its last commit is part of the branch that is checked out, or of the main one.
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

/// The branches of a repository, as seen from one of its working directories. Refs and commits are read once.
pub struct Branches {
    /// The data of the worktree: `HEAD` and its log.
    git_dir: PathBuf,
    /// The data that all worktrees share.
    common: PathBuf,
    /// The branch that is checked out.
    current: Option<String>,
    main: Option<String>,
    objects: Objects,
    packed_refs: OnceCell<Option<String>>,
    /// The history of the branch that is checked out and of the main one.
    history: OnceCell<History>,
    known: RefCell<HashMap<String, BranchState>>,
}

/// The newest commits of some branches.
#[derive(Debug, Default)]
struct History {
    commits: HashSet<ObjectId>,
    /// The files of commits, each with the time of the last commit that has them.
    trees: HashMap<ObjectId, i64>,
    /// The time back to which all commits are known; `None` if a commit could not be read.
    since: Option<i64>,
}

impl History {
    /// Whether the history holds a commit, or a later one with the same files; `None` if it does not reach back far enough.
    fn holds(&self, tip: ObjectId, last: &Commit) -> Option<bool> {
        let is_squashed = || self.trees.get(&last.tree).is_some_and(|time| *time >= last.time);
        if self.commits.contains(&tip) || is_squashed() {
            return Some(true);
        }
        self.since.filter(|since| *since <= last.time.saturating_sub(CLOCK_SKEW)).map(|_| false)
    }
}

/// Where a branch ends.
struct Tip {
    commit: ObjectId,
    /// The commit at which the branch was made, if its own log says so.
    start: Option<ObjectId>,
    /// Its state unless it was merged.
    otherwise: BranchState,
}

impl Branches {
    /// Returns the branches of the repository that a directory belongs to.
    pub fn of(directory: &Path) -> Option<Self> {
        let Repository { git_dir, common, .. } = Repository::containing(directory)?;
        let current = branch_named_in(&git_dir.join("HEAD"), "refs/heads/");
        let mut branches = Self {
            objects: Objects::new(common.join("objects")),
            git_dir,
            common,
            current,
            main: None,
            packed_refs: OnceCell::new(),
            history: OnceCell::new(),
            known: RefCell::default(),
        };
        let of_remote = branch_named_in(&branches.common.join("refs/remotes/origin/HEAD"), "refs/remotes/origin/");
        let usual = || USUAL_NAMES.iter().find(|name| branches.hash_of("refs/heads/", name).is_some());
        branches.main = of_remote.or_else(|| usual().map(|name| (*name).to_owned())).or_else(|| branches.only_branch());
        Some(branches)
    }

    /// Returns the branch that is checked out; `None` if none is.
    pub fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// Whether a branch of the repository of `directory` is not its main one. Without a repository, the usual names tell.
    pub fn is_side_branch(directory: &Path, branch: &str) -> bool {
        Self::of(directory).map_or(!USUAL_NAMES.contains(&branch), |branches| !branches.is_main(branch))
    }

    /// Returns the fate of a branch.
    pub fn state(&self, branch: &str) -> BranchState {
        if self.current.as_deref() == Some(branch) {
            return BranchState::Current;
        }
        if let Some(known) = self.known.borrow().get(branch) {
            return *known;
        }
        let history =
            || self.history.get_or_init(|| self.history_of([self.head()].into_iter().chain(self.main_heads())));
        let state = self.state_in(branch, history);
        self.known.borrow_mut().insert(branch.to_owned(), state);
        state
    }

    /// Whether a branch is the main one, or part of it.
    pub fn is_in_main(&self, branch: &str) -> bool {
        let history = OnceCell::new();
        let state = self.state_in(branch, || history.get_or_init(|| self.history_of(self.main_heads().into_iter())));
        state == BranchState::Merged
    }

    fn is_main(&self, branch: &str) -> bool {
        self.main.as_deref().map_or(USUAL_NAMES.contains(&branch), |main| main == branch)
    }

    fn state_in<'h>(&self, branch: &str, history: impl FnOnce() -> &'h History) -> BranchState {
        if self.is_main(branch) {
            return BranchState::Merged;
        }
        let Some(tip) = self.tip(branch) else { return BranchState::Unknown };
        // A branch without a commit of its own is part of every other one, and was never merged.
        if tip.start == Some(tip.commit) {
            return tip.otherwise;
        }
        let Some(last) = self.objects.commit(tip.commit) else { return BranchState::Unknown };
        match history().holds(tip.commit, &last) {
            Some(true) => BranchState::Merged,
            Some(false) => tip.otherwise,
            None => BranchState::Unknown,
        }
    }

    /// Returns the end of a branch: of this clone, else of the remote, else where the person left it before it was removed.
    fn tip(&self, branch: &str) -> Option<Tip> {
        if let Some(commit) = self.hash_of("refs/heads/", branch) {
            return Some(Tip { commit, start: self.first_commit(branch), otherwise: BranchState::Elsewhere });
        }
        if let Some(commit) = self.hash_of("refs/remotes/origin/", branch) {
            return Some(Tip { commit, start: None, otherwise: BranchState::Elsewhere });
        }
        let (start, commit) = self.left_at(branch)?;
        Some(Tip { commit, start, otherwise: BranchState::Gone })
    }

    /// Reads the newest commits of these branches.
    fn history_of(&self, heads: impl Iterator<Item = Option<ObjectId>>) -> History {
        let mut history = History::default();
        let mut waiting: BinaryHeap<(i64, ObjectId)> = BinaryHeap::new();
        let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        let mut next: Vec<ObjectId> = heads.flatten().collect();
        let mut is_whole = true;
        loop {
            for id in next.drain(..).filter(|id| history.commits.insert(*id)) {
                let Some(commit) = self.objects.commit(id) else {
                    // A shallow clone, or objects that lie elsewhere.
                    is_whole = false;
                    continue;
                };
                let time = history.trees.entry(commit.tree).or_insert(commit.time);
                *time = commit.time.max(*time);
                waiting.push((commit.time, id));
                parents.insert(id, commit.parents);
            }
            let Some((time, id)) = waiting.pop() else {
                history.since = is_whole.then_some(i64::MIN);
                return history;
            };
            if history.commits.len() > MAX_COMMITS {
                history.since = is_whole.then_some(time);
                return history;
            }
            next = parents.remove(&id).unwrap_or_default();
        }
    }

    fn main_heads(&self) -> [Option<ObjectId>; 2] {
        ["refs/heads/", "refs/remotes/origin/"].map(|kind| self.hash_of(kind, self.main.as_deref()?))
    }

    /// Returns the branch of a repository that has only one.
    fn only_branch(&self) -> Option<String> {
        let packed = self.packed_refs().is_some_and(|text| text.contains(" refs/heads/"));
        let entries: Vec<_> =
            fs::read_dir(self.common.join("refs/heads")).ok()?.filter_map(Result::ok).take(2).collect();
        let [only] = &entries[..] else { return None };
        only.file_name().into_string().ok().filter(|_| !packed && only.path().is_file())
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

    fn packed_refs(&self) -> Option<&str> {
        let read = || {
            let mut text = Vec::new();
            let file = private::open_untrusted_path(&self.common.join("packed-refs")).ok()?;
            file.take(MAX_REFS).read_to_end(&mut text).ok()?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        self.packed_refs.get_or_init(read).as_deref()
    }

    /// Returns the commit at which a branch was made here, if its log still says so. A branch that was fetched has commits of its own.
    fn first_commit(&self, branch: &str) -> Option<ObjectId> {
        let log = start_of(&self.common.join("logs/refs/heads").join(branch))?;
        let entry = LogEntry::parse(log.lines().next()?)?;
        let is_fetched = entry.message.ends_with(&format!("/{branch}"));
        (entry.old.is_none() && !is_fetched).then_some(entry.new)
    }

    /// Returns the commit at which the person made a branch, if the log says so, and the one at which they last left it.
    fn left_at(&self, branch: &str) -> Option<(Option<ObjectId>, ObjectId)> {
        let (mut made, mut left): (Option<ObjectId>, Option<(i64, ObjectId)>) = (None, None);
        for log in self.head_logs() {
            for entry in log.lines().filter_map(LogEntry::parse) {
                let Some((from, to)) = entry.checkout() else { continue };
                if to == branch && entry.old == Some(entry.new) {
                    made = made.or(entry.old);
                }
                if from == branch && left.is_none_or(|(time, _)| entry.time >= time) {
                    left = entry.old.map(|old| (entry.time, old)).or(left);
                }
            }
        }
        left.map(|(_, left)| (made, left))
    }

    /// Returns the logs of `HEAD` in all worktrees that exist.
    fn head_logs(&self) -> Vec<String> {
        let worktrees = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().filter_map(Result::ok);
        let folders = worktrees.take(MAX_WORKTREES).map(|entry| entry.path()).chain([self.common.clone()]);
        folders.filter_map(|folder| end_of(&folder.join("logs/HEAD"))).collect()
    }
}

/// A line of the log of a ref: `OLD NEW NAME <ADDRESS> SECONDS ZONE\tMESSAGE`.
struct LogEntry<'a> {
    old: Option<ObjectId>,
    new: ObjectId,
    /// In seconds since 1970.
    time: i64,
    message: &'a str,
}

impl<'a> LogEntry<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (who, message) = line.split_once('\t')?;
        let time = who.rsplit(' ').nth(1).and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
        let mut ids = who.split(' ');
        Some(Self { old: ObjectId::parse(ids.next()?), new: ObjectId::parse(ids.next()?)?, time, message })
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
