//! The readings of a written name: which paths it can mean.

use std::borrow::Cow;

use super::compare::{composed, folded};

/// Extensions that mark a name as the name of a note's file.
const NOTE_EXTENSIONS: [&str; 2] = ["md", "markdown"];

/// One way to read a written name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Whether the path may also lie below other folders.
    is_end: bool,
    composed: String,
    folded: String,
}

/// How well a path fits a reading, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Whole,
    WithoutExtension,
    WholeInOtherCase,
    WithoutExtensionInOtherCase,
    /// A canvas, a PDF or another file, which is named with its extension; without it a note of that name is meant.
    WithoutOtherExtension,
}

impl Reading {
    fn of(path: &str, is_end: bool) -> Self {
        Self { is_end, composed: composed(path).into_owned(), folded: folded(path) }
    }

    /// Returns the path from the vault's root if the reading means exactly one, with or without extension.
    pub fn path(&self) -> Option<&str> {
        (!self.is_end).then_some(self.composed.as_str())
    }

    /// Whether a note at `path` can be meant, regardless of other notes.
    pub fn admits(&self, path: &str) -> bool {
        self.fit(path).is_some()
    }

    pub(super) fn fit(&self, path: &str) -> Option<Fit> {
        let holds = |path: &str, wanted: &str| match path.strip_suffix(wanted) {
            Some("") => true,
            Some(rest) => self.is_end && rest.ends_with('/'),
            None => false,
        };
        let (exact, lower) = (composed(path), folded(path));
        let (bare, bare_in_other_case) = match is_note(path) {
            true => (Fit::WithoutExtension, Fit::WithoutExtensionInOtherCase),
            false => (Fit::WithoutOtherExtension, Fit::WithoutOtherExtension),
        };
        [
            (exact.as_ref(), &self.composed, Fit::Whole),
            (without_extension(&exact), &self.composed, bare),
            (&lower, &self.folded, Fit::WholeInOtherCase),
            (without_extension(&lower), &self.folded, bare_in_other_case),
        ]
        .into_iter()
        .find_map(|(path, wanted, fit)| holds(path, wanted).then_some(fit))
    }

    /// Returns the last part of the name in the form of [`name_key`], with and without what may be its extension.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let name = file_name(&self.folded);
        let bare = without_extension(name);
        std::iter::once(name).chain((bare != name).then_some(bare))
    }
}

/// Returns the readings of a link in the note at `source`, likeliest first.
///
/// `target` is written as in the note: relative to the note's folder, from the vault's root, or as the end of a path, with or without
/// extension. `./`, `../` and `/` at its beginning name one place. A target that leaves the vault has no reading.
pub fn link_readings(source: &str, target: &str) -> Vec<Reading> {
    let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
    spellings(target).iter().flat_map(|target| readings_from(folder, target)).collect()
}

/// Returns the readings of a name that a person or a program gives without a note around it, likeliest first. Without a place to start
/// from, `./` and `../` at its beginning say nothing.
pub fn typed_readings(name: &str) -> Vec<Reading> {
    let reading = |name: &Cow<'_, str>| {
        let parts = name.split('/').skip_while(|part| matches!(*part, "" | "." | ".."));
        let path = joined("", &parts.collect::<Vec<_>>().join("/"))?;
        Some([Reading::of(&path, false), Reading::of(&path, true)])
    };
    written(name).iter().filter_map(reading).flatten().collect()
}

fn readings_from(folder: &str, target: &str) -> Vec<Reading> {
    let path = |path: String| Reading::of(&path, false);
    if let Some(rest) = target.strip_prefix('/') {
        return joined("", rest).map(path).into_iter().collect();
    }
    let beside = joined(folder, target).map(path);
    if target.starts_with("./") || target.starts_with("../") {
        return beside.into_iter().collect();
    }
    let from_root = joined("", target);
    let end = from_root.as_deref().map(|end| Reading::of(end, true));
    // Links to files are relative in markdown; names without extension are Obsidian's, which prefers the vault's root.
    let is_file = is_note(target);
    let from_root = from_root.map(path);
    let (first, second) = if is_file { (beside, from_root) } else { (from_root, beside) };
    first.into_iter().chain(second).chain(end).collect()
}

/// Whether a path has the extension of a note.
fn is_note(path: &str) -> bool {
    let is_known = |extension: &str| NOTE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    path.rsplit_once('.').is_some_and(|(_, extension)| is_known(extension))
}

