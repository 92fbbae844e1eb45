//! Writes whole files of the memory folder for a model, or appends to them.

use super::MemoryError;
use super::file::after_text;
use super::remember::{sanitize_note, says_something};
use tars_base::domain::TextHash;
use tars_text::markdown::{is_private, list_item};
use tars_text::redact::redact;
use tars_vault::{Lines, Splice, Writer};

/// Maximum number of archived files with the same name.
const MAX_TWINS: usize = 1_000;

/// Outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileWrite {
    /// The file holds the text.
    Written {
        /// Whether the write created the file.
        created: bool,
    },
    /// The file already held the text.
    Same,
    /// The file is private.
    Private,
    /// The text would make the file private, and so hide it from everybody.
    WouldHide,
    /// The file holds secrets or private spans that the model never saw; a new text would lose them.
    WouldLoseSecrets,
    /// The file has changed since it was read.
    Changed,
}

/// Returns a hash of a file's text. Line endings do not count.
pub fn text_hash(bytes: &[u8]) -> String {
    version_of(&Lines::of(bytes))
}

fn version_of(lines: &Lines<'_>) -> String {
    TextHash::of(&lines.all().join("\n")).short()
}

/// Sanitizes a model's text for writing: removes secrets and control characters, and escapes images and HTML tags that a reader would
/// load. Returns the text and the kinds of the removed parts.
///
/// # Errors
/// Nothing is left of the text.
pub fn sanitize_model_text(text: &str) -> Result<(String, Vec<&'static str>), MemoryError> {
    let (text, mut removed) = sanitize_note(text);
    if !removed.is_empty() && !says_something(&text) {
        return Err(MemoryError::FullyRedacted);
    }
    let inert = inert(&text);
    if inert.len() != text.len() {
        removed.push("markup");
    }
    Ok((inert, removed))
}

/// HTML tags that load or run something.
const TAGS: [&str; 14] = [
    "img", "iframe", "script", "style", "link", "object", "embed", "audio", "video", "source", "svg", "form", "input",
    "base",
];

/// Escapes images and tags with a backslash, so that a reader shows them instead of loading them. A macro such as `vec![1]` stays as it is.
fn inert(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let defines = text.contains("]:");
    for (at, character) in text.char_indices() {
        let rest = &text[at + character.len_utf8()..];
        match character {
            '!' if rest.starts_with('[') && !rest.starts_with("[[") => {
                let line = rest.lines().next().unwrap_or_default();
                let is_link = defines || line.contains("](") || line.contains("][") || !line.contains(']');
                let follows_word = said.ends_with(|before: char| before.is_alphanumeric() || before == '_');
                said.push_str(if is_link || !follows_word { "\\!\\" } else { "!" });
            }
            // A second backslash would make the tag active again.
            '<' if is_tag(rest) && !is_escaped(&said) => said.push_str("\\<"),
            _ => said.push(character),
        }
    }
    said
}

