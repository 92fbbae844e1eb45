//! The vaults of Obsidian on this machine: those that its own list names, and those that lie in the usual places.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::private;

/// The most that is read of a list, in bytes.
const LARGEST: u64 = 1 << 20;
/// Where the list lies below the home folder: of a package or an archive, of Flatpak, of Snap, and on macOS.
const BELOW_HOME: [&str; 4] = [
    ".config/obsidian/obsidian.json",
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
    "Library/Application Support/obsidian/obsidian.json",
];

/// Where people keep their vaults, below the home folder: each of these may be one, and so may the folders in it.
const USUAL: [&str; 11] = [
    "",
    "Documents",
    "Notes",
    "notes",
    "Obsidian",
    "obsidian",
    "Vaults",
    "Dropbox",
    "Nextcloud",
    "OneDrive",
    "Library/Mobile Documents/iCloud~md~obsidian/Documents",
];
/// What Obsidian makes in a vault.
const SETTINGS: &str = ".obsidian";
/// So many folders of a usual place are looked at.
const FOLDERS: usize = 500;

/// Returns the vaults that are there: those that Obsidian lists, the one that was opened last first, then others that lie in the
/// usual places, by their paths. A list or a folder that cannot be read has none.
pub fn known_vaults(home: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(i64, PathBuf)> = BELOW_HOME.iter().flat_map(|place| listed(&home.join(place))).collect();
    found.retain(|(_, path)| path.is_absolute() && path.is_dir());
    found.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| a.cmp(b)));
    let mut vaults: Vec<PathBuf> = Vec::new();
    for (_, path) in found {
        if !vaults.contains(&path) {
            vaults.push(path);
        }
    }
    let mut others: Vec<PathBuf> = USUAL.iter().flat_map(|place| in_place(&home.join(place))).collect();
    others.sort();
    others.dedup();
    // A vault that is found by way of a link is listed once.
    let real = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let listed: Vec<PathBuf> = vaults.iter().map(real).collect();
    let mut seen = listed;
    for path in others {
        let target = real(&path);
        if !seen.contains(&target) {
            seen.push(target);
            vaults.push(path);
        }
    }
    vaults
}

/// Returns a folder and the folders in it, as far as they are vaults.
fn in_place(place: &Path) -> Vec<PathBuf> {
    let inner = fs::read_dir(place).into_iter().flatten().take(FOLDERS).flatten().map(|entry| entry.path());
    let is_vault = |path: &PathBuf| path.join(SETTINGS).is_dir();
    std::iter::once(place.to_owned()).chain(inner).filter(is_vault).map(|path| path.components().collect()).collect()
}

/// Returns the vaults of one list with when each was opened, in milliseconds.
fn listed(list: &Path) -> Vec<(i64, PathBuf)> {
    let mut text = String::new();
    let read = private::open_named(list).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
    let list: Value = match read {
        Ok(_) => serde_json::from_str(&text).unwrap_or_default(),
        Err(_) => return Vec::new(),
    };
    let vaults = list["vaults"].as_object().into_iter().flat_map(|vaults| vaults.values());
    let one = |vault: &Value| Some((vault["ts"].as_i64().unwrap_or_default(), PathBuf::from(vault["path"].as_str()?)));
    vaults.filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn vaults_of_all_lists_stand_by_when_they_were_opened() {
        let home = tempfile::tempdir().unwrap();
        let (old, new) = (home.path().join("old"), home.path().join("new"));
        fs::create_dir_all(&old).unwrap();
        fs::create_dir_all(&new).unwrap();
        let write = |place: &str, text: String| {
            let path = home.path().join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(known_vaults(home.path()).is_empty());
        let vault = |path: &Path, opened: i64| format!(r#"{{"path":{:?},"ts":{opened}}}"#, path.to_str().unwrap());
        let gone = vault(&home.path().join("gone"), 9);
        write(BELOW_HOME[0], format!(r#"{{"vaults":{{"a":{},"b":{gone},"c":{{}}}}}}"#, vault(&old, 1)));
        write(BELOW_HOME[1], format!(r#"{{"vaults":{{"a":{},"b":{}}}}}"#, vault(&new, 5), vault(&old, 3)));
        write(BELOW_HOME[2], "{".into());
        assert_eq!(known_vaults(home.path()), [new, old]);
    }

    #[test]
    fn a_vault_that_no_list_names_is_found_where_people_keep_theirs() {
        let home = tempfile::tempdir().unwrap();
        let make = |path: &str| fs::create_dir_all(home.path().join(path)).unwrap();
        let _ = ["Documents/Work/.obsidian", "Notes/.obsidian", "Notes/Archive", "Documents/letters"].map(make);
        make("Pictures/deep/er/.obsidian");
        std::os::unix::fs::symlink(home.path().join("Notes"), home.path().join("same")).unwrap();
        let expected = ["Documents/Work", "Notes"].map(|path| home.path().join(path));
        assert_eq!(known_vaults(home.path()), expected);
    }
}
