//! Finds the front matter of a file and parses it as YAML.
//!
//! Front matter is between a first line `---` and the next line `---` or `...`. An unclosed fence, or one around something
//! other than a mapping, is a rule, and the text below it belongs to the body. Keys that YAML refuses are read line by line. Further blocks,
//! also after blank lines, are front matter if each of their lines is a key, a list item or a comment: prose between two rules stays text.

use super::yaml::{self, Entry, Value};

/// Longest front matter that is parsed, in bytes. Longer ones are reported as errors.
const MAX_BYTES: usize = 256 * 1024;

/// Most keys and list items that are read line by line from one block, and most further blocks.
const MAX_PLAIN_VALUES: usize = 1_000;
const MAX_BLOCKS: usize = 8;

/// The front matter of a file.
#[derive(Debug, PartialEq)]
pub(super) enum FrontMatter {
    /// No front matter.
    Absent {
        /// Whether an unclosed one still contains a plain `tars: private`.
        private: bool,
    },
    /// Front matter that is not valid YAML.
    Broken {
        /// Whether it still contains a plain `tars: private`.
        private: bool,
        /// The error on one line, with line numbers of the file.
        message: String,
        /// The keys and values that could be read line by line.
        entries: Vec<(String, Entry)>,
        /// Where the body starts.
        body: BodyStart,
    },
    /// A mapping, possibly empty.
    Present {
        /// Its keys and values, in order.
        entries: Vec<(String, Entry)>,
        /// Where the body starts.
        body: BodyStart,
    },
}

/// The place at which the body starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyStart {
    /// The byte.
    pub(super) byte: usize,
    /// The line; one past the last line if there is no body.
    pub(super) line: usize,
}

/// Parses the front matter of `source`, which has no byte order mark.
pub(super) fn read(source: &str) -> FrontMatter {
    let mut found = first_block(source);
    let (entries, body) = match &mut found {
        // Prose between two rules.
        FrontMatter::Broken { body: BodyStart { byte: 0, .. }, .. } => return found,
        FrontMatter::Present { entries, body } | FrontMatter::Broken { entries, body, .. } => (entries, body),
        FrontMatter::Absent { private } => {
            let (mut entries, mut body) = (Vec::new(), BodyStart { byte: 0, line: 1 });
            if source.starts_with(['\n', '\r', ' ', '\t']) {
                add_plain_blocks(source, &mut entries, &mut body);
            }
            return match entries.is_empty() {
                true => FrontMatter::Absent { private: *private },
                false => FrontMatter::Present { entries, body },
            };
        }
    };
    add_plain_blocks(source, entries, body);
    found
}

fn first_block(source: &str) -> FrontMatter {
    let Some(fence) = fence(source) else {
        return FrontMatter::Absent { private: unclosed_fence(source).is_some_and(is_plainly_private) };
    };
    let text = &source[fence.content_start..fence.content_end];
    let (private, body) = (is_plainly_private(text), fence.body);
    if text.len() > MAX_BYTES {
        let message = format!("front matter longer than {} KiB", MAX_BYTES / 1024);
        return FrontMatter::Broken { private, message, entries: Vec::new(), body };
    }
    // The opening fence is valid YAML: including it keeps line numbers and offsets those of the file.
    match yaml::parse(&source[..fence.content_end]) {
        Ok(Value::Mapping(entries)) => FrontMatter::Present { entries, body },
        Ok(Value::Null) if text.lines().all(is_blank_or_comment) => FrontMatter::Present { entries: Vec::new(), body },
        Err(message) if looks_like_mapping(text) => match is_mapping_throughout(text) {
            true => FrontMatter::Broken { private, message, entries: plain_entries(text, 2), body },
            false => {
                FrontMatter::Broken { private, message, entries: Vec::new(), body: BodyStart { byte: 0, line: 1 } }
            }
        },
        Ok(_) | Err(_) => FrontMatter::Absent { private },
    }
}

