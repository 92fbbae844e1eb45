//! Finds the Obsidian vaults on this machine: those in Obsidian's own list, and those in the usual places.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use tars_base::private;

/// Largest list that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Locations of the list below the home folder: native package or archive, Flatpak, Snap, macOS.
const LIST_PATHS: [&str; 4] = [
    ".config/obsidian/obsidian.json",
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
    "Library/Application Support/obsidian/obsidian.json",
];

/// Common locations of vaults below the home folder. Each may be a vault or contain vaults.
const USUAL_PLACES: [&str; 11] = [
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
/// The folder that Obsidian creates in a vault.
const SETTINGS: &str = ".obsidian";
/// Folders that are examined per usual place.
const MAX_FOLDERS: usize = 500;

/// Returns the existing vaults: first those that Obsidian lists, the most recently opened first, then others in the usual places,
/// sorted by path. Lists and folders that cannot be read count as empty.
pub fn known_vaults(home: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(i64, PathBuf)> = LIST_PATHS.iter().flat_map(|place| listed(&home.join(place))).collect();
    found.retain(|(_, path)| path.is_absolute() && path.is_dir());
    found.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| a.cmp(b)));
    let mut vaults: Vec<PathBuf> = Vec::new();
    for (_, path) in found {
        if !vaults.contains(&path) {
            vaults.push(path);
        }
    }
    let mut others: Vec<PathBuf> = USUAL_PLACES.iter().flat_map(|place| vaults_in(&home.join(place))).collect();
    others.sort();
    others.dedup();
    // A vault reached through a link is listed once.
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

/// Returns those that are vaults among a folder and its direct subfolders.
fn vaults_in(place: &Path) -> Vec<PathBuf> {
    let inner = fs::read_dir(place).into_iter().flatten().take(MAX_FOLDERS).flatten().map(|entry| entry.path());
    let is_vault = |path: &PathBuf| path.join(SETTINGS).is_dir();
    std::iter::once(place.to_owned()).chain(inner).filter(is_vault).map(|path| path.components().collect()).collect()
}

/// Returns the vaults of one list, each with the time it was opened, in milliseconds.
fn listed(list: &Path) -> Vec<(i64, PathBuf)> {
    let mut text = String::new();
    let read = private::open_untrusted_path(list).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
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
    fn vaults_of_all_lists_are_sorted_by_last_opened() {
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
        write(LIST_PATHS[0], format!(r#"{{"vaults":{{"a":{},"b":{gone},"c":{{}}}}}}"#, vault(&old, 1)));
        write(LIST_PATHS[1], format!(r#"{{"vaults":{{"a":{},"b":{}}}}}"#, vault(&new, 5), vault(&old, 3)));
        write(LIST_PATHS[2], "{".into());
        assert_eq!(known_vaults(home.path()), [new, old]);
    }

    #[test]
    fn an_unlisted_vault_is_found_in_the_usual_places() {
        let home = tempfile::tempdir().unwrap();
        let make = |path: &str| fs::create_dir_all(home.path().join(path)).unwrap();
        let _ = ["Documents/Work/.obsidian", "Notes/.obsidian", "Notes/Archive", "Documents/letters"].map(make);
        make("Pictures/deep/er/.obsidian");
        std::os::unix::fs::symlink(home.path().join("Notes"), home.path().join("same")).unwrap();
        let expected = ["Documents/Work", "Notes"].map(|path| home.path().join(path));
        assert_eq!(known_vaults(home.path()), expected);
    }
}
