//! Reads a configuration file as a flat list of dotted keys with line numbers.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use toml::Value;
use toml_edit::{Document, Item, Key, TableLike};

use super::ConfigError;
use super::collections::{COLLECTIONS, PATH};
use tars_base::private;

/// Maximum size of a configuration file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 64 * 1024;

/// One key of a file.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// `section.key`. Only the tables of collections are expanded further: `collections.NAME` is the folder, and
    /// `collections.NAME.SETTING` the rest.
    pub(super) key: String,
    /// Its value; `None` for a table or a date, which no key accepts.
    pub(super) value: Option<Value>,
    /// Line, from 1.
    pub(super) line: usize,
}

/// A TOML syntax error.
#[derive(Debug)]
pub(super) struct NotToml {
    /// Line, from 1.
    pub(super) line: usize,
    /// Message of the parser.
    pub(super) message: String,
}

impl NotToml {
    /// Returns the error for the file at `path`.
    pub(super) fn at(self, path: &Path) -> ConfigError {
        ConfigError::Syntax { path: path.to_path_buf(), line: self.line, message: self.message }
    }
}

/// Returns text as a TOML string, so that messages show empty and odd values.
pub(super) fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// Returns the text of a file; `None` if it does not exist. Files larger than [`MAX_FILE_BYTES`] are refused.
pub(super) fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_path_buf(), source };
    if path == Path::new("/dev/null") {
        // `/dev/null` is the usual way to request no file.
        return Ok(None);
    }
    // Opening a pipe would block every command.
    let file = match private::open_untrusted_path(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_path_buf(), limit: MAX_FILE_BYTES });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        ConfigError::Syntax { path: path.to_path_buf(), line, message: "not UTF-8".into() }
    })
}

/// Returns the keys of a text in order.
pub(super) fn entries(text: &str) -> Result<Vec<Entry>, NotToml> {
    let document = parse(text)?;
    let lines = LineStarts::of(text);
    let mut entries = Vec::new();
    let root: &dyn TableLike = document.as_table();
    for (section, item) in root.iter() {
        let Some(table) = item.as_table_like() else {
            entries.push(entry(&lines, section.to_owned(), root.key(section), item));
            continue;
        };
        for (name, item) in table.iter() {
            let own = entry(&lines, format!("{section}.{name}"), table.key(name), item);
            match item.as_table_like().filter(|_| section == COLLECTIONS) {
                Some(settings) => entries.extend(of_collection(&lines, own, settings)),
                None => entries.push(own),
            }
        }
    }
    Ok(entries)
}

/// Returns the entries of a collection's table. Without a folder, the first one has no value.
fn of_collection(lines: &LineStarts, own: Entry, settings: &dyn TableLike) -> Vec<Entry> {
    let key = own.key.clone();
    let at = |key: String, name: &str, item: &Item| entry(lines, key, settings.key(name), item);
    let folder = settings.get(PATH).map_or(own, |item| at(key.clone(), PATH, item));
    let others = settings.iter().filter(|(name, _)| *name != PATH);
    let others = others.map(|(name, item)| at(format!("{key}.{name}"), name, item));
    std::iter::once(folder).chain(others).collect()
}

/// Parses a text and keeps the spans of its items.
pub(super) fn parse(text: &str) -> Result<Document<&str>, NotToml> {
    Document::parse(text).map_err(|error| NotToml {
        line: LineStarts::of(text).line_of(error.span()),
        // Some messages of the parser have several lines. An error is a single line.
        message: error.message().lines().collect::<Vec<_>>().join("; "),
    })
}

fn entry(lines: &LineStarts, key: String, written: Option<&Key>, item: &Item) -> Entry {
    let span = written.and_then(Key::span).or_else(|| item.span());
    Entry { key, value: item.as_value().and_then(plain), line: lines.line_of(span) }
}

