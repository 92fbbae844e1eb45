//! The tags that Claude Code puts around a person's words, or around what it sends in a person's name.

/// A tag of Claude Code, of its extensions in editors, or of tars itself, `<NAME>` to `</NAME>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTag {
    /// Its name.
    pub name: &'static str,
    /// What stands inside.
    pub role: TagRole,
    /// Whether no sentence holds the letters of the name by chance: a line with them looks like the tag, however it is spelt.
    pub distinctive: bool,
}

/// What stands inside a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagRole {
    /// Something that a program adds to a person's message.
    Addition,
    /// A message, or the part of one, that a program sends in a person's name.
    Message,
    /// The name or the arguments of a command that a person gave to the client.
    Command,
}

impl ClientTag {
    /// Every tag that is known.
    pub const ALL: [Self; 20] = [
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

/// Finds the blocks of some tags in one text, from its beginning to its end.
#[derive(Debug)]
pub(super) struct BlockFinder {
    /// The tags that may still be closed. One that is not closed after some place is not closed after a later one either, so that a
    /// text full of unclosed tags is not searched to its end for each of them.
    tags: Vec<ClientTag>,
}

impl BlockFinder {
    /// Names the tags whose blocks are sought: those with one of `roles`.
    pub(super) fn new(roles: &[TagRole]) -> Self {
        Self { tags: ClientTag::ALL.into_iter().filter(|tag| roles.contains(&tag.role)).collect() }
    }

    /// Returns the length in bytes of the block that `rest` begins with, tags included; `None` if none begins there or it is never
    /// closed. `rest` must not begin before the `rest` of an earlier call.
    pub(super) fn block(&mut self, rest: &str) -> Option<usize> {
        let which = self.tags.iter().position(|tag| tag.opens(rest))?;
        let close = format!("</{}>", self.tags[which].name);
        let Some(at) = rest.find(&close) else {
            self.tags.swap_remove(which);
            return None;
        };
        Some(at + close.len())
    }
}
