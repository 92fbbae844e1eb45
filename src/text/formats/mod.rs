//! Notes in other formats than markdown, as the markdown that the rest of tars reads.
//!
//! A format is known by the extension of its path, Excalidraw's markdown also by its front matter. Only text comes out of a file: no
//! drawing, no geometry, no data. A file that breaks its format has no text, and markdown stays as it is. Nothing here opens a file.

mod canvas;
mod drawing;
#[cfg(test)]
mod fuzz;
mod org;
mod pages;
mod rendering;

use std::borrow::Cow;

use rendering::Rendering;

pub use pages::pages_as_markdown;

/// Increases whenever a format is rendered differently: notes that an earlier version rendered are cut again.
pub const VERSION: u32 = 1;

/// Extensions of files whose text another program extracts.
const PDF: &str = "pdf";

/// How a file becomes markdown.
enum Format {
    Markdown,
    Canvas,
    Drawing,
    DrawingInMarkdown,
    Org,
}

/// Whether the file at `path` is a PDF, which is read page by page.
pub fn is_pdf(path: &str) -> bool {
    extension(path).eq_ignore_ascii_case(PDF)
}

/// Whether the text of the file at `path` stands in JSON, so that its lines are others than those of the file ([`line_in_file`]).
pub fn is_json(path: &str) -> bool {
    matches!(format(path, ""), Format::Canvas | Format::Drawing)
}

/// Returns the text of the file at `path` as markdown. `text` is decoded, with or without a byte order mark.
pub fn as_markdown<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    match format(path, text) {
        Format::Markdown => Cow::Borrowed(text),
        Format::Canvas | Format::Drawing => Cow::Owned(rendered(path, text).unwrap_or_default().text),
        Format::DrawingInMarkdown => Cow::Owned(drawing::without_drawing(text)),
        Format::Org => Cow::Owned(org::as_markdown(text)),
    }
}

/// Returns the line of the file that holds the text of `line` of its markdown, both counted from 1. They are the same line in every
/// format whose files are text; in JSON a card of many lines is a string in one line.
pub fn line_in_file(path: &str, text: &str, line: usize) -> usize {
    match rendered(path, text) {
        Some(rendering) => rendering.lines.get(line.saturating_sub(1)).or(rendering.lines.last()).copied().unwrap_or(1),
        None => line,
    }
}

/// Returns the markdown of a file in JSON; `None` for other formats.
fn rendered<'t>(path: &str, text: &'t str) -> Option<Rendering<'t>> {
    match format(path, text) {
        Format::Canvas => Some(canvas::render(text).unwrap_or_default()),
        Format::Drawing => Some(drawing::render(text).unwrap_or_default()),
        Format::Markdown | Format::DrawingInMarkdown | Format::Org => None,
    }
}

fn format(path: &str, text: &str) -> Format {
    match extension(path).to_ascii_lowercase().as_str() {
        "canvas" => Format::Canvas,
        "excalidraw" => Format::Drawing,
        "org" => Format::Org,
        _ if drawing::is_in_markdown(path, text) => Format::DrawingInMarkdown,
        _ => Format::Markdown,
    }
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests;
