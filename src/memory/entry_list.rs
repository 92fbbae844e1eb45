//! The lists of files, commands and lines in the log of a session.

/// Returns entries as code.
pub(super) fn quoted(entries: &[String]) -> Vec<String> {
    entries.iter().map(|entry| format!("`{entry}`")).collect()
}

/// Returns entries as items of a list.
pub(super) fn bulleted(entries: &[String]) -> Vec<String> {
    entries.iter().map(|entry| format!("- {entry}")).collect()
}

/// Adds an entry that the list does not hold yet.
pub(super) fn push_unique(list: &mut Vec<String>, entry: String) {
    if !list.contains(&entry) {
        list.push(entry);
    }
}

/// Returns at most `most` entries: the first third and the last ones, with the number of omitted entries between them.
pub(super) fn bounded(entries: &[String], most: usize) -> Vec<String> {
    let Some(left_out) = entries.len().checked_sub(most).filter(|count| *count > 0) else { return entries.to_vec() };
    let first = most / 3;
    let mut shown = entries[..first].to_vec();
    shown.push(format!("… {left_out} more"));
    shown.extend_from_slice(&entries[first + left_out..]);
    shown
}
