//! What a person typed in a prompt that is being submitted.

use super::tag::BlockFinder;
use super::{ClientTag, SYNTHETIC_PROMPTS, TagRole};

/// Returns a person's words without what programs added to them; `None` if a program wrote the prompt, or if it is a command of
/// the client.
pub fn typed_prompt(prompt: &str) -> Option<String> {
    let text = prompt.trim();
    let foreign = |tag: &ClientTag| tag.role != TagRole::Addition && tag.opens(text);
    let is_synthetic =
        ClientTag::ALL.iter().any(foreign) || SYNTHETIC_PROMPTS.iter().any(|start| text.starts_with(start));
    (!is_synthetic && !is_command(text)).then(|| without_blocks(text))
}

/// Whether a request is a command of tars' own plugin, such as `/tars:forget WORDS`. A turn about it is not noted: what was to
/// be forgotten would be written down again.
pub fn is_own_command(request: &str) -> bool {
    request.trim_start().starts_with("/tars:")
}

/// `/compact`, `/plugin:command argument`, `!ls`, but not a path.
fn is_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return text.starts_with('!') };
    let name = rest.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_:".contains(character))
}

/// Takes out what programs add to a person's words: reminders, and what is open in an editor. A block that begins within a line
/// goes too.
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
