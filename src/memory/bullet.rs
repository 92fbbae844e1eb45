//! What a memory file holds, bullet by bullet.

use std::ops::Range;

use crate::domain::ContentHash;
use crate::vault::Lines;

/// One bullet with the lines that belong to it: its continuation and what is nested in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bullet {
    /// Eight hexadecimal digits over file, text and, for equal twins, which one it is.
    pub id: String,
    /// Name of the file within the memory folder.
    pub file: String,
    /// The heading above it, without its marks; empty where there is none.
    pub heading: String,
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// Columns that it is indented by: 0 at the top of a list.
    pub indent: usize,
    /// What it says, without the marker, a line each; what is nested in it is not part of it.
    pub text: String,
}

impl Bullet {
    /// Length of an id.
    pub const ID_LENGTH: usize = 8;

    /// Returns the line it begins in, from 1, as people count.
    pub fn line(&self) -> usize {
        self.lines.start + 1
    }
}

/// Returns the bullets of a file in the order of their lines. Those in code blocks and comments are none.
pub fn bullets(file: &str, lines: &Lines<'_>) -> Vec<Bullet> {
    let mut reader = Reader::default();
    for index in 0..lines.len() {
        reader.line(file, index, &lines.line(index));
    }
    name(&mut reader.found);
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Bullet>,
    /// Bullets whose lines may go on: each is nested in the one before.
    open: Vec<usize>,
    heading: String,
    fence: Option<(char, usize)>,
    comment: bool,
    /// Whether the line above was blank.
    blank: bool,
}

impl Reader {
    fn line(&mut self, file: &str, index: usize, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            self.blank = true;
            return;
        }
        let indent = columns(line);
        if self.fence.is_some() || self.comment {
            self.go_on(index, indent, Some(text).filter(|_| self.fence.is_some()));
            self.leave(text);
        } else if text.starts_with("<!--") {
            self.comment = !text.contains("-->");
            self.blank = true;
            self.go_on(index, indent, None);
        } else if let Some(fence) = fence(text) {
            self.go_on(index, indent, Some(text));
            self.fence = Some(fence);
        } else if let Some(heading) = heading_of(line) {
            self.heading = heading.to_owned();
            self.open.clear();
        } else if let Some(said) = said(text) {
            self.open.retain(|bullet| self.found[*bullet].indent < indent);
            self.open.push(self.found.len());
            self.found.push(Bullet {
                id: String::new(),
                file: file.into(),
                heading: self.heading.clone(),
                lines: index..index + 1,
                indent,
                text: without_comment(said).to_owned(),
            });
            self.extend(index);
        } else {
            self.go_on(index, indent, Some(text));
        }
        self.blank = false;
    }

    /// A line that is no bullet of its own belongs to those that it is indented under; one that is not indented goes on
    /// with the last of them right below it, and is text of its own after a blank line.
    fn go_on(&mut self, index: usize, indent: usize, text: Option<&str>) {
        let lazy = !self.blank && self.fence.is_none();
        self.open.retain(|bullet| self.found[*bullet].indent < indent || lazy);
        if let (Some(last), Some(text)) = (self.open.last(), text) {
            let bullet = &mut self.found[*last];
            bullet.text.push('\n');
            bullet.text.push_str(without_comment(text));
        }
        self.extend(index);
    }

    fn extend(&mut self, index: usize) {
        for bullet in &self.open {
            self.found[*bullet].lines.end = index + 1;
        }
    }

    /// Ends the code block or the comment that `text` is the last line of.
    fn leave(&mut self, text: &str) {
        match self.fence {
            Some((mark, length)) => {
                let closes = fence(text).is_some_and(|(other, count)| other == mark && count >= length);
                if closes && text.trim_end_matches(mark).is_empty() {
                    self.fence = None;
                }
            }
            None => self.comment = !text.contains("-->"),
        }
    }
}

