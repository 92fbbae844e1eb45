use super::*;

fn found(located: IdLookup) -> ChunkRow {
    match located {
        IdLookup::Found(chunk) => *chunk,
        other => panic!("{other:?}"),
    }
}

pub(super) fn text_keeps_its_id_when_lines_are_inserted_above_it(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana"]));
    let before = fixture.chunks_of("a.md");
    fixture.put(&draft("a.md", &["new\nlines", "apple", "banana"]));
    let after = fixture.chunks_of("a.md");
    assert_eq!(after[1].id, before[0].id);
    assert_eq!(after[2].id, before[1].id);
    assert_eq!((after[1].start_line, after[1].end_line, after[1].sequence), (3, 3, 1));
}

pub(super) fn chunks_with_equal_text_have_different_ids(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["twin", "between", "twin", "twin"]));
    fixture.put(&draft("b.md", &["twin"]));
    let mut ids = [fixture.ids_of("a.md"), fixture.ids_of("b.md")].concat();
    let places: Vec<u32> =
        ids[..4].iter().map(|id| found(fixture.reader().locate(id.as_str()).unwrap()).sequence).collect();
    assert_eq!(places, [0, 1, 2, 3]);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

pub(super) fn chunks_of_saved_chats_are_known(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.put(&Draft { is_chat: true, ..draft("b.md", &["banana", "cherry"]) });
    let chat = fixture.ids_of("b.md");
    let asked = [fixture.ids_of("a.md"), chat.clone(), vec![ChunkId::from_stored("0".repeat(32))]].concat();
    assert_eq!(fixture.reader().in_chats(&asked).unwrap(), chat.into_iter().collect());
    assert!(fixture.reader().in_chats(&[]).unwrap().is_empty());
}

pub(super) fn a_chunk_is_found_by_any_unique_prefix_of_its_id(new: New) {
    let mut fixture = new();
    fixture.put(&Draft { title: "Title".into(), heading: "One > Two".into(), ..draft("dir/a.md", &["apple\npie"]) });
    let id = fixture.ids_of("dir/a.md").remove(0);
    for length in [4, 12, 31, 32] {
        let chunk = found(fixture.reader().locate(&id.as_str()[..length]).unwrap());
        assert_eq!(chunk.id, id);
    }
    let chunk = fixture.reader().chunk_by_id(&id).unwrap().unwrap();
    assert_eq!((chunk.collection.as_str(), chunk.root.as_str(), chunk.path.as_str()), ("vault", "/vault", "dir/a.md"));
    assert_eq!((chunk.title.as_str(), chunk.heading.as_str()), ("Title", "One > Two"));
    assert_eq!((chunk.start_line, chunk.end_line, chunk.content.as_str()), (1, 2, "apple\npie"));
    assert_eq!(chunk.memory_type, MemoryType::Note);
    let short = ChunkId::from_stored(id.as_str()[..31].into());
    assert!(fixture.reader().chunk_by_id(&short).unwrap().is_none(), "only the full id matches exactly");
    let last = if id.as_str().ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &id.as_str()[..31]);
    assert!(matches!(fixture.reader().locate(&other).unwrap(), IdLookup::Unknown));
    assert!(matches!(fixture.reader().locate("%").unwrap(), IdLookup::Unknown));
}

pub(super) fn ids_and_tags_are_listed_for_completion(new: New) {
    let mut fixture = new();
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    fixture.put(&Draft {
        tags: tags(&["work", "home/garden"]),
        heading: "One".into(),
        ..draft("a.md", &["apple", "plum"])
    });
    fixture.put(&Draft { tags: tags(&["work"]), ..draft("b.md", &["cherry"]) });
    let mut ids = [fixture.ids_of("a.md"), fixture.ids_of("b.md")].concat();
    ids.sort();
    let listed = |prefix: &str, limit| fixture.reader().ids(prefix, limit).unwrap();
    let all = listed("", 9);
    assert_eq!(all.iter().map(|chunk| chunk.id.clone()).collect::<Vec<_>>(), ids);
    assert_eq!(listed("", 2), all[..2]);
    let one = listed(&ids[1].as_str()[..8], 9);
    assert_eq!(one, all[1..2]);
    assert!(one[0].path == "a.md" && one[0].heading == "One" || one[0].path == "b.md", "{one:?}");
    assert_eq!(listed(&format!("{}0", ids[0].as_str()), 9), []);
    assert_eq!((listed("x", 9), listed("%", 9)), (Vec::new(), Vec::new()));
    assert_eq!(fixture.reader().tags().unwrap(), [("home/garden".to_owned(), 1), ("work".to_owned(), 2)]);
}

