//! Which events are worth a look.

use std::path::Path;

use notify::EventKind;
use notify::event::{CreateKind, ModifyKind, RemoveKind};

/// What an event asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relevance {
    /// Nothing.
    None,
    /// To compare this place.
    Place,
    /// To compare everything.
    Everything,
}

/// Files whose content decides which notes there are.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".tarsignore"];
/// Settings of Obsidian that do so too.
const OBSIDIAN_FILES: [&str; 3] =
    [".obsidian/app.json", ".obsidian/templates.json", ".obsidian/plugins/templater-obsidian/data.json"];
/// How the name of a placeholder ends that iCloud leaves in the place of a file.
const PLACEHOLDER: &str = ".icloud";

/// Judges an event of `kind` about `path` below `root`. Reading a file raises access events: were they relevant, indexing
/// would set itself off.
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
        // Certainly a file, and no note.
        EventKind::Create(CreateKind::File)
        | EventKind::Modify(ModifyKind::Data(_))
        | EventKind::Remove(RemoveKind::File) => Relevance::None,
        // A folder, or something that can no longer be told from one.
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
    fn notes_and_folders_matter_and_reading_does_not() {
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
    fn hidden_places_do_not_matter_and_ignore_files_do() {
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