/// Returns the name of a heading line, without its marks.
pub(super) fn heading_of(line: &str) -> Option<&str> {
    let marks = line.len() - line.trim_start_matches('#').len();
    let rest = &line[marks..];
    ((1..=6).contains(&marks) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// Returns what a bullet's first line says; `None` if it is no bullet.
fn said(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
        let number = (1..=9).contains(&(text.len() - digits.len()));
        digits.strip_prefix(['.', ')']).filter(|_| number)
    })?;
    // A line of marks alone is a rule, and emphasis begins without a blank.
    rest.strip_prefix([' ', '\t']).map(str::trim).filter(|said| !said.is_empty() && !is_rule(text))
}

fn is_rule(text: &str) -> bool {
    let mut marks = text.chars().filter(|character| !character.is_whitespace());
    let Some(first) = marks.next().filter(|first| "-*_".contains(*first)) else { return false };
    marks.clone().count() >= 2 && marks.all(|mark| mark == first)
}

fn fence(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|first| "`~".contains(*first))?;
    let count = text.chars().take_while(|character| *character == mark).count();
    (count >= 3).then_some((mark, count))
}

/// Anchors for programs stand at the end of a line, in a comment: no part of what is said.
fn without_comment(text: &str) -> &str {
    match text.rfind("<!--") {
        Some(at) if text.trim_end().ends_with("-->") => text[..at].trim_end(),
        _ => text,
    }
}

fn columns(line: &str) -> usize {
    let blank = line.chars().take_while(|character| character.is_whitespace());
    blank.map(|character| if character == '\t' { 4 } else { 1 }).sum()
}

fn name(bullets: &mut [Bullet]) {
    let mut twins: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    for bullet in bullets {
        let twin = twins.entry(bullet.text.clone()).or_default();
        let number = twin.to_le_bytes();
        let hash = ContentHash::of_parts([bullet.file.as_bytes(), bullet.text.as_bytes(), number.as_slice()]);
        *twin += 1;
        bullet.id = hash.as_bytes()[..Bullet::ID_LENGTH / 2].iter().map(|byte| format!("{byte:02x}")).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(Range<usize>, String)> {
        let lines = Lines::of(text.as_bytes());
        bullets("Memory.md", &lines).into_iter().map(|bullet| (bullet.lines, bullet.text)).collect()
    }

    #[test]
    fn bullets_hold_their_continuation_and_what_is_nested() {
        let text = "# M\n\n- one\n  goes on\n  - nested\n    more\n\n  still one\n* two\nlazy\n\nText.\n1. three\n";
        assert_eq!(
            of(text),
            [
                (2..8, "one\ngoes on\nstill one".to_owned()),
                (4..6, "nested\nmore".to_owned()),
                (8..10, "two\nlazy".to_owned()),
                (12..13, "three".to_owned()),
            ]
        );
    }

    #[test]
    fn code_comments_rules_and_emphasis_are_no_bullets() {
        let text = "```\n- code\n```\n<!-- tars:about\n- comment\n-->\n- - -\n***\n*emphasis* here\n- \n- real <!-- tars:turn a -->\n";
        assert_eq!(of(text), [(10..11, "real".to_owned())]);
    }

    #[test]
    fn code_within_a_bullet_belongs_to_it() {
        assert_eq!(
            of("- run\n  ```sh\n  - not a bullet\n  ```\n- next\n"),
            [(0..4, "run\n```sh\n- not a bullet\n```".to_owned()), (4..5, "next".to_owned()),]
        );
    }

    #[test]
    fn twins_have_ids_of_their_own_and_headings_are_known() {
        let text = "## A\n- same\n## B\n- same\n";
        let found = bullets("Memory.md", &Lines::of(text.as_bytes()));
        assert_ne!(found[0].id, found[1].id);
        assert_eq!((found[0].heading.as_str(), found[1].heading.as_str()), ("A", "B"));
        assert!(found.iter().all(|bullet| bullet.id.len() == Bullet::ID_LENGTH));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[-*#`<!> \n\ta1.]{0,80}") {
            let lines = Lines::of(text.as_bytes());
            for bullet in bullets("a.md", &lines) {
                proptest::prop_assert!(bullet.lines.start < bullet.lines.end && bullet.lines.end <= lines.len());
            }
        }
    }
}
