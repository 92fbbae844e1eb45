//! Canvases of Obsidian, in the format JSON Canvas 1.0: cards on a plane, in groups, connected by edges.
//!
//! A group becomes a heading, and a text card within it a section named after its first line. Cards that show a file or an address become
//! links, and an edge with a label a line below the card where it begins. Cards come in reading order: those outside groups first, from
//! top to bottom and left to right.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::rendering::{Rendering, one_line, shaped, string};
use crate::markdown::CodeFence;

/// Cards and edges beyond this are left out; each card is compared with each group.
const MAX_NODES: usize = 20_000;
const MAX_GROUPS: usize = 500;
/// Longest name of a card, in characters.
const MAX_NAME: usize = 80;
/// Headings within a card begin below that of the card.
const CARD_LEVEL: usize = 3;
const MAX_LEVEL: usize = 6;

/// Marks of comments, formulas and folded text, each with the mark that ends it.
const MARKS: [(&str, &str); 5] =
    [("%%", "%%"), ("$$", "$$"), ("\\[", "\\]"), ("<!--", "-->"), ("<details", "</details>")];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Canvas<'s> {
    #[serde(borrow)]
    nodes: Vec<&'s RawValue>,
    #[serde(borrow)]
    edges: Vec<&'s RawValue>,
    metadata: Metadata,
}

/// Plugins keep properties of a canvas here, as a note has them in its front matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    frontmatter: serde_json::Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Node<'s> {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    text: Option<&'s RawValue>,
    file: String,
    subpath: String,
    url: String,
    label: String,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Edge {
    from_node: String,
    to_node: String,
    label: String,
}

/// Returns the markdown of a canvas; `None` if it is no canvas.
pub(super) fn render(source: &str) -> Option<Rendering<'_>> {
    let canvas: Canvas<'_> = serde_json::from_str(source.strip_prefix('\u{feff}').unwrap_or(source)).ok()?;
    let mut nodes: Vec<(Node<'_>, &RawValue)> = shaped(&canvas.nodes, MAX_NODES);
    nodes.sort_by(|(one, _), (other, _)| one.y.total_cmp(&other.y).then(one.x.total_cmp(&other.x)));
    let names: HashMap<&str, String> = nodes.iter().map(|(node, _)| (node.id.as_str(), node.name())).collect();
    let mut edges: HashMap<String, Vec<String>> = HashMap::new();
    for (edge, _) in shaped::<Edge>(&canvas.edges, MAX_NODES) {
        let label = one_line(&edge.label);
        if let Some(name) = names.get(edge.to_node.as_str()).filter(|_| !label.is_empty()) {
            edges.entry(edge.from_node).or_default().push(format!("{label} → {}", beginning(name)));
        }
    }
    let is_group = |node: &Node<'_>| node.kind == "group" && !node.label.trim().is_empty();
    let groups: Vec<usize> = (0..nodes.len()).filter(|at| is_group(&nodes[*at].0)).take(MAX_GROUPS).collect();
    let mut members: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, (node, _)) in nodes.iter().enumerate().filter(|(_, (node, _))| node.kind != "group") {
        let around = groups.iter().copied().filter(|group| nodes[*group].0.holds(node));
        let around = around.min_by(|one, other| nodes[*one].0.area().total_cmp(&nodes[*other].0.area()));
        members.entry(around).or_default().push(at);
    }
    let mut writer = Writer { out: Rendering::of(source), edges };
    writer.properties(&canvas.metadata);
    for group in std::iter::once(None).chain(groups.into_iter().map(Some)) {
        if let Some((node, whole)) = group.map(|group| &nodes[group]) {
            let at = writer.out.line_of(whole);
            writer.out.push(&format!("## {}\n", one_line(&node.label)), at);
            writer.edges_of(node, at);
        }
        let cards = members.remove(&group).unwrap_or_default();
        let (texts, links): (Vec<usize>, Vec<usize>) = cards.into_iter().partition(|at| nodes[*at].0.text.is_some());
        links.into_iter().for_each(|at| writer.link(&nodes[at]));
        texts.into_iter().for_each(|at| writer.card(&nodes[at].0));
    }
    Some(writer.out)
}

impl Node<'_> {
    fn area(&self) -> f64 {
        self.width * self.height
    }

    /// Whether the middle of a card lies within this group.
    fn holds(&self, card: &Node<'_>) -> bool {
        let (x, y) = (card.x + card.width / 2.0, card.y + card.height / 2.0);
        (self.x..=self.x + self.width).contains(&x) && (self.y..=self.y + self.height).contains(&y)
    }

    fn name(&self) -> String {
        match self.kind.as_str() {
            "group" => one_line(&self.label),
            "file" => one_line(&self.file),
            "link" => one_line(&self.url),
            _ => named(&string(self.text)).0,
        }
    }
}

struct Writer<'s> {
    out: Rendering<'s>,
    edges: HashMap<String, Vec<String>>,
}

