//! Links between notes, however they are written.

use super::*;

const NOTES: [(&str, &str); 6] = [
    ("a/c/Plan.md", "# Plan\n\nThe plan.\n"),
    ("a/b/dots.md", "See [it](../c/Plan.md#part).\n"),
    ("a/b/wiki.md", "[[../c/Plan|it]]\n"),
    ("a/c/reference.md", "The [plan][p].\n\n[p]: ./Plan.md 'Plan'\n"),
    ("root.md", "[it](/a/x/../c/Plan.md) and [dead](../a/c/Plan.md)\n"),
    ("a/b/other.md", "[[../Plan]] and [out](../../../Plan.md) and [[./Plan]]\n"),
];

fn linked(fixture: &Fixture, path: &str) -> Vec<(String, bool, bool)> {
    let found = linked_notes(&*fixture.reader(), "vault", path, &[]).unwrap();
    found.into_iter().map(|note| (note.path, note.is_target, note.is_source)).collect()
}

#[test]
fn a_relative_link_leads_to_its_note() {
    let fixture = Fixture::new(&NOTES);
    let sources = ["a/b/dots.md", "a/b/wiki.md", "a/c/reference.md", "root.md"];
    let expected: Vec<(String, bool, bool)> = sources.map(|path| (path.to_owned(), false, true)).into();
    assert_eq!(linked(&fixture, "a/c/Plan.md"), expected);
    for path in sources {
        assert_eq!(linked(&fixture, path), [("a/c/Plan.md".to_owned(), true, false)], "{path}");
    }
    assert!(linked(&fixture, "a/b/other.md").is_empty(), "these name other places");
}

#[test]
fn a_link_in_composed_letters_leads_to_a_decomposed_name() {
    let fixture = Fixture::new(&[("U\u{308}ber uns.md", "Us.\n"), ("n.md", "[[Über uns]] [x](%C3%BCber%20uns.md)\n")]);
    assert_eq!(linked(&fixture, "n.md"), [("U\u{308}ber uns.md".to_owned(), true, false)]);
    let found = |name: &str| note(&*fixture.reader(), name, &NotePart::Default, &[]).unwrap().path;
    for name in ["Über uns", "über uns.md", "[[Über uns]]", "u\u{308}ber uns", "/vault/Über uns.md"] {
        assert_eq!(found(name), "U\u{308}ber uns.md", "{name}");
    }
}

#[test]
fn a_note_is_shown_by_a_relative_link() {
    let fixture = Fixture::new(&NOTES);
    let found = |name: &str| note(&*fixture.reader(), name, &NotePart::Default, &[]).map(|note| note.path);
    for name in
        ["../c/Plan.md", "[[../c/Plan]]", "./a/c/Plan.md", "/a/c/Plan.md", "a/b/../c/Plan", "[[/a/c/Plan#Plan]]"]
    {
        assert_eq!(found(name).unwrap(), "a/c/Plan.md", "{name}");
    }
    for name in ["../../etc/passwd", "a/../../Plan.md", "..", "/"] {
        assert!(matches!(found(name), Err(SearchError::UnknownNote { .. })), "{name}");
    }
}
