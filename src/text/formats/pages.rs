//! Texts that come page by page, as those of a PDF do.

use super::rendering::one_line;

/// Returns pages as markdown, each a section `Page N`. Nothing on a page is taken for a heading, code or a list of its own. Pages without
/// text are left out; without any the result is empty.
pub fn pages_as_markdown<'p>(pages: impl IntoIterator<Item = &'p str>) -> String {
    let mut out = String::new();
    for (at, page) in pages.into_iter().enumerate() {
        let lines: Vec<String> = page.lines().map(plain).collect();
        let text = lines.join("\n");
        let text = text.trim_matches('\n');
        if text.is_empty() {
            continue;
        }
        out.push_str(&format!("## Page {}\n\n", at + 1));
        let mut was_empty = false;
        for line in text.split('\n') {
            // The layout of a page leaves many empty lines.
            if !(line.is_empty() && was_empty) {
                out.push_str(line);
                out.push('\n');
            }
            was_empty = line.is_empty();
        }
        out.push('\n');
    }
    out
}

/// Returns a line without control characters and repeated spaces, and without a mark of markdown at its beginning.
fn plain(line: &str) -> String {
    let shown: String = line.chars().map(|c| if c.is_control() || c == '\u{fffd}' { ' ' } else { c }).collect();
    let line = one_line(&shown);
    let is_rule = !line.is_empty() && line.chars().all(|c| "=-_*~` ".contains(c));
    match line.chars().next() {
        _ if is_rule => String::new(),
        Some('#' | '>' | '`' | '~' | '<' | '|' | '%' | '$' | '\\') => format!("\\{line}"),
        _ => line,
    }
}
