//! Extracts the typed words of a prompt that is being submitted.

use super::tag::{is_whole_block, without_blocks};
use super::{ClientTag, SYNTHETIC_PROMPTS, TagRole};

/// Returns a person's words without additions by programs, or `None` if a program wrote the prompt or if it is a
/// command of the client.
pub fn typed_prompt(prompt: &str) -> Option<String> {
    let text = prompt.trim();
    let foreign = |tag: &ClientTag| tag.role != TagRole::Addition && tag.opens(text);
    // A message of additions alone is empty below.
    let is_addition = |tag: &ClientTag| tag.role == TagRole::Addition && tag.opens(text);
    let is_unknown = is_whole_block(text) && !ClientTag::ALL.iter().any(is_addition);
    let is_synthetic = is_unknown
        || ClientTag::ALL.iter().any(foreign)
        || SYNTHETIC_PROMPTS.iter().any(|start| text.starts_with(start));
    // Additions such as reminders or the content of an open editor may stand in the middle of a line.
    (!is_synthetic && !is_command(text)).then(|| without_blocks(text, &[TagRole::Addition], true))
}

/// Whether a request is a command of tars' own plugin, such as `/tars:forget WORDS`, or a skill of it in Codex, such as `$tars:memory-save`. No notes are made about its turn,
/// which would record the text to be forgotten again.
pub fn is_own_command(request: &str) -> bool {
    request.trim_start().starts_with("/tars:") || request.trim_start().starts_with("$tars:")
}

/// Whether a text is a command: `/compact`, `/plugin:command argument`, `!ls`, but not a path.
pub(in crate::client) fn is_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return text.starts_with('!') };
    let name = rest.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_:".contains(character))
}
