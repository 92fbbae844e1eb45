use super::*;

/// Front matter, text above the first heading, nested sections, and a fence with a fake heading.
const NESTED: &str = "---
title: Nested
status: done
---

Preamble words before any heading stand here alone, and they are so many that they fill a chunk of their own up.

# Alpha

Alpha opens with a paragraph of some length about apples.

## Beta

Beta speaks of bananas, and does so for quite a while now.

Beta goes on about bananas in a second paragraph of its own.

### Gamma

```sh
# this is no heading but a comment inside a fence
```

Gamma closes with grapes, cherries and other fruit of the year.

## Delta

Delta has dates, many of them, more than one would expect.

# Omega

Omega ends it all with oranges and nothing more to be said.
";

fn fixture() -> Fixture {
    Fixture::new(&[("nested.md", NESTED), ("other.md", "# Other\n\nAnother note.\n")])
}

fn lines(first: usize, last: usize) -> String {
    NESTED.lines().skip(first - 1).take(last + 1 - first).collect::<Vec<_>>().join("\n")
}

/// Returns the number of the line that begins with `head`.
fn line_of(head: &str) -> usize {
    NESTED.lines().position(|line| line.starts_with(head)).unwrap() + 1
}

/// Returns the last line of text before the line that begins with `head`.
fn last_before(head: &str) -> usize {
    line_of(head) - 2
}

fn section_of(text: &str) -> Expansion {
    let fixture = fixture();
    let id = fixture.id_of("nested.md", text);
    expand(&*fixture.reader(), id.as_str(), Extent::Section).unwrap()
}

#[track_caller]
fn assert_shows(shown: &Expansion, first: usize, last: usize) {
    assert_eq!((shown.start_line, shown.end_line), (first, last), "{}", shown.content);
    assert_eq!(shown.content, lines(first, last));
}

#[test]
fn the_sample_is_cut_into_many_chunks() {
    let fixture = fixture();
    let chunks = fixture.chunks("nested.md");
    assert!(chunks.len() >= 7, "{}", chunks.len());
    for chunk in chunks {
        assert_eq!(chunk.content, lines(chunk.start_line, chunk.end_line));
    }
}

#[test]
fn a_section_ends_where_the_next_of_its_level_begins() {
    assert_shows(&section_of("Delta has"), line_of("## Delta"), last_before("# Omega"));
    assert_shows(&section_of("Gamma closes"), line_of("### Gamma"), last_before("## Delta"));
    assert_shows(&section_of("Omega ends"), line_of("# Omega"), NESTED.lines().count());
}

#[test]
fn a_section_holds_the_sections_below_it() {
    assert_shows(&section_of("second paragraph"), line_of("## Beta"), last_before("## Delta"));
    let shown = section_of("Alpha opens");
    assert_shows(&shown, line_of("# Alpha"), last_before("# Omega"));
    assert_eq!((shown.path.as_str(), shown.title.as_str(), shown.heading.as_str()), ("nested.md", "Nested", "Alpha"));
    assert_eq!((shown.collection.as_str(), shown.replaced), ("vault", None));
}

#[test]
fn text_above_the_first_heading_is_a_section_too() {
    let shown = section_of("Preamble");
    assert_eq!((shown.end_line, shown.content.trim_start()), (last_before("# Alpha"), lines(6, 6).as_str()));
}

#[test]
fn a_window_counts_chunks_and_a_file_is_whole() {
    let fixture = fixture();
    let chunks = fixture.chunks("nested.md");
    let middle = &chunks[3];
    let shown = |extent| expand(&*fixture.reader(), middle.id.as_str(), extent).unwrap();
    assert_eq!(shown(Extent::Window(0)).content, middle.content);
    let around = shown(Extent::Window(1));
    assert_eq!((around.start_line, around.end_line), (chunks[2].start_line, chunks[4].end_line));
    assert_eq!(around.content, lines(around.start_line, around.end_line));
    let whole = shown(Extent::File);
    let body = line_of("Preamble") - 1;
    assert_eq!((whole.start_line, whole.end_line), (body, NESTED.lines().count()));
    assert_eq!(whole.content, lines(body, NESTED.lines().count()));
    assert_eq!(shown(Extent::Window(u32::MAX)).content, whole.content);
}

#[test]
fn a_rule_at_the_start_of_the_body_does_not_hide_headings() {
    // Without the front matter before it, the text between the rules would be front matter.
    let text = "---\ntitle: x\n---\n---\nkey: value of some length to fill the chunk up to its brim\n\n\
                # One\n\nNote: first words of the section that is asked for here, long enough to be a chunk of their \
                own in this test.\n\n---\n\n# Two\n\nSecond section, of which the same is true: it has so many words \
                that it is cut off from the first one.\n";
    let fixture = Fixture::new(&[("rule.md", text)]);
    let id = fixture.id_of("rule.md", "first words");
    let shown = expand(&*fixture.reader(), id.as_str(), Extent::Section).unwrap();
    assert_eq!((shown.start_line, shown.end_line), (7, 11), "{}", shown.content);
}

#[test]
fn a_replaced_chunk_is_answered_with_its_successor() {
    let mut fixture = fixture();
    let old = fixture.id_of("other.md", "Another note");
    fixture.put("other.md", "# Other\n\nAnother note.\nWith one more line.\n");
    let shown = expand(&*fixture.reader(), &old.as_str()[..8], Extent::Section).unwrap();
    assert_eq!(shown.replaced, Some(old.clone()));
    assert_eq!(shown.id, fixture.id_of("other.md", "one more line"));
    assert_eq!(shown.content, "# Other\n\nAnother note.\nWith one more line.");
    fixture.remove("other.md");
    let error = expand(&*fixture.reader(), old.as_str(), Extent::File).unwrap_err();
    assert!(matches!(&error, SearchError::TextGone { id, path } if *id == old && path == "other.md"), "{error}");
}

#[test]
fn ids_are_checked_before_the_lookup() {
    let fixture = fixture();
    let whole = fixture.id_of("other.md", "Another");
    let ask = |id: &str| expand(&*fixture.reader(), id, Extent::Section);
    for id in ["", "abc", "xyz1", "12345678901234567890123456789012f", "ab cd", "%%%%"] {
        assert!(matches!(ask(id), Err(SearchError::MalformedId { .. })), "{id}");
    }
    assert_eq!(ask(&format!(" {} ", whole.as_str().to_uppercase())).unwrap().id, whole);
    let mut unknown = whole.as_str()[..31].to_owned();
    unknown.push(if whole.as_str().ends_with('0') { '1' } else { '0' });
    assert!(matches!(ask(&unknown), Err(SearchError::UnknownId { .. })));
}

#[test]
fn an_ambiguous_id_names_its_candidates() {
    let mut fixture = Fixture::new(&[]);
    // Among some hundreds of chunks, two share the first four digits.
    let mut seen = std::collections::HashSet::new();
    let mut shared = None;
    for number in 0..2000 {
        let path = format!("{number}.md");
        fixture.put_words(&path, &format!("Note {number}.\n"));
        let head = fixture.chunks(&path)[0].id.as_str()[..4].to_owned();
        if !seen.insert(head.clone()) {
            shared = Some(head);
            break;
        }
    }
    let error = expand(&*fixture.reader(), &shared.unwrap(), Extent::Section).unwrap_err();
    assert!(matches!(&error, SearchError::AmbiguousId { candidates, .. } if candidates.len() == 2), "{error}");
}
