//! Fuzzes the formats with hostile files.

use super::{as_markdown, line_in_file, pages_as_markdown};
use crate::markdown::parse;
use tars_testing::fuzz::{fuzz, text};

/// Longest file whose lines are all looked up.
const MAX_LINES: usize = 200;

/// Every file becomes markdown, whose lines lie in the file, and whose length is in proportion to it. Formats that are text keep their
/// lines.
#[test]
fn fuzz_formats() {
    fuzz("formats", |bytes| {
        let source = text(bytes);
        let lines = source.split('\n').count();
        for path in ["a.canvas", "a.excalidraw", "a.excalidraw.md", "a.org"] {
            let shown = as_markdown(path, &source);
            assert!(shown.len() <= 16 * source.len() + 64, "{path} grows from {} to {}", source.len(), shown.len());
            let document = parse(path, &shown);
            let is_text = !super::is_json(path);
            if is_text && !document.private {
                assert_eq!(shown.split('\n').count(), lines, "{path}");
            }
            for line in 0..MAX_LINES.min(shown.lines().count() + 2) {
                assert!(is_text || (1..=lines).contains(&line_in_file(path, &source, line)), "{path}:{line}");
            }
        }
        let pages = pages_as_markdown(source.split('\u{c}'));
        assert!(parse("a.pdf", &pages).headings.iter().all(|heading| heading.text.starts_with("Page ")), "{pages}");
    });
}
