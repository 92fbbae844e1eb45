//! Tells headings from text.

/// Returns whether a line is a heading: one to six `#` and a blank, or only `#`.
pub fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && (text.is_empty() || text.starts_with([' ', '\t']))
}
