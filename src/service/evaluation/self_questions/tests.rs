use super::sample::{Sample, sample};
use super::{Kind, Mask, Name, SampleOptions, SourceNote, names};
use tars_text::markdown;

/// Long enough to count as text.
const TEXT: &str = "Some lines that say something about it, and say it at length.";

fn note(path: &str, text: &str) -> SourceNote {
    let text = text.replace("TEXT", TEXT);
    SourceNote {
        collection: "vault".into(),
        path: path.into(),
        is_memory: path.starts_with("tars/"),
        document: markdown::parse(path, &text),
    }
}

/// Returns the names of notes as `kind note: text`.
fn shown(notes: &[SourceNote]) -> Vec<String> {
    names(notes).iter().map(|name| format!("{} {}: {}", name.kind.as_str(), name.note, name.text)).collect()
}

fn masked(note: &SourceNote, hidden: &[(Kind, &str, usize)]) -> (Mask, Option<String>) {
    let mut mask = Mask::default();
    for (kind, text, heading) in hidden {
        let name = Name { kind: *kind, text: (*text).into(), note: 0, heading: *heading, places: Vec::new() };
        mask.hide(note, &name, 5);
    }
    let text = mask.apply(note);
    (mask, text)
}

#[test]
fn titles_headings_and_aliases_are_names() {
    let notes = [
        note("a/Bread.md", "---\naliases: [Loaf, Brot]\n---\n# Bread\n\nTEXT\n\n## Baking\n\nTEXT\n"),
        note("b.md", "# Soup\n\nTEXT\n"),
    ];
    let expected = ["heading 0: Baking", "title 0: Bread", "alias 0: Loaf", "alias 0: Brot", "title 1: Soup"];
    assert_eq!(shown(&notes), expected);
}

#[test]
fn ambiguous_names_and_names_without_text_are_no_questions() {
    let notes = [
        note("a.md", "# One\n\nTEXT\n\n## Notes\n\nTEXT\n\n## Brief\n\nok\n\n## 8 May 2023\n\nTEXT\n\n## 42\n\nTEXT\n"),
        note("b.md", "# Two\n\nTEXT\n\n### notes\n\nTEXT\n\n## Outer\n\n### Inner\n\nTEXT\n"),
        note("2023-05-08.md", "TEXT"),
        note("tars/Memory.md", "# Memory\n\n## Machines\n\nTEXT\n"),
    ];
    let expected = ["title 0: One", "heading 1: Outer", "heading 1: Inner", "title 1: Two", "heading 3: Machines"];
    assert_eq!(shown(&notes), expected, "a memory file is known by its path, which stays");
}

#[test]
fn link_texts_are_names() {
    let notes = [
        note("Bees/Hive 1.md", "# Hive\n\nTEXT\n"),
        note("Bees/Hive 2.md", "# Other\n\nTEXT\n\nSee [[Hive 1|the gentle one]] and ![[Hive 1|picture]].\n"),
        note(
            "x/Hive 1.md",
            "# Far\n\nTEXT\n\n[The gentle one](../Bees/Hive%201.md) is *[the wild one](../Bees/Hive%202.md#a)*.\n",
        ),
        note(
            "c.md",
            "# See\n\nTEXT [[Bees/Hive 1|the gentle one]], [[Hive 2|see]], [[Hive 2|Hive 2]], [[Hive 1|which]], [[c|itself]],\n\
             [[Bees/Hive 1|both]] [[Bees/Hive 2|both]] `[[Hive 2|code]]` [out](https://example.org/Hive%202.md) [[gone|x]]\n",
        ),
    ];
    let links: Vec<Name> = names(&notes).into_iter().filter(|name| name.kind == Kind::Link).collect();
    let found: Vec<_> = links.iter().map(|link| (link.text.as_str(), link.note, link.places.as_slice())).collect();
    // A relative path leads to its note, an ambiguous file name nowhere; a text with two targets is ambiguous, and a title is not a new name.
    assert_eq!(found, [("the gentle one", 0, &[(1, 5), (2, 5), (3, 3)][..]), ("the wild one", 1, &[(2, 5)])]);
}

#[test]
fn a_heading_is_hidden_only_in_its_line() {
    let own = note("a.md", "# A\n\n## Baking at home ##\r\n\nBaking at home: TEXT\n\nSetext\n------\n\nTEXT\n");
    let (mask, text) = masked(&own, &[(Kind::Heading, "Baking at home", 1), (Kind::Heading, "Setext", 2)]);
    let expected = "# A\n\n## _\r\n\nBaking at home: TEXT\n\n _\n------\n\nTEXT\n".replace("TEXT", TEXT);
    assert_eq!((mask.path, text), (None, Some(expected)));
}

