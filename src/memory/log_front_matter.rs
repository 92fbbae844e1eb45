//! Reads fields from the front matter of session logs.

/// Returns a front matter field of a session's log; `None` if the text is no such log or lacks the field.
pub fn log_field(text: &str, name: &str) -> Option<String> {
    front_matter_field(text, "tars").filter(|kind| kind == "session")?;
    front_matter_field(text, name)
}

/// Returns a field of a text's front matter that may hold quotation marks of its own.
pub(super) fn quoted_field(text: &str, name: &str) -> Option<String> {
    let value = raw_field(text, name)?;
    let said = if value.starts_with('"') { serde_json::from_str(value).ok()? } else { value.to_owned() };
    (!said.is_empty()).then_some(said)
}

/// Returns a field of a text's front matter; `None` if it is missing or empty.
pub(super) fn front_matter_field(text: &str, name: &str) -> Option<String> {
    let value = raw_field(text, name)?.trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

fn raw_field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text).strip_prefix("---")?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let matter = &rest[..=rest.find("\n---")?];
    matter.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}
