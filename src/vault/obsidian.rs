//! What Obsidian leaves out of its own search, read from the settings that it keeps in `.obsidian`.
//!
//! | file | key | what it holds |
//! |---|---|---|
//! | `app.json` | `userIgnoreFilters` | the list "Excluded files": starts of paths, or patterns between slashes |
//! | `templates.json` | `folder` | the template folder of the core plugin |
//! | `plugins/templater-obsidian/data.json` | `templates_folder` | that of the plugin Templater |
//!
//! As in Obsidian, blanks around an entry and case do not count, a pattern may match anywhere in the path, and the paths are
//! relative to the vault. Patterns are regular expressions of JavaScript there: what the `regex` crate has no counterpart for
//! (looking ahead or behind) is refused. The files are opened like ignore files (see [`super::ignored`]), since a folder that
//! was copied from elsewhere can hold anything under these names.

use std::io::{self, ErrorKind};
use std::path::Path;

use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;

use super::ignored::{Content, text};
use crate::disk::Folder;

const FOLDER: &str = ".obsidian";
const EXCLUDED: &str = "userIgnoreFilters";
/// The files, the folders that they lie in, and their keys.
const FILES: [(&[&str], &str, &str); 3] = [
    (&[], "app.json", EXCLUDED),
    (&[], "templates.json", "folder"),
    (&["plugins", "templater-obsidian"], "data.json", "templates_folder"),
];
/// Entries of the list that count.
const MOST: usize = 500;
/// Characters of an entry.
const LONGEST: usize = 1000;
/// Bytes that all patterns may take once they are compiled, so that no path takes long to match.
const COMPILED: usize = 1 << 20;

/// What Obsidian leaves out of a vault.
#[derive(Debug)]
pub(super) struct Obsidian {
    /// Starts of paths, lower-case.
    starts: Vec<String>,
    patterns: RegexSet,
}

impl Default for Obsidian {
    fn default() -> Self {
        Self { starts: Vec::new(), patterns: RegexSet::empty() }
    }
}

impl Obsidian {
    /// Reads the settings of the vault at `root`. What does not count is added to `remarks`, a line each.
    pub(super) fn read(root: &Path, remarks: &mut Vec<String>) -> Self {
        let mut reading = Reading { starts: Vec::new(), patterns: Vec::new(), remarks };
        match folder(root) {
            Ok(None) => {}
            Ok(Some(settings)) => {
                for (folders, name, key) in FILES {
                    reading.file(&settings, folders, name, key);
                }
            }
            Err(error) => reading.remark(&root.join(FOLDER), &error),
        }
        reading.compiled(&root.join(FOLDER).join("app.json"))
    }

    /// Whether nothing is left out.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.patterns.is_empty()
    }

    /// Whether the file or folder at `path`, relative to the vault, is left out. A folder is if everything in it is.
    pub(super) fn leaves_out(&self, path: &str, is_folder: bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut lower = path.to_lowercase();
        if is_folder {
            lower.push('/');
        }
        self.starts.iter().any(|start| lower.starts_with(start)) || (!is_folder && self.patterns.is_match(path))
    }
}

struct Reading<'a> {
    starts: Vec<String>,
    patterns: Vec<String>,
    remarks: &'a mut Vec<String>,
}

