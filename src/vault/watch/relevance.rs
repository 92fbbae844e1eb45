//! Decides which events are relevant.

use std::path::Path;

use notify::EventKind;
use notify::event::{CreateKind, ModifyKind, RemoveKind};

/// The work that an event requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relevance {
    /// Nothing.
    None,
    /// Compare this path.
    Place,
    /// Compare everything.
    Everything,
}

/// Files whose content decides which files are notes.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".tarsignore"];
/// Obsidian settings that do the same.
const OBSIDIAN_FILES: [&str; 3] =
    [".obsidian/app.json", ".obsidian/templates.json", ".obsidian/plugins/templater-obsidian/data.json"];
/// Suffix of the placeholders that iCloud leaves for evicted files.
const PLACEHOLDER: &str = ".icloud";

/// Judges an event of `kind` about `path` below `root`. Access events are irrelevant: reading a file raises them, so indexing would
/// trigger itself.
pub(super) fn judge(kind: EventKind, path: &Path, root: &Path, extensions: &[String]) -> Relevance {
    if matches!(kind, EventKind::Access(_) | EventKind::Other) {
        return Relevance::None;
    }
    let Ok(relative) = path.strip_prefix(root) else {
        // The root itself, or a folder above it, was moved or removed.
        return if root.starts_with(path) { Relevance::Everything } else { Relevance::None };
    };
    if relative.as_os_str().is_empty() {
        return Relevance::Everything;
    }
    let mut names: Vec<String> =
        relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let last = names.pop().unwrap_or_default();
    if OBSIDIAN_FILES.iter().any(|file| relative == Path::new(file)) {
        return Relevance::Everything;
    }
    if names.iter().any(|name| name.starts_with('.')) {
        return Relevance::None;
    }
    if IGNORE_FILES.contains(&last.as_str()) || (last.starts_with('.') && last.ends_with(PLACEHOLDER)) {
        return Relevance::Everything;
    }
    if last.starts_with('.') {
        return Relevance::None;
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let is_note = extension.is_some_and(|extension| extensions.contains(&extension));
    match kind {
        _ if is_note => Relevance::Place,
        // Certainly a file that is no note.
        EventKind::Create(CreateKind::File)
        | EventKind::Modify(ModifyKind::Data(_))
        | EventKind::Remove(RemoveKind::File) => Relevance::None,
        // A folder, or a path whose type is no longer known.
        _ => Relevance::Place,
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, DataChange, MetadataKind, RenameMode};

    use super::*;

    fn of(kind: EventKind, path: &str) -> Relevance {
        judge(kind, Path::new(path), Path::new("/vault"), &["md".into()])
    }

    #[test]
    fn notes_and_folders_are_relevant_but_reads_are_not() {
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(of(written, "/vault/a.md"), Relevance::Place);
        assert_eq!(of(written, "/vault/picture.png"), Relevance::None);
        assert_eq!(of(EventKind::Access(AccessKind::Any), "/vault/a.md"), Relevance::None);
        assert_eq!(of(EventKind::Create(CreateKind::Folder), "/vault/new.folder"), Relevance::Place);
        assert_eq!(of(EventKind::Modify(ModifyKind::Name(RenameMode::From)), "/vault/folder"), Relevance::Place);
        assert_eq!(
            of(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Permissions)), "/vault/a.md"),
            Relevance::Place
        );
    }

    #[test]
    fn hidden_files_are_irrelevant_except_ignore_files_and_settings() {
        let written = EventKind::Modify(ModifyKind::Any);
        assert_eq!(of(written, "/vault/.git/HEAD"), Relevance::None);
        assert_eq!(of(written, "/vault/.obsidian/plugins/a.md"), Relevance::None);
        assert_eq!(of(written, "/vault/.a.md.swp"), Relevance::None);
        assert_eq!(of(written, "/vault/deep/.tarsignore"), Relevance::Everything);
        assert_eq!(of(written, "/vault/.obsidian/workspace.json"), Relevance::None);
        assert_eq!(of(written, "/vault/.obsidian/app.json"), Relevance::Everything);
        assert_eq!(of(written, "/vault/deep/.note.md.icloud"), Relevance::Everything);
        assert_eq!(of(written, "/vault"), Relevance::Everything);
        assert_eq!(of(EventKind::Remove(RemoveKind::Any), "/"), Relevance::Everything);
    }
}