#[test]
fn a_title_is_hidden_wherever_it_is_declared() {
    let own = note(
        "dir/My bread.v2.md",
        "---\ntitle: My bread\naliases: [\"My bread\", Loaf]\n---\n# My bread\n\nMy bread. TEXT\n",
    );
    let (mask, text) = masked(&own, &[(Kind::Title, "My bread", 0)]);
    let expected = "---\ntitle: _\naliases: [\"_\", Loaf]\n---\n# _\n\nMy bread. TEXT\n".replace("TEXT", TEXT);
    assert_eq!((mask.path.as_deref(), text), (Some("dir/_-_-.md"), Some(expected)));
    let bare = note("Bread.md", "TEXT");
    let (mask, text) = masked(&bare, &[(Kind::Title, "Bread", 0)]);
    assert_eq!((mask.path.as_deref(), text.as_deref()), (Some("_-_-.md"), Some(TEXT)));
}

#[test]
fn an_alias_is_hidden_as_whole_words_of_the_front_matter() {
    let own = note("a.md", "---\naliases:\n  - Al\n  - Alan\ntags: [al]\nnote: Al and Alan\n---\n# A\n\nAl. TEXT\n");
    let (_, text) = masked(&own, &[(Kind::Alias, "Al", 0)]);
    let expected =
        "---\naliases:\n  - _\n  - Alan\ntags: [al]\nnote: _ and Alan\n---\n# A\n\nAl. TEXT\n".replace("TEXT", TEXT);
    assert_eq!(text, Some(expected));
}

#[test]
fn a_name_with_escapes_cannot_be_hidden() {
    let own = note("a.md", "---\naliases: [\"Caf\\u00e9\"]\n---\n# A\n\nTEXT\n");
    assert_eq!(own.document.aliases, ["Café"]);
    assert_eq!(masked(&own, &[(Kind::Alias, "Café", 0)]).1, None);
    // Hiding would replace the key itself.
    let own = note("a.md", "---\naliases: [aliases]\n---\n# A\n\nTEXT\n");
    assert_eq!(masked(&own, &[(Kind::Alias, "aliases", 0)]).1, None);
}

fn many() -> Vec<SourceNote> {
    let text = |n: usize| {
        format!(
            "---\naliases: [Alias {n}]\n---\n# Title {n}\n\nTEXT\n\n## Part {n}\n\nTEXT\n\n## Section {n}\n\nTEXT\n"
        )
    };
    (0..30).map(|n| note(&format!("{n}.md"), &text(n))).collect()
}

fn choose(notes: &[SourceNote], size: usize, seed: u64) -> Sample {
    sample(notes, names(notes), SampleOptions { size, seed })
}

#[test]
fn kinds_take_turns_and_notes_repeat_only_after_all_were_used() {
    let notes = many();
    let chosen = choose(&notes, 90, 0);
    let count = |kind: Kind| chosen.names.iter().filter(|name| name.kind == kind).count();
    assert_eq!((count(Kind::Heading), count(Kind::Title), count(Kind::Alias), count(Kind::Link)), (30, 30, 30, 0));
    let mut notes_of_headings: Vec<usize> =
        chosen.names.iter().filter(|name| name.kind == Kind::Heading).map(|name| name.note).collect();
    notes_of_headings.sort_unstable();
    assert_eq!(notes_of_headings, (0..30).collect::<Vec<_>>());
    assert_eq!((choose(&notes, 1000, 0).names.len(), choose(&notes, 7, 0).names.len()), (120, 7));
}

#[test]
fn the_seed_determines_the_sample_and_new_notes_change_little() {
    let mut notes = many();
    let texts = |notes: &[SourceNote], seed: u64| -> Vec<String> {
        choose(notes, 30, seed).names.into_iter().map(|name| name.text).collect()
    };
    let before = texts(&notes, 1);
    assert_eq!(before, texts(&notes, 1));
    assert_ne!(before, texts(&notes, 2));
    notes.insert(0, note("new.md", "# New\n\nTEXT\n"));
    let after = texts(&notes, 1);
    assert!(after.iter().filter(|text| before.contains(text)).count() >= 28, "{before:?}\n{after:?}");
}
