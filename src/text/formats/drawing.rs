//! Drawings of Excalidraw: the texts in them, and nothing of their shapes.
//!
//! The plugin for Obsidian keeps a drawing in a note of markdown, whose front matter names it: texts come under a heading of their own, and
//! the drawing follows as a block of JSON, plain or compressed. Lines keep their numbers, and those of the drawing become empty. A file
//! `.excalidraw` is JSON alone.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::rendering::{Rendering, shaped, string};
use crate::markdown::CodeFence;

/// Elements beyond this are left out.
const MAX_ELEMENTS: usize = 20_000;
/// Headings and marks that the plugin writes; they say nothing.
const OWN_LINES: [&str; 4] = ["%%", "# Excalidraw Data", "# Text Elements", "# Drawing"];
/// The property that makes a note a drawing.
const PROPERTY: &str = "excalidraw-plugin:";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Scene<'s> {
    #[serde(borrow)]
    elements: Vec<&'s RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Element<'s> {
    /// The text as it is drawn, in broken lines.
    #[serde(borrow)]
    text: Option<&'s RawValue>,
    /// The text as it was typed.
    #[serde(borrow)]
    original_text: Option<&'s RawValue>,
    /// The name of a frame.
    #[serde(borrow)]
    name: Option<&'s RawValue>,
    is_deleted: bool,
    x: f64,
    y: f64,
}

/// Returns the texts of a drawing in JSON, each a paragraph, from top to bottom and left to right; `None` if it is no drawing.
pub(super) fn render(source: &str) -> Option<Rendering<'_>> {
    let scene: Scene<'_> = serde_json::from_str(source.strip_prefix('\u{feff}').unwrap_or(source)).ok()?;
    let mut elements: Vec<(Element<'_>, &RawValue)> = shaped(&scene.elements, MAX_ELEMENTS);
    elements.retain(|(element, _)| !element.is_deleted);
    elements.sort_by(|(one, _), (other, _)| one.y.total_cmp(&other.y).then(one.x.total_cmp(&other.x)));
    let mut out = Rendering::of(source);
    for (element, _) in elements {
        let values = [element.original_text, element.text, element.name].into_iter().flatten();
        if let Some((value, text)) =
            values.map(|value| (value, string(Some(value)))).find(|(_, text)| !text.trim().is_empty())
        {
            let at = out.line_of(value);
            out.push(text.trim(), at);
            out.push("", at);
        }
    }
    Some(out)
}

/// Whether a note of markdown holds a drawing.
pub(super) fn is_in_markdown(path: &str, text: &str) -> bool {
    let stem = path.rsplit_once('.').map_or("", |(stem, _)| stem);
    let is_named = stem.len() >= 11 && stem.as_bytes()[stem.len() - 11..].eq_ignore_ascii_case(b".excalidraw");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(str::trim_end);
    let mut front_matter =
        || lines.next() == Some("---") && lines.by_ref().take_while(|line| *line != "---").any(is_property);
    is_named || front_matter()
}

fn is_property(line: &str) -> bool {
    line.starts_with(PROPERTY)
}

/// Returns a note without its drawing and the marks of the plugin. Its lines stay where they are.
pub(super) fn without_drawing(text: &str) -> String {
    let (mut fence, mut is_data) = (CodeFence::default(), false);
    let mut kept = String::with_capacity(text.len().min(64 << 10));
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let was_open = fence.open().is_some();
        let is_code = fence.holds(content);
        if is_code && !was_open {
            let language = content.trim_start().trim_start_matches(['`', '~']).trim();
            is_data = matches!(language, "json" | "compressed-json");
        }
        let heading = content.strip_prefix('#').filter(|rest| rest.starts_with('#')).unwrap_or(content);
        let is_own = OWN_LINES.contains(&heading) || content.starts_with("==⚠") && content.contains("EXCALIDRAW VIEW");
        match is_code && is_data || is_own {
            true => kept.push_str(if line.ends_with('\n') { "\n" } else { "" }),
            false => kept.push_str(line),
        }
    }
    kept
}
