//! Notes of Org mode. Lines keep their numbers.
//!
//! Stars become headings below the title, `#+title:` the title, file tags become tags, and blocks of code and examples become fences. The
//! content of drawers, keywords and comments is no text. `#+tars: private` hides the note.

use crate::markdown::CodeFence;

const MAX_LEVEL: usize = 6;
/// Blocks whose lines are kept as they are.
const VERBATIM: [&str; 3] = ["src", "example", "export"];

/// Returns a note of Org mode as markdown.
pub(super) fn as_markdown(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_private = |(key, value): (String, &str)| key == "tars" && value.eq_ignore_ascii_case("private");
    if text.lines().any(|line| keyword(line).is_some_and(is_private)) {
        // Its lines do not matter: nobody is shown any.
        return "---\ntars: private\n---\n".into();
    }
    let has_title = text.lines().any(|line| keyword(line).is_some_and(|(key, _)| key == "title"));
    let mut reader = Reader { has_title, ..Reader::default() };
    text.split('\n').map(|line| reader.line(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Reader {
    has_title: bool,
    /// The name of the open block of code.
    block: Option<String>,
    in_drawer: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> String {
        let trimmed = line.trim_start();
        if let Some(block) = &self.block {
            let is_end = strip(trimmed, "#+end_").is_some_and(|name| name.trim_end().eq_ignore_ascii_case(block));
            if is_end {
                self.block = None;
                return "```".into();
            }
            // A fence in the code would end it.
            return if CodeFence::default().holds(line) { String::new() } else { line.to_owned() };
        }
        let stars = line.bytes().take_while(|byte| *byte == b'*').count();
        if stars > 0 && line[stars..].starts_with(' ') {
            self.in_drawer = false;
            let level = (stars + usize::from(self.has_title)).min(MAX_LEVEL);
            return format!("{} {}", "#".repeat(level), heading(&line[stars..]));
        }
        if self.in_drawer || is_drawer(trimmed) {
            self.in_drawer = !trimmed.trim_end().eq_ignore_ascii_case(":end:");
            return String::new();
        }
        if let Some(block) = strip(trimmed, "#+begin_") {
            let mut words = block.split_whitespace();
            let name = words.next().unwrap_or_default();
            if VERBATIM.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                self.block = Some(name.to_owned());
                return format!(
                    "```{}",
                    words.next().filter(|word| word.chars().all(char::is_alphanumeric)).unwrap_or_default()
                );
            }
            return String::new();
        }
        match keyword(line) {
            Some((key, value)) => match key.as_str() {
                "title" => format!("# {value}"),
                "filetags" => {
                    value.split([':', ' ']).filter(|tag| !tag.is_empty()).map(|tag| format!("#{tag} ")).collect()
                }
                "subtitle" | "caption" | "description" | "date" | "author" => value.to_owned(),
                _ => String::new(),
            },
            None if trimmed == "#" || trimmed.starts_with("# ") => String::new(),
            None => links(line),
        }
    }
}

/// Returns the keyword of a line in lower case, and its value.
fn keyword(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.trim_start().strip_prefix("#+")?.split_once(':')?;
    (!key.contains(char::is_whitespace)).then(|| (key.to_ascii_lowercase(), value.trim()))
}

fn strip<'l>(line: &'l str, prefix: &str) -> Option<&'l str> {
    let (start, rest) = line.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Whether a line opens a drawer: a name between colons.
fn is_drawer(line: &str) -> bool {
    let name = line.trim_end().strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c)))
}

/// Returns the text of a heading, whose tags `:a:b:` at the end become tags.
fn heading(text: &str) -> String {
    let text = text.trim();
    let tags = text
        .rsplit_once(char::is_whitespace)
        .filter(|(_, last)| last.len() > 2 && last.starts_with(':') && last.ends_with(':') && !last.contains("::"));
    match tags {
        Some((title, tags)) => {
            let tags = tags.split(':').filter(|tag| !tag.is_empty()).map(|tag| format!(" #{tag}"));
            format!("{}{}", links(title.trim()), tags.collect::<String>())
        }
        None => links(text),
    }
}

/// Returns a line whose links `[[target][text]]` have the form of markdown. A link without text stays, because Obsidian's looks the same.
fn links(line: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    while let Some((before, link)) = rest.split_once("[[") {
        out.push_str(before);
        let Some((inner, behind)) = link.split_once("]]") else {
            out.push_str("[[");
            rest = link;
            break;
        };
        let (target, text) = inner.split_once("][").map_or((inner, None), |(target, text)| (target, Some(text)));
        let is_file = strip(target, "file:");
        let target = is_file.unwrap_or(target).split("::").next().unwrap_or_default();
        match text {
            Some(text) => out.push_str(&format!("[{text}](<{}>)", target.replace(['<', '>'], ""))),
            None => out.push_str(&format!("[[{target}]]")),
        }
        rest = behind;
    }
    out + rest
}
