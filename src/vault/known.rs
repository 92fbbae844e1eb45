//! The vaults that Obsidian knows on this machine, as its own list names them.

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

/// Returns the folders that Obsidian lists as vaults and that are there, the one that was opened last first. A list that cannot be
/// read has none.
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
    vaults
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
}
