//! The properties of a note as the index keeps them: bounded, because front matter may hold anything.

use std::collections::HashSet;

use tars_base::domain::{Document, Property};

/// Most names of properties of a note, most values of all of them, and their longest form in characters.
const MAX_NAMES: usize = 64;
const MAX_VALUES: usize = 512;
const MAX_CHARACTERS: usize = 200;

/// Returns the front matter and the inline fields of a note; later ones beyond the bounds are left out. A note that is private has none.
pub(super) fn properties(document: &Document) -> Vec<Property> {
    let mut names: HashSet<&str> = HashSet::new();
    let mut kept = Vec::new();
    for Property { name, value } in document.properties.iter().chain(&document.inline_fields) {
        if document.private || kept.len() == MAX_VALUES {
            break;
        }
        let is_short = name.chars().nth(MAX_CHARACTERS).is_none();
        if is_short && (names.contains(name.as_str()) || names.len() < MAX_NAMES) {
            names.insert(name);
            let value = value.char_indices().nth(MAX_CHARACTERS).map_or(value.as_str(), |(end, _)| &value[..end]);
            kept.push(Property { name: name.clone(), value: value.to_owned() });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_text::markdown::parse;

    #[test]
    fn properties_are_bounded_and_private_notes_have_none() {
        let of = |text: &str| properties(&parse("a.md", text));
        let names = |text: &str| of(text).into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names("---\nstatus: open\ntags: [x]\n---\nrating:: 4\n"), ["status", "rating"]);
        let many: String = (0..200).map(|number| format!("k{number}: {}\n", "v".repeat(300))).collect();
        let kept = of(&format!("---\n{many}---\n"));
        assert_eq!((kept.len(), kept[0].value.len()), (MAX_NAMES, MAX_CHARACTERS));
        let list = format!("---\nlist: [{}]\n---\n", "a, ".repeat(2_000));
        assert_eq!(of(&list).len(), MAX_VALUES);
        assert!(names("---\ntars: private\nstatus: open\n---\nrating:: 4\n").is_empty());
    }
}
