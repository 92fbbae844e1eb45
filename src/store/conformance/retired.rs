use super::*;

/// Returns the content of the successor chunk, if any.
fn successor(fixture: &Fixture, id: &ChunkId) -> Option<String> {
    match fixture.reader().locate(id.as_str()).unwrap() {
        IdLookup::Retired { id: found, collection, successor, .. } => {
            assert_eq!((&found, collection.as_str()), (id, "vault"));
            successor.map(|chunk| chunk.content)
        }
        other => panic!("{other:?}"),
    }
}

pub(super) fn a_replaced_chunk_leads_to_the_one_with_most_of_its_lines(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["first long line\nsecond long line\nthird", "tail"]));
    let id = fixture.ids_of("a.md").remove(0);
    fixture.put(&draft("a.md", &["third", "first long line\n  second long line", "tail"]));
    assert_eq!(successor(&fixture, &id).as_deref(), Some("first long line\n  second long line"));
}

pub(super) fn a_trace_survives_several_edits(new: New) {
    let mut fixture = new();
    let text = |number: usize| format!("the line that stays\nedit number {number}");
    fixture.put(&draft("a.md", &[&text(0)]));
    let id = fixture.ids_of("a.md").remove(0);
    for number in 1..=10 {
        fixture.put(&draft("a.md", &[&text(number)]));
    }
    assert_eq!(successor(&fixture, &id), Some(text(10)));
    let moved_from = Some(fixture.file("a.md").id);
    fixture.put(&Draft { moved_from, ..draft("b.md", &[&text(10)]) });
    assert_eq!(successor(&fixture, &id), Some(text(10)), "the trace survives a rename");
    fixture.check();
}

pub(super) fn restored_text_is_found_under_its_own_id(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["one\nshared line"]));
    let first = fixture.ids_of("a.md").remove(0);
    fixture.put(&draft("a.md", &["two\nshared line"]));
    let second = fixture.ids_of("a.md").remove(0);
    fixture.put(&draft("a.md", &["one\nshared line"]));
    assert!(matches!(fixture.reader().locate(first.as_str()).unwrap(), IdLookup::Found(_)));
    assert_eq!(successor(&fixture, &second).as_deref(), Some("one\nshared line"));
    fixture.check();
}

pub(super) fn removed_text_has_no_successor(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["first text", "second text"]));
    let ids = fixture.ids_of("a.md");
    fixture.put(&draft("a.md", &["first text, changed"]));
    assert_eq!(successor(&fixture, &ids[1]), None);
    fixture.store.remove_files(&[fixture.file("a.md").id]).unwrap();
    let IdLookup::Retired { path, successor, .. } = fixture.reader().locate(ids[0].as_str()).unwrap() else { panic!() };
    assert_eq!((path.as_str(), successor), ("a.md", None));
}

pub(super) fn an_ambiguous_prefix_of_replaced_ids_is_reported(new: New) {
    let mut fixture = new();
    let chunks: Vec<String> = (0..20).map(|number| format!("chunk {number}")).collect();
    fixture.put(&draft("a.md", &chunks.iter().map(String::as_str).collect::<Vec<_>>()));
    fixture.store.remove_files(&[fixture.file("a.md").id]).unwrap();
    assert!(matches!(fixture.reader().locate("").unwrap(), IdLookup::Ambiguous(_)));
}

pub(super) fn a_note_that_repeats_one_line_is_replaced_in_reasonable_time(new: New) {
    let mut fixture = new();
    let chunk = ["the same line"; 40].join("\n");
    let mut repeated = draft("a.md", &vec![chunk.as_str(); 500]);
    fixture.put(&repeated);
    let before = fixture.ids_of("a.md");
    repeated.heading = "Every id is another one".into();
    fixture.put(&repeated);
    assert!(before.iter().all(|id| successor(&fixture, id).is_some()));
}