/// Adds the entries of further blocks, and moves the start of the body behind them.
fn add_plain_blocks(source: &str, entries: &mut Vec<(String, Entry)>, body: &mut BodyStart) {
    for _ in 0..MAX_BLOCKS {
        let rest = &source[body.byte..];
        let blank: usize = rest.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
        let above = body.line + rest[..blank].matches('\n').count();
        let Some(fence) = fence(&rest[blank..]) else { return };
        let text = &rest[blank..][fence.content_start..fence.content_end];
        if text.len() > MAX_BYTES || !is_plain_block(text) {
            return;
        }
        entries.extend(plain_entries(text, above + 1));
        *body = BodyStart { byte: body.byte + blank + fence.body.byte, line: above + fence.body.line - 1 };
    }
}

/// Whether each line is a key, a list item or a comment, and one of them is a key. A blank line is a sign of prose.
fn is_plain_block(text: &str) -> bool {
    let is_item = |line: &str| line.trim_start().starts_with("- ") || line.trim() == "-";
    // A key of several words may be the beginning of a sentence.
    let is_key = |line: &str| key_and_value(line).is_some_and(|(key, _)| !key.contains([' ', '.']));
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    text.lines().all(|line| is_comment(line) || is_item(line) || is_key(line.trim_start())) && text.lines().any(is_key)
}

/// Reads keys and values line by line: `key: value`, `key: [a, b]`, or a key with list items below it. Deeper levels are left out.
/// `first_line` is the line of the file at which `text` begins.
fn plain_entries(text: &str, first_line: usize) -> Vec<(String, Entry)> {
    let mut found: Vec<(String, Entry)> = Vec::new();
    for (line, text) in (first_line..).zip(text.lines()).take(MAX_PLAIN_VALUES) {
        if is_blank_or_comment(text) {
            continue;
        }
        if let Some(item) = text.trim_start().strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' '))
        {
            if let Some((_, Entry { value: Value::Sequence(items), .. })) = found.last_mut() {
                items.push(Entry { value: Value::Scalar(unquoted(item).to_owned()), line });
            }
        } else if let Some((key, value)) = key_and_value(text) {
            let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
            let scalar = |text: &str| Entry { value: Value::Scalar(unquoted(text).to_owned()), line };
            let value = match (list, value) {
                (Some(list), _) => Value::Sequence(list.split(',').take(MAX_PLAIN_VALUES).map(scalar).collect()),
                (None, "") => Value::Sequence(Vec::new()),
                (None, value) => Value::Scalar(unquoted(value).to_owned()),
            };
            found.push((key.to_owned(), Entry { value, line }));
        }
    }
    found
}

/// Splits an unindented line into its key and its value.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_matches(['"', '\'']);
    let is_key = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ' ');
    let is_plain = key.starts_with(|c: char| c.is_alphanumeric() || c == '_') && key.chars().all(is_key);
    (is_plain && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((key, value.trim()))
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|mark| value.strip_prefix(mark)?.strip_suffix(mark));
    quoted.unwrap_or(value)
}

struct Fence {
    content_start: usize,
    content_end: usize,
    body: BodyStart,
}

fn fence(source: &str) -> Option<Fence> {
    let mut end = 0;
    let mut content_start = 0;
    for (index, line) in source.split_inclusive('\n').enumerate() {
        let start = end;
        end += line.len();
        match (index, line.trim_end()) {
            (0, "---") => content_start = end,
            (0, _) => return None,
            (_, "---" | "...") => {
                let body = BodyStart { byte: end, line: index + 2 };
                return Some(Fence { content_start, content_end: start, body });
            }
            _ => {}
        }
    }
    None
}

/// Returns the lines between the opening fence and the first blank line, for a source without a closing fence.
fn unclosed_fence(source: &str) -> Option<&str> {
    let (first, rest) = source.split_once('\n')?;
    let length = rest.split_inclusive('\n').take_while(|line| !line.trim().is_empty()).map(str::len).sum();
    (first.trim_end() == "---").then_some(&rest[..length])
}