pub(super) fn each_line_of_a_chunk_has_its_own_heading(new: New) {
    let mut fixture = new();
    let section = |line, heading: &str| Section { line, heading: heading.into() };
    let sections = vec![section(3, "One > Two > Three"), section(5, "One > Zwölf")];
    let chunk = "apple\npie\n### Three\nplum\n## Zwölf\ncake";
    fixture.put(&Draft { heading: "One > Two".into(), sections: sections.clone(), ..draft("a.md", &[chunk]) });
    let row = fixture.chunks_of("a.md").remove(0);
    assert_eq!(row.sections, sections);
    let headings: Vec<&str> = (1..=6).map(|line| row.heading_at(line)).collect();
    let (three, twelve) = ("One > Two > Three", "One > Zwölf");
    assert_eq!(headings, ["One > Two", "One > Two", three, three, twelve, twelve]);
}

pub(super) fn the_day_of_a_note_is_never_its_modification_day(new: New) {
    let mut fixture = new();
    let day = jiff::civil::date(2024, 9, 1);
    fixture.put(&Draft { dates: vec![day], ..draft("dated.md", &["word"]) });
    fixture.put(&draft("undated.md", &["word"]));
    assert_eq!(fixture.chunks_of("dated.md")[0].day, Some(day));
    assert_eq!(fixture.chunks_of("undated.md")[0].day, None);
}

pub(super) fn an_ambiguous_prefix_lists_some_ids(new: New) {
    let mut fixture = new();
    let chunks: Vec<String> = (0..40).map(|number| format!("chunk {number}")).collect();
    fixture.put(&draft("a.md", &chunks.iter().map(String::as_str).collect::<Vec<_>>()));
    let mut ids = fixture.ids_of("a.md");
    ids.sort();
    let twins = ids.windows(2).find(|pair| pair[0].as_str()[..1] == pair[1].as_str()[..1]).unwrap();
    let IdLookup::Ambiguous(candidates) = fixture.reader().locate(&twins[0].as_str()[..1]).unwrap() else { panic!() };
    assert!(twins.iter().any(|id| candidates.contains(id)));
    assert!(candidates.iter().all(|id| id.as_str().starts_with(&twins[0].as_str()[..1])));
    let IdLookup::Ambiguous(candidates) = fixture.reader().locate("").unwrap() else { panic!() };
    assert!(candidates.len() > 1 && candidates.len() < 40);
}

pub(super) fn chunks_are_returned_in_the_requested_order(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana", "cherry"]));
    let rows: Vec<ChunkRef> = fixture.chunks_of("a.md").iter().map(|chunk| chunk.row).collect();
    let asked = [rows[2], ChunkRef(9999), rows[0], rows[2]];
    let contents: Vec<String> =
        fixture.reader().chunks(&asked).unwrap().into_iter().map(|chunk| chunk.content).collect();
    assert_eq!(contents, ["cherry", "apple", "cherry"]);
    assert!(fixture.reader().chunks(&[]).unwrap().is_empty());
}

pub(super) fn a_range_is_clipped_to_the_file(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana", "cherry"]));
    fixture.put(&draft("b.md", &["other"]));
    let file = fixture.file("a.md").id;
    let range = |first, last| -> Vec<u32> {
        fixture.reader().chunk_range(file, first, last).unwrap().iter().map(|chunk| chunk.sequence).collect()
    };
    assert_eq!(range(1, 99), [1, 2]);
    assert_eq!(range(0, u32::MAX), [0, 1, 2]);
    assert!(range(2, 1).is_empty() && range(7, 9).is_empty());
}

pub(super) fn statistics_count_the_content(new: New) {
    let mut fixture = new();
    let empty = fixture.reader().statistics().unwrap();
    assert_eq!((empty.files, empty.chunks, empty.passages, empty.embedded), (0, 0, 0, 0));
    fixture.put(&draft("a.md", &["apple\nbanana", "cherry"]));
    fixture.embed();
    fixture.put(&draft("b.md", &["dates", ""]));
    let full = fixture.reader().statistics().unwrap();
    assert_eq!((full.files, full.chunks, full.passages, full.embedded), (2, 4, 4, 3));
    assert_eq!(fixture.reader().pending_file_count().unwrap(), 1);
}
