//! Validates file names that a model supplies, and classifies the files of the memory folder by who may write them.

use super::file::{MEMORY, PROCEDURAL, is_daily};
use super::layer::LayerFile;
use super::soul::is_soul;
use tars_base::domain::sanitize_line;

/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 300;
/// Maximum number of path components.
const MAX_DEPTH: usize = 8;

/// How a file of the memory folder may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileClass {
    /// Memory.md and Procedural.md. Every session starts with them, so a write needs a person's approval.
    Core,
    /// Topics and timelines. A model may write them.
    Layer,
    /// The log of a day. It is written line by line.
    Day,
    /// The assistant's identity and observations. They have their own requests.
    Soul,
    /// Every other file. It is read-only.
    ReadOnly,
}

/// Name of a markdown file within the memory folder. It cannot lead out of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    file: String,
    class: FileClass,
}

impl NamedFile {
    /// Parses a file name: `Memory.md`, `context/work`, `sessions/2026-03-14-pump.md`. The extension is optional. Returns `None` for a
    /// name that is hidden, leads upwards, or is not a file name within the folder.
    pub fn parse(named: &str) -> Option<Self> {
        let named = named.trim();
        let file = if named.ends_with(".md") { named.to_owned() } else { format!("{named}.md") };
        let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && name.trim() == name;
        let is_file = file.len() <= MAX_NAME_BYTES
            && file.split('/').count() <= MAX_DEPTH
            && file.split('/').all(is_name)
            && !file.contains('\\')
            && sanitize_line(&file) == file;
        is_file.then(|| Self { class: class(&file), file })
    }

    /// Returns the name within the memory folder.
    pub fn as_str(&self) -> &str {
        &self.file
    }

    /// Returns how the file may be written.
    pub fn class(&self) -> FileClass {
        self.class
    }
}

fn class(file: &str) -> FileClass {
    match file {
        MEMORY | PROCEDURAL => FileClass::Core,
        _ if is_soul(file) => FileClass::Soul,
        _ if is_daily(file) => FileClass::Day,
        _ if LayerFile::parse(file).is_some_and(|layer| layer.as_str() == file) => FileClass::Layer,
        _ => FileClass::ReadOnly,
    }
}

/// Whether a write to `path` within the memory folder needs a person's approval. Only topics and timelines need none. An invalid name is
/// guarded too.
pub fn is_guarded(path: &str) -> bool {
    NamedFile::parse(path).is_none_or(|file| file.class() != FileClass::Layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_class() {
        for (named, file, class) in [
            ("Memory.md", "Memory.md", FileClass::Core),
            (" Procedural ", "Procedural.md", FileClass::Core),
            ("context/work", "context/work.md", FileClass::Layer),
            ("timelines/goals.md", "timelines/goals.md", FileClass::Layer),
            ("2026-03-14", "2026-03-14.md", FileClass::Day),
            ("soul/soul.md", "soul/soul.md", FileClass::Soul),
            ("soul/other.md", "soul/other.md", FileClass::Soul),
            ("memory.md", "memory.md", FileClass::ReadOnly),
            ("context/Work.md", "context/Work.md", FileClass::ReadOnly),
            ("archive/context/work.md", "archive/context/work.md", FileClass::ReadOnly),
            ("projects/acme/shop.md", "projects/acme/shop.md", FileClass::ReadOnly),
            ("proposals.md", "proposals.md", FileClass::ReadOnly),
        ] {
            let found = NamedFile::parse(named).unwrap();
            assert_eq!((found.as_str(), found.class()), (file, class), "{named}");
            assert_eq!(is_guarded(named), class != FileClass::Layer, "{named}");
        }
        let wrong =
            ["", "/", "..", "../a.md", "a/../b.md", "/etc/passwd", ".tars-folder", "a/.b.md", "a\\b", "a\nb", "a//b"];
        for named in wrong {
            assert_eq!(NamedFile::parse(named), None, "{named:?}");
            assert!(is_guarded(named), "{named:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn names_stay_in_the_folder_and_only_layer_files_are_writable(
            named in "(context|timelines|soul|archive|projects|Memory|\\.\\.|\\.|/|\\\\|\u{202e}|[a-zA-Z0-9é .\n\0-]|\\.md){0,12}"
        ) {
            let Some(file) = NamedFile::parse(&named) else { return Ok(()) };
            let name = file.as_str();
            let is_plain = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
            proptest::prop_assert!(std::path::Path::new(name).components().all(is_plain), "{name:?}");
            proptest::prop_assert!(!name.split('/').any(|part| part.is_empty() || part.starts_with('.')), "{name:?}");
            let folder = name.split_once('/').map(|(folder, _)| folder);
            match file.class() {
                FileClass::Core => proptest::prop_assert!([MEMORY, PROCEDURAL].contains(&name)),
                FileClass::Layer => proptest::prop_assert!(matches!(folder, Some("context" | "timelines")), "{name:?}"),
                FileClass::Soul => proptest::prop_assert_eq!(folder, Some("soul")),
                FileClass::Day | FileClass::ReadOnly => {}
            }
        }
    }
}
