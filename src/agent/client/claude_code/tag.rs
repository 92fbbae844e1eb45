//! The tags with which Claude Code wraps a person's words, or messages that it sends in a person's name.

/// A tag of Claude Code, of its editor extensions, or of tars itself, `<NAME>` to `</NAME>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTag {
    /// Its name.
    pub name: &'static str,
    /// The role of its content.
    pub role: TagRole,
    /// Whether ordinary sentences never contain the letters of its name. A line with them looks like the tag, however
    /// it is spelled.
    pub distinctive: bool,
}

/// The role of a tag's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagRole {
    /// A program's addition to a person's message.
    Addition,
    /// A message, or a part of one, that a program sends in a person's name.
    Message,
    /// The name or the arguments of a command that a person gave the client.
    Command,
}

impl ClientTag {
    /// All known tags.
    pub const ALL: [Self; 23] = [
        Self { distinctive: true, ..Self::new("system-reminder", TagRole::Addition) },
        Self { distinctive: true, ..Self::new("tars-memory", TagRole::Addition) },
        Self::new("ide_opened_file", TagRole::Addition),
        Self::new("ide_selection", TagRole::Addition),
        Self::new("ide_diagnostics", TagRole::Addition),
        Self::new("new-diagnostics", TagRole::Addition),
        Self::new("user-prompt-submit-hook", TagRole::Addition),
        Self::new("post-tool-use-hook", TagRole::Addition),
        Self::new("task-notification", TagRole::Message),
        Self::new("teammate-message", TagRole::Message),
        Self::new("cross-session-message", TagRole::Message),
        Self::new("channel", TagRole::Message),
        Self::new("scheduled-task", TagRole::Message),
        Self { distinctive: true, ..Self::new("local-command-caveat", TagRole::Message) },
        Self { distinctive: true, ..Self::new("local-command-stdout", TagRole::Message) },
        Self { distinctive: true, ..Self::new("local-command-stderr", TagRole::Message) },
        Self::new("bash-input", TagRole::Message),
        Self::new("bash-stdout", TagRole::Message),
        Self::new("bash-stderr", TagRole::Message),
        Self::new("command-message", TagRole::Message),
        Self::new("command-contents", TagRole::Message),
        Self::new("command-name", TagRole::Command),
        Self::new("command-args", TagRole::Command),
    ];

    const fn new(name: &'static str, role: TagRole) -> Self {
        Self { name, role, distinctive: false }
    }

    /// Whether `text` begins with this tag.
    pub fn opens(&self, text: &str) -> bool {
        let after = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(self.name));
        after.is_some_and(|after| after.starts_with(['>', ' ', '\n']))
    }
}

/// Removes the blocks of the tags with one of `roles`. Unless they count `anywhere`, a block counts only at the start of
/// a line or right after another one, because a person may mention a tag in the middle of a sentence.
pub(super) fn without_blocks(text: &str, roles: &[TagRole], anywhere: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut counts = true;
    let mut blocks = BlockFinder::new(roles);
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        counts = match before.rfind('\n') {
            Some(line) => before[line..].trim().is_empty(),
            None => counts && before.trim().is_empty(),
        };
        out.push_str(before);
        match (anywhere || counts).then(|| blocks.block(tagged)).flatten() {
            Some(end) => rest = &tagged[end..],
            None => {
                out.push('<');
                rest = &tagged[1..];
                counts = false;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Whether a text is one block of a tag that programs use, known or not: `<some-name …>` to `</some-name>`. Names of HTML have no hyphen
/// and no underscore, so that a person's pasted page is not meant.
pub(super) fn is_whole_block(text: &str) -> bool {
    let text = text.trim();
    let Some(rest) = text.strip_prefix('<') else { return false };
    let name: &str = rest.split(['>', ' ', '\n']).next().unwrap_or_default();
    let is_name = name.contains(['-', '_'])
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    is_name && text.ends_with(&format!("</{name}>"))
}

/// Finds the blocks of some tags in one text, from beginning to end.
#[derive(Debug)]
struct BlockFinder {
    /// The tags that may still be closed. A tag without a closing tag after some place has none after a later place
    /// either, so that a text full of unclosed tags is searched to its end only once per tag.
    tags: Vec<ClientTag>,
}

impl BlockFinder {
    /// Returns a finder for the blocks of all tags with one of `roles`.
    fn new(roles: &[TagRole]) -> Self {
        Self { tags: ClientTag::ALL.into_iter().filter(|tag| roles.contains(&tag.role)).collect() }
    }

    /// Returns the length in bytes of the block at the start of `rest`, including its tags, or `None` if there is no
    /// complete block. `rest` must not begin before the `rest` of an earlier call.
    fn block(&mut self, rest: &str) -> Option<usize> {
        let which = self.tags.iter().position(|tag| tag.opens(rest))?;
        let close = format!("</{}>", self.tags[which].name);
        let Some(at) = rest.find(&close) else {
            self.tags.swap_remove(which);
            return None;
        };
        Some(at + close.len())
    }
}