impl Reading<'_> {
    fn remark(&mut self, file: &Path, why: &dyn std::fmt::Display) {
        self.remarks.push(format!("{}: it does not count: {why}", file.display()));
    }

    fn file(&mut self, settings: &Folder, folders: &[&str], name: &str, key: &str) {
        let path = folders.iter().fold(settings.path().to_owned(), |path, folder| path.join(folder)).join(name);
        let content = match settings.descend(folders.iter().copied()).and_then(|folder| text(&folder, name)) {
            Ok(Content::None) => return,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Ok(Content::Text(content)) => content,
            Ok(Content::Unusable(why)) => return self.remark(&path, &why),
            Err(error) => return self.remark(&path, &error),
        };
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        match serde_json::from_str::<Value>(content) {
            Ok(Value::Object(values)) => match values.get(key) {
                None | Some(Value::Null) => {}
                Some(Value::Array(entries)) if key == EXCLUDED => self.entries(&path, entries),
                Some(Value::String(folder)) if key != EXCLUDED => self.templates(folder),
                Some(_) => self.remark(&path, &format!("'{key}' is not what Obsidian writes there")),
            },
            Ok(_) => self.remark(&path, &"it holds no settings"),
            Err(error) => self.remark(&path, &error),
        }
    }

    fn entries(&mut self, path: &Path, entries: &[Value]) {
        if entries.len() > MOST {
            self.remark(path, &format!("'{EXCLUDED}' has more than {MOST} entries; those after them"));
        }
        for entry in entries.iter().take(MOST).filter_map(Value::as_str).map(str::trim) {
            if entry.chars().count() > LONGEST {
                self.remark(path, &format!("an entry of '{EXCLUDED}' has more than {LONGEST} characters"));
                continue;
            }
            match entry.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inside| !inside.is_empty()) {
                Some(pattern) => match compiled(&[pattern]) {
                    Ok(_) => self.patterns.push(pattern.to_owned()),
                    Err(error) => {
                        // The message draws the pattern over several lines; its last one says what is wrong.
                        let why = error.to_string();
                        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                        self.remark(path, &format!("{entry:?}: {why}"));
                    }
                },
                None if entry.is_empty() => {}
                None => self.starts.push(entry.to_lowercase()),
            }
        }
    }

    /// Where no folder is chosen, an empty one or the vault itself may stand there.
    fn templates(&mut self, folder: &str) {
        let folder = folder.trim_matches('/');
        if !folder.is_empty() {
            self.starts.push(folder.to_lowercase() + "/");
        }
    }

    fn compiled(mut self, path: &Path) -> Obsidian {
        let patterns = compiled(&self.patterns).unwrap_or_else(|_| {
            self.remark(path, &format!("the patterns of '{EXCLUDED}' are too large together"));
            RegexSet::empty()
        });
        Obsidian { starts: self.starts, patterns }
    }
}

fn compiled(patterns: &[impl AsRef<str>]) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(COMPILED).build()
}

/// Opens the folder of Obsidian's settings; `None` where there is none.
pub(super) fn folder(root: &Path) -> io::Result<Option<Folder>> {
    let root = Folder::open(root)?;
    match root.stat(FOLDER)? {
        None => Ok(None),
        Some(stat) if stat.is_link => Err(io::Error::other("it is a link")),
        Some(stat) if stat.is_file => Ok(None),
        Some(_) => root.folder(FOLDER).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fuzz::fuzz;

    fn of(app: &[u8]) -> (Obsidian, Vec<String>) {
        let vault = tempfile::tempdir().unwrap();
        fs::create_dir(vault.path().join(FOLDER)).unwrap();
        fs::write(vault.path().join(FOLDER).join("app.json"), app).unwrap();
        let mut remarks = Vec::new();
        let obsidian = Obsidian::read(vault.path(), &mut remarks);
        (obsidian, remarks)
    }

    fn excluded(entries: &[&str]) -> (Obsidian, Vec<String>) {
        of(serde_json::json!({ EXCLUDED: entries }).to_string().as_bytes())
    }

    #[test]
    fn entries_mean_what_they_mean_in_obsidian() {
        let (obsidian, remarks) = excluded(&["Old", "/^Logs\\/\\d{4}/", "/ÄNDERUNG/", "//", "/"]);
        assert_eq!(remarks, [""; 0]);
        for out in ["old.md", "Older/a.md", "logs/2026.md", "a/Logs/änderung.md"] {
            assert!(obsidian.leaves_out(out, false), "{out}");
        }
        for stays in ["a/Old.md", "a/Logs/2026.md", "Logs/x.md"] {
            assert!(!obsidian.leaves_out(stays, false), "{stays}");
        }
        assert!(obsidian.leaves_out("older", true));
        assert!(!obsidian.leaves_out("Logs/2026", true), "a pattern is tried on files");
    }

    #[test]
    fn ordinary_patterns_fit_the_limit_together() {
        let pattern = r"/^\w+ \d{4}-\d{2}-\d{2}.*\s[äöü]+\.md$/";
        assert_eq!(excluded(&[pattern; 3]).1, [""; 0]);
    }

    /// Whatever the settings say, reading them ends, and nothing but a sound list leaves anything out.
    #[test]
    fn fuzz_obsidian() {
        fuzz("obsidian", |bytes| {
            let (obsidian, remarks) = of(bytes);
            let sound = serde_json::from_slice::<Value>(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
            let is_sound = String::from_utf8(bytes.to_vec()).is_err() || sound.is_ok();
            let leaves_out = obsidian.leaves_out("Archive/note.md", false);
            assert!(is_sound || (!leaves_out && !remarks.is_empty()));
            assert!(remarks.len() <= MOST + 3);
        });
    }
}