fn is_escaped(before: &str) -> bool {
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

fn is_tag(rest: &str) -> bool {
    let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// Replaces the content of a file by `text`. If `version` is given, the file must still have this [`text_hash`].
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn write_file(
    writer: &mut Writer<'_>,
    file: &str,
    text: &str,
    version: Option<&str>,
) -> Result<FileWrite, MemoryError> {
    let new: Vec<String> = text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect();
    edit_guarded(writer, file, |lines| {
        // First, because nobody who cannot see them all can name the version of the lines.
        if !redact(&lines.all().join("\n")).findings.is_empty() {
            return Err(FileWrite::WouldLoseSecrets);
        }
        match version.is_some_and(|version| version != version_of(lines)) {
            true => Err(FileWrite::Changed),
            false => Ok(replaced(lines, &new)),
        }
    })
}

/// Appends `text` to a file.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn append_to_file(writer: &mut Writer<'_>, file: &str, text: &str) -> Result<FileWrite, MemoryError> {
    let new: Vec<String> = text.trim().lines().map(|line| line.trim_end().to_owned()).collect();
    edit_guarded(writer, file, |lines| {
        let texts = lines.all();
        let at = after_text(&texts, 0, texts.len());
        let goes_on = |line: &str| list_item(line.trim()).is_some();
        let follows = at > 0 && !(goes_on(&texts[at - 1]) && new.first().is_some_and(|first| goes_on(first)));
        let insert = follows.then(String::new).into_iter().chain(new.iter().cloned()).collect();
        Ok(vec![Splice { at, remove: 0, insert }])
    })
}

fn edit_guarded(
    writer: &mut Writer<'_>,
    file: &str,
    change: impl Fn(&Lines<'_>) -> Result<Vec<Splice>, FileWrite>,
) -> Result<FileWrite, MemoryError> {
    let mut done = FileWrite::Same;
    let is_written = writer.edit(file, |lines| {
        let planned = match is_private(&lines.all().join("\n")) {
            true => Err(FileWrite::Private),
            false => change(lines).and_then(|splices| {
                let hides = is_private(&String::from_utf8_lossy(&lines.spliced(&splices)));
                if hides { Err(FileWrite::WouldHide) } else { Ok(splices) }
            }),
        };
        done = planned.as_ref().err().copied().unwrap_or(FileWrite::Written { created: lines.is_empty() });
        planned.unwrap_or_default()
    })?;
    let is_same = !is_written && matches!(done, FileWrite::Written { .. });
    Ok(if is_same { FileWrite::Same } else { done })
}

/// Returns the change that replaces the content of a file by `new`. It covers only the lines that differ, so that an undo can locate them.
pub(super) fn replaced(lines: &Lines<'_>, new: &[String]) -> Vec<Splice> {
    let old = lines.all();
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - start;
    let same = |count: &usize| old[old.len() - 1 - count] == new[new.len() - 1 - count];
    let end = (0..rest).take_while(same).count();
    let (remove, insert) = (old.len() - end - start, new[start..new.len() - end].to_vec());
    if remove == 0 && insert.is_empty() { Vec::new() } else { vec![Splice { at: start, remove, insert }] }
}

/// Renames a file to `to`, with a number appended if that name is taken. Returns the new name; `None` if the file is gone.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn rename_to_free_name(writer: &mut Writer<'_>, file: &str, to: &str) -> Result<Option<String>, MemoryError> {
    let stem = to.strip_suffix(".md").unwrap_or(to);
    let numbers = std::iter::once(String::new()).chain((2..=MAX_TWINS).map(|number| format!("-{number}")));
    for number in numbers {
        let free = format!("{stem}{number}.md");
        if writer.rename(file, &free)? {
            return Ok(Some(free));
        }
        if writer.folder().read(file)?.is_none() {
            return Ok(None);
        }
    }
    Err(MemoryError::Taken { file: to.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_active_tags_are_escaped() {
        for (text, inert_text) in [
            ("![a](https://x/y.png)", "\\!\\[a](https://x/y.png)"),
            ("seen ![a][b]\n[b]: https://x", "seen \\!\\[a][b]\n[b]: https://x"),
            ("word![a](https://x)", "word\\!\\[a](https://x)"),
            ("![two\nlines](https://x)", "\\!\\[two\nlines](https://x)"),
            ("<IMG src=x> and <b>bold</b>", "\\<IMG src=x> and <b>bold</b>"),
            ("\\\\<img src=x>", "\\\\\\<img src=x>"),
            ("`vec![1, 2]` and ![[Note]] stay", "`vec![1, 2]` and ![[Note]] stay"),
        ] {
            assert_eq!(inert(text), inert_text);
            assert_eq!(inert(inert_text), inert_text, "escaping is idempotent");
        }
        let (text, removed) = sanitize_model_text("a\u{1b}[2J ![x](http://y)").unwrap();
        assert_eq!((text.as_str(), removed), ("a[2J \\!\\[x](http://y)", vec!["control", "markup"]));
    }

    #[test]
    fn a_text_version_ignores_line_endings() {
        assert_eq!(text_hash(b"a\nb\n"), text_hash(b"a\r\nb\r\n"));
        assert_ne!(text_hash(b"a\nb\n"), text_hash(b"a\nc\n"));
        assert_ne!(text_hash(b""), text_hash(b"a\n"));
    }

    #[test]
    fn a_replacement_changes_only_the_lines_that_differ() {
        let lines = Lines::of(b"# A\r\n\r\n- one\r\n- two\r\n- three\r\n");
        let new: Vec<String> = ["# A", "", "- one", "- 2", "- three"].map(str::to_owned).to_vec();
        let splices = replaced(&lines, &new);
        assert_eq!(splices, [Splice { at: 3, remove: 1, insert: vec!["- 2".into()] }]);
        assert_eq!(lines.spliced(&splices), b"# A\r\n\r\n- one\r\n- 2\r\n- three\r\n");
        assert_eq!(replaced(&lines, &lines.all()), []);
    }
}
