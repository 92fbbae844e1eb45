//! What project a directory belongs to, as a name that is fit for a file.
//!
//! A repository has the name of its folder, from wherever in it one asks; a worktree has that of the repository that it was
//! made from, since what is remembered about the one is true of the other. Without a repository a folder stands for itself.
//! Reads `.git` and nothing else.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::client::claude_code::{FOLDER, WORKTREES};
use crate::private;

/// Name of what has none.
const NAMELESS: &str = "unnamed";
/// Longest name, in characters.
const LONGEST: usize = 64;

/// Returns the name of the project that `directory` belongs to. The directory need not exist any more. A name is made of
/// letters, digits, `-`, `_` and `.`, begins with none of the marks, and is never empty.
pub fn project_of(directory: &Path) -> String {
    let root = directory.ancestors().find_map(repository).unwrap_or_else(|| without_agent_worktree(directory));
    file_name(root.file_name().unwrap_or_default())
}

/// Returns the folder that `folder` is the name of a project by, if a repository begins there.
fn repository(folder: &Path) -> Option<PathBuf> {
    let mark = folder.join(".git");
    let kind = mark.metadata().ok()?.file_type();
    if kind.is_dir() {
        return Some(folder.to_owned());
    }
    let mut text = Vec::new();
    if !kind.is_file() {
        return None;
    }
    private::open_named(&mark).ok()?.take(4 << 10).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let named = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?.trim();
    Some(main_repository(&plain(&folder.join(named))).unwrap_or_else(|| folder.to_owned()))
}

/// Returns the main repository of a worktree whose data lie in `git_dir`: `MAIN/.git/worktrees/NAME`, or
/// `MAIN.git/worktrees/NAME` where the main one is bare. The data of submodules lie elsewhere.
fn main_repository(git_dir: &Path) -> Option<PathBuf> {
    let worktrees = git_dir.parent().filter(|parent| parent.file_name() == Some(OsStr::new("worktrees")))?;
    let main = worktrees.parent()?;
    let name = main.file_name()?.to_string_lossy();
    match name.strip_suffix(".git") {
        Some(bare) if !bare.is_empty() => Some(main.with_file_name(bare)),
        // Also `.bare`, a common name for it.
        _ if name.starts_with('.') => main.parent().map(Path::to_owned),
        _ => Some(main.to_owned()),
    }
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

/// Returns a name that is one plain part of a path on every system.
fn file_name(name: &OsStr) -> String {
    // Marks that combine with a letter belong to it: some systems spell names that way.
    let is_letter = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
    let mut out = String::new();
    for character in name.to_string_lossy().chars() {
        match character {
            c if is_letter(c) || "_-.".contains(c) => out.push(c),
            _ if !out.ends_with('-') => out.push('-'),
            _ => {}
        }
    }
    let out: String = out.trim_start_matches(|c: char| !c.is_alphanumeric()).chars().take(LONGEST).collect();
    let out = out.trim_end_matches(['-', '.']);
    if out.is_empty() { NAMELESS.into() } else { out.into() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_worktree_belongs_to_its_repository() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in
            ["pump/.git", "pump/src/deep", "tree/src", "bare.git", "bare-tree", "sub", "hidden/tree", "plain/x"]
        {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("tree/.git"), format!("gitdir: {}\n", at("pump/.git/worktrees/tree").display())).unwrap();
        fs::write(at("bare-tree/.git"), "gitdir: ../bare.git/worktrees/bare-tree\r\n").unwrap();
        fs::write(at("hidden/tree/.git"), "gitdir: ../.bare/worktrees/tree\n").unwrap();
        fs::write(at("sub/.git"), "gitdir: ../pump/.git/modules/sub\n").unwrap();
        let project = |name: &str| project_of(&at(name));
        assert_eq!(project("pump/src/deep"), "pump");
        assert_eq!(project("pump/gone/folder"), "pump");
        assert_eq!(project("tree/src"), "pump");
        assert_eq!(project("bare-tree"), "bare");
        assert_eq!(project("hidden/tree"), "hidden");
        assert_eq!(project("sub"), "sub");
        assert_eq!(project("plain/x"), "x");
        assert_eq!(project("gone/.claude/worktrees/fix-1/src"), "gone");
    }

    #[test]
    fn names_are_fit_for_files() {
        let name = |text: &str| file_name(OsStr::new(text));
        assert_eq!(name("tars"), "tars");
        assert_eq!(name("größe 2.0"), "größe-2.0");
        assert_eq!(name("日本語"), "日本語");
        assert_eq!(name("../../x"), "x");
        assert_eq!(name("--> $(rm) \"\n"), "rm");
        assert_eq!(name(".config"), "config");
        for nothing in ["", "..", "/", "-->", "\u{202e}"] {
            assert_eq!(name(nothing), "unnamed", "{nothing}");
        }
        assert_eq!(name(&"a".repeat(300)).len(), 64);
        assert_eq!(project_of(Path::new("/")), "unnamed");
    }

    proptest::proptest! {
        #[test]
        fn any_name_is_one_plain_part(text in "\\PC{0,80}") {
            let name = file_name(OsStr::new(&text));
            proptest::prop_assert!(!name.is_empty() && !name.starts_with('.'));
            proptest::prop_assert!(!name.contains(['/', '\\', ' ', '>', '"', '\n', ':']));
            proptest::prop_assert_eq!(file_name(OsStr::new(&name)), name);
        }
    }
}
