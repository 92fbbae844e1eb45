//! Changes one key in the text of a file. Comments, order and spacing of the rest stay as they are.

use toml::Value;
use toml_edit::{Item, Key, TableLike};

use super::SCHEDULE;
use super::file::{NotToml, parse};

/// Why a text cannot be changed.
#[derive(Debug)]
pub(super) enum EditError {
    /// It is not TOML.
    Unparsable(NotToml),
    /// A plain value has the name of the key's section.
    NotASection,
    /// The key has neither one nor two parts.
    NotAKey,
}

/// Returns `text` with `key` set to `value`, replacing an old value. The key is `section.name`, or a name without a section.
pub(super) fn with(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let mut document = parse(text).map_err(EditError::Unparsable)?.into_mut();
    let new = edit_value(value);
    let Some((section, name)) = key.split_once('.') else {
        return match document.get_mut(key) {
            Some(Item::Value(old)) => {
                replace(old, new);
                Ok(document.to_string())
            }
            Some(_) => Err(EditError::NotAKey),
            // It goes to the start of the file, because everything after a section heading belongs to that section.
            None => Ok(format!("{key} = {new}\n{}{text}", if text.is_empty() { "" } else { "\n" })),
        };
    };
    let Some(item) = document.get_mut(section) else {
        // The section is added as text: adding it to the tree would put it before the comments at the end of the file.
        let gap = if text.is_empty() { "" } else { "\n" };
        let break_line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Ok(format!("{text}{break_line}{gap}[{section}]\n{name} = {new}\n"));
    };
    let table = item.as_table_like_mut().ok_or(EditError::NotASection)?;
    match table.get_mut(name) {
        Some(Item::Value(old)) => replace(old, new),
        _ => {
            table.insert(name, Item::Value(new));
        }
    }
    Ok(document.to_string())
}

/// Returns `text` without `key`, which may be unknown to tars; `None` if the text does not hold the key.
pub(super) fn without(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let document = parse(text).map_err(EditError::Unparsable)?;
    // Errors show keys without quotes, even keys that need quotes in a file. Such a key is split at its first dot.
    let quoted = Key::parse(key).unwrap_or_default();
    let mut parts: Vec<&str> = quoted.iter().map(Key::get).collect();
    if parts.is_empty() {
        parts = key.splitn(2, '.').collect();
    }
    let root: &dyn TableLike = document.as_table();
    let (parent, name) = match parts.as_slice() {
        [name] => (Some(document.as_item()), *name),
        [section, name] => (root.get(section), *name),
        _ => return Err(EditError::NotAKey),
    };
    let found = parent.and_then(Item::as_table_like).and_then(|table| Some((table.key(name)?, table.get(name)?)));
    let Some((written, item)) = found else { return Ok(None) };
    // A key without a dot never removes a whole section or the schedules, only a stray value or a list of tables with that name.
    if parts.len() == 1 && (item.is_table_like() || name == SCHEDULE && item.is_array_of_tables()) {
        return Ok(None);
    }
    let is_inline = parent.is_some_and(Item::is_inline_table);
    if let (false, true, Some(start), Some(end)) = (is_inline, item.is_value(), written.span(), item.span()) {
        // Whole lines are cut, because removal from the tree would also remove the comments above the key.
        let start = text[..start.start].rfind('\n').map_or(0, |line_end| line_end + 1);
        let end = text[end.end..].find('\n').map_or(text.len(), |line_end| end.end + line_end + 1);
        return Ok(Some(format!("{}{}", &text[..start], &text[end..])));
    }
    let mut document = document.into_mut();
    match parts.as_slice() {
        [section, name] => {
            document.get_mut(section).and_then(Item::as_table_like_mut).and_then(|table| table.remove(name));
        }
        _ => {
            document.remove(name);
        }
    }
    Ok(Some(document.to_string()))
}

/// Returns `text` without the heading of an empty section, unless a comment stands above it or in it.
pub(super) fn without_empty_section(text: &str, section: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_blank = |line: &&&str| line.trim().is_empty();
    let heading = format!("[{section}]");
    let Some(at) = lines.iter().position(|line| line.trim() == heading) else { return text.to_owned() };
    let behind = at + 1 + lines[at + 1..].iter().take_while(is_blank).count();
    let is_empty = lines.get(behind).is_none_or(|line| line.starts_with('['));
    if !is_empty || at > 0 && lines[at - 1].starts_with('#') {
        return text.to_owned();
    }
    let before = at - lines[..at].iter().rev().take_while(is_blank).count();
    let gap = if before > 0 && behind < lines.len() { "\n" } else { "" };
    format!("{}{gap}{}", lines[..before].concat(), lines[behind..].concat())
}

/// The comment after a value is part of the value's decor.
pub(super) fn replace(old: &mut toml_edit::Value, mut new: toml_edit::Value) {
    *new.decor_mut() = old.decor().clone();
    *old = new;
}

