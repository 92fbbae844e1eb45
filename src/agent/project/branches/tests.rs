use std::process::Command;

use super::*;

/// A repository, and the clock of its commits.
struct Repo {
    home: tempfile::TempDir,
    minutes: u32,
}

impl Repo {
    fn new() -> Self {
        let mut repo = Self { home: tempfile::tempdir().unwrap(), minutes: 0 };
        repo.git("init -q -b main .");
        repo.commit("first");
        repo
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("pump")
    }

    fn git(&mut self, arguments: &str) {
        std::fs::create_dir_all(self.path()).unwrap();
        self.minutes += 1;
        let time = format!("2026-03-01T{:02}:{:02}:00Z", 8 + self.minutes / 60, self.minutes % 60);
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments.split(' '));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_AUTHOR_DATE", &time).env("GIT_COMMITTER_DATE", &time);
        let output = command.current_dir(self.path()).output().expect("git runs");
        assert!(output.status.success(), "git {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Commits a file of this name, long enough for deltas.
    fn commit(&mut self, name: &str) {
        std::fs::write(self.path().join(name), name.repeat(200)).unwrap();
        self.git("add -A");
        self.git(&format!("commit -q -m {name}"));
    }

    fn state_hash(&self, branch: &str) -> String {
        std::fs::read_to_string(self.path().join(".git/refs/heads").join(branch)).unwrap().trim().to_owned()
    }

    fn state(&self, branch: &str) -> BranchState {
        Branches::of(&self.path()).unwrap().state(branch)
    }
}

#[test]
fn a_branch_holds_where_it_is_checked_out_and_once_it_is_merged() {
    let mut repo = Repo::new();
    repo.git("checkout -q -b fix/minutes");
    assert_eq!(repo.state("fix/minutes"), BranchState::Current);
    repo.git("checkout -q main");
    assert_eq!(repo.state("fix/minutes"), BranchState::Elsewhere, "without a commit of its own it was not merged");
    repo.git("checkout -q fix/minutes");
    repo.commit("minutes");
    repo.git("checkout -q main");
    repo.commit("else");
    assert_eq!(repo.state("fix/minutes"), BranchState::Elsewhere);
    repo.git("merge -q --no-edit fix/minutes");
    assert_eq!(repo.state("fix/minutes"), BranchState::Merged);
    repo.git("branch -q -d fix/minutes");
    repo.commit("later");
    assert_eq!(repo.state("fix/minutes"), BranchState::Merged);
    assert_eq!(repo.state("never/there"), BranchState::Unknown);
}

#[test]
fn a_fetched_branch_is_merged_without_commits_of_ones_own() {
    let mut repo = Repo::new();
    repo.git("checkout -q -b theirs");
    repo.commit("theirs");
    repo.git("checkout -q main");
    let hash = repo.state_hash("theirs");
    repo.git(&format!("update-ref refs/remotes/origin/theirs {hash}"));
    repo.git("branch -q -D theirs");
    assert_eq!(repo.state("theirs"), BranchState::Elsewhere, "the remote has it");
    repo.git("branch -q theirs refs/remotes/origin/theirs");
    assert_eq!(repo.state("theirs"), BranchState::Elsewhere);
    repo.git("merge -q --no-edit refs/remotes/origin/theirs");
    assert_eq!(repo.state("theirs"), BranchState::Merged);
}

#[test]
fn stacked_branches_are_in_main_only_when_main_holds_them() {
    let mut repo = Repo::new();
    for branch in ["below", "above"] {
        repo.git(&format!("checkout -q -b {branch}"));
        repo.commit(branch);
    }
    let branches = Branches::of(&repo.path()).unwrap();
    assert_eq!(branches.state("below"), BranchState::Merged);
    assert!(!branches.is_in_main("below") && branches.is_in_main("main"));
    repo.git("checkout -q main");
    repo.git("merge -q --no-edit below");
    assert!(Branches::of(&repo.path()).unwrap().is_in_main("below"));
}

#[test]
fn packed_commits_and_refs_are_read() {
    let mut repo = Repo::new();
    repo.git("checkout -q -b wide");
    for name in 0..40 {
        repo.commit(&format!("wide{name}"));
    }
    repo.git("checkout -q main");
    repo.git("merge -q --ff-only wide");
    repo.git("checkout -q -b left");
    repo.commit("left");
    repo.git("checkout -q main");
    repo.git("gc -q");
    assert!(!repo.path().join(".git/refs/heads/wide").exists());
    assert_eq!(repo.state("wide"), BranchState::Merged);
    assert_eq!(repo.state("left"), BranchState::Elsewhere);
}

#[test]
fn a_removed_branch_is_gone_unless_it_was_merged_or_squashed() {
    let mut repo = Repo::new();
    for branch in ["dropped", "squashed"] {
        repo.git(&format!("checkout -q -b {branch}"));
        repo.commit(branch);
        repo.commit(&format!("{branch}-2"));
        repo.git("checkout -q main");
    }
    repo.git("merge -q --squash squashed");
    repo.git("commit -q -m all");
    repo.git("branch -q -D dropped squashed");
    repo.commit("later");
    assert_eq!(repo.state("dropped"), BranchState::Gone);
    assert_eq!(repo.state("squashed"), BranchState::Merged);
}

#[test]
fn worktrees_share_branches() {
    let mut repo = Repo::new();
    repo.git("worktree add -q -b beside ../beside");
    let beside = repo.home.path().join("beside");
    let seen = |directory: &Path, branch: &str| Branches::of(directory).unwrap().state(branch);
    assert_eq!(seen(&beside, "beside"), BranchState::Current);
    assert_eq!(seen(&repo.path(), "beside"), BranchState::Elsewhere);
    assert!(Branches::is_side_branch(&beside, "beside") && !Branches::is_side_branch(&beside, "main"));
}

#[test]
fn the_only_branch_and_the_remote_s_head_are_main() {
    let mut repo = Repo::new();
    repo.git("branch -q -m only");
    assert!(!Branches::is_side_branch(&repo.path(), "only"));
    repo.git("branch -q main");
    assert!(Branches::is_side_branch(&repo.path(), "only"));
    let head = repo.path().join(".git/refs/remotes/origin/HEAD");
    std::fs::create_dir_all(head.parent().unwrap()).unwrap();
    std::fs::write(head, "ref: refs/remotes/origin/only\n").unwrap();
    assert!(!Branches::is_side_branch(&repo.path(), "only") && Branches::is_side_branch(&repo.path(), "main"));
    assert!(
        Branches::is_side_branch(Path::new("/nowhere"), "fix")
            && !Branches::is_side_branch(Path::new("/nowhere"), "main")
    );
}

#[test]
fn hostile_repositories_say_nothing() {
    let mut repo = Repo::new();
    repo.git("checkout -q -b side");
    repo.commit("side");
    repo.git("checkout -q main");
    for name in ["../../HEAD", "", "/", "a//b", ".hidden", "x\0y"] {
        assert_eq!(repo.state(name), BranchState::Unknown, "{name:?}");
    }
    repo.git("gc -q");
    let packs = repo.path().join(".git/objects/pack");
    for entry in std::fs::read_dir(packs).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        let half = bytes.len() / 2;
        bytes[half..].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(7).wrapping_add(3));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(matches!(repo.state("side"), BranchState::Unknown | BranchState::Elsewhere));
}