impl<'s> Writer<'s> {
    fn properties(&mut self, metadata: &Metadata) {
        let is_plain = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
        let properties = metadata.frontmatter.iter().filter(|(key, _)| is_plain(key));
        // JSON is YAML.
        let lines: Vec<String> = properties.map(|(key, value)| format!("{key}: {value}")).collect();
        if !lines.is_empty() {
            self.out.push(&format!("---\n{}\n---\n", lines.join("\n")), 1);
        }
    }

    fn link(&mut self, (node, whole): &(Node<'s>, &'s RawValue)) {
        let name = node.name();
        let at = self.out.line_of(whole);
        match node.kind.as_str() {
            _ if name.is_empty() => return,
            "file" => {
                let embed = if is_picture(&name) { "!" } else { "" };
                self.out.push(&format!("- {embed}[[{name}{}]]", one_line(&node.subpath)), at);
            }
            "link" => self.out.push(&format!("- <{name}>"), at),
            _ => return,
        }
        self.edges_of(node, at);
        self.out.push("", at);
    }

    fn card(&mut self, node: &Node<'s>) {
        let Some(value) = node.text else { return };
        let (text, at) = (string(Some(value)), self.out.line_of(value));
        let (name, body) = named(&text);
        if name.is_empty() {
            return;
        }
        self.out.push(&format!("{} {name}\n\n{}", "#".repeat(CARD_LEVEL), below_card(&body)), at);
        self.edges_of(node, at);
        self.out.push("", at);
    }

    fn edges_of(&mut self, node: &Node<'_>, at: usize) {
        if let Some(edges) = self.edges.remove(&node.id) {
            self.out.push(&format!("\n{}", edges.join("\n")), at);
        }
    }
}

fn is_picture(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "avif" | "bmp")
}

/// Returns the name of a card and the rest of its text. A short first line is the name, and any other first line gives it its beginning.
fn named(text: &str) -> (String, String) {
    let mut lines = text.trim_start_matches(['\n', '\r']).lines().skip_while(|line| line.trim().is_empty());
    let first = lines.next().unwrap_or_default().trim();
    let rest = lines.collect::<Vec<_>>().join("\n");
    let level = first.bytes().take_while(|byte| *byte == b'#').count();
    let heading = first[level..].strip_prefix(' ').filter(|_| (1..=MAX_LEVEL).contains(&level)).map(one_line);
    let is_name = first.starts_with(char::is_alphabetic) && first.chars().count() <= MAX_NAME;
    match heading.filter(|heading| !heading.is_empty()) {
        Some(heading) => (heading, rest),
        None if is_name && !rest.trim().is_empty() => (one_line(first), rest),
        None => (beginning(first), format!("{first}\n{rest}")),
    }
}

/// Returns the words at the beginning of a line, without the marks of a list, a quote or a task.
fn beginning(line: &str) -> String {
    let words = line.trim_start_matches(|c: char| "-*+>#|[]`!~ ".contains(c)).split_whitespace();
    let mut name = String::new();
    for word in words {
        if name.len() + word.len() > MAX_NAME {
            name.push_str(if name.is_empty() { &word[..word.floor_char_boundary(MAX_NAME)] } else { " …" });
            break;
        }
        name.push_str(if name.is_empty() { "" } else { " " });
        name.push_str(word);
    }
    if name.is_empty() && !line.is_empty() { "Card".into() } else { name }
}

/// Returns the text of a card, whose headings are lowered below that of the card, and whose open code and comment end with it.
fn below_card(text: &str) -> String {
    let (mut fence, mut below) = (CodeFence::default(), Vec::new());
    for line in text.lines() {
        if fence.holds(line) {
            below.push(line.to_owned());
            continue;
        }
        let trimmed = line.trim_start();
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading =
            (1..=MAX_LEVEL).contains(&level) && (trimmed.len() == level || trimmed[level..].starts_with([' ', '\t']));
        let is_underline = !trimmed.is_empty() && trimmed.trim_end().chars().all(|c| c == '=' || c == '-');
        below.push(match (is_heading, is_underline) {
            (true, _) => format!("{}{}", "#".repeat((level + CARD_LEVEL).min(MAX_LEVEL)), &trimmed[level..]),
            // Below a line of text it would make a heading of it.
            (_, true) => String::new(),
            _ if opens_html(trimmed) => format!("\\{trimmed}"),
            _ => line.to_owned(),
        });
    }
    below.extend(fence.open().map(str::to_owned));
    let mut below = below.join("\n");
    for (open, close) in MARKS {
        let is_open = match open == close {
            true => below.matches(open).count() % 2 == 1,
            false => below.rfind(open) > below.rfind(close),
        };
        if is_open {
            below.push('\n');
            below.push_str(close);
        }
    }
    below
}

/// Whether a line opens a block of HTML that does not end with a paragraph.
fn opens_html(line: &str) -> bool {
    let tag: String = line.chars().take(9).collect::<String>().to_ascii_lowercase();
    let is_declaration = tag.starts_with("<!") && !tag.starts_with("<!--");
    is_declaration || ["<?", "<script", "<pre", "<style", "<textarea"].iter().any(|start| tag.starts_with(start))
}