/// The rules accept only strings, numbers, booleans and lists of strings.
fn edit_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(switch) => (*switch).into(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<toml_edit::Array>().into(),
        _ => value.as_str().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# My settings.
search.limit = 5 # few

# Where the notes are.
[vault]
# The folder.
path = '/notes'  # on the big disk
memory_folder = \"agents\"

[index]
exclude = [
  \"a/\", # drafts
]
# The end.
";

    #[test]
    fn a_value_is_replaced_in_place() {
        let after = with(TEXT, "vault.path", &Value::String("/other".into())).unwrap();
        assert_eq!(after, TEXT.replace("'/notes'", "\"/other\""));
        let after = with(TEXT, "search.limit", &Value::Integer(7)).unwrap();
        assert_eq!(after, TEXT.replace("= 5", "= 7"));
    }

    #[test]
    fn new_keys_join_their_section_and_new_sections_come_last() {
        let after = with(TEXT, "vault.path2", &Value::Boolean(true)).unwrap();
        assert_eq!(after, TEXT.replace("\"agents\"\n", "\"agents\"\npath2 = true\n"));
        let after = with(TEXT, "search.gate", &Value::Float(0.5)).unwrap();
        assert_eq!(after, TEXT.replace("# few\n", "# few\nsearch.gate = 0.5\n"));
        let after = with(TEXT, "output.color", &Value::String("never".into())).unwrap();
        assert_eq!(after, format!("{TEXT}\n[output]\ncolor = \"never\"\n"));
        let list = Value::Array(vec![Value::String("md".into())]);
        assert_eq!(with("", "index.extensions", &list).unwrap(), "[index]\nextensions = [\"md\"]\n");
    }

    #[test]
    fn a_key_without_a_section_precedes_all_sections() {
        let small = Value::String("small".into());
        let after = with(TEXT, "profile", &small).unwrap();
        assert_eq!(after, format!("profile = \"small\"\n\n{TEXT}"));
        let standard = with(&after, "profile", &Value::String("standard".into())).unwrap();
        assert_eq!(standard, after.replace("small", "standard"));
        assert_eq!(without(&after, "profile").unwrap().unwrap(), format!("\n{TEXT}"));
        assert_eq!(with("", "profile", &small).unwrap(), "profile = \"small\"\n");
        assert!(matches!(with(TEXT, "index", &small), Err(EditError::NotAKey)));
    }

    #[test]
    fn removal_keeps_the_comments_above() {
        let without = |key| without(TEXT, key).unwrap().unwrap();
        assert_eq!(without("search.limit"), TEXT.replace("search.limit = 5 # few\n", ""));
        assert_eq!(without("vault.path"), TEXT.replace("path = '/notes'  # on the big disk\n", ""));
        assert_eq!(without("index.exclude"), TEXT.replace("exclude = [\n  \"a/\", # drafts\n]\n", ""));
    }

    #[test]
    fn inline_tables_stray_values_and_odd_keys_can_be_removed() {
        let removed = |text, key| without(text, key).unwrap();
        assert_eq!(
            removed("search = { limit = 5, gate = 0.5 }\n", "search.limit").unwrap(),
            "search = { gate = 0.5 }\n"
        );
        assert_eq!(removed("limt = 5\n", "limt").unwrap(), "");
        assert_eq!(removed("[a]\n\"x y\" = 5\n", "a.\"x y\"").unwrap(), "[a]\n");
        assert_eq!(removed("[a]\n\"x y\" = 5\n", "a.x y").unwrap(), "[a]\n");
        assert_eq!(removed("[a.b]\nc = 1\n[d]\n", "a.b").unwrap(), "[d]\n");
        assert_eq!(removed("[[a]]\nc = 1\n", "a").unwrap(), "");
        assert_eq!(removed("path = 1", "path").unwrap(), "");
    }

    #[test]
    fn an_empty_section_is_removed_unless_it_has_a_comment() {
        for (text, left) in [
            ("# Settings.\n\n[vault]\n", "# Settings.\n"),
            ("a = 1\n\n[vault]\n\n[index]\nb = 1\n", "a = 1\n\n[index]\nb = 1\n"),
            ("[vault]\n[index]\n", "[index]\n"),
            ("# The notes.\n[vault]\n", "# The notes.\n[vault]\n"),
            ("[vault]\n# mine\n", "[vault]\n# mine\n"),
            ("[vault]\npath = \"/a\"\n", "[vault]\npath = \"/a\"\n"),
        ] {
            assert_eq!(without_empty_section(text, "vault"), left);
        }
    }

    #[test]
    fn missing_keys_are_not_removed() {
        assert_eq!(without(TEXT, "vault.nothing").unwrap(), None);
        assert_eq!(without(TEXT, "vault").unwrap(), None);
        assert!(matches!(without(TEXT, "a.b.c"), Err(EditError::NotAKey)));
        assert!(matches!(without("a = ", "a"), Err(EditError::Unparsable(_))));
        assert!(matches!(with("vault = 1", "vault.path", &Value::Boolean(true)), Err(EditError::NotASection)));
    }
}
