//! Finds the front matter of a file and parses it as YAML.
//!
//! Front matter is between a first line `---` and the next line `---` or `...`. An unclosed fence, or one around something
//! other than a mapping, is a rule, and the text below it belongs to the body.

use super::yaml::{self, Entry, Value};

/// Longest front matter that is parsed, in bytes. Longer ones are reported as errors.
const MAX_BYTES: usize = 256 * 1024;

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
    },
    /// A mapping, possibly empty.
    Present {
        /// Its keys and values, in order.
        entries: Vec<(String, Entry)>,
        /// Byte at which the body starts.
        body_start: usize,
        /// Line at which the body starts; one past the last line if there is no body.
        body_line: usize,
    },
}

/// Parses the front matter of `source`, which has no byte order mark.
pub(super) fn read(source: &str) -> FrontMatter {
    let Some(fence) = fence(source) else {
        return FrontMatter::Absent { private: unclosed_fence(source).is_some_and(is_plainly_private) };
    };
    let text = &source[fence.content_start..fence.content_end];
    if text.len() > MAX_BYTES {
        let message = format!("front matter longer than {} KiB", MAX_BYTES / 1024);
        return FrontMatter::Broken { private: is_plainly_private(text), message };
    }
    // The opening fence is valid YAML: including it keeps line numbers and offsets those of the file.
    match yaml::parse(&source[..fence.content_end]) {
        Ok(Value::Mapping(entries)) => {
            FrontMatter::Present { entries, body_start: fence.body_start, body_line: fence.body_line }
        }
        Ok(Value::Null) if text.lines().all(is_blank_or_comment) => {
            FrontMatter::Present { entries: Vec::new(), body_start: fence.body_start, body_line: fence.body_line }
        }
        Err(message) if looks_like_mapping(text) => FrontMatter::Broken { private: is_plainly_private(text), message },
        Ok(_) | Err(_) => FrontMatter::Absent { private: is_plainly_private(text) },
    }
}

struct Fence {
    content_start: usize,
    content_end: usize,
    body_start: usize,
    body_line: usize,
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
                return Some(Fence { content_start, content_end: start, body_start: end, body_line: index + 2 });
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
    let Some((key, value)) = first.split_once(':') else { return false };
    let key = key.trim_matches(['"', '\'']);
    let is_key = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | ' ');
    (value.is_empty() || value.starts_with([' ', '\t'])) && !key.is_empty() && key.chars().all(is_key)
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
            FrontMatter::Present { body_line, body_start, .. } => {
                assert_eq!(source[..body_start].lines().count() + 1, body_line);
                Some(body_line)
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
        assert_eq!(body_line("\n---\na: 1\n---\n"), None);
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
