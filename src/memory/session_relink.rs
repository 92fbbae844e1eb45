//! Rewrites the links in a session's log when the logs of days move.

use super::MemoryError;
use super::generated_note::{digest, is_unedited};
use super::wiki_link::relinked;
use tars_vault::{Splice, Writer};

/// Rewrites the link targets in a session's log with `moved`, unless a person has edited the log. Returns whether anything was written.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn relink_session_log(
    writer: &mut Writer<'_>,
    file: &str,
    moved: &dyn Fn(&str) -> Option<String>,
) -> Result<bool, MemoryError> {
    let written = writer.edit(file, |lines| {
        let texts = lines.all();
        let whole = texts.join("\n") + "\n";
        let relinked: Vec<String> = texts.iter().map(|line| relinked(line, moved)).collect();
        let place = texts.iter().position(|line| line.starts_with("digest:"));
        let Some(place) = place.filter(|_| relinked != texts && is_unedited(&whole)) else { return Vec::new() };
        let without: Vec<&str> =
            relinked.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, line)| line.as_str()).collect();
        let hash_line = format!("digest: \"{}\"", digest(&(without.join("\n") + "\n")));
        let changed =
            relinked.into_iter().enumerate().map(|(at, line)| if at == place { hash_line.clone() } else { line });
        let splice = |(at, line): (usize, String)| Splice { at, remove: 1, insert: vec![line] };
        changed.enumerate().filter(|(at, line)| texts[*at] != *line).map(splice).collect()
    })?;
    Ok(written)
}
