//! Reads from `.obsidian` the paths that Obsidian excludes from its own search.
//!
//! | file | key | content |
//! |---|---|---|
//! | `app.json` | `userIgnoreFilters` | the list "Excluded files": path prefixes, or patterns between slashes |
//! | `templates.json` | `folder` | the template folder of the core plugin |
//! | `plugins/templater-obsidian/data.json` | `templates_folder` | the template folder of the plugin Templater |
//!
//! As in Obsidian, surrounding blanks and case are ignored, a pattern may match anywhere in the path, and paths are relative to the
//! vault. Obsidian's patterns are JavaScript regular expressions. Patterns with features that the `regex` crate lacks (lookahead,
//! lookbehind) are refused. The files are opened like ignore files (see [`super::ignore_files`]): a folder copied from elsewhere can
//! hold anything under these names.

use std::io::{self, ErrorKind};
use std::path::Path;

use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;

use super::ignore_files::{Content, read_settings_file};
use tars_base::disk::Folder;
use tars_text::names::{composed, folded};

const FOLDER: &str = ".obsidian";
const EXCLUDED: &str = "userIgnoreFilters";
/// Each settings file: the folders above it, its name, and its key.
const FILES: [(&[&str], &str, &str); 3] = [
    (&[], "app.json", EXCLUDED),
    (&[], "templates.json", "folder"),
    (&["plugins", "templater-obsidian"], "data.json", "templates_folder"),
];
/// Longest exclusion list that is read, in entries.
const MAX_ENTRIES: usize = 500;
/// Longest entry that is read, in characters.
const MAX_CHARS: usize = 1000;
/// Size limit of all compiled patterns, in bytes, so that matching stays fast.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The paths that Obsidian excludes from a vault.
#[derive(Debug)]
pub(super) struct Obsidian {
    /// Path prefixes, lower-case.
    starts: Vec<String>,
    patterns: RegexSet,
}

impl Default for Obsidian {
    fn default() -> Self {
        Self { starts: Vec::new(), patterns: RegexSet::empty() }
    }
}

impl Obsidian {
    /// Reads the settings of the vault at `root`. Each ignored setting adds a line to `remarks`.
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

    /// Whether nothing is excluded.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.patterns.is_empty()
    }

    /// Whether the file or folder at `path` (relative to the vault) is excluded. A folder is excluded if everything in it is.
    pub(super) fn excludes(&self, path: &str, is_folder: bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut lower = folded(path);
        if is_folder {
            lower.push('/');
        }
        self.starts.iter().any(|start| lower.starts_with(start))
            || (!is_folder && self.patterns.is_match(&composed(path)))
    }
}

struct Reading<'a> {
    starts: Vec<String>,
    patterns: Vec<String>,
    remarks: &'a mut Vec<String>,
}

impl Reading<'_> {
    fn remark(&mut self, file: &Path, why: &dyn std::fmt::Display) {
        self.remarks.push(format!("{}: ignored: {why}", file.display()));
    }

    fn file(&mut self, settings: &Folder, folders: &[&str], name: &str, key: &str) {
        let path = folders.iter().fold(settings.path().to_owned(), |path, folder| path.join(folder)).join(name);
        let content =
            match settings.descend(folders.iter().copied()).and_then(|folder| read_settings_file(&folder, name)) {
                Ok(Content::None) => return,
                Err(error) if error.kind() == ErrorKind::NotFound => return,
                Ok(Content::Text(content)) => content,
                Ok(Content::Unusable(why)) => return self.remark(&path, &why),
                Err(error) => return self.remark(&path, &error),
            };
        match serde_json::from_str::<Value>(&content) {
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
        if entries.len() > MAX_ENTRIES {
            self.remark(path, &format!("entries after the first {MAX_ENTRIES} of '{EXCLUDED}'"));
        }
        for entry in entries.iter().take(MAX_ENTRIES).filter_map(Value::as_str).map(str::trim) {
            if entry.chars().count() > MAX_CHARS {
                self.remark(path, &format!("an entry of '{EXCLUDED}' has more than {MAX_CHARS} characters"));
                continue;
            }
            match entry.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inside| !inside.is_empty()) {
                Some(pattern) => match compiled(&[pattern]) {
                    Ok(_) => self.patterns.push(composed(pattern).into_owned()),
                    Err(error) => {
                        // The message spans several lines; the last one states the problem.
                        let why = error.to_string();
                        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                        self.remark(path, &format!("{entry:?}: {why}"));
                    }
                },
                None if entry.is_empty() => {}
                None => self.starts.push(folded(entry)),
            }
        }
    }

    /// An unset folder may be empty or the vault itself (`/`).
    fn templates(&mut self, folder: &str) {
        let folder = folder.trim_matches('/');
        if !folder.is_empty() {
            self.starts.push(folded(folder) + "/");
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
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(MAX_COMPILED_BYTES).build()
}

/// Opens Obsidian's settings folder; `None` if there is none.
pub(super) fn folder(root: &Path) -> io::Result<Option<Folder>> {
    let root = Folder::open(root)?;
    match root.stat(FOLDER)? {
        None => Ok(None),
        Some(stat) if stat.is_link => Err(io::Error::other("it is a link")),
        Some(stat) if stat.is_file => Ok(None),
        Some(_) => root.open_folder(FOLDER).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use tars_testing::fuzz::fuzz;

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
    fn entries_mean_the_same_as_in_obsidian() {
        let (obsidian, remarks) = excluded(&["Old", "/^Logs\\/\\d{4}/", "/ÄNDERUNG/", "//", "/"]);
        assert_eq!(remarks, [""; 0]);
        for out in ["old.md", "Older/a.md", "logs/2026.md", "a/Logs/änderung.md"] {
            assert!(obsidian.excludes(out, false), "{out}");
        }
        for stays in ["a/Old.md", "a/Logs/2026.md", "Logs/x.md"] {
            assert!(!obsidian.excludes(stays, false), "{stays}");
        }
        assert!(obsidian.excludes("older", true));
        assert!(!obsidian.excludes("Logs/2026", true), "patterns match files only");
    }

    #[test]
    fn ordinary_patterns_fit_the_limit_together() {
        let pattern = r"/^\w+ \d{4}-\d{2}-\d{2}.*\s[äöü]+\.md$/";
        assert_eq!(excluded(&[pattern; 3]).1, [""; 0]);
    }

    /// Reading always ends, whatever the settings hold, and only a valid list excludes anything.
    #[test]
    fn fuzz_obsidian() {
        fuzz("obsidian", |bytes| {
            let (obsidian, remarks) = of(bytes);
            let sound = serde_json::from_slice::<Value>(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
            let is_sound = String::from_utf8(bytes.to_vec()).is_err() || sound.is_ok();
            let leaves_out = obsidian.excludes("Archive/note.md", false);
            assert!(is_sound || (!leaves_out && !remarks.is_empty()));
            assert!(remarks.len() <= MAX_ENTRIES + 3);
        });
    }
}