/// Returns the forms in which `name` may be written: as it is, and decoded.
fn written(name: &str) -> Vec<Cow<'_, str>> {
    let name = name.trim();
    let decoded = percent_decoded(name);
    let is_encoded = decoded != name;
    std::iter::once(Cow::Borrowed(name)).chain(is_encoded.then_some(decoded)).collect()
}

/// Returns the forms in which the target of a link may be written, also without what looks like a heading or a block.
fn spellings(target: &str) -> Vec<Cow<'_, str>> {
    let mut spellings = written(target);
    for whole in spellings.clone() {
        if let Some(at) = whole.find(['#', '^']) {
            let note = whole[..at].trim_end().to_owned();
            spellings.push(Cow::Owned(note));
        }
    }
    spellings
}

/// Follows `target` from `folder`, both separated by `/`; `None` if it leaves the root or names nothing.
fn joined(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let is_named = target.split('/').any(|part| !matches!(part, "" | "." | ".."));
    (is_named && !parts.is_empty()).then(|| parts.join("/"))
}

/// Returns the key under which notes are looked up by name: the folded file name without extension.
pub(super) fn name_key(path: &str) -> String {
    folded(without_extension(file_name(path)))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn without_extension(path: &str) -> &str {
    let start = path.len() - file_name(path).len();
    match path[start..].rfind('.') {
        Some(at) if at > 0 => &path[..start + at],
        _ => path,
    }
}

/// Decodes `%20` and the like. Text that would not be UTF-8 stays unchanged.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = if bytes[at] == b'%' { digit(at + 1).zip(digit(at + 2)) } else { None };
        match pair.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(source: &str, target: &str) -> Vec<String> {
        let shown =
            |reading: Reading| if reading.is_end { format!("…/{}", reading.composed) } else { reading.composed };
        link_readings(source, target).into_iter().map(shown).collect()
    }

    #[test]
    fn a_relative_link_names_one_place() {
        assert_eq!(places("a/b/n.md", "./x.md"), ["a/b/x.md"]);
        assert_eq!(places("a/b/n.md", "../x"), ["a/x"]);
        assert_eq!(places("a/b/n.md", "../../x.md"), ["x.md"]);
        assert_eq!(places("a/b/n.md", "/c/x.md"), ["c/x.md"]);
        assert_eq!(places("a/b/n.md", ".//../c/./x"), ["a/c/x"]);
        assert_eq!(places("n.md", "a/../c/x.md")[0], "c/x.md");
    }

    #[test]
    fn a_link_that_leaves_the_vault_leads_nowhere() {
        for target in ["../x.md", "./../x", "/../x.md", "..", "../", "/", "a/../../x.md"] {
            assert_eq!(places("n.md", target), Vec::<String>::new(), "{target}");
        }
        assert!(places("a/n.md", "../../etc/passwd").is_empty());
        assert!(!link_readings("a/n.md", "..%2F..%2Fx.md").iter().any(|reading| reading.admits("x.md")));
    }

    #[test]
    fn files_are_relative_first_and_names_from_the_root() {
        assert_eq!(places("a/n.md", "c/x.md"), ["a/c/x.md", "c/x.md", "…/c/x.md"]);
        assert_eq!(places("a/n.md", "c/x"), ["c/x", "a/c/x", "…/c/x"]);
        assert_eq!(places("a/n.md", "x.MD")[0], "a/x.MD");
    }

    #[test]
    fn encoded_names_and_suffixes_are_read_as_written_first() {
        assert_eq!(places("n.md", "./a%20b#H"), ["a%20b#H", "a b#H", "a%20b", "a b"]);
        assert_eq!(places("n.md", "/100%"), ["100%"]);
    }

    #[test]
    fn a_typed_name_has_no_place_to_start_from() {
        for name in ["../c/x.md", "./c/x.md", "/c/x.md", "c/x.md", "../../c/./x.md"] {
            let readings = typed_readings(name);
            assert!(readings[0].path() == Some("c/x.md") && readings[1].admits("deep/c/x.md"), "{name}");
        }
        assert!(typed_readings("../..").is_empty() && typed_readings("a/../../x").is_empty());
    }

    proptest! {
        #[test]
        fn no_reading_leaves_the_vault(source in "[a./]{0,12}", target in "[a-c./%2eEfF#]{0,24}") {
            for reading in link_readings(&source, &target).into_iter().chain(typed_readings(&target)) {
                let parts: Vec<&str> = reading.composed.split('/').collect();
                prop_assert!(!reading.composed.is_empty());
                prop_assert!(parts.iter().all(|part| !part.is_empty() && *part != ".." && *part != "."), "{:?}", reading);
            }
        }
    }
}
