//! Parses a memory file into bullets.

use std::ops::Range;

use tars_base::domain::{ContentHash, hex};
use tars_text::markdown::list_item;
use tars_vault::Lines;

/// Maximum length of a bullet's text, in bytes. A longer text belongs in a note.
pub const MAX_BULLET_BYTES: usize = 16 << 10;

/// One bullet with its continuation lines and its nested lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bullet {
    /// Eight hexadecimal digits: a hash of the file, the text and, for equal bullets, their number.
    pub id: String,
    /// Name of its file within the memory folder.
    pub file: String,
    /// The heading above it, without its marks; empty if there is none.
    pub heading: String,
    /// Its line numbers, from 0.
    pub lines: Range<usize>,
    /// Columns of indentation: 0 at the top level of a list.
    pub indent: usize,
    /// Its text without the marker, a line each. Nested bullets are left out.
    pub text: String,
}

impl Bullet {
    /// Length of an id.
    pub const ID_LENGTH: usize = 8;

    /// Returns a bullet that holds only a text, for comparisons.
    pub fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns the number of its first line, from 1.
    pub fn line(&self) -> usize {
        self.lines.start + 1
    }
}

/// Returns the bullets of a file in order. Front matter, code blocks and comments hold no bullets.
pub fn bullets(file: &str, lines: &Lines<'_>) -> Vec<Bullet> {
    let mut found = Reader::read(file, lines).found;
    assign_ids(&mut found);
    found
}

/// Returns the headings of a file as line number, from 0, and name. Front matter, code blocks and comments hold no headings.
pub(super) fn headings(lines: &Lines<'_>) -> Vec<(usize, String)> {
    Reader::read("", lines).headings
}

#[derive(Default)]
struct Reader {
    found: Vec<Bullet>,
    headings: Vec<(usize, String)>,
    /// Bullets that the next line may continue. Each is nested in the one before.
    open: Vec<usize>,
    /// The code block or comment that is still open.
    block: Option<Block>,
    /// Whether an unindented line starts a new block: the line above was blank or ended a block.
    blank: bool,
}

struct Block {
    kind: BlockKind,
    /// Columns of the enclosing bullet. The block ends with the bullet, closed or not.
    within: Option<usize>,
}

#[derive(Clone, Copy)]
enum BlockKind {
    Code(char, usize),
    Comment,
}

impl Reader {
    fn read(file: &str, lines: &Lines<'_>) -> Self {
        let mut reader = Self::default();
        for index in after_front_matter(lines)..lines.len() {
            reader.line(file, index, &lines.line(index));
        }
        reader
    }

    fn line(&mut self, file: &str, index: usize, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            self.blank = true;
            return;
        }
        let indent = columns(line);
        if self.block.as_ref().and_then(|block| block.within).is_some_and(|bullet| indent <= bullet) {
            self.block = None;
            self.blank = true;
        }
        if let Some(Block { kind, .. }) = self.block {
            self.continue_bullets(index, indent, Some(text).filter(|_| matches!(kind, BlockKind::Code(..))), false);
            self.blank = kind.ends_with(text);
            if self.blank {
                self.block = None;
            }
            return;
        }
        if text.starts_with("<!--") {
            self.continue_bullets(index, indent, None, false);
        } else if fence(text).is_some() {
            self.continue_bullets(index, indent, Some(text), false);
        } else if let Some(heading) = heading_of(line) {
            self.headings.push((index, heading.to_owned()));
            self.open.clear();
        } else if let Some(said) = bullet_text(text) {
            self.start_bullet(file, index, indent, said);
        } else {
            let interrupts = is_rule(text) || text.starts_with('>');
            self.continue_bullets(index, indent, Some(text), !self.blank && !interrupts);
        }
        let begun = bullet_text(text).unwrap_or(text);
        let within = self.open.last().map(|bullet| self.found[*bullet].indent);
        self.block = BlockKind::begun_by(begun).map(|kind| Block { kind, within });
        self.blank = false;
    }

    fn start_bullet(&mut self, file: &str, index: usize, indent: usize, said: &str) {
        self.open.retain(|bullet| self.found[*bullet].indent < indent);
        self.open.push(self.found.len());
        self.found.push(Bullet {
            id: String::new(),
            file: file.into(),
            heading: self.headings.last().map_or_else(String::new, |(_, name)| name.clone()),
            lines: index..index + 1,
            indent,
            text: without_comment(said).to_owned(),
        });
        self.extend(index);
    }

    /// Adds a line that is no bullet of its own to the bullets that it is indented under. A `lazy` line is not indented and continues the
    /// last bullet (CommonMark's lazy continuation).
    fn continue_bullets(&mut self, index: usize, indent: usize, text: Option<&str>, lazy: bool) {
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
}

impl BlockKind {
    /// Returns the block that a line opens and does not close.
    fn begun_by(text: &str) -> Option<Self> {
        match fence(text) {
            Some((mark, length)) => Some(Self::Code(mark, length)),
            None => (text.starts_with("<!--") && !text.contains("-->")).then_some(Self::Comment),
        }
    }

