//! Extracts the typed words of a prompt that is being submitted.

use super::tag::BlockFinder;
use super::{ClientTag, SYNTHETIC_PROMPTS, TagRole};

/// Returns a person's words without additions by programs, or `None` if a program wrote the prompt or if it is a
/// command of the client.
pub fn typed_prompt(prompt: &str) -> Option<String> {
    let text = prompt.trim();
    let foreign = |tag: &ClientTag| tag.role != TagRole::Addition && tag.opens(text);
    let is_synthetic =
        ClientTag::ALL.iter().any(foreign) || SYNTHETIC_PROMPTS.iter().any(|start| text.starts_with(start));
    (!is_synthetic && !is_command(text)).then(|| without_blocks(text))
}

/// Whether a request is a command of tars' own plugin, such as `/tars:forget WORDS`. No notes are made about its turn,
/// which would record the text to be forgotten again.
pub fn is_own_command(request: &str) -> bool {
    request.trim_start().starts_with("/tars:")
}

/// Whether a text is a command: `/compact`, `/plugin:command argument`, `!ls`, but not a path.
fn is_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return text.starts_with('!') };
    let name = rest.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_:".contains(character))
}

/// Removes additions by programs, such as reminders and the content of an open editor, even in the middle of a line.
fn without_blocks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut additions = BlockFinder::new(&[TagRole::Addition]);
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        match additions.block(rest) {
            Some(end) => rest = &rest[end..],
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