/// Returns a value without its span and formatting; `None` for types that no key accepts.
pub(super) fn plain(value: &toml_edit::Value) -> Option<Value> {
    Some(match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::Integer(*number.value()),
        toml_edit::Value::Float(number) => Value::Float(*number.value()),
        toml_edit::Value::Boolean(switch) => Value::Boolean(*switch.value()),
        toml_edit::Value::Array(items) => Value::Array(items.iter().map(plain).collect::<Option<_>>()?),
        toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => return None,
    })
}

/// Byte offsets of the lines of a text. The lookup must be fast, because every start parses the defaults.
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(super) fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Returns the number, from 1, of the line in which a span begins; 1 if there is no span.
    pub(super) fn line_of(&self, span: Option<Range<usize>>) -> usize {
        let start = span.map_or(0, |span| span.start);
        self.0.partition_point(|line| *line <= start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_of_a_key_yields_one_entry_with_its_line() {
        let text = "search.limit = 5\ntop = 1\n\n[vault]\n# note\npath = \"/v\"\n[index]\nexclude = [\n \"a\",\n]\n";
        let found: Vec<_> = entries(text).unwrap().into_iter().map(|entry| (entry.key, entry.line)).collect();
        let expected = [("search.limit", 1), ("top", 2), ("vault.path", 6), ("index.exclude", 8)];
        assert_eq!(found, expected.map(|(key, line)| (key.to_owned(), line)));
    }

    #[test]
    fn inline_tables_are_sections_too() {
        let found = entries("search = { limit = 5, mode = 'keyword' }").unwrap();
        assert_eq!(found[0].value, Some(Value::Integer(5)));
        assert_eq!(found[1].key, "search.mode");
    }

    #[test]
    fn a_collection_is_a_folder_or_a_table() {
        let text = "[collections]\na = \"/a\"\nb = { path = '/b', weight = 2 }\n[collections.c]\nprivate = true\n\
                    path = \"/c\"\n[collections.d]\n";
        let found: Vec<_> = entries(text).unwrap().into_iter().map(|one| (one.key, one.value, one.line)).collect();
        let folder = |path: &str| Some(Value::String(path.into()));
        let expected = [
            ("collections.a", folder("/a"), 2),
            ("collections.b", folder("/b"), 3),
            ("collections.b.weight", Some(Value::Integer(2)), 3),
            ("collections.c", folder("/c"), 6),
            ("collections.c.private", Some(Value::Boolean(true)), 5),
            ("collections.d", None, 7),
        ];
        assert_eq!(found, expected.map(|(key, value, line)| (key.to_owned(), value, line)));
    }

    #[test]
    fn nested_tables_and_dates_have_no_value() {
        let found = entries("[search.limit]\nx = 1\n[vault]\npath = 2026-11-21\n[[index]]\n").unwrap();
        assert_eq!(found.iter().filter(|entry| entry.value.is_none()).count(), 3);
    }

    #[test]
    fn syntax_errors_have_a_line_number() {
        let error = entries("[vault]\npath = \n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(!error.message.contains('\n'));
    }

    #[test]
    fn a_pipe_instead_of_the_settings_file_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(matches!(read(&path), Err(ConfigError::Read { .. })));
        assert_eq!(read(Path::new("/dev/null")).unwrap(), None);
    }

    #[test]
    fn large_and_binary_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        assert_eq!(read(&path).unwrap(), None);
        std::fs::write(&path, "#".repeat(MAX_FILE_BYTES as usize)).unwrap();
        assert!(read(&path).unwrap().is_some());
        std::fs::write(&path, "#".repeat(MAX_FILE_BYTES as usize + 1)).unwrap();
        assert!(matches!(read(&path), Err(ConfigError::TooLarge { .. })));
        std::fs::write(&path, b"# a\n\xff").unwrap();
        assert!(matches!(read(&path), Err(ConfigError::Syntax { line: 2, .. })));
        assert!(matches!(read(folder.path()), Err(ConfigError::Read { .. })));
    }
}
