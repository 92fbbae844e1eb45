//! Notes that tars writes as a whole and may write again, until a person edits them.
//!
//! The field `digest` of the front matter holds a hash of everything else in the file, as tars left it.

use super::MemoryError;
use super::log_front_matter::front_matter_field;
use tars_base::domain::{ContentHash, hex};
use tars_vault::MemoryFolder;

/// Returns a text that begins with front matter with its digest as the last field of it.
pub(super) fn with_digest(text: &str) -> String {
    let hash_line = format!("digest: \"{}\"\n---\n", digest(text));
    // The first line is the opening mark, so the first `---` after a newline closes the front matter.
    text.replacen("\n---\n", &format!("\n{hash_line}"), 1)
}

/// Whether nobody has edited a note with a digest.
pub(super) fn is_unedited(text: &str) -> bool {
    let Some(line) = text.lines().find(|line| line.starts_with("digest:")) else { return false };
    front_matter_field(text, "digest").is_some_and(|said| said == digest(&text.replacen(&format!("{line}\n"), "", 1)))
}

/// Returns the digest of a text that holds none.
pub(super) fn digest(text: &str) -> String {
    hex(&ContentHash::of_parts([text.as_bytes()]).as_bytes()[..8])
}

/// Returns a name that is neither in use nor promised to another note, because two notes may want the same one.
pub(super) fn unused_name(
    folder: &MemoryFolder,
    named: &str,
    is_promised: &dyn Fn(&str) -> bool,
) -> Result<String, MemoryError> {
    let stem = named.trim_end_matches(".md");
    let mut file = named.to_owned();
    let mut number = 2;
    // A hidden file has its name all the same.
    while is_promised(&file) || folder.read(&file)?.is_some() || folder.hides(&file)? {
        file = format!("{stem}-{number}.md");
        number += 1;
    }
    Ok(file)
}