fn is_blank_or_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Whether `text` was meant as a mapping, so that its author should get the error.
fn looks_like_mapping(text: &str) -> bool {
    let Some(first) = text.lines().find(|line| !is_blank_or_comment(line)) else { return false };
    key_and_value(first).is_some()
}

/// Whether each line that is not indented could belong to a mapping, so that `text` is no prose between two rules.
fn is_mapping_throughout(text: &str) -> bool {
    text.lines().all(|line| {
        is_blank_or_comment(line)
            || line.starts_with([' ', '\t', '-', '"', '\'', ']', '}', '%', '?', '&', '*'])
            || line.split_once(':').is_some()
    })
}

/// Whether `text` has a line `tars: private`, or `private: true` in or below a line `tars:`. This works on invalid YAML, and
/// prefers privacy in doubt.
fn is_plainly_private(text: &str) -> bool {
    let mut below_tars = false;
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t', '-']);
        let line: String = line.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("tars:") {
            below_tars = true;
            if says_private(value.trim_start_matches(['{', '['])) {
                return true;
            }
        } else if below_tars && is_nested {
            if says_private(line.trim_start_matches('-')) {
                return true;
            }
        } else if !line.is_empty() {
            below_tars = false;
        }
    }
    false
}

fn says_private(value: &str) -> bool {
    let Some(rest) = value.strip_prefix("private") else { return false };
    let no = ["false", "no", "off"];
    let said = rest.strip_prefix(':').unwrap_or_default();
    !rest.starts_with(char::is_alphanumeric) && !no.iter().any(|word| said.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_line(source: &str) -> Option<usize> {
        match read(source) {
            FrontMatter::Present { body, .. } | FrontMatter::Broken { body, .. } => {
                assert_eq!(source[..body.byte].lines().count() + 1, body.line);
                Some(body.line).filter(|_| body.byte > 0)
            }
            _ => None,
        }
    }

    fn message(source: &str) -> Option<String> {
        match read(source) {
            FrontMatter::Broken { message, .. } => Some(message),
            _ => None,
        }
    }

    fn private(source: &str) -> bool {
        matches!(read(source), FrontMatter::Broken { private: true, .. } | FrontMatter::Absent { private: true })
    }

    #[test]
    fn fences_are_at_the_top_and_closed() {
        assert_eq!(body_line("---\na: 1\n---\ntext"), Some(4));
        assert_eq!(body_line("--- \r\na: 1\r\n...\r\ntext"), Some(4));
        assert_eq!(body_line("---\n---\ntext"), Some(3));
        assert_eq!(body_line("---\n# only a comment\n\n---"), Some(5));
        assert_eq!(body_line("---\na: 1\n"), None);
        assert_eq!(body_line("\n---\na: 1\n---\n"), Some(5));
        assert_eq!(body_line("----\na: 1\n----\n"), None);
        assert_eq!(body_line("---"), None);
    }

    #[test]
    fn a_rule_is_neither_front_matter_nor_an_error() {
        for source in ["---\nhello\n---\n", "---\n- a\n- b\n---\n", "---\na: 1\n", "---\n{{frontmatter}}\n---\n"] {
            assert_eq!(read(source), FrontMatter::Absent { private: false }, "{source}");
        }
        let essay = "---\nIt was: well, \"a dark\" night: and so on.\n\n> quote\n---\n";
        assert!(body_line(essay).is_none());
    }

    #[test]
    fn errors_name_the_line_of_the_file() {
        for source in [
            "---\na: 1\na: 2\n---\n",
            "---\na: 1\nb:\n\t- x\n---\n",
            "---\ndate: {{date}}\n---\n",
            "---\na: [1, 2\n---\n",
            "---\na: \"x\n---\n",
            "---\na: *nowhere\n---\n",
        ] {
            let message = message(source).unwrap_or_else(|| panic!("no error for {source:?}: {:?}", read(source)));
            assert!(message.contains("line ") && !message.contains('\n'), "{message}");
        }
        assert!(message("---\na: 1\na: 2\n---\n").is_some_and(|message| message.contains("line 3")));
    }

    /// Returns the keys and values, lists in brackets.
    fn entries(source: &str) -> Vec<String> {
        let (FrontMatter::Present { entries, .. } | FrontMatter::Broken { entries, .. }) = read(source) else {
            return Vec::new();
        };
        let value = |value: Value| match value {
            Value::Scalar(text) => text,
            other => format!("{other:?}"),
        };
        let entry = |(key, entry): (String, Entry)| match entry.value {
            Value::Sequence(items) => {
                let items: Vec<String> = items.into_iter().map(|item| value(item.value)).collect();
                format!("{}: {key} [{}]", entry.line, items.join("|"))
            }
            other => format!("{}: {key} {}", entry.line, value(other)),
        };
        entries.into_iter().map(entry).collect()
    }

    #[test]
    fn refused_front_matter_never_becomes_a_heading_and_keeps_its_plain_keys() {
        for refused in [
            "title: Project: the second",
            "title: One\ntitle: Two",
            "title: `code`",
            "title: @home",
            "title: %x",
            "title: *x*",
            "title:\tx\n\ty: z",
            "date: {{date}}",
            "title: \"say \"yes\"\"",
            "path: \"C:\\Users\\anna\"",
            "title: [a",
        ] {
            let source = format!("---\n{refused}\ntags:\n- garden\n---\ntext\n");
            let document = crate::markdown::parse("a.md", &source);
            assert!(document.headings.is_empty() && document.line(document.body_line) == Some("text"), "{refused}");
            assert_eq!(document.tags, ["garden"], "{refused}");
        }
        let kept =
            entries("---\ntitle: Project: the second\naliases: [a, 'b c']\n# note\ntags:\n  - x\n  - \"y\"\n---\n");
        assert_eq!(kept, ["2: title Project: the second", "3: aliases [a|b c]", "5: tags [x|y]"]);
    }

    #[test]
    fn further_blocks_of_keys_are_front_matter_and_prose_between_rules_is_text() {
        let source = "---\ntitle: One\n---\n\n---\ntags:\n- x\n# note\n---\nbody\n";
        assert_eq!((body_line(source), entries(source)), (Some(10), vec!["2: title One".into(), "6: tags [x]".into()]));
        let after_blank = "\n\n---\ntags: [x]\n---\nbody\n";
        assert_eq!((body_line(after_blank), entries(after_blank)), (Some(6), vec!["4: tags [x]".into()]));
        let prose = "---\ntitle: One\n---\n---\nIt was dark. The plan: sleep.\n---\nbody\n";
        assert_eq!(body_line(prose), Some(4));
        assert_eq!(body_line("\n---\n- a\n- b\n---\n"), None, "a list between rules has no key");
    }

    #[test]
    fn broken_front_matter_stays_private() {
        assert!(private("---\na: {{x}}\ntars: private\n---\n"));
        assert!(private("---\na: [\n\"tars\": 'private' # hide\n---\n"));
        assert!(private("---\na: [\ntars: { private: true }\n---\n"));
        assert!(private("---\na: [\ntars:\n\tprivate: yes\n---\n"));
        assert!(private("---\na: [\ntars:\n  - private\n---\n"));
        assert!(private("---\ntars: private\n\n# Never closed\n"));
        assert!(private("---\njust text\ntars: private\n---\n"));
        assert!(!private("---\na: [\ntars:\n  private: false\n---\n"));
        assert!(!private("---\na: [\nother:\n  private: true\n---\n"));
        assert!(!private("---\na: [\ntars: public\n---\n"));
        assert!(!private("---\n\nA rule, then text.\ntars: private\n"));
    }

    #[test]
    fn alias_bombs_are_refused() {
        let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        bomb.push_str("---\n");
        assert!(message(&bomb).is_some());
    }

    #[test]
    fn oversized_front_matter_is_refused() {
        let source = format!("---\ntars: private\n{}---\n", "a: b\n".repeat(100_000));
        assert!(message(&source).is_some_and(|message| message.contains("256 KiB")));
        assert!(private(&source));
    }
}