    /// Whether `text` is the last line of the block.
    fn ends_with(self, text: &str) -> bool {
        match self {
            Self::Code(mark, length) => {
                fence(text).is_some_and(|(other, count)| other == mark && count >= length)
                    && text.trim_end_matches(mark).is_empty()
            }
            Self::Comment => text.contains("-->"),
        }
    }
}

/// Returns the first line after the front matter; 0 if there is none.
fn after_front_matter(lines: &Lines<'_>) -> usize {
    if lines.is_empty() || lines.line(0).trim_end() != "---" {
        return 0;
    }
    (1..lines.len()).find(|index| matches!(lines.line(*index).trim_end(), "---" | "...")).map_or(0, |end| end + 1)
}

/// Returns the name of a heading line, without its marks.
pub(super) fn heading_of(line: &str) -> Option<&str> {
    let marks = line.len() - line.trim_start_matches('#').len();
    let rest = &line[marks..];
    if !(1..=6).contains(&marks) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let name = rest.trim();
    let bare = name.trim_end_matches('#');
    // `C#` is a name. Only marks after a space close a heading.
    Some(if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { name })
}

/// Returns the text of a bullet's first line; `None` if it is no bullet.
fn bullet_text(text: &str) -> Option<&str> {
    // A line of marks only is a thematic break.
    list_item(text).filter(|said| !said.is_empty() && !is_rule(text))
}

fn is_rule(text: &str) -> bool {
    let mut marks = text.chars().filter(|character| !character.is_whitespace());
    let Some(first) = marks.next().filter(|first| "-*_".contains(*first)) else { return false };
    marks.clone().count() >= 2 && marks.all(|mark| mark == first)
}

fn fence(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|first| "`~".contains(*first))?;
    let count = text.chars().take_while(|character| *character == mark).count();
    // More backticks on the line make it inline code.
    let within_line = mark == '`' && text[count..].contains('`');
    (count >= 3 && !within_line).then_some((mark, count))
}

/// Removes the comment at the end of a line: an anchor for programs is not part of the text.
pub(crate) fn without_comment(text: &str) -> &str {
    match text.rfind("<!--") {
        Some(at) if text.trim_end().ends_with("-->") => text[..at].trim_end(),
        _ => text,
    }
}

fn columns(line: &str) -> usize {
    let blank = line.chars().take_while(|character| character.is_whitespace());
    blank.map(|character| if character == '\t' { 4 } else { 1 }).sum()
}

fn assign_ids(bullets: &mut [Bullet]) {
    let mut twins: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
    for bullet in bullets {
        let twin = twins.entry(bullet.text.clone()).or_default();
        let number = twin.to_le_bytes();
        let hash = ContentHash::of_parts([bullet.file.as_bytes(), bullet.text.as_bytes(), number.as_slice()]);
        *twin += 1;
        bullet.id = hex(&hash.as_bytes()[..Bullet::ID_LENGTH / 2]);
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
    fn bullets_include_continuation_and_nested_lines() {
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
    fn unclosed_blocks_end_with_their_bullet() {
        for text in ["- ```sh\n  ls\n- next\n", "- run\n  ```\n  ls\n- next\n", "- one\n  <!-- open\n- next\n"] {
            assert_eq!(of(text).last().unwrap().1, "next", "{text}");
        }
        assert_eq!(of("- ```sh\n  # no heading\n  ```\n- next\n").len(), 2);
        assert_eq!(of("- ```x``` is code\n- next\n").len(), 2);
    }

    #[test]
    fn interrupting_blocks_are_not_part_of_a_bullet() {
        for below in ["---", "***", "> quoted", "```\n- code\n```", "<!-- comment -->"] {
            assert_eq!(of(&format!("- one\n{below}\n- two\n"))[0], (0..1, "one".into()), "{below}");
        }
    }

    #[test]
    fn front_matter_holds_no_bullets_and_no_headings() {
        let text = "---\n# Comment\ntags:\n  - garden\n---\n- one\n";
        assert_eq!(of(text), [(5..6, "one".to_owned())]);
        assert_eq!(headings(&Lines::of(text.as_bytes())), []);
        assert_eq!(of("---\n- one\n").len(), 1, "unclosed front matter is a thematic break");
    }

    #[test]
    fn marks_that_belong_to_a_name_stay() {
        for (line, name) in [("## C#", "C#"), ("## A ##", "A"), ("# #", ""), ("#", ""), ("## F # x", "F # x")] {
            assert_eq!(heading_of(line), Some(name), "{line}");
        }
    }

    #[test]
    fn equal_bullets_have_distinct_ids_and_their_headings() {
        let text = "## A\n- same\n## B\n- same\n";
        let found = bullets("Memory.md", &Lines::of(text.as_bytes()));
        assert_ne!(found[0].id, found[1].id);
        assert_eq!((found[0].heading.as_str(), found[1].heading.as_str()), ("A", "B"));
        assert!(found.iter().all(|bullet| bullet.id.len() == Bullet::ID_LENGTH));
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses(text in "[-*#`<!> \n\ta1.]{0,80}") {
            let lines = Lines::of(text.as_bytes());
            for bullet in bullets("a.md", &lines) {
                proptest::prop_assert!(bullet.lines.start < bullet.lines.end && bullet.lines.end <= lines.len());
            }
        }
    }
}
